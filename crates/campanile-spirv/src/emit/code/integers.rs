//! Integers and conditions.

use rspirv::spirv::{Op, OpenclStd100Op, Word};

use super::Code;
use crate::emit::assembly::Type;
use crate::emit::value::{Bits, Truth};

/// Integers.
impl Code<'_> {
    /// A known integer.
    pub fn constant(&mut self, width: u32, value: u64) -> Bits {
        self.assembly.constant(width, value)
    }

    /// An integer of nothing in particular.
    pub fn undefined(&mut self, width: u32) -> Bits {
        let ty = self.assembly.int(width);
        Bits { id: self.value(Op::Undef, ty, vec![]), width }
    }

    /// The result of an instruction on two integers, in the width of the first.
    pub fn binary(&mut self, op: Op, a: Bits, b: Bits) -> Bits {
        let known = [a, b].map(|value| self.assembly.known(value.id));
        if let [Some(a_known), Some(b_known)] = known
            && let Some(value) = folded(op, a_known, b_known, a.width)
        {
            return self.constant(a.width, value);
        }
        if is_neutral(op, known, a.width) {
            return a;
        }
        let ty = self.assembly.int(a.width);
        Bits { id: self.of(op, ty, &[a.id, b.id]), width: a.width }
    }

    /// `a + b`.
    pub fn add(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::IAdd, a, b)
    }

    /// `a - b`.
    pub fn sub(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::ISub, a, b)
    }

    /// `a * b`.
    pub fn mul(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::IMul, a, b)
    }

    /// `a & b`.
    pub fn and(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::BitwiseAnd, a, b)
    }

    /// `a | b`.
    pub fn or(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::BitwiseOr, a, b)
    }

    /// `a ^ b`.
    pub fn xor(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::BitwiseXor, a, b)
    }

    /// `a` shifted by a count below its width.
    pub fn shift(&mut self, op: Op, a: Bits, count: Bits) -> Bits {
        self.binary(op, a, count)
    }

    /// `a` shifted by a known count below its width.
    pub fn shift_by(&mut self, op: Op, a: Bits, count: u32) -> Bits {
        let count = self.constant(a.width, count.into());
        self.binary(op, a, count)
    }

    /// `~a`.
    pub fn not(&mut self, a: Bits) -> Bits {
        let ty = self.assembly.int(a.width);
        Bits { id: self.of(Op::Not, ty, &[a.id]), width: a.width }
    }

    /// `-a`.
    pub fn negate(&mut self, a: Bits) -> Bits {
        let zero = self.constant(a.width, 0);
        self.sub(zero, a)
    }

    /// An integer of another width, made wider by zeros.
    pub fn resize(&mut self, a: Bits, width: u32) -> Bits {
        self.convert_width(Op::UConvert, a, width)
    }

    /// An integer of another width, made wider by its sign.
    pub fn resize_signed(&mut self, a: Bits, width: u32) -> Bits {
        self.convert_width(Op::SConvert, a, width)
    }

    fn convert_width(&mut self, op: Op, a: Bits, width: u32) -> Bits {
        if a.width == width {
            return a;
        }
        if let Some(known) = self.assembly.known(a.id) {
            let signed = op == Op::SConvert && a.width < 64;
            let value = if signed { sign_extended(known, a.width) as u64 } else { known };
            return self.constant(width, value);
        }
        let ty = self.assembly.int(width);
        Bits { id: self.of(op, ty, &[a.id]), width }
    }

    /// A signed integer without its sign; the least one stays as it is.
    pub fn absolute(&mut self, a: Bits) -> Bits {
        let negative = self.negate(a);
        let zero = self.constant(a.width, 0);
        let is_negative = self.compare(Op::SLessThan, a, zero);
        self.select(is_negative, negative, a)
    }

    /// The number of the lowest bit that is set; the width if none is. Counted by the bits below it, as OpenCL has no
    /// instruction for that before 2.0.
    pub fn lowest(&mut self, a: Bits) -> Bits {
        let negative = self.negate(a);
        let lowest = self.and(a, negative);
        let one = self.constant(a.width, 1);
        let below = self.sub(lowest, one);
        self.extended_int(OpenclStd100Op::popcount, &[below])
    }

    /// The result of an extended instruction on integers, in the width of the first.
    pub fn extended_int(&mut self, instruction: OpenclStd100Op, operands: &[Bits]) -> Bits {
        let width = operands[0].width;
        let ty = self.assembly.int(width);
        let ids: Vec<Word> = operands.iter().map(|operand| operand.id).collect();
        Bits { id: self.extended(instruction, ty, &ids), width }
    }

    /// The address that a pointer is, in 64 bits.
    pub fn address_of(&mut self, pointer: Word) -> Bits {
        let width = self.assembly.pointer_bits();
        let ty = self.assembly.int(width);
        let address = Bits { id: self.of(Op::ConvertPtrToU, ty, &[pointer]), width };
        self.resize(address, 64)
    }

    /// Whether a relation holds between two integers.
    pub fn compare(&mut self, op: Op, a: Bits, b: Bits) -> Truth {
        let ty = self.assembly.ty(Type::Truth);
        Truth(self.of(op, ty, &[a.id, b.id]))
    }

    /// Whether an integer is a known one.
    pub fn is(&mut self, a: Bits, value: u64) -> Truth {
        let value = self.constant(a.width, value);
        self.compare(Op::IEqual, a, value)
    }

    /// Whether an integer is not zero.
    pub fn is_not_zero(&mut self, a: Bits) -> Truth {
        let zero = self.constant(a.width, 0);
        self.compare(Op::INotEqual, a, zero)
    }

    /// One of two integers.
    pub fn select(&mut self, condition: Truth, yes: Bits, no: Bits) -> Bits {
        if yes == no {
            return yes;
        }
        let ty = self.assembly.int(yes.width);
        Bits { id: self.of(Op::Select, ty, &[condition.0, yes.id, no.id]), width: yes.width }
    }
}

