//! Sums, products, quotients and roots, rounded once in any way (spec instructions 2.2 to 2.17).

use campanile_core::isa::{FloatFormat, FloatingPoint, Rounding};
use rspirv::spirv::{Op, OpenclStd100Op};

use super::narrow::narrowed;
use super::{Format, Way, double};
use crate::emit::code::Code;
use crate::emit::value::{Bits, Number};

/// Products below this one may have lost bits that do not fit into single precision, and 2 to the power by which they
/// are looked at.
const LEAST_PRODUCT: f32 = f32::from_bits((127 - 100) << 23);
const SCALE: f32 = f32::from_bits((127 + 126) << 23);

/// How the result of an operation is rounded and changed afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) struct Mode {
    /// `.rndmode`.
    pub rounding: Rounding,
    /// `.ftz`.
    pub flush: bool,
    /// `.dsat`.
    pub saturate: bool,
}

impl Format {
    /// Sources as an operation reads them.
    pub fn all_flushed(self, code: &mut Code<'_>, flush: bool, sources: &[Bits]) -> Vec<Bits> {
        let flushed = |source: &Bits| if flush { self.flushed(code, *source) } else { *source };
        sources.iter().map(flushed).collect()
    }

    /// What `.ftz` and `.dsat` make of a rounded result.
    pub fn finished(self, code: &mut Code<'_>, mode: Mode, result: Bits) -> Bits {
        let result = if mode.flush { self.flushed(code, result) } else { result };
        if mode.saturate { self.saturated(code, result) } else { result }
    }

    /// The pattern of the result of an operation on patterns.
    pub fn operation(self, code: &mut Code<'_>, opcode: FloatingPoint, mode: Mode, sources: &[Bits]) -> Bits {
        let sources = self.all_flushed(code, mode.flush, sources);
        let way = Way::Mode(mode.rounding);
        let result = match self.kind {
            FloatFormat::Df if mode.rounding != Rounding::NearestEven => {
                double::rounded(code, opcode, mode.rounding, &sources)
            }
            FloatFormat::F if mode.rounding != Rounding::NearestEven => {
                self.through(code, 64, opcode, way, &sources)
            }
            FloatFormat::F | FloatFormat::Df => self.nearest(code, opcode, &sources),
            FloatFormat::Bf | FloatFormat::Hf => self.through(code, 32, opcode, way, &sources),
        };
        let result = self.with_nan(code, result, &sources);
        self.finished(code, mode, result)
    }

    /// By the operation of the device in this format, rounded to the nearest.
    fn nearest(self, code: &mut Code<'_>, opcode: FloatingPoint, sources: &[Bits]) -> Bits {
        let numbers: Vec<Number> = sources.iter().map(|source| code.number(*source)).collect();
        let result = match opcode {
            // A device need not round these correctly in single precision.
            FloatingPoint::Fdiv | FloatingPoint::Fsqrt if self.kind == FloatFormat::F => {
                return self.through(code, 64, opcode, Way::NEAREST, sources);
            }
            FloatingPoint::Fmad => code.extended_number(OpenclStd100Op::fma, &numbers),
            _ => computed(code, opcode, &numbers),
        };
        code.pattern(result)
    }

    /// By the operation in a wider format, in which what is lost makes the last bit odd.
    fn through(
        self,
        code: &mut Code<'_>,
        width: u32,
        opcode: FloatingPoint,
        way: Way,
        sources: &[Bits],
    ) -> Bits {
        let numbers = self.all_widened(code, width, sources);
        let result = match opcode {
            FloatingPoint::Fadd | FloatingPoint::Fsub => {
                let mut addend = numbers[1];
                if opcode == FloatingPoint::Fsub {
                    addend = code.calculate(Op::FNegate, &[addend]);
                }
                odd_sum(code, way, numbers[0], addend)
            }
            FloatingPoint::Fmad if self.kind == FloatFormat::Bf => bf_multiply_add(code, way, &numbers),
            FloatingPoint::Fmad => {
                let product = self.odd_product(code, numbers[0], numbers[1]);
                odd_sum(code, way, product, numbers[2])
            }
            FloatingPoint::Fmul => self.odd_product(code, numbers[0], numbers[1]),
            // Quotients and roots are never so near to what the format can hold that they end on its other side.
            _ => computed(code, opcode, &numbers),
        };
        narrowed(code, way, self, result)
    }

