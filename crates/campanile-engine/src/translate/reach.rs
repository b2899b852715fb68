//! Which functions a kernel can reach.

use campanile_core::isa::{ControlFlow, Opcode};
use campanile_core::module::{
    Address, Base, Body, FunctionId, FunctionKind, InitializerItem, Module, Operand,
};

use super::is_imported;
use crate::launch::LaunchError;

/// The kernel, then every function that it may call, directly or through an address.
///
/// An indirect call may reach every function whose address is taken, in reachable code or in an initializer.
pub(crate) fn reachable(module: &Module, kernel: FunctionId) -> Result<Vec<FunctionId>, LaunchError> {
    let unresolved = |import: &str| LaunchError::UnresolvedImport {
        kernel: module.functions[kernel].name.clone(),
        import: import.to_owned(),
    };
    let mut reached = vec![kernel];
    let mut next = 0;
    while let Some(function) = reached.get(next) {
        next += 1;
        let Some(body) = &module.functions[*function].body else { continue };
        for instruction in &body.instructions {
            for operand in body.operands(instruction) {
                let function = match operand {
                    Operand::Function(function) => *function,
                    Operand::Variable(variable)
                    | Operand::Address(Address { base: Base::Variable(variable), .. }) => {
                        let variable = &module.variables[*variable];
                        if is_imported(variable.linkage) {
                            return Err(unresolved(&variable.name));
                        }
                        continue;
                    }
                    _ => continue,
                };
                if module.functions[function].body.is_none() {
                    return Err(unresolved(&module.functions[function].name));
                }
                add(&mut reached, function);
            }
        }
        if next == reached.len() && reached.iter().any(|one| calls_indirectly(module, *one)) {
            initialized_addresses(module).for_each(|function| add(&mut reached, function));
        }
    }
    Ok(reached)
}

fn add(reached: &mut Vec<FunctionId>, function: FunctionId) {
    if !reached.contains(&function) {
        reached.push(function);
    }
}

fn calls_indirectly(module: &Module, function: FunctionId) -> bool {
    let call = |body: &Body| {
        body.instructions.iter().any(|instruction| {
            let operands = body.operands(instruction);
            instruction.op.opcode() == Opcode::ControlFlow(ControlFlow::Call)
                && !operands.iter().any(|operand| matches!(operand, Operand::Function(_)))
        })
    };
    module.functions[function].body.as_ref().is_some_and(call)
}

/// Functions whose addresses stand in initializers.
fn initialized_addresses(module: &Module) -> impl Iterator<Item = FunctionId> {
    let items = module.variables.values().filter_map(|variable| variable.initializer.as_ref());
    let functions = items.flat_map(|initializer| &initializer.items).filter_map(|item| match item {
        InitializerItem::Function { function, .. } => Some(*function),
        _ => None,
    });
    functions.filter(|function| {
        let function = &module.functions[*function];
        function.body.is_some() && matches!(function.kind, FunctionKind::Device { .. })
    })
}
