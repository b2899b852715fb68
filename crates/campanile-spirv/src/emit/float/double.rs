//! Double precision rounded in other ways than to the nearest even, by integer arithmetic: a device has no wider format.
//!
//! Numbers are taken apart into sign, exponent and significand. Results have 63 bits, of which the last ten decide how
//! they are rounded; the very last is set where anything was lost below it.

use campanile_core::isa::{FloatFormat, FloatingPoint, Rounding};
use rspirv::spirv::{Op, OpenclStd100Op};

use super::Format;
use super::operations::computed;
use crate::emit::code::Code;
use crate::emit::value::{Bits, Number, Truth};

const FORMAT: Format = Format::new(FloatFormat::Df);
const BIAS: u64 = 1023;
/// Bits of a significand below the format's, which decide how it is rounded.
const SPARE: u32 = 10;

/// A number other than zero: its significand has 53 bits, of which the first is set; 1 has the exponent [`BIAS`].
#[derive(Clone, Copy)]
struct Parts {
    sign: Bits,
    exponent: Bits,
    significand: Bits,
}

/// A significand of 126 bits, of which the first is set, with its exponent.
#[derive(Clone, Copy)]
struct Wide {
    sign: Bits,
    exponent: Bits,
    high: Bits,
    low: Bits,
}

/// The pattern of the result of an operation, rounded as an instruction says. Which NaN it is is left open.
pub(super) fn rounded(
    code: &mut Code<'_>,
    opcode: FloatingPoint,
    rounding: Rounding,
    sources: &[Bits],
) -> Bits {
    let name = format!("{}.{rounding}.df", opcode.mnemonic());
    code.subroutine(&name, sources, |code, sources| match opcode {
        FloatingPoint::Fsqrt => root(code, rounding, sources[0]),
        FloatingPoint::Fsub => {
            let sign = FORMAT.known(code, FORMAT.sign());
            let negative = code.xor(sources[1], sign);
            arithmetic(code, FloatingPoint::Fadd, rounding, &[sources[0], negative])
        }
        _ => arithmetic(code, opcode, rounding, sources),
    })
}

/// By integers where all is finite and no factor or divisor is zero; otherwise the device's result is exact.
fn arithmetic(code: &mut Code<'_>, opcode: FloatingPoint, rounding: Rounding, sources: &[Bits]) -> Bits {
    let numbers: Vec<Number> = sources.iter().map(|source| code.number(*source)).collect();
    let exact = match opcode {
        FloatingPoint::Fmad => code.extended_number(OpenclStd100Op::fma, &numbers),
        _ => computed(code, opcode, &numbers),
    };
    let mut exact = code.pattern(exact);
    if rounding == Rounding::Down && matches!(opcode, FloatingPoint::Fadd | FloatingPoint::Fmad) {
        exact = with_negative_zero(code, opcode, sources, exact);
    }
    let mut is_ordinary = code.truth(true);
    for source in sources {
        let size = FORMAT.magnitude(code, *source);
        let infinity = FORMAT.known(code, FORMAT.infinity());
        let is_finite = code.compare(Op::ULessThan, size, infinity);
        is_ordinary = code.both(is_ordinary, is_finite);
    }
    // The last term of a sum of a product may be zero.
    for source in &sources[..2] {
        let size = FORMAT.magnitude(code, *source);
        let is_some = code.is_not_zero(size);
        is_ordinary = code.both(is_ordinary, is_some);
    }
    let parts: Vec<Parts> = sources.iter().map(|source| parts(code, *source)).collect();
    let result = match opcode {
        FloatingPoint::Fmul => {
            let product = product(code, parts[0], parts[1]);
            joined(code, product)
        }
        FloatingPoint::Fdiv => quotient(code, parts[0], parts[1]),
        FloatingPoint::Fmad => {
            let product = product(code, parts[0], parts[1]);
            let term = widened(code, parts[2], sources[2]);
            sum(code, rounding, product, term)
        }
        _ => {
            let [a, b] = [0, 1].map(|index| widened(code, parts[index], sources[index]));
            sum(code, rounding, a, b)
        }
    };
    let result = packed(code, rounding, result);
    code.select(is_ordinary, result, exact)
}

