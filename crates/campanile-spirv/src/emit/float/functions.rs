//! What is no arithmetic: signs, extremes, and functions of which the specification bounds the error (spec instructions
//! 2.1 to 2.18).
//!
//! OpenCL's bounds in single precision are wider than PISA's. So single precision is computed in double, and what has
//! 16 bits in single precision: rounded to the format, hardly more than half a unit in the last place is lost.

use campanile_core::isa::{FloatFormat, FloatingPoint, Rounding};
use rspirv::spirv::{Op, OpenclStd100Op};

use super::narrow::narrowed;
use super::{Format, Mode, Way};
use crate::emit::code::Code;
use crate::emit::value::{Bits, Number};

impl Format {
    /// `fabs`.
    pub fn absolute(self, code: &mut Code<'_>, source: Bits) -> Bits {
        let quiet = self.quieted(code, source);
        self.magnitude(code, quiet)
    }

    /// `fneg`.
    pub fn negated(self, code: &mut Code<'_>, source: Bits) -> Bits {
        let quiet = self.quieted(code, source);
        let sign = self.known(code, self.sign());
        code.xor(quiet, sign)
    }

    /// `fmin` and `fmax`: `relation` is the one in which the result's order stands to the other's.
    pub fn extreme(self, code: &mut Code<'_>, relation: Op, propagate_nan: bool, a: Bits, b: Bits) -> Bits {
        let [order_a, order_b] = [a, b].map(|pattern| self.order(code, pattern));
        let first = code.compare(relation, order_a, order_b);
        let extreme = code.select(first, a, b);
        let [a_is_nan, b_is_nan] = [a, b].map(|pattern| self.is_nan(code, pattern));
        let nan = self.nan_among(code, &[a, b]);
        if propagate_nan {
            let any = code.either(a_is_nan, b_is_nan);
            return code.select(any, nan, extreme);
        }
        let result = code.select(b_is_nan, a, extreme);
        let result = code.select(a_is_nan, b, result);
        let all = code.both(a_is_nan, b_is_nan);
        code.select(all, nan, result)
    }

    /// `frc`: what is above the next lower integer.
    pub fn fraction_of(self, code: &mut Code<'_>, source: Bits) -> Bits {
        let number = code.number(source);
        let floor = code.extended_number(OpenclStd100Op::floor, &[number]);
        let rest = code.calculate(Op::FSub, &[number, floor]);
        let result = code.pattern(rest);
        self.with_nan(code, result, &[source])
    }

    /// `frnd`: a number rounded to an integral one.
    pub fn integral(self, code: &mut Code<'_>, rounding: Rounding, source: Bits) -> Bits {
        let number = self.widened(code, source);
        let rounded = code.extended_number(integral_function(rounding), &[number]);
        let result = narrowed(code, Way::NEAREST, self, rounded);
        self.with_nan(code, result, &[source])
    }

    /// A function of which only the error is bounded; none for an operation that is no such function.
    pub fn function(
        self,
        code: &mut Code<'_>,
        opcode: FloatingPoint,
        flush: bool,
        sources: &[Bits],
    ) -> Option<Bits> {
        let function = match opcode {
            FloatingPoint::Fsin => Some(OpenclStd100Op::sin),
            FloatingPoint::Fcos => Some(OpenclStd100Op::cos),
            FloatingPoint::Fexp2 => Some(OpenclStd100Op::exp2),
            FloatingPoint::Flog2 => Some(OpenclStd100Op::log2),
            FloatingPoint::Ftanh => Some(OpenclStd100Op::tanh),
            FloatingPoint::Fsqrt => Some(OpenclStd100Op::sqrt),
            FloatingPoint::Frsqrt => Some(OpenclStd100Op::rsqrt),
            FloatingPoint::Frcp | FloatingPoint::Fdiv => None,
            _ => return None,
        };
        let sources = self.all_flushed(code, flush, sources);
        // A quotient may lose as much as OpenCL allows.
        let width =
            if self.kind == FloatFormat::F && opcode != FloatingPoint::Fdiv { 64 } else { self.wide().bits };
        let numbers = self.all_widened(code, width, &sources);
        let result = match function {
            Some(OpenclStd100Op::rsqrt) if self.kind == FloatFormat::Df => reciprocal_root(code, numbers[0]),
            Some(function) => code.extended_number(function, &numbers),
            None => {
                let (above, below) = match numbers[..] {
                    [above, below] => (above, below),
                    _ => (code.number_constant(width, one(width)), numbers[0]),
                };
                code.calculate(Op::FDiv, &[above, below])
            }
        };
        let result = narrowed(code, Way::NEAREST, self, result);
        let result = self.with_nan(code, result, &sources);
        Some(self.finished(code, Mode { rounding: Rounding::NearestEven, flush, saturate: false }, result))
    }
}

/// The pattern of 1 in single or double precision.
fn one(width: u32) -> u64 {
    Format::new(if width == 64 { FloatFormat::Df } else { FloatFormat::F }).one()
}

/// The function of OpenCL that rounds to an integral number.
pub(in crate::emit) fn integral_function(rounding: Rounding) -> OpenclStd100Op {
    match rounding {
        Rounding::NearestEven => OpenclStd100Op::rint,
        Rounding::Down => OpenclStd100Op::floor,
        Rounding::Up => OpenclStd100Op::ceil,
        Rounding::TowardZero => OpenclStd100Op::trunc,
        Rounding::NearestAway => OpenclStd100Op::round,
    }
}

/// The reciprocal of a root in double precision, within one unit in the last place: the quotient is corrected by what the
/// root and the quotient have lost.
fn reciprocal_root(code: &mut Code<'_>, number: Number) -> Number {
    let format = Format::new(FloatFormat::Df);
    let [one, half, scale, scale_of_root, least] =
        [1.0f64, 0.5, 2f64.powi(200), 2f64.powi(100), 2f64.powi(-800)]
            .map(|value| code.number_constant(64, value.to_bits()));
    // Of a very small number the losses would be lost themselves.
    let is_small = code.compare_numbers(Op::FOrdLessThan, number, least);
    let chosen = |code: &mut Code<'_>, yes: Number, no: Number| {
        let [yes, no] = [yes, no].map(|number| code.pattern(number));
        let pattern = code.select(is_small, yes, no);
        code.number(pattern)
    };
    let factor = chosen(code, scale, one);
    let scaled = code.calculate(Op::FMul, &[number, factor]);
    let root = code.extended_number(OpenclStd100Op::sqrt, &[scaled]);
    let quotient = code.calculate(Op::FDiv, &[one, root]);
    let minus_root = code.calculate(Op::FNegate, &[root]);
    let lost_by_root = code.extended_number(OpenclStd100Op::fma, &[minus_root, root, scaled]);
    let lost_by_quotient = code.extended_number(OpenclStd100Op::fma, &[minus_root, quotient, one]);
    let part = code.calculate(Op::FMul, &[lost_by_root, quotient]);
    let part = code.calculate(Op::FMul, &[part, quotient]);
    let part = code.calculate(Op::FMul, &[part, half]);
    let correction = code.calculate(Op::FSub, &[lost_by_quotient, part]);
    let corrected = code.extended_number(OpenclStd100Op::fma, &[quotient, correction, quotient]);
    // Zeros and infinities have nothing to correct.
    let pattern = code.pattern(corrected);
    let is_nan = format.is_nan(code, pattern);
    let plain = code.pattern(quotient);
    let pattern = code.select(is_nan, plain, pattern);
    let result = code.number(pattern);
    let factor = chosen(code, scale_of_root, one);
    code.calculate(Op::FMul, &[result, factor])
}
