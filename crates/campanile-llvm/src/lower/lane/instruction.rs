//! Instructions that compute from their sources alone, moves, and the way to all others.

use campanile_core::isa::{DataMovement, Op, Opcode, Type};
use campanile_core::module::{Instruction, Operand};

use super::function::FunctionLowering;
use crate::lower::compute::writer::Width;
use crate::lower::compute::{compute, is_native};

impl FunctionLowering<'_> {
    /// An instruction that is neither a call nor a branch.
    pub fn instruction(&mut self, instruction: &Instruction) {
        match instruction.op.opcode() {
            Opcode::Arithmetic(_) | Opcode::Logical(_) | Opcode::Compare(_) | Opcode::FloatingPoint(_) => {
                self.lanewise(instruction);
            }
            Opcode::DataMovement(opcode) => self.data_movement(opcode, instruction),
            Opcode::CrossLane(opcode) => self.cross_lane(opcode, instruction),
            Opcode::Memory(opcode) => self.memory(opcode, instruction),
            Opcode::Synchronization(opcode) => self.synchronization(opcode, instruction),
            Opcode::ControlFlow(_) => unreachable!("control flow ends blocks, and calls have their own way"),
        }
    }

    /// An instruction that computes its results element by element.
    fn lanewise(&mut self, instruction: &Instruction) {
        let op = instruction.op;
        let (mut sources, mut results) = (vec![], vec![]);
        for (expected, operand) in op.expected_operands().iter().zip(self.operands(instruction)) {
            if expected.written {
                results.push(self.places(operand));
            } else {
                sources.push(self.operand(operand, expected.bits.max(1)));
            }
        }
        let elements = results.iter().map(Vec::len).max().unwrap_or(0);
        for element in 0..elements {
            let own: Vec<String> =
                sources.iter().map(|values| values.get(element).unwrap_or(&values[0]).clone()).collect();
            let places: Vec<_> = results.iter().filter_map(|places| places.get(element).copied()).collect();
            let bits: Vec<u32> = places.iter().map(|(register, _)| self.bits(*register)).collect();
            let computed = self.computed(op, element as u32, &own);
            let values = self.code.fit(Width::One, op, computed, &bits);
            for ((register, place), value) in places.into_iter().zip(values) {
                self.write(register, place, value);
            }
        }
    }

    fn computed(&mut self, op: Op, element: u32, sources: &[String]) -> Vec<String> {
        match op.opcode() {
            Opcode::DataMovement(DataMovement::Addrcast) => {
                vec![self.platform.cast_address(&mut self.code, op, &sources[0])]
            }
            Opcode::DataMovement(DataMovement::Isaddr) => {
                vec![self.platform.tell_space(&mut self.code, op, &sources[0])]
            }
            _ if is_native(op, self.code.target) => compute(&mut self.code, op, Width::One, element, sources),
            _ => vec![self.exact_double(op, sources)],
        }
    }

    fn data_movement(&mut self, opcode: DataMovement, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let index = usize::from(instruction.op.number("index").unwrap_or(0));
        match opcode {
            DataMovement::LifetimeStart => {}
            DataMovement::Mov => self.mov(instruction),
            DataMovement::Extract => {
                let values = self.operand(&operands[1], 32);
                self.write_all(&operands[0], values.into_iter().skip(index).collect());
            }
            DataMovement::Insert => {
                let values = self.operand(&operands[1], 32);
                let places = self.places(&operands[0]);
                for ((register, element), value) in places.into_iter().skip(index).zip(values) {
                    self.write(register, element, value);
                }
            }
            DataMovement::ExtractDynamic => {
                let mut sources = self.operand(&operands[2], 32);
                sources.extend(self.operand(&operands[1], 32));
                let value = self.code.element_at(Width::One, &sources);
                self.write_all(&operands[0], vec![value]);
            }
            DataMovement::InsertDynamic => self.insert_dynamic(instruction),
            DataMovement::Addrof => {
                let value = self.operand(&operands[1], 64);
                self.write_all(&operands[0], value);
            }
            _ => self.lanewise(instruction),
        }
    }

    /// Copies bits, between elements of one width or of different ones.
    fn mov(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let places = self.places(&operands[0]);
        let bits = self.bits(places[0].0);
        let whole = instruction.op.ty().map_or(bits, Type::bits);
        let mut values = self.operand(&operands[1], whole);
        if values.len() != places.len() {
            let from = match operands[1] {
                Operand::Immediate(_) | Operand::UnsignedImmediate(_) => whole,
                _ => u32::from(self.operand_type(&operands[1]).bits),
            };
            values = self.code.recut(Width::One, &values, from, bits, places.len() as u32);
        }
        for ((register, element), value) in places.into_iter().zip(values) {
            self.write(register, element, value);
        }
    }

    fn insert_dynamic(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let old = self.operand(&operands[0], 32);
        let inserted = self.operand(&operands[1], 32).remove(0);
        let index = self.operand(&operands[2], 32).remove(0);
        for ((register, place), old) in self.places(&operands[0]).into_iter().zip(old) {
            let sources = [index.clone(), inserted.clone(), old];
            let value = self.code.element_after(Width::One, place, &sources);
            self.write(register, place, value);
        }
    }
}