/// Rounding down, a sum that is zero is negative unless both its terms are positive zeros.
fn with_negative_zero(code: &mut Code<'_>, opcode: FloatingPoint, sources: &[Bits], result: Bits) -> Bits {
    let (first, last) = match opcode {
        FloatingPoint::Fmad => (code.xor(sources[0], sources[1]), sources[2]),
        _ => (sources[0], sources[1]),
    };
    let either = code.or(first, last);
    let sign = FORMAT.sign_of(code, either);
    let size = FORMAT.magnitude(code, result);
    let is_zero = code.is(size, 0);
    code.select(is_zero, sign, result)
}

/// A root: what its square lacks says on which side of it the exact one is. No root is half way between two numbers.
fn root(code: &mut Code<'_>, rounding: Rounding, source: Bits) -> Bits {
    let number = code.number(source);
    let root = code.extended_number(OpenclStd100Op::sqrt, &[number]);
    let [least, scale, scale_of_root, one] = [2f64.powi(-800), 2f64.powi(200), 2f64.powi(100), 1.0]
        .map(|value| FORMAT.known(code, value.to_bits()));
    // Of a very small number what is lacking would be lost.
    let is_small = code.compare(Op::ULessThan, source, least);
    let [factor, factor_of_root] = [scale, scale_of_root].map(|scale| {
        let factor = code.select(is_small, scale, one);
        code.number(factor)
    });
    let number = code.calculate(Op::FMul, &[number, factor]);
    let scaled = code.calculate(Op::FMul, &[root, factor_of_root]);
    let negative = code.calculate(Op::FNegate, &[scaled]);
    let lost = code.extended_number(OpenclStd100Op::fma, &[negative, scaled, number]);
    let zero = code.number_constant(64, 0);
    let pattern = code.pattern(root);
    let (relation, step) = match rounding {
        Rounding::Up => (Op::FOrdGreaterThan, 1),
        Rounding::Down | Rounding::TowardZero => (Op::FOrdLessThan, u64::MAX),
        Rounding::NearestEven | Rounding::NearestAway => return pattern,
    };
    let moves = code.compare_numbers(relation, lost, zero);
    let [step, none] = [step, 0].map(|step| code.constant(64, step));
    let step = code.select(moves, step, none);
    code.add(pattern, step)
}

/// A finite number taken apart; of zero the significand is zero.
fn parts(code: &mut Code<'_>, pattern: Bits) -> Parts {
    let sign = FORMAT.sign_of(code, pattern);
    let size = FORMAT.magnitude(code, pattern);
    let exponent = code.shift_by(Op::ShiftRightLogical, size, FORMAT.fraction);
    let fraction = code.constant(64, (1 << FORMAT.fraction) - 1);
    let fraction = code.and(size, fraction);
    let is_denormal = code.is(exponent, 0);
    let hidden = code.constant(64, 1 << FORMAT.fraction);
    let whole = code.or(fraction, hidden);
    let significand = code.select(is_denormal, fraction, whole);
    let one = code.constant(64, 1);
    let exponent = code.select(is_denormal, one, exponent);
    let leading = code.extended_int(OpenclStd100Op::clz, &[significand]);
    let usual = code.constant(64, u64::from(63 - FORMAT.fraction));
    let up = code.sub(leading, usual);
    let significand = code.shift(Op::ShiftLeftLogical, significand, up);
    Parts { sign, exponent: code.sub(exponent, up), significand }
}

