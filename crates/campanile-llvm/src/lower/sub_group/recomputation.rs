//! Registers that a region computes again instead of keeping them: what follows from ids, parameters and constants.

use std::collections::{BTreeMap, BTreeSet};

use campanile_core::analysis::{BodyDivergence, ControlFlowGraph};
use campanile_core::isa::{Arithmetic, DataMovement, Logical, Memory, Opcode, Space, SpecialRegister};
use campanile_core::module::{Address, Body, Instruction, Module, Offset, Operand, RegisterId, Scalar, keys};

use super::function::FunctionLowering;
use super::regions::Start;

/// The instructions that write what always follows from ids, parameters and constants, by their registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Recomputed(BTreeMap<RegisterId, Start>);

impl Recomputed {
    /// What can be computed again of a body. Registers are written once for that, where all 32 lanes are together.
    pub fn of(module: &Module, body: &Body, graph: &ControlFlowGraph, found: &BodyDivergence) -> Self {
        let writes = writes(body);
        let mut recomputed = Recomputed::default();
        let whole = keys(&body.blocks).filter(|block| graph.is_reachable(*block) && found.is_whole(*block));
        for block in whole {
            for (index, instruction) in (body.blocks[block].first..).zip(body.block_instructions(block)) {
                let Some((Operand::Scalar(Scalar::Register(register)), sources)) =
                    body.operands(instruction).split_first()
                else {
                    continue;
                };
                let follows = is_cheap(instruction)
                    && writes.get(register) == Some(&1)
                    && sources.iter().all(|source| recomputed.has(module, source));
                if follows {
                    recomputed.0.insert(*register, Start { block, instruction: index });
                }
            }
        }
        recomputed
    }

    /// Whether a register can be computed again.
    pub fn contains(&self, register: RegisterId) -> bool {
        self.0.contains_key(&register)
    }

    /// Whether an operand is always the same.
    fn has(&self, module: &Module, operand: &Operand) -> bool {
        match operand {
            Operand::Immediate(_) => true,
            Operand::Scalar(Scalar::Register(register)) => self.contains(*register),
            Operand::Scalar(Scalar::Special(special, _)) => *special != SpecialRegister::ActiveMask,
            Operand::Variable(variable) => module.variables[*variable].space != Space::Private,
            // Of a parameter, as `is_cheap` has seen.
            Operand::Address(Address { offset, .. }) => matches!(offset, Offset::Immediate(_)),
            _ => false,
        }
    }

    /// What has to be done for some registers, in this order.
    fn instructions(&self, body: &Body, registers: &[RegisterId]) -> BTreeMap<u32, Start> {
        let mut open: Vec<RegisterId> = registers.to_vec();
        let (mut seen, mut found) = (BTreeSet::new(), BTreeMap::new());
        while let Some(register) = open.pop() {
            let Some(start) = self.0.get(&register).filter(|_| seen.insert(register)) else { continue };
            found.insert(start.instruction, *start);
            let operands = body.operands(&body.instructions[start.instruction as usize]);
            open.extend(operands.iter().filter_map(|operand| match operand {
                Operand::Scalar(Scalar::Register(source)) => Some(*source),
                _ => None,
            }));
        }
        found
    }
}

/// How often each register is written.
fn writes(body: &Body) -> BTreeMap<RegisterId, u32> {
    let mut writes = BTreeMap::new();
    for register in body.instructions.iter().flat_map(|instruction| written_registers(body, instruction)) {
        *writes.entry(register).or_default() += 1;
    }
    writes
}

/// The registers that an instruction writes; a call may write any register that it names.
pub(super) fn written_registers(body: &Body, instruction: &Instruction) -> Vec<RegisterId> {
    let is_call = matches!(instruction.op.opcode(), Opcode::ControlFlow(_));
    let expected = instruction.op.expected_operands();
    let operands = body.operands(instruction).iter().enumerate();
    let written =
        operands.filter(|(position, _)| is_call || expected.get(*position).is_none_or(|one| one.written));
    let register = |operand: &Operand| match operand {
        Operand::Scalar(Scalar::Register(register) | Scalar::Element(register, _))
        | Operand::Vector(register)
        | Operand::Swizzle(register, _)
        | Operand::Predicate { register, .. } => Some(*register),
        _ => None,
    };
    written.filter_map(|(_, operand)| register(operand)).collect()
}

/// Whether an instruction costs hardly more than loading its result, and depends on its operands alone.
fn is_cheap(instruction: &Instruction) -> bool {
    match instruction.op.opcode() {
        Opcode::Arithmetic(opcode) => matches!(
            opcode,
            Arithmetic::Iadd
                | Arithmetic::Isub
                | Arithmetic::Ineg
                | Arithmetic::Smul
                | Arithmetic::Umul
                | Arithmetic::Smad
                | Arithmetic::Umad
        ),
        Opcode::Logical(opcode) => {
            matches!(
                opcode,
                Logical::And | Logical::Or | Logical::Xor | Logical::Not | Logical::Shl | Logical::Shr
            )
        }
        Opcode::DataMovement(opcode) => matches!(
            opcode,
            DataMovement::Mov
                | DataMovement::Zext
                | DataMovement::Sext
                | DataMovement::Trunc
                | DataMovement::Addrof
        ),
        Opcode::Memory(opcode) => opcode == Memory::LdParam,
        _ => false,
    }
}

impl FunctionLowering<'_, '_> {
    /// Computes registers again.
    pub fn recompute(&mut self, recomputed: &Recomputed, registers: &[RegisterId]) {
        for (index, start) in recomputed.instructions(self.body, registers) {
            self.enter_at(start);
            self.instruction(&self.body.instructions[index as usize]);
        }
    }
}
