//! Floating-point numbers.

use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, FPRoundingMode, Op, OpenclStd100Op, Word};

use super::Code;
use crate::emit::assembly::Type;
use crate::emit::value::{Bits, Number, Truth};
use crate::feature::Feature;

/// Numbers.
impl Code<'_> {
    /// The type of numbers, which the device must have.
    pub fn float(&mut self, width: u32) -> Word {
        match width {
            16 => self.need(Feature::Halves),
            64 => self.need(Feature::Doubles),
            _ => {}
        }
        self.assembly.ty(Type::Float(width))
    }

    /// The number that a pattern stands for.
    pub fn number(&mut self, pattern: Bits) -> Number {
        let ty = self.float(pattern.width);
        Number { id: self.of(Op::Bitcast, ty, &[pattern.id]), width: pattern.width }
    }

    /// The pattern of a number.
    pub fn pattern(&mut self, number: Number) -> Bits {
        let ty = self.assembly.int(number.width);
        Bits { id: self.of(Op::Bitcast, ty, &[number.id]), width: number.width }
    }

    /// A known number, by its pattern.
    pub fn number_constant(&mut self, width: u32, pattern: u64) -> Number {
        self.float(width);
        Number { id: self.assembly.float_constant(width, pattern), width }
    }

    /// The result of an instruction on numbers of one width.
    pub fn calculate(&mut self, op: Op, operands: &[Number]) -> Number {
        let width = operands[0].width;
        let ty = self.float(width);
        let ids: Vec<Word> = operands.iter().map(|operand| operand.id).collect();
        Number { id: self.of(op, ty, &ids), width }
    }

    /// The result of an extended instruction on numbers of one width.
    pub fn extended_number(&mut self, instruction: OpenclStd100Op, operands: &[Number]) -> Number {
        let width = operands[0].width;
        let ty = self.float(width);
        let ids: Vec<Word> = operands.iter().map(|operand| operand.id).collect();
        Number { id: self.extended(instruction, ty, &ids), width }
    }

    /// A number in another width, rounded to the nearest.
    pub fn resize_number(&mut self, number: Number, width: u32) -> Number {
        if number.width == width {
            return number;
        }
        let ty = self.float(width);
        let made = self.of(Op::FConvert, ty, &[number.id]);
        if width < number.width {
            self.round(made, FPRoundingMode::RTE);
        }
        Number { id: made, width }
    }

    /// Says how a conversion rounds.
    pub fn round(&mut self, conversion: Word, mode: FPRoundingMode) {
        let mode = vec![Operand::FPRoundingMode(mode)];
        self.assembly.decorate(conversion, Decoration::FPRoundingMode, mode);
    }

    /// Whether a relation holds between two numbers.
    pub fn compare_numbers(&mut self, op: Op, a: Number, b: Number) -> Truth {
        let ty = self.assembly.ty(Type::Truth);
        Truth(self.of(op, ty, &[a.id, b.id]))
    }
}
