//! Variables of global and constant memory, with their initial contents.

use std::collections::BTreeSet;

use campanile_core::diagnostic::{Code as DiagnosticCode, Diagnostic};
use campanile_core::isa::Space;
use campanile_core::module::{Initializer, InitializerItem, Linkage, VariableId};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, LinkageType, Op, StorageClass, Word};

use super::assembly::{Assembly, Type, id};
use super::function::Shared;
use crate::feature::Feature;

/// Writes all variables, those whose addresses others hold first.
pub(super) fn write_variables(assembly: &mut Assembly, shared: &mut Shared<'_>) {
    for variable in &shared.plan.variables {
        write_variable(assembly, shared, *variable, &mut BTreeSet::new());
    }
}

fn write_variable(
    assembly: &mut Assembly,
    shared: &mut Shared<'_>,
    variable: VariableId,
    open: &mut BTreeSet<VariableId>,
) {
    if shared.variables.contains_key(&variable) {
        return;
    }
    let module = shared.plan.module;
    let declared = &module.variables[variable];
    open.insert(variable);
    for item in declared.initializer.iter().flat_map(|initializer| &initializer.items) {
        if let InitializerItem::Variable { variable: other, .. } = item {
            if open.contains(other) {
                let source = &module.sources[declared.place.source];
                let message = match *other == variable {
                    true => {
                        format!(
                            "the initial contents of `@{}` hold its own address, which SPIR-V cannot say",
                            declared.name
                        )
                    }
                    false => format!(
                        "the initial contents of `@{}` and of `@{}` lead to the address of one another, which SPIR-V cannot say",
                        declared.name, module.variables[*other].name
                    ),
                };
                shared.diagnostics.push(
                    Diagnostic::new(DiagnosticCode::Inexpressible, source, declared.place.span, message)
                        .help("store the address in a kernel"),
                );
                continue;
            }
            write_variable(assembly, shared, *other, open);
        }
    }
    open.remove(&variable);
    let class = class_of(shared, declared.space);
    if class == StorageClass::CrossWorkgroup {
        assembly.need(Feature::ProgramVariables, Some(declared.place));
    }
    let (ty, contents) = match &declared.initializer {
        Some(initializer) => {
            let (ty, contents) = initial_contents(assembly, shared, initializer);
            (ty, Some(contents))
        }
        None => {
            let byte = assembly.int(8);
            (assembly.ty(Type::Array(byte, declared.size)), None)
        }
    };
    let pointer = assembly.pointer(class, ty);
    let is_import = declared.linkage == Linkage::Imported;
    let mut operands = vec![Operand::StorageClass(class)];
    match contents {
        Some(contents) => operands.push(id(contents)),
        None if is_import => {}
        // What is undefined in PISA is zero here, as OpenCL has it.
        None => operands.push(id(assembly.global(Op::ConstantNull, ty, vec![]))),
    }
    let made = assembly.global(Op::Variable, pointer, operands);
    assembly.name(made, &declared.name);
    let alignment = declared.alignment.max(16);
    assembly.decorate(made, Decoration::Alignment, vec![Operand::LiteralBit32(alignment)]);
    if declared.space == Space::Const {
        assembly.decorate(made, Decoration::Constant, vec![]);
    }
    match declared.linkage {
        Linkage::Internal => {}
        Linkage::Exported => assembly.link(made, &declared.name, LinkageType::Export),
        Linkage::Imported => assembly.link(made, &declared.name, LinkageType::Import),
    }
    shared.variables.insert(variable, made);
}

fn class_of(shared: &Shared<'_>, space: Space) -> StorageClass {
    match space {
        Space::Const => shared.plan.constant_class(),
        _ => StorageClass::CrossWorkgroup,
    }
}

/// A constant of the items in turn, and its type.
fn initial_contents(assembly: &mut Assembly, shared: &Shared<'_>, initializer: &Initializer) -> (Word, Word) {
    let mut members: Vec<(Word, Word)> = Vec::new();
    let mut items = &initializer.items[..];
    while let Some(first) = items.first() {
        let count = match first {
            InitializerItem::Value { bytes, .. } => items
                .iter()
                .take_while(
                    |item| matches!(item, InitializerItem::Value { bytes: other, .. } if other == bytes),
                )
                .count(),
            _ => 1,
        };
        let (these, rest) = items.split_at(count);
        items = rest;
        members.push(match first {
            InitializerItem::Value { bytes, .. } => values(assembly, u32::from(*bytes), these),
            InitializerItem::Zero(bytes) => {
                let byte = assembly.int(8);
                let ty = assembly.ty(Type::Array(byte, *bytes));
                (ty, assembly.global(Op::ConstantNull, ty, vec![]))
            }
            InitializerItem::Variable { variable, offset } => {
                let ty = assembly.int(64);
                (ty, address(assembly, shared, *variable, *offset))
            }
            InitializerItem::Function { function, offset } => {
                let address = shared.plan.function_address(*function).wrapping_add(*offset as u64);
                (assembly.int(64), assembly.constant(64, address).id)
            }
        });
    }
    if let [only] = members[..] {
        return only;
    }
    let types = members.iter().map(|(ty, _)| *ty).collect();
    let constants = members.iter().map(|(_, constant)| id(*constant)).collect();
    let ty = assembly.packed_structure(types);
    (ty, assembly.global(Op::ConstantComposite, ty, constants))
}

/// Integers of one width in an array.
fn values(assembly: &mut Assembly, bytes: u32, items: &[InitializerItem]) -> (Word, Word) {
    let element = assembly.int(8 * bytes);
    let constants: Vec<Operand> = items
        .iter()
        .filter_map(|item| match item {
            InitializerItem::Value { value, .. } => Some(id(assembly.constant(8 * bytes, *value).id)),
            _ => None,
        })
        .collect();
    let ty = assembly.ty(Type::Array(element, constants.len() as u64));
    (ty, assembly.global(Op::ConstantComposite, ty, constants))
}

/// The 64-bit address of a variable as a constant.
fn address(assembly: &mut Assembly, shared: &Shared<'_>, variable: VariableId, offset: i64) -> Word {
    let wide = assembly.int(64);
    let Some(variable) = shared.variables.get(&variable) else { return assembly.constant(64, 0).id };
    let constant = |assembly: &mut Assembly, ty: Word, op: Op, operands: &[Word]| {
        let mut all = vec![Operand::LiteralSpecConstantOpInteger(op)];
        all.extend(operands.iter().copied().map(id));
        assembly.global(Op::SpecConstantOp, ty, all)
    };
    let width = assembly.pointer_bits();
    let ty = assembly.int(width);
    let mut address = constant(assembly, ty, Op::ConvertPtrToU, &[*variable]);
    if width < 64 {
        address = constant(assembly, wide, Op::UConvert, &[address]);
    }
    if offset != 0 {
        let offset = assembly.constant(64, offset as u64);
        address = constant(assembly, wide, Op::IAdd, &[address, offset.id]);
    }
    address
}
