//! Numbers rounded to narrower formats, in every way.
//!
//! Where a number passes through a format between, what is lost there makes the last bit odd: then a second rounding,
//! whatever its way, is that of the exact value.

use campanile_core::isa::{FloatFormat, Rounding};
use rspirv::spirv::{FPRoundingMode, Op};

use super::Format;
use crate::emit::code::Code;
use crate::emit::value::{Bits, Number};

/// A way to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) enum Way {
    /// As an instruction says.
    Mode(Rounding),
    /// To the neighbour with an odd pattern, if the value is between two.
    Odd,
}

impl Way {
    /// To the nearest, ties to even.
    pub const NEAREST: Way = Way::Mode(Rounding::NearestEven);
}

/// The pattern of a number of single or double precision in a format that is not wider. What becomes of a NaN is left open.
pub(in crate::emit) fn narrowed(code: &mut Code<'_>, way: Way, to: Format, number: Number) -> Bits {
    match (number.width, to.kind) {
        (64, FloatFormat::Df) | (32, FloatFormat::F) => code.pattern(number),
        (64, FloatFormat::Bf) => {
            let single = converted(code, Way::Odd, Format::new(FloatFormat::F), number);
            to_bf(code, way, single)
        }
        (32, FloatFormat::Bf) => {
            let pattern = code.pattern(number);
            to_bf(code, way, pattern)
        }
        _ => converted(code, way, to, number),
    }
}

/// By the conversions of the device, which know four ways to round.
fn converted(code: &mut Code<'_>, way: Way, to: Format, number: Number) -> Bits {
    let mode = match way {
        Way::Mode(Rounding::NearestEven | Rounding::NearestAway) => FPRoundingMode::RTE,
        Way::Mode(Rounding::Up) => FPRoundingMode::RTP,
        Way::Mode(Rounding::Down) => FPRoundingMode::RTN,
        Way::Mode(Rounding::TowardZero) | Way::Odd => FPRoundingMode::RTZ,
    };
    let ty = code.float(to.bits);
    let narrow = code.of(Op::FConvert, ty, &[number.id]);
    code.round(narrow, mode);
    let pattern = code.pattern(Number { id: narrow, width: to.bits });
    let pattern = with_sign_of(code, to, number, pattern);
    match way {
        Way::Odd => {
            let back = code.number(pattern);
            let back = code.resize_number(back, number.width);
            let is_exact = code.compare_numbers(Op::FOrdEqual, back, number);
            let last = code.constant(to.bits, 1);
            let odd = code.or(pattern, last);
            code.select(is_exact, pattern, odd)
        }
        Way::Mode(Rounding::NearestAway) => tie_away(code, number, pattern),
        Way::Mode(_) => pattern,
    }
}

/// A pattern with the sign of the number that it was rounded from: not every device keeps that of a number that becomes zero.
fn with_sign_of(code: &mut Code<'_>, to: Format, number: Number, pattern: Bits) -> Bits {
    let from = Format::new(if number.width == 64 { FloatFormat::Df } else { FloatFormat::F });
    let source = code.pattern(number);
    let sign = code.shift_by(Op::ShiftRightLogical, source, from.bits - 1);
    let sign = code.resize(sign, to.bits);
    let sign = code.shift_by(Op::ShiftLeftLogical, sign, to.bits - 1);
    let size = to.magnitude(code, pattern);
    code.or(size, sign)
}

/// Of two neighbours at the same distance, the one away from zero; `nearest` is the even one.
fn tie_away(code: &mut Code<'_>, number: Number, nearest: Bits) -> Bits {
    let one = code.constant(nearest.width, 1);
    let away = code.add(nearest, one);
    let [lost, gained] = [(nearest, false), (away, true)].map(|(pattern, is_gain)| {
        let value = code.number(pattern);
        let value = code.resize_number(value, number.width);
        let pair = if is_gain { [value, number] } else { [number, value] };
        code.calculate(Op::FSub, &pair)
    });
    let is_tie = code.compare_numbers(Op::FOrdEqual, lost, gained);
    code.select(is_tie, away, nearest)
}

/// A pattern of single precision, rounded to the bfloat16 format, which is its upper half.
fn to_bf(code: &mut Code<'_>, way: Way, pattern: Bits) -> Bits {
    let low = code.constant(32, 0xffff);
    let rest = code.and(pattern, low);
    let zero = code.constant(32, 0);
    // What is added where something is lost, and the number has this sign.
    let if_inexact = |code: &mut Code<'_>, sign: Option<Op>, amount: u64| {
        let mut wanted = code.is_not_zero(rest);
        if let Some(relation) = sign {
            let sign = code.compare(relation, pattern, zero);
            wanted = code.both(wanted, sign);
        }
        let amount = code.constant(32, amount);
        code.select(wanted, amount, zero)
    };
    let sum = match way {
        Way::Mode(Rounding::NearestEven) => {
            let kept = code.shift_by(Op::ShiftRightLogical, pattern, 16);
            let one = code.constant(32, 1);
            let last = code.and(kept, one);
            let half = code.constant(32, 0x7fff);
            let half = code.add(half, last);
            code.add(pattern, half)
        }
        Way::Mode(Rounding::NearestAway) => {
            let half = code.constant(32, 0x8000);
            code.add(pattern, half)
        }
        Way::Mode(Rounding::TowardZero) => pattern,
        Way::Mode(Rounding::Up) => {
            let more = if_inexact(code, Some(Op::SGreaterThanEqual), 0xffff);
            code.add(pattern, more)
        }
        Way::Mode(Rounding::Down) => {
            let more = if_inexact(code, Some(Op::SLessThan), 0xffff);
            code.add(pattern, more)
        }
        Way::Odd => {
            let last = if_inexact(code, None, 0x1_0000);
            code.or(pattern, last)
        }
    };
    let upper = code.shift_by(Op::ShiftRightLogical, sum, 16);
    code.resize(upper, 16)
}
