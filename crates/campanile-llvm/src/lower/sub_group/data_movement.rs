//! Moves, parts of vectors and addresses (spec chapter 4 of the instruction set).

use campanile_core::isa::{DataMovement, Type};
use campanile_core::module::Instruction;

use super::function::FunctionLowering;
use super::value::Value;
use crate::lower::compute::Extension;
use crate::lower::compute::writer::Width;

impl FunctionLowering<'_, '_> {
    pub(super) fn data_movement(&mut self, opcode: DataMovement, instruction: &Instruction) {
        let op = instruction.op;
        let operands = self.operands(instruction);
        match opcode {
            DataMovement::LifetimeStart => self.cursor.advance(),
            DataMovement::Mov => self.mov(instruction, self.places(&operands[0])),
            DataMovement::Extract => {
                let index = usize::from(op.number("index").unwrap_or(0));
                let values = self.operand(&operands[1], 32);
                let places = self.places(&operands[0]);
                self.cursor.advance();
                for (place, value) in places.into_iter().zip(values.into_iter().skip(index)) {
                    self.write(place.0, place.1, value);
                }
            }
            DataMovement::Insert => {
                let index = usize::from(op.number("index").unwrap_or(0));
                let values = self.operand(&operands[1], 32);
                let places = self.places(&operands[0]);
                self.cursor.advance();
                for (place, value) in places.into_iter().skip(index).zip(values) {
                    self.write(place.0, place.1, value);
                }
            }
            DataMovement::ExtractDynamic => self.extract_dynamic(instruction),
            DataMovement::InsertDynamic => self.insert_dynamic(instruction),
            DataMovement::Addrof => {
                let value = self.operand(&operands[1], 64).remove(0);
                self.cursor.advance();
                let (register, element) = self.places(&operands[0])[0];
                self.write(register, element, value);
            }
            DataMovement::Zext => self.lanewise(instruction, Extension::Zero),
            DataMovement::Sext => self.lanewise(instruction, Extension::Sign),
            DataMovement::Addrcast
            | DataMovement::Isaddr
            | DataMovement::Trunc
            | DataMovement::F2i
            | DataMovement::Fext
            | DataMovement::Frnd
            | DataMovement::Ftrunc
            | DataMovement::Ftrunc2
            | DataMovement::I2f
            | DataMovement::Pf2i => self.lanewise(instruction, Extension::None),
        }
    }

    /// Copies bits, between elements of one width or of different ones.
    fn mov(&mut self, instruction: &Instruction, places: Vec<(campanile_core::module::RegisterId, u32)>) {
        let bits = self.bits(places[0].0);
        let whole = instruction.op.ty().map_or(bits, Type::bits);
        let values = self.operand(&self.operands(instruction)[1], whole);
        self.cursor.advance();
        if values.len() == places.len() {
            for ((register, element), value) in places.into_iter().zip(values) {
                self.write(register, element, value);
            }
            return;
        }
        let shapes: Vec<_> =
            places.iter().map(|(register, element)| (bits, self.cursor.shape(*register, *element))).collect();
        let from = values[0].bits;
        let count = places.len() as u32;
        let mut recut = |lowering: &mut FunctionLowering<'_, '_>, width: Width, sources: &[String]| {
            lowering.code.recut(width, sources, from, bits, count)
        };
        let values = self.evaluate(&values, &shapes, Extension::None, &mut recut);
        for ((register, element), value) in places.into_iter().zip(values) {
            self.write(register, element, value);
        }
    }

    /// The element at an index below the number of elements; zero beyond.
    fn extract_dynamic(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let elements = self.operand(&operands[1], 32);
        let index = self.operand(&operands[2], 32).remove(0);
        self.cursor.advance();
        let (register, place) = self.places(&operands[0])[0];
        let shape = self.cursor.shape(register, place);
        let sources: Vec<Value> = std::iter::once(index).chain(elements).collect();
        let mut choose = |lowering: &mut FunctionLowering<'_, '_>, width: Width, sources: &[String]| {
            vec![lowering.code.element_at(width, sources)]
        };
        let value = self.evaluate(&sources, &[(32, shape)], Extension::None, &mut choose).remove(0);
        self.write(register, place, value);
    }

    fn insert_dynamic(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let places = self.places(&operands[0]);
        let old = self.operand(&operands[0], 32);
        let inserted = self.operand(&operands[1], 32).remove(0);
        let index = self.operand(&operands[2], 32).remove(0);
        self.cursor.advance();
        for ((register, place), old) in places.into_iter().zip(old) {
            let shape = self.cursor.shape(register, place);
            let mut choose = |lowering: &mut FunctionLowering<'_, '_>, width: Width, sources: &[String]| {
                vec![lowering.code.element_after(width, place, sources)]
            };
            let sources = [index.clone(), inserted.clone(), old];
            let value = self.evaluate(&sources, &[(32, shape)], Extension::None, &mut choose).remove(0);
            self.write(register, place, value);
        }
    }
}
