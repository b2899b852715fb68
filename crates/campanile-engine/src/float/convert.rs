//! `fext`, `ftrunc`, `frnd`, `f2i`, `i2f` and decimal immediates (spec instructions 4.5 to 4.10).

use campanile_core::isa::{FloatFormat, Rounding};

use super::format::Layout;
use super::number::{Number, Value};
use super::{Mode, native};

/// `a` in another format, rounded once (`fext`, `ftrunc`; spec 4.6 and 4.8).
///
/// A NaN becomes quiet and keeps the leading bits of its payload. `.dsat` clamps to the finite range of `to`, infinities
/// too, and leaves NaN alone.
#[inline]
pub fn convert(to: FloatFormat, from: FloatFormat, mode: Mode, a: u64) -> u64 {
    let (source, target) = (Layout::of(from), Layout::of(to));
    if source.is_nan(a) {
        return convert_nan(target, source, a);
    }
    let a = source.flushed(mode.flush, a);
    let result = if mode.rounding == Rounding::NearestEven {
        native::narrow(to, native::widen(from, a))
    } else {
        Value::of(source, a).round(target, mode.rounding)
    };
    clamp_to_finite(target, mode.saturate, target.flushed(mode.flush, result))
}

#[cold]
fn convert_nan(target: Layout, source: Layout, nan: u64) -> u64 {
    let fraction = nan & source.fraction();
    let payload = if target.fraction_bits < source.fraction_bits {
        fraction >> (source.fraction_bits - target.fraction_bits)
    } else {
        fraction << (target.fraction_bits - source.fraction_bits)
    };
    target.with_sign(source.is_negative(nan), target.default_nan() | payload)
}

#[inline]
fn clamp_to_finite(layout: Layout, saturate: bool, bits: u64) -> u64 {
    if saturate && layout.magnitude(bits) == layout.infinity() {
        layout.with_sign(layout.is_negative(bits), layout.max_finite())
    } else {
        bits
    }
}

/// `a` rounded to an integral number of the same format (`frnd`, spec 4.7).
///
/// The sign stays, on zeros too; infinities stay, and a NaN becomes quiet.
#[inline]
pub fn round_to_integral(format: FloatFormat, rounding: Rounding, flush: bool, a: u64) -> u64 {
    let layout = Layout::of(format);
    let bits = layout.flushed(flush, a);
    let (negative, magnitude) = (layout.is_negative(bits), layout.magnitude(bits));
    let exponent = (magnitude >> layout.fraction_bits) as i32 - 1 + layout.min_exponent();
    if exponent >= layout.fraction_bits as i32 {
        return if layout.is_nan(bits) { bits | layout.quiet() } else { bits };
    }
    // `unit` is the last bit of the pattern that is worth 1 or more, and `half` that of 1/2, which below 1 is all of
    // the pattern of 1/2: patterns of one sign are in the order of the numbers.
    let (unit, whole, rest, half) = if exponent < 0 {
        (layout.one(), 0, magnitude, layout.one() - (1 << layout.fraction_bits))
    } else {
        let unit = 1 << (layout.fraction_bits as i32 - exponent);
        (unit, magnitude & !(unit - 1), magnitude & (unit - 1), unit / 2)
    };
    let away = match rounding {
        // Also right below 2, where `unit` is the last bit of the exponent field: that of 1 is odd.
        Rounding::NearestEven => rest > half || rest == half && whole & unit != 0,
        Rounding::NearestAway => rest >= half,
        Rounding::Up => rest != 0 && !negative,
        Rounding::Down => rest != 0 && negative,
        Rounding::TowardZero => false,
    };
    layout.with_sign(negative, if away { whole + unit } else { whole })
}

/// `a` rounded to an integer of `bits` bits (`f2i`, spec 4.5): clamped to its range, and 0 for NaN.
///
/// The result is in the low `bits` bits, in two's complement if `signed`.
#[inline]
pub fn to_integer(from: FloatFormat, bits: u32, signed: bool, rounding: Rounding, a: u64) -> u64 {
    let integral =
        if rounding == Rounding::TowardZero { a } else { round_to_integral(from, rounding, false, a) };
    // Rust's casts truncate, clamp and turn NaN into 0 as well, in the range of 64 bits.
    let value = native::widen(from, integral);
    let mask = u64::MAX >> (64 - bits);
    if signed {
        let most = (mask >> 1) as i64;
        (value as i64).clamp(-most - 1, most) as u64 & mask
    } else {
        (value as u64).min(mask)
    }
}

/// The integer in the low `bits` bits of `value` as a number (`i2f`, spec 4.10). `.dsat` as in [`convert`].
#[inline]
pub fn from_integer(to: FloatFormat, mode: Mode, bits: u32, signed: bool, value: u64) -> u64 {
    let layout = Layout::of(to);
    let unused = 64 - bits;
    let extended = value << unused;
    let value = if signed { (extended as i64 >> unused) as u64 } else { extended >> unused };
    let negative = signed && (value as i64) < 0;
    let result = match (to, mode.rounding) {
        (FloatFormat::F, Rounding::NearestEven) if signed => native::single_bits(value as i64 as f32),
        (FloatFormat::F, Rounding::NearestEven) => native::single_bits(value as f32),
        (FloatFormat::Df, Rounding::NearestEven) if signed => (value as i64 as f64).to_bits(),
        (FloatFormat::Df, Rounding::NearestEven) => (value as f64).to_bits(),
        // Double precision holds integers of 32 bits exactly.
        (_, Rounding::NearestEven) if bits <= 32 => native::narrow(to, value as i64 as f64),
        _ if value == 0 => 0,
        _ => {
            let magnitude = if negative { value.wrapping_neg() } else { value };
            Number::from_wide(negative, 127, u128::from(magnitude), false).round(layout, mode.rounding)
        }
    };
    clamp_to_finite(layout, mode.saturate, result)
}

/// The value of a decimal immediate (spec 2.3.2): rounded to nearest even, with denormals kept.
#[inline]
pub fn from_decimal(format: FloatFormat, value: f64) -> u64 {
    convert(format, FloatFormat::Df, Mode::default(), value.to_bits())
}
