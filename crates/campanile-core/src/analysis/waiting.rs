//! Loops in which work-items wait for others. PISA promises that other sub-groups go on meanwhile, not every device does.

use std::collections::BTreeSet;

use super::ControlFlowGraph;
use crate::isa::{Memory, Opcode, Operation};
use crate::module::{Address, Base, BlockId, Body, Instruction, Offset, Operand, RegisterId, Scalar};

/// The atomic accesses of a body by which a loop waits: those of which the end of the loop depends, while the loop
/// itself always asks the same.
///
/// A loop that exchanges a value which it has computed from the old one does not wait, but tries again.
pub fn waits<'b>(body: &'b Body, graph: &ControlFlowGraph) -> Vec<&'b Instruction> {
    if !body.instructions.iter().any(|instruction| is_atomic_load(instruction) || is_exchange(instruction)) {
        return Vec::new();
    }
    let dominators = graph.dominators();
    let mut found = Vec::new();
    for block in graph.reverse_post_order() {
        for head in graph.successors(*block) {
            if dominators.dominates(*head, *block) {
                found.extend(Loop::new(body, graph, *head, *block).waits());
            }
        }
    }
    found.sort_by_key(|instruction: &&Instruction| instruction.first_operand);
    found.dedup_by_key(|instruction| instruction.first_operand);
    found
}

/// A natural loop.
struct Loop<'b> {
    body: &'b Body,
    instructions: Vec<&'b Instruction>,
    /// Registers that it writes.
    written: BTreeSet<RegisterId>,
    /// Registers of which it depends whether it is left.
    deciding: BTreeSet<RegisterId>,
}

impl<'b> Loop<'b> {
    fn new(body: &'b Body, graph: &ControlFlowGraph, head: BlockId, end: BlockId) -> Self {
        let mut blocks = BTreeSet::from([head]);
        let mut open = vec![end];
        while let Some(block) = open.pop() {
            if blocks.insert(block) {
                open.extend(graph.predecessors(block));
            }
        }
        let instructions: Vec<&Instruction> =
            blocks.iter().flat_map(|block| body.block_instructions(*block)).collect();
        let written =
            instructions.iter().flat_map(|instruction| registers(body, instruction, true)).collect();
        let leaves = |block: &&BlockId| graph.successors(**block).iter().any(|next| !blocks.contains(next));
        let last = blocks.iter().filter(leaves).filter_map(|block| body.block_instructions(*block).last());
        let mut deciding: BTreeSet<RegisterId> = last.flat_map(|last| registers(body, last, false)).collect();
        let mut size = 0;
        while std::mem::replace(&mut size, deciding.len()) != deciding.len() {
            for instruction in &instructions {
                if registers(body, instruction, true).iter().any(|register| deciding.contains(register)) {
                    deciding.extend(registers(body, instruction, false));
                }
            }
        }
        Loop { body, instructions, written, deciding }
    }

    fn waits(&self) -> Vec<&'b Instruction> {
        let tries_again = self.instructions.iter().any(|instruction| {
            is_exchange(instruction)
                && self.sources(instruction).any(|register| self.written.contains(&register))
        });
        if tries_again {
            return Vec::new();
        }
        let asks = |instruction: &&&Instruction| {
            let decides =
                registers(self.body, instruction, true).iter().any(|one| self.deciding.contains(one));
            let is_same = self.address(instruction).all(|register| !self.written.contains(&register));
            (is_atomic_load(instruction) || is_exchange(instruction)) && decides && is_same
        };
        self.instructions.iter().filter(asks).copied().collect()
    }

    /// The registers of the address of an access.
    fn address(&self, instruction: &Instruction) -> impl Iterator<Item = RegisterId> {
        let addresses =
            self.body.operands(instruction).iter().filter(|operand| matches!(operand, Operand::Address(_)));
        addresses.flat_map(of_operand)
    }

    /// The registers of the values that an atomic access is given, save the last one, that to be stored.
    fn sources(&self, instruction: &Instruction) -> impl Iterator<Item = RegisterId> {
        let expected = self.body.operands(instruction).get(2);
        expected.into_iter().flat_map(of_operand)
    }
}

fn is_atomic_load(instruction: &Instruction) -> bool {
    instruction.op.opcode() == Opcode::Memory(Memory::Ld) && instruction.op.is_atomic()
}

fn is_exchange(instruction: &Instruction) -> bool {
    matches!(instruction.op.opcode(), Opcode::Memory(Memory::Iatom | Memory::Fatom))
        && matches!(instruction.op.operation(), Some(Operation::Cas | Operation::Exchange))
}

/// The registers that an instruction writes, or those that it reads.
fn registers(body: &Body, instruction: &Instruction, written: bool) -> Vec<RegisterId> {
    let expected = instruction.op.expected_operands();
    let operands = body.operands(instruction).iter().enumerate();
    let chosen = operands.filter(|(index, _)| expected.get(*index).is_some_and(|one| one.written) == written);
    chosen.flat_map(|(_, operand)| of_operand(operand)).collect()
}

/// The registers that an operand names.
fn of_operand(operand: &Operand) -> Vec<RegisterId> {
    let of_scalar = |scalar: &Scalar| match scalar {
        Scalar::Register(register) | Scalar::Element(register, _) => Some(*register),
        Scalar::Special(..) => None,
    };
    match operand {
        Operand::Scalar(scalar) => of_scalar(scalar).into_iter().collect(),
        Operand::Vector(register) | Operand::Swizzle(register, _) | Operand::Predicate { register, .. } => {
            vec![*register]
        }
        Operand::Address(Address { base, offset }) => {
            let base = if let Base::Scalar(scalar) = base { of_scalar(scalar) } else { None };
            let offset = if let Offset::Scalar(scalar) = offset { of_scalar(scalar) } else { None };
            base.into_iter().chain(offset).collect()
        }
        _ => Vec::new(),
    }
}
