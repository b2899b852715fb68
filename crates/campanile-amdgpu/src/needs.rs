//! What kernels and functions need besides their arguments: what they read themselves, and what all they call needs.

use std::collections::BTreeMap;

use campanile_core::analysis::CallParts;
use campanile_core::isa::{DataMovement, Opcode, Space, SpecialRegister};
use campanile_core::module::{Body, FunctionId, Instruction, Module, Operand, Scalar, keys};

use crate::inputs::HiddenInputs;
use crate::target::CodeObject;

/// What a kernel or function and all that it calls need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The hidden inputs.
    pub inputs: HiddenInputs,
    /// Whether it calls what is not known: through a register, or a function of another module. Then it needs all hidden
    /// inputs.
    pub calls_unknown: bool,
    /// Whether it reads the address of the printf buffer.
    pub printf_buffer: bool,
    /// Whether it makes generic addresses of private ones.
    pub generic_private: bool,
}

impl Needs {
    fn with(self, other: Needs) -> Needs {
        Needs {
            inputs: self.inputs.with(other.inputs),
            calls_unknown: self.calls_unknown || other.calls_unknown,
            printf_buffer: self.printf_buffer || other.printf_buffer,
            generic_private: self.generic_private || other.generic_private,
        }
    }

    /// What is needed where nothing is known.
    const UNKNOWN: Needs =
        Needs { inputs: HiddenInputs::ALL, calls_unknown: true, printf_buffer: false, generic_private: true };

    /// What an instruction needs by itself.
    pub(crate) fn of_instruction(body: &Body, instruction: &Instruction, code_object: CodeObject) -> Needs {
        let mut needs = Needs::default();
        for (register, dimension) in body.operands(instruction).iter().flat_map(Operand::special_registers) {
            needs.inputs = needs.inputs.with(HiddenInputs::of(register, dimension, code_object));
            needs.printf_buffer |= register == SpecialRegister::PrintfBuffer;
        }
        needs.generic_private = instruction.op.opcode() == Opcode::DataMovement(DataMovement::Addrcast)
            && instruction.op.from_space() == Some(Space::Private);
        needs
    }
}

/// What a call names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function.
    Function(FunctionId),
    /// A register that holds an address.
    Address(Scalar),
}

/// What an instruction calls, if it is a call.
pub(crate) fn callee(body: &Body, instruction: &Instruction) -> Option<Callee> {
    match *CallParts::of(body, instruction)?.target {
        Operand::Function(function) => Some(Callee::Function(function)),
        Operand::Scalar(scalar) => Some(Callee::Address(scalar)),
        _ => None,
    }
}

/// The needs of every kernel and function of a module. What code cannot reach needs nothing.
pub fn needs(module: &Module, code_object: CodeObject) -> BTreeMap<FunctionId, Needs> {
    let mut found = BTreeMap::new();
    let mut callers: BTreeMap<FunctionId, Vec<FunctionId>> = BTreeMap::new();
    for function in keys(&module.functions) {
        let Some(body) = &module.functions[function].body else {
            found.insert(function, Needs::UNKNOWN);
            continue;
        };
        let mut own = Needs::default();
        for instruction in reachable(body) {
            own = own.with(Needs::of_instruction(body, instruction, code_object));
            match callee(body, instruction) {
                Some(Callee::Function(callee)) => callers.entry(callee).or_default().push(function),
                Some(Callee::Address(_)) => own = own.with(Needs::UNKNOWN),
                None => {}
            }
        }
        found.insert(function, own);
    }
    spread(&mut found, &callers);
    found
}

/// Hands the needs of functions up to all that call them, until nothing is new. Each function changes a few times at most.
fn spread(found: &mut BTreeMap<FunctionId, Needs>, callers: &BTreeMap<FunctionId, Vec<FunctionId>>) {
    let mut open: Vec<FunctionId> = found.keys().copied().collect();
    while let Some(callee) = open.pop() {
        let needed = found[&callee];
        for caller in callers.get(&callee).into_iter().flatten() {
            let before = found[caller];
            let after = before.with(needed);
            if after != before {
                found.insert(*caller, after);
                open.push(*caller);
            }
        }
    }
}

/// The instructions that control can reach.
fn reachable(body: &Body) -> impl Iterator<Item = &Instruction> {
    let reached = body.reachable_blocks();
    let blocks = keys(&body.blocks).zip(reached).filter(|(_, reached)| *reached);
    blocks.flat_map(|(block, _)| body.block_instructions(block))
}
