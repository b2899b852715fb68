//! The common case, rounding to nearest even, on the floating-point unit of the host.
//!
//! `.f` and `.df` are the host's own formats. `.hf` and `.bf` are computed in double precision and rounded again:
//! for sums, products, quotients and roots that is as good as rounding once, since 53 ≥ 2 × 11 + 2 (Figueroa, "When is
//! double rounding innocuous?", 1995), also where the narrow result is denormal, since the double never is.

use campanile_core::isa::FloatFormat;

use super::format::Layout;

/// The single-precision number with pattern `bits`.
#[inline]
pub(super) fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

#[inline]
pub(super) fn single_bits(value: f32) -> u64 {
    u64::from(value.to_bits())
}

#[inline]
pub(super) fn all_single<const N: usize>(operands: [u64; N]) -> [f32; N] {
    // Loops, here and below: `array::map` is not always compiled inline.
    let mut values = [0.0; N];
    for (value, &bits) in values.iter_mut().zip(&operands) {
        *value = single(bits);
    }
    values
}

/// The number with pattern `bits`, which every format can say exactly in double precision. NaN stays some NaN.
#[inline]
pub(super) fn widen(format: FloatFormat, bits: u64) -> f64 {
    match format {
        FloatFormat::Bf => f64::from(f32::from_bits((bits as u32) << 16)),
        FloatFormat::Hf => widen_half(bits),
        FloatFormat::F => f64::from(single(bits)),
        FloatFormat::Df => f64::from_bits(bits),
    }
}

#[inline]
pub(super) fn all_widened<const N: usize>(format: FloatFormat, operands: [u64; N]) -> [f64; N] {
    let mut values = [0.0; N];
    for (value, &bits) in values.iter_mut().zip(&operands) {
        *value = widen(format, bits);
    }
    values
}

#[inline]
fn widen_half(bits: u64) -> f64 {
    let magnitude = Layout::HF.magnitude(bits) << (Layout::DF.fraction_bits - Layout::HF.fraction_bits);
    // The exponent field still has the bias of half precision. A product with a power of two mends it, in denormals
    // too; only the exponent of infinity and NaN has to become all ones.
    let scaled = f64::from_bits(magnitude) * f64::from_bits((1023 + 1023 - 15) << 52);
    let ones = if magnitude >= 31 << 52 { Layout::DF.infinity() } else { 0 };
    f64::from_bits(scaled.to_bits() | ones | (bits & Layout::HF.sign()) << 48)
}

/// `value`, which is not NaN, rounded to nearest even.
#[inline]
pub(super) fn narrow(format: FloatFormat, value: f64) -> u64 {
    match format {
        FloatFormat::Bf => narrow_half(Layout::BF, value),
        FloatFormat::Hf => narrow_half(Layout::HF, value),
        FloatFormat::F => single_bits(value as f32),
        FloatFormat::Df => value.to_bits(),
    }
}

#[inline]
fn narrow_half(layout: Layout, value: f64) -> u64 {
    let double = Layout::DF;
    let magnitude = double.magnitude(value.to_bits());
    let least = ((layout.min_exponent() - double.min_exponent() + 1) as u64) << double.fraction_bits;
    let rounded = if magnitude < least {
        // The last bit of this sum is worth as much as the least denormal; so the sum rounds as the result should.
        let denormal = (layout.min_exponent() - layout.fraction_bits as i32) as i64;
        let unit = f64::from_bits(((denormal + 52 + 1023) as u64) << 52);
        (f64::from_bits(magnitude) + unit).to_bits() - unit.to_bits()
    } else {
        let shift = double.fraction_bits - layout.fraction_bits;
        let rebased = magnitude - least + (1 << double.fraction_bits);
        let tie_to_even = (1 << (shift - 1)) - 1 + (rebased >> shift & 1);
        ((rebased + tie_to_even) >> shift).min(layout.infinity())
    };
    layout.with_sign(double.is_negative(value.to_bits()), rounded)
}

/// `a * b + c` of three numbers from a format narrower than double, ready to be rounded to such a format.
///
/// The product is exact and the sum is rounded to odd, which keeps a later rounding to at most 51 bits from noticing
/// this one (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
#[inline]
pub(super) fn multiply_add_to_odd(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    let of_product = sum - c;
    let error = (product - of_product) + (c - (sum - of_product));
    // The sign of this product tells on which side of zero the error is, seen from the sum. It is zero if the sum is
    // exact, and NaN if it is infinite or NaN.
    let side = error * sum;
    let truncated = sum.to_bits() - u64::from(side < 0.0);
    f64::from_bits(truncated | u64::from(side.abs() > 0.0))
}
