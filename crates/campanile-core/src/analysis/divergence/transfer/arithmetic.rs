//! Chapters 1 and 3: sums, products and shifts keep strides.

use super::{Arithmetic, Logical, Transfer};
use crate::analysis::divergence::shape::{Shape, add, extend, multiply, ones, subtract};
use crate::analysis::divergence::values::{Known, Values};
use crate::isa::{Op, Type};
use crate::module::Instruction;

/// `.type`, if it is a single integer.
fn integer(op: Op) -> Option<u32> {
    op.ty().filter(|ty| !ty.is_packed()).map(Type::bits)
}

impl Transfer<'_> {
    pub(super) fn arithmetic(&self, opcode: Arithmetic, values: &mut Values, instruction: &Instruction) {
        let op = instruction.op;
        let full = op.has("precision");
        let Some(bits) = integer(op).filter(|_| !op.has("dsat")) else {
            return self.pure(values, instruction);
        };
        let shape = match opcode {
            Arithmetic::Iadd => self.two(values, instruction, |a, b| add(a, b, bits)),
            Arithmetic::Isub => self.two(values, instruction, |a, b| subtract(a, b, bits)),
            Arithmetic::Ineg => self.one(values, instruction, |a| subtract(Shape::constant(0), a, bits)),
            Arithmetic::Smul | Arithmetic::Umul if full => {
                let wide = move |a| extend(a, opcode == Arithmetic::Smul, bits, 2 * bits);
                self.two(values, instruction, |a, b| multiply(wide(a), wide(b), 2 * bits))
            }
            Arithmetic::Smul | Arithmetic::Umul => self.two(values, instruction, |a, b| multiply(a, b, bits)),
            Arithmetic::Smad | Arithmetic::Umad if full => {
                let wide = move |a| extend(a, opcode == Arithmetic::Smad, bits, 2 * bits);
                self.three(values, instruction, |a, b, c| {
                    add(multiply(wide(a), wide(b), 2 * bits), c, 2 * bits)
                })
            }
            Arithmetic::Smad | Arithmetic::Umad => {
                self.three(values, instruction, |a, b, c| add(multiply(a, b, bits), c, bits))
            }
            Arithmetic::Dp4a
            | Arithmetic::Iabs
            | Arithmetic::Sdiv
            | Arithmetic::Smax
            | Arithmetic::Smin
            | Arithmetic::Uaddc
            | Arithmetic::Usubb
            | Arithmetic::Udiv
            | Arithmetic::Umax
            | Arithmetic::Umin => return self.pure(values, instruction),
        };
        self.write(values, instruction, shape);
    }

    pub(super) fn logical(&self, opcode: Logical, values: &mut Values, instruction: &Instruction) {
        let Some(bits) = integer(instruction.op) else { return self.pure(values, instruction) };
        let shape = match opcode {
            Logical::Not => self.one(values, instruction, |a| subtract(Shape::constant(ones(bits)), a, bits)),
            Logical::And => self.two(values, instruction, |a, b| mask(a, b, bits)),
            Logical::Or => self.two(values, instruction, |a, b| bitwise(a, b, bits, |a, b| a | b)),
            Logical::Xor => self.two(values, instruction, |a, b| bitwise(a, b, bits, |a, b| a ^ b)),
            Logical::Shl => self.two(values, instruction, |a, count| shift_left(a, count, bits)),
            Logical::Shr => self.two(values, instruction, |a, count| {
                bitwise(a, count, bits, |a, count| a.checked_shr((count & 63) as u32).unwrap_or(0))
            }),
            Logical::Asr
            | Logical::Bfi
            | Logical::Bfn
            | Logical::Bfrev
            | Logical::Cbit
            | Logical::Fbh
            | Logical::Fbl
            | Logical::Sbfe
            | Logical::Shf
            | Logical::Ubfe => return self.pure(values, instruction),
        };
        self.write(values, instruction, shape);
    }

    fn one(&self, values: &Values, instruction: &Instruction, combine: impl FnOnce(Shape) -> Shape) -> Known {
        self.sources(values, &self.body.operands(instruction)[1..]).map(|[a]| combine(a))
    }

    fn two(
        &self,
        values: &Values,
        instruction: &Instruction,
        combine: impl FnOnce(Shape, Shape) -> Shape,
    ) -> Known {
        self.sources(values, &self.body.operands(instruction)[1..]).map(|[a, b]| combine(a, b))
    }

    fn three(
        &self,
        values: &Values,
        instruction: &Instruction,
        combine: impl FnOnce(Shape, Shape, Shape) -> Shape,
    ) -> Known {
        self.sources(values, &self.body.operands(instruction)[1..]).map(|[a, b, c]| combine(a, b, c))
    }
}

/// An operation that is looked at lane by lane where both sources are known.
fn bitwise(a: Shape, b: Shape, bits: u32, combine: fn(u64, u64) -> u64) -> Shape {
    if let (Some(a), Some(b)) = (a.lanes(), b.lanes()) {
        let lanes = std::array::from_fn(|lane| combine(a[lane] & ones(bits), b[lane] & ones(bits)));
        return Shape::of_lanes(lanes, bits);
    }
    Shape::of_sources([a, b])
}

/// A bitwise AND is no greater than either source.
fn mask(a: Shape, b: Shape, bits: u32) -> Shape {
    match (bitwise(a, b, bits, |a, b| a & b), a.linear(), b.linear()) {
        (Shape::UNIFORM, Some(a), Some(b)) => Shape::up_to(a.limit.min(b.limit)),
        (shape, ..) => shape,
    }
}

/// A shift by a uniform count is a product with a power of two, or zero.
fn shift_left(a: Shape, count: Shape, bits: u32) -> Shape {
    match count.known() {
        Some(count) if count & 63 >= u64::from(bits) => Shape::constant(0),
        Some(count) => multiply(a, Shape::constant(1 << (count & 63)), bits),
        None if count.is_uniform() => multiply(a, Shape::UNIFORM, bits),
        None => Shape::Varying,
    }
}
