//! Instructions that compute lane by lane, chapter by chapter, and the way to all others.

use campanile_core::isa::{Op, Opcode};
use campanile_core::module::Instruction;

use super::function::FunctionLowering;
use super::value::{Indexed, Value};
use crate::lower::compute::Extension;
use crate::lower::compute::writer::Width;
use crate::lower::compute::{compute, extension, is_native};

impl FunctionLowering<'_, '_> {
    /// An instruction that is neither a call nor a branch. The cursor goes over it.
    pub fn instruction(&mut self, instruction: &Instruction) {
        let op = instruction.op;
        match op.opcode() {
            Opcode::Arithmetic(opcode) => self.lanewise(instruction, extension(opcode, op)),
            Opcode::Logical(_) | Opcode::Compare(_) | Opcode::FloatingPoint(_) => {
                self.lanewise(instruction, Extension::None);
            }
            Opcode::DataMovement(opcode) => self.data_movement(opcode, instruction),
            Opcode::CrossLane(opcode) => self.cross_lane(opcode, instruction),
            Opcode::Memory(opcode) => self.memory(opcode, instruction),
            Opcode::Synchronization(opcode) => self.synchronization(opcode, instruction),
            Opcode::ControlFlow(_) => unreachable!("control flow ends blocks, and calls have their own way"),
        }
    }

    /// An instruction that computes each lane's results from that lane's sources.
    pub fn lanewise(&mut self, instruction: &Instruction, extension: Extension) {
        let op = instruction.op;
        if !is_native(op, self.code.target) {
            return self.compute_on_host(instruction);
        }
        let expected = op.expected_operands();
        let operands = self.operands(instruction);
        let (mut sources, mut results) = (vec![], vec![]);
        for (expected, operand) in expected.iter().zip(operands) {
            if expected.written {
                results.push(self.places(operand));
            } else {
                sources.push(self.operand(operand, expected.bits.max(1)));
            }
        }
        self.cursor.advance();
        let elements = results.iter().map(Vec::len).max().unwrap_or(0);
        for element in 0..elements {
            let own: Vec<Value> =
                sources.iter().map(|values| values.get(element).unwrap_or(&values[0]).clone()).collect();
            let places: Vec<_> = results.iter().filter_map(|places| places.get(element).copied()).collect();
            let shapes: Vec<_> = places
                .iter()
                .map(|(register, place)| (self.bits(*register), self.cursor.shape(*register, *place)))
                .collect();
            let mut write = |lowering: &mut FunctionLowering<'_, '_>, width: Width, sources: &[String]| {
                let bits: Vec<u32> = shapes.iter().map(|(bits, _)| *bits).collect();
                let computed = compute(&mut lowering.code, op, width, element as u32, sources);
                lowering.code.fit(width, op, computed, &bits)
            };
            let mut values = self.evaluate(&own, &shapes, extension, &mut write);
            if let [value] = &mut values[..] {
                value.indexed = self.indexed(op, &own, value);
            }
            for ((register, place), value) in places.into_iter().zip(values) {
                self.write(register, place, value);
            }
        }
    }

    /// The result as a uniform base with a scaled 32-bit index, if it is one.
    fn indexed(&mut self, op: Op, sources: &[Value], result: &Value) -> Option<Indexed> {
        if result.bits != 64 || result.sure_rows().is_some() {
            return None;
        }
        super::indexed::indexed(self, op, sources)
    }
}
