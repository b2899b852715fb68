//! Instructions, by chapter; and what is the same for all that compute element by element.

use campanile_core::isa::{Opcode, OperandKind};
use campanile_core::module::Instruction;

use super::function::FunctionEmitter;
use super::value::Bits;

impl FunctionEmitter<'_, '_, '_> {
    /// Translates an instruction that does not end its block.
    pub fn instruction(&mut self, instruction: &Instruction) {
        match instruction.op.opcode() {
            Opcode::Arithmetic(opcode) => self.arithmetic(opcode, instruction),
            Opcode::FloatingPoint(opcode) => self.floating_point(opcode, instruction),
            Opcode::Logical(opcode) => self.logical(opcode, instruction),
            Opcode::DataMovement(opcode) => self.data_movement(opcode, instruction),
            Opcode::Compare(opcode) => self.comparison(opcode, instruction),
            Opcode::ControlFlow(opcode) => self.control_flow(opcode, instruction),
            Opcode::CrossLane(opcode) => self.cross_lane(opcode, instruction),
            Opcode::Memory(opcode) => self.memory_access(opcode, instruction),
            Opcode::Synchronization(opcode) => self.synchronization(opcode, instruction),
        }
    }

    /// The elements of each source of an instruction, in the order of its syntax.
    pub fn sources(&mut self, instruction: &Instruction) -> Vec<Vec<Bits>> {
        let expected = instruction.op.expected_operands();
        let operands = self.body.operands(instruction);
        let sources = expected.iter().zip(operands).filter(|(expected, _)| !expected.written);
        sources.map(|(expected, operand)| self.operand(operand, expected.bits)).collect()
    }

    /// Writes the first operand of an instruction, each element computed from the same elements of the sources. A source
    /// of one element serves for all.
    pub fn elementwise(
        &mut self,
        instruction: &Instruction,
        mut compute: impl FnMut(&mut Self, &[Bits]) -> Bits,
    ) {
        let sources = self.sources(instruction);
        let destination = &self.body.operands(instruction)[0];
        let count = self.named(destination).map_or(1, |(_, _, count)| count as usize);
        let results: Vec<Bits> = (0..count)
            .map(|index| {
                let elements: Vec<Bits> =
                    sources.iter().map(|source| *source.get(index).unwrap_or(&source[0])).collect();
                compute(self, &elements)
            })
            .collect();
        self.assign(destination, &results);
    }
}

/// Whether the first operand of an instruction is a predicate.
pub(super) fn writes_predicate(instruction: &Instruction) -> bool {
    instruction.op.expected_operands().first().is_some_and(|first| first.kind == OperandKind::Predicate)
}