    /// A product of two numbers of this format, which fits into the wider one but for very small ones of bfloat16.
    fn odd_product(self, code: &mut Code<'_>, a: Number, b: Number) -> Number {
        let product = code.calculate(Op::FMul, &[a, b]);
        if self.kind != FloatFormat::Bf {
            return product;
        }
        let single = Format::new(FloatFormat::F);
        let pattern = code.pattern(product);
        let size = single.magnitude(code, pattern);
        let least = single.known(code, LEAST_PRODUCT.to_bits().into());
        let is_small = code.compare(Op::ULessThan, size, least);
        // The lesser factor takes the scale; what the product has lost then shows.
        let [of_a, of_b] = [a, b].map(|factor| {
            let pattern = code.pattern(factor);
            (single.magnitude(code, pattern), pattern)
        });
        let a_is_less = code.compare(Op::ULessThan, of_a.0, of_b.0);
        let lesser = code.select(a_is_less, of_a.1, of_b.1);
        let greater = code.select(a_is_less, of_b.1, of_a.1);
        let none = single.known(code, 0);
        let [lesser, greater, scaled] = [lesser, greater, pattern].map(|pattern| {
            let pattern = code.select(is_small, pattern, none);
            code.number(pattern)
        });
        let scale = code.number_constant(32, SCALE.to_bits().into());
        let [lesser, scaled] = [lesser, scaled].map(|number| code.calculate(Op::FMul, &[number, scale]));
        let scaled = code.calculate(Op::FNegate, &[scaled]);
        let lost = code.extended_number(OpenclStd100Op::fma, &[lesser, greater, scaled]);
        let odd = toward_odd(code, pattern, lost);
        let pattern = code.pattern(odd);
        let pattern = greatest_if_beyond(code, single, pattern, [a, b]);
        code.number(pattern)
    }
}

/// `fmad` of bfloat16 in single precision, rounded to odd. A product that is too great for it may come back into its range:
/// then all is computed at a sixteenth. From 2^132 on nothing brings it back.
fn bf_multiply_add(code: &mut Code<'_>, way: Way, numbers: &[Number]) -> Number {
    let (format, single) = (Format::new(FloatFormat::Bf), Format::new(FloatFormat::F));
    let product = code.calculate(Op::FMul, &numbers[..2]);
    let size = code.pattern(product);
    let size = single.magnitude(code, size);
    let is_great = code.is(size, single.infinity());
    let [small, one, back] =
        [1.0f32 / 16.0, 1.0, 16.0].map(|value| single.known(code, value.to_bits().into()));
    let [scale, back] = [small, back].map(|factor| {
        let factor = code.select(is_great, factor, one);
        code.number(factor)
    });
    // The greater factor is far from losing bits where the product is great.
    let [a, b] = [numbers[0], numbers[1]].map(|factor| code.pattern(factor));
    let [size_of_a, size_of_b] = [a, b].map(|pattern| single.magnitude(code, pattern));
    let a_is_greater = code.compare(Op::UGreaterThan, size_of_a, size_of_b);
    let [greater, lesser] = [(a, b), (b, a)].map(|(yes, no)| {
        let chosen = code.select(a_is_greater, yes, no);
        code.number(chosen)
    });
    let greater = code.calculate(Op::FMul, &[greater, scale]);
    let term = code.calculate(Op::FMul, &[numbers[2], scale]);
    let product = format.odd_product(code, lesser, greater);
    let sum = odd_sum(code, way, product, term);
    let sum = code.calculate(Op::FMul, &[sum, back]);
    let pattern = code.pattern(sum);
    let pattern = greatest_if_beyond(code, single, pattern, [product, term]);
    code.number(pattern)
}