/// A number as a term of a sum. Zero has an exponent far below all others.
fn widened(code: &mut Code<'_>, parts: Parts, pattern: Bits) -> Wide {
    let high = code.shift_by(Op::ShiftLeftLogical, parts.significand, SPARE);
    let low = code.constant(64, 0);
    let size = FORMAT.magnitude(code, pattern);
    let is_zero = code.is(size, 0);
    let far = code.constant(64, -10_000i64 as u64);
    let exponent = code.select(is_zero, far, parts.exponent);
    Wide { sign: parts.sign, exponent, high, low }
}

/// The product of two numbers, with all its bits.
fn product(code: &mut Code<'_>, a: Parts, b: Parts) -> Wide {
    let sign = code.xor(a.sign, b.sign);
    let [a_up, b_up] =
        [(a, 11), (b, 10)].map(|(parts, up)| code.shift_by(Op::ShiftLeftLogical, parts.significand, up));
    let high = code.extended_int(OpenclStd100Op::u_mul_hi, &[a_up, b_up]);
    let low = code.mul(a_up, b_up);
    let sum = code.add(a.exponent, b.exponent);
    let bias = code.constant(64, BIAS - 1);
    let exponent = code.sub(sum, bias);
    normalized(code, Wide { sign, exponent, high, low })
}

/// Shifted up until the first of 126 bits is set; one more bit is taken in from the other side.
fn normalized(code: &mut Code<'_>, wide: Wide) -> Wide {
    // One bit too many is given back first.
    let top = code.shift_by(Op::ShiftRightLogical, wide.high, 63);
    let down = shifted_down(code, wide, top);
    let Wide { sign, high, low, .. } = down;
    let exponent = code.add(wide.exponent, top);
    let is_empty = code.is(high, 0);
    let (upper, nothing) = (code.select(is_empty, low, high), code.constant(64, 0));
    let lower = code.select(is_empty, nothing, low);
    let leading = code.extended_int(OpenclStd100Op::clz, &[upper]);
    let one = code.constant(64, 1);
    // Without anything above the first bit there is one leading zero; of a low word alone there may be none.
    let has_none = code.is(leading, 0);
    let more = code.sub(leading, one);
    let up = code.select(has_none, nothing, more);
    let limit = code.constant(64, 63);
    let up = code.extended_int(OpenclStd100Op::u_min, &[up, limit]);
    let shifted_upper = code.shift(Op::ShiftLeftLogical, upper, up);
    let carried = carried_up(code, lower, up);
    let mut high = code.or(shifted_upper, carried);
    let mut low = code.shift(Op::ShiftLeftLogical, lower, up);
    // A low word alone that starts with a one goes one bit down again.
    let low_bit = code.and(high, one);
    let halved = code.shift_by(Op::ShiftRightLogical, high, 1);
    let given = code.shift_by(Op::ShiftLeftLogical, low_bit, 63);
    high = code.select(has_none, halved, high);
    low = code.select(has_none, given, low);
    let exponent = code.sub(exponent, up);
    let word = code.constant(64, 64);
    let word_up = code.select(is_empty, word, nothing);
    let exponent = code.sub(exponent, word_up);
    let back = code.select(has_none, one, nothing);
    Wide { sign, exponent: code.add(exponent, back), high, low }
}

/// The bits of a word that a shift up by less than 64 puts into the next word.
fn carried_up(code: &mut Code<'_>, word: Bits, up: Bits) -> Bits {
    let all = code.constant(64, 63);
    let rest = code.sub(all, up);
    let half = code.shift_by(Op::ShiftRightLogical, word, 1);
    code.shift(Op::ShiftRightLogical, half, rest)
}

