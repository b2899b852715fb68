//! What a kernel and the functions it reaches need of a device.

use std::collections::{BTreeMap, BTreeSet};

use super::{CallGraph, Callees, reachable_instructions};
use crate::isa::{Memory, Opcode, Space, SpecialRegister, Synchronization};
use crate::module::{FunctionId, Module, Operand, VariableId};

/// What a kernel and the functions it reaches need of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// Bytes of shared variables.
    pub shared_bytes: u64,
    /// Bytes of private variables of a work-item on the deepest way of calls. Functions that call themselves or one
    /// another count once.
    pub private_bytes: u64,
    /// Whether work-items wait at barriers.
    pub barriers: bool,
    /// Whether there are atomic operations.
    pub atomics: bool,
    /// Whether functions are called by address.
    pub indirect_calls: bool,
    /// The special registers that are read, in the order of the specification.
    pub special_registers: Vec<SpecialRegister>,
}

/// What a kernel and the functions it reaches need of a device.
pub fn requirements(module: &Module, graph: &CallGraph) -> Requirements {
    let mut found = Requirements {
        shared_bytes: graph.reached().map(|function| bytes(module, function, Space::Shared)).sum(),
        private_bytes: private_bytes(module, graph),
        indirect_calls: graph.calls.iter().any(|call| matches!(call.callees, Callees::Indirect(_))),
        ..Requirements::default()
    };
    let mut read = BTreeSet::new();
    for (_, body, instruction) in
        graph.reached().flat_map(|function| reachable_instructions(module, function))
    {
        match instruction.op.opcode() {
            Opcode::Synchronization(Synchronization::BarrierWorkgroup) => found.barriers = true,
            Opcode::Memory(Memory::Iatom | Memory::Fatom) => found.atomics = true,
            _ => {}
        }
        read.extend(
            body.operands(instruction)
                .iter()
                .flat_map(Operand::special_registers)
                .map(|(register, _)| register.name()),
        );
    }
    let registers = SpecialRegister::ALL.iter().copied();
    found.special_registers = registers.filter(|register| read.contains(register.name())).collect();
    found
}

/// Bytes of a function's own variables in a space.
fn bytes(module: &Module, function: FunctionId, space: Space) -> u64 {
    let variables = module.functions[function].body.iter().flat_map(|body| &body.variables);
    let variables = variables.map(|variable: &VariableId| &module.variables[*variable]);
    let sizes = variables.filter(|variable| variable.space == space).map(|variable| variable.size);
    sizes.fold(0, u64::saturating_add)
}

/// Callees come first, so that what each needs is known before its callers ask.
fn private_bytes(module: &Module, graph: &CallGraph) -> u64 {
    let mut needed: BTreeMap<FunctionId, u64> = BTreeMap::new();
    for component in &graph.components {
        let own = component.iter().map(|function| bytes(module, *function, Space::Private));
        let calls = component.iter().flat_map(|function| graph.calls_of(*function));
        let callees = calls.flat_map(|call| call.callees.functions());
        let deepest = callees.filter_map(|callee| needed.get(callee)).max().copied().unwrap_or(0);
        let sum = own.fold(deepest, u64::saturating_add);
        needed.extend(component.iter().map(|function| (*function, sum)));
    }
    needed.get(&graph.kernel).copied().unwrap_or(0)
}