/// The result of an operation of the device on numbers of one width.
pub(super) fn computed(code: &mut Code<'_>, opcode: FloatingPoint, numbers: &[Number]) -> Number {
    match opcode {
        FloatingPoint::Fadd => code.calculate(Op::FAdd, numbers),
        FloatingPoint::Fsub => code.calculate(Op::FSub, numbers),
        FloatingPoint::Fmul => code.calculate(Op::FMul, numbers),
        FloatingPoint::Fdiv => code.calculate(Op::FDiv, numbers),
        _ => code.extended_number(OpenclStd100Op::sqrt, numbers),
    }
}

/// A sum rounded to odd, with the sign that a zero has when it is rounded in a given way.
fn odd_sum(code: &mut Code<'_>, way: Way, a: Number, b: Number) -> Number {
    let sum = code.calculate(Op::FAdd, &[a, b]);
    let lost = lost_by_sum(code, sum, a, b);
    let format = Format::new(if a.width == 32 { FloatFormat::F } else { FloatFormat::Df });
    let pattern = code.pattern(sum);
    let odd = toward_odd(code, pattern, lost);
    let mut pattern = code.pattern(odd);
    pattern = greatest_if_beyond(code, format, pattern, [a, b]);
    let size = format.magnitude(code, pattern);
    if way == Way::Mode(Rounding::Down) {
        // Rounding down, a sum that is zero is negative unless both its terms are positive zeros.
        let [a, b] = [a, b].map(|term| code.pattern(term));
        let either = code.or(a, b);
        let sign = format.sign_of(code, either);
        let is_zero = code.is(size, 0);
        pattern = code.select(is_zero, sign, pattern);
    }
    code.number(pattern)
}

/// A result that is too great for its format, though it comes of finite numbers, is the greatest number of it, which is odd.
fn greatest_if_beyond(code: &mut Code<'_>, format: Format, pattern: Bits, terms: [Number; 2]) -> Bits {
    let [a, b] = terms.map(|term| {
        let term = code.pattern(term);
        format.magnitude(code, term)
    });
    let greater = code.extended_int(OpenclStd100Op::u_max, &[a, b]);
    let infinity = format.known(code, format.infinity());
    let is_finite = code.compare(Op::ULessThan, greater, infinity);
    let size = format.magnitude(code, pattern);
    let is_great = code.compare(Op::IEqual, size, infinity);
    let is_beyond = code.both(is_finite, is_great);
    let one = format.known(code, 1);
    let greatest = code.sub(pattern, one);
    code.select(is_beyond, greatest, pattern)
}

/// What the rounding of a sum has lost, which is a number itself.
pub(super) fn lost_by_sum(code: &mut Code<'_>, sum: Number, a: Number, b: Number) -> Number {
    let second = code.calculate(Op::FSub, &[sum, a]);
    let first = code.calculate(Op::FSub, &[sum, second]);
    let lost_of_first = code.calculate(Op::FSub, &[a, first]);
    let lost_of_second = code.calculate(Op::FSub, &[b, second]);
    code.calculate(Op::FAdd, &[lost_of_first, lost_of_second])
}

/// A number that was rounded to the nearest, moved to its odd neighbour where it has lost something and is even.
fn toward_odd(code: &mut Code<'_>, pattern: Bits, lost: Number) -> Number {
    let width = pattern.width;
    let zero = code.number_constant(lost.width, 0);
    let none = code.constant(width, 0);
    let one = code.constant(width, 1);
    let last = code.and(pattern, one);
    let is_even = code.is(last, 0);
    let is_less = code.compare_numbers(Op::FOrdLessThan, lost, zero);
    let is_more = code.compare_numbers(Op::FOrdGreaterThan, lost, zero);
    let is_negative = code.compare(Op::SLessThan, pattern, none);
    // Toward zero where what was lost has the other sign.
    let inward = code.select_truth(is_negative, is_more, is_less);
    let is_inexact = code.either(is_less, is_more);
    let moves = code.both(is_even, is_inexact);
    let minus_one = code.constant(width, u64::MAX);
    let step = code.select(inward, minus_one, one);
    let step = code.select(moves, step, none);
    let moved = code.add(pattern, step);
    code.number(moved)
}