/// Shifted down by any number of bits, with the last bit set where others were lost.
fn shifted_down(code: &mut Code<'_>, wide: Wide, count: Bits) -> Wide {
    let [zero, one, last, word, all] = [0, 1, 63, 64, 127].map(|value| code.constant(64, value));
    let count = code.extended_int(OpenclStd100Op::u_min, &[count, all]);
    let inside = code.and(count, last);
    let is_word = code.compare(Op::UGreaterThanEqual, count, word);
    // First by a whole word, then by what is left.
    let lost_word = code.select(is_word, wide.low, zero);
    let low = code.select(is_word, wide.high, wide.low);
    let high = code.select(is_word, zero, wide.high);
    let up = code.sub(last, inside);
    let from_high = code.shift_by(Op::ShiftLeftLogical, high, 1);
    let from_high = code.shift(Op::ShiftLeftLogical, from_high, up);
    let down = code.shift(Op::ShiftRightLogical, low, inside);
    let back = code.shift(Op::ShiftLeftLogical, down, inside);
    let lost_bits = code.xor(back, low);
    let lost = code.or(lost_word, lost_bits);
    let is_lost = code.is_not_zero(lost);
    let sticky = code.select(is_lost, one, zero);
    let low = code.or(from_high, down);
    let low = code.or(low, sticky);
    Wide { high: code.shift(Op::ShiftRightLogical, high, inside), low, ..wide }
}

/// A sum: the lesser term is shifted down to the greater one.
fn sum(code: &mut Code<'_>, rounding: Rounding, a: Wide, b: Wide) -> Parts {
    let is_less = {
        let by_exponent = code.compare(Op::SLessThan, a.exponent, b.exponent);
        let same = code.compare(Op::IEqual, a.exponent, b.exponent);
        let by_high = code.compare(Op::ULessThan, a.high, b.high);
        let same_high = code.compare(Op::IEqual, a.high, b.high);
        let by_low = code.compare(Op::ULessThan, a.low, b.low);
        let by_low = code.both(same_high, by_low);
        let by_bits = code.either(by_high, by_low);
        let by_bits = code.both(same, by_bits);
        code.either(by_exponent, by_bits)
    };
    let chosen = |code: &mut Code<'_>, condition: Truth, a: Wide, b: Wide| Wide {
        sign: code.select(condition, a.sign, b.sign),
        exponent: code.select(condition, a.exponent, b.exponent),
        high: code.select(condition, a.high, b.high),
        low: code.select(condition, a.low, b.low),
    };
    let greater = chosen(code, is_less, b, a);
    let lesser = chosen(code, is_less, a, b);
    let distance = code.sub(greater.exponent, lesser.exponent);
    let lesser = shifted_down(code, lesser, distance);
    let same_sign = code.compare(Op::IEqual, greater.sign, lesser.sign);
    // Adding the complement subtracts.
    let [ones, zero] = [u64::MAX, 0].map(|value| code.constant(64, value));
    let flip = code.select(same_sign, zero, ones);
    let [high, low] = [lesser.high, lesser.low].map(|word| code.xor(word, flip));
    let carry = code.one_if(same_sign, 64);
    let one = code.constant(64, 1);
    let carry = code.xor(carry, one);
    let with_carry = code.add(low, carry);
    let first = code.compare(Op::ULessThan, with_carry, carry);
    let low = code.add(greater.low, with_carry);
    let second = code.compare(Op::ULessThan, low, with_carry);
    let carried = code.either(first, second);
    let carried = code.one_if(carried, 64);
    let high = code.add(greater.high, high);
    let high = code.add(high, carried);
    let normal = normalized(code, Wide { sign: greater.sign, exponent: greater.exponent, high, low });
    let mut result = joined(code, normal);
    let is_zero = code.is(result.significand, 0);
    let zero_sign = code.constant(64, if rounding == Rounding::Down { FORMAT.sign() } else { 0 });
    result.sign = code.select(is_zero, zero_sign, result.sign);
    result.exponent = code.select(is_zero, zero, result.exponent);
    result
}

/// One word of two, with the last bit set where the other has any.
fn joined(code: &mut Code<'_>, wide: Wide) -> Parts {
    let is_lost = code.is_not_zero(wide.low);
    let sticky = code.one_if(is_lost, 64);
    Parts { sign: wide.sign, exponent: wide.exponent, significand: code.or(wide.high, sticky) }
}