/// Conditions.
impl Code<'_> {
    /// A known condition.
    pub fn truth(&mut self, value: bool) -> Truth {
        Truth(self.assembly.truth_constant(value))
    }

    fn logical(&mut self, op: Op, operands: &[Word]) -> Truth {
        let ty = self.assembly.ty(Type::Truth);
        Truth(self.of(op, ty, operands))
    }

    /// Whether both hold.
    pub fn both(&mut self, a: Truth, b: Truth) -> Truth {
        self.logical(Op::LogicalAnd, &[a.0, b.0])
    }

    /// Whether one of both holds.
    pub fn either(&mut self, a: Truth, b: Truth) -> Truth {
        self.logical(Op::LogicalOr, &[a.0, b.0])
    }

    /// Whether a condition does not hold.
    pub fn is_not(&mut self, a: Truth) -> Truth {
        self.logical(Op::LogicalNot, &[a.0])
    }

    /// One of two conditions.
    pub fn select_truth(&mut self, condition: Truth, yes: Truth, no: Truth) -> Truth {
        self.logical(Op::Select, &[condition.0, yes.0, no.0])
    }

    /// A condition as an integer: all ones, or zero.
    pub fn ones_if(&mut self, condition: Truth, width: u32) -> Bits {
        let [yes, no] = [u64::MAX, 0].map(|value| self.constant(width, value));
        self.select(condition, yes, no)
    }

    /// A condition as an integer: one or zero.
    pub fn one_if(&mut self, condition: Truth, width: u32) -> Bits {
        let [yes, no] = [1, 0].map(|value| self.constant(width, value));
        self.select(condition, yes, no)
    }
}

/// The value of an integer with its sign.
fn sign_extended(value: u64, width: u32) -> i64 {
    (value << (64 - width)) as i64 >> (64 - width)
}

/// What an instruction makes of known integers, if that is worth knowing.
fn folded(op: Op, a: u64, b: u64, width: u32) -> Option<u64> {
    Some(match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::BitwiseAnd => a & b,
        Op::BitwiseOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::ShiftLeftLogical if b < u64::from(width) => a << b,
        Op::ShiftRightLogical if b < u64::from(width) => a >> b,
        Op::ShiftRightArithmetic if b < u64::from(width) => (sign_extended(a, width) >> b) as u64,
        _ => return None,
    })
}

/// Whether an instruction leaves its first operand as it is.
fn is_neutral(op: Op, [_, b]: [Option<u64>; 2], width: u32) -> bool {
    match op {
        Op::IAdd
        | Op::ISub
        | Op::BitwiseOr
        | Op::BitwiseXor
        | Op::ShiftLeftLogical
        | Op::ShiftRightLogical
        | Op::ShiftRightArithmetic => b == Some(0),
        Op::BitwiseAnd => b == Some(u64::MAX >> (64 - width)),
        _ => false,
    }
}