/// A quotient of 63 bits, eleven at a time.
fn quotient(code: &mut Code<'_>, a: Parts, b: Parts) -> Parts {
    let sign = code.xor(a.sign, b.sign);
    let is_less = code.compare(Op::ULessThan, a.significand, b.significand);
    let less = code.one_if(is_less, 64);
    let dividend = code.shift(Op::ShiftLeftLogical, a.significand, less);
    let divisor = {
        // A divisor of zero is no business of integers.
        let one = code.constant(64, 1);
        code.extended_int(OpenclStd100Op::u_max, &[b.significand, one])
    };
    let difference = code.sub(a.exponent, b.exponent);
    let bias = code.constant(64, BIAS);
    let exponent = code.add(difference, bias);
    let exponent = code.sub(exponent, less);
    let mut quotient = code.constant(64, 1);
    let mut rest = code.sub(dividend, divisor);
    for bits in [11, 11, 11, 11, 11, 7] {
        let up = code.shift_by(Op::ShiftLeftLogical, rest, bits);
        let digits = code.binary(Op::UDiv, up, divisor);
        rest = code.binary(Op::UMod, up, divisor);
        let room = code.shift_by(Op::ShiftLeftLogical, quotient, bits);
        quotient = code.or(room, digits);
    }
    let is_lost = code.is_not_zero(rest);
    let sticky = code.one_if(is_lost, 64);
    Parts { sign, exponent, significand: code.or(quotient, sticky) }
}

/// The pattern of a number whose significand has 63 bits, rounded.
fn packed(code: &mut Code<'_>, rounding: Rounding, parts: Parts) -> Bits {
    let Parts { sign, exponent, significand } = parts;
    let [zero, one] = [0, 1].map(|value| code.constant(64, value));
    // Denormals have the exponent of the least normal number.
    let least = code.extended_int(OpenclStd100Op::s_max, &[exponent, one]);
    let down = code.sub(least, exponent);
    let shifted = shifted_down(code, Wide { sign, exponent, high: zero, low: significand }, down);
    let spare = code.constant(64, (1 << SPARE) - 1);
    let rest = code.and(shifted.low, spare);
    let kept = code.shift_by(Op::ShiftRightLogical, shifted.low, SPARE);
    let is_negative = code.is_not_zero(sign);
    let is_inexact = code.is_not_zero(rest);
    let grows = match rounding {
        Rounding::TowardZero | Rounding::NearestEven => code.truth(false),
        Rounding::NearestAway => {
            let half = code.constant(64, 1 << (SPARE - 1));
            code.compare(Op::UGreaterThanEqual, rest, half)
        }
        Rounding::Down => code.both(is_inexact, is_negative),
        Rounding::Up => {
            let is_positive = code.is_not(is_negative);
            code.both(is_inexact, is_positive)
        }
    };
    let more = code.one_if(grows, 64);
    let kept = code.add(kept, more);
    // The first bit of the significand is the last one of the exponent.
    let below = code.sub(least, one);
    let field = code.shift_by(Op::ShiftLeftLogical, below, FORMAT.fraction);
    let pattern = code.add(field, kept);
    let limit = code.constant(64, 2 * BIAS + 1);
    let is_beyond = code.compare(Op::SGreaterThanEqual, least, limit);
    let infinity = FORMAT.known(code, FORMAT.infinity());
    let greatest = FORMAT.known(code, FORMAT.infinity() - 1);
    let beyond = match rounding {
        Rounding::NearestEven | Rounding::NearestAway => infinity,
        Rounding::TowardZero => greatest,
        Rounding::Up => code.select(is_negative, greatest, infinity),
        Rounding::Down => code.select(is_negative, infinity, greatest),
    };
    let pattern = code.select(is_beyond, beyond, pattern);
    code.or(pattern, sign)
}
