//! `fadd`, `fsub`, `fmul`, `fdiv`, `fmad`, `fsqrt`, `fabs`, `fneg` and `frc` (spec instructions 2.1 to 2.17).

use campanile_core::isa::{FloatFormat, Rounding};

use super::format::Layout;
use super::{Mode, convert, exact, native, round_to_integral};

/// `a + b` (spec 2.2).
#[inline]
pub fn add(format: FloatFormat, mode: Mode, a: u64, b: u64) -> u64 {
    operate(format, mode, [a, b], exact::add, |[a, b]| a + b, |[a, b]| a + b)
}

/// `a - b` (spec 2.17).
#[inline]
pub fn sub(format: FloatFormat, mode: Mode, a: u64, b: u64) -> u64 {
    operate(format, mode, [a, b], exact::sub, |[a, b]| a - b, |[a, b]| a - b)
}

/// `a * b` (spec 2.10).
#[inline]
pub fn mul(format: FloatFormat, mode: Mode, a: u64, b: u64) -> u64 {
    operate(format, mode, [a, b], exact::mul, |[a, b]| a * b, |[a, b]| a * b)
}

/// `a / b` (spec 2.4), correctly rounded, which `.fast` allows too.
#[inline]
pub fn div(format: FloatFormat, mode: Mode, a: u64, b: u64) -> u64 {
    operate(format, mode, [a, b], exact::div, |[a, b]| a / b, |[a, b]| a / b)
}

/// The square root of `a` (spec 2.16), correctly rounded, which `.fast` allows too.
#[inline]
pub fn sqrt(format: FloatFormat, mode: Mode, a: u64) -> u64 {
    operate(format, mode, [a], exact::sqrt, |[a]| a.sqrt(), |[a]| a.sqrt())
}

/// `a * b + c` with one rounding (spec 2.7).
#[inline]
pub fn fused_multiply_add(format: FloatFormat, mode: Mode, a: u64, b: u64, c: u64) -> u64 {
    let layout = Layout::of(format);
    let operands = layout.all_flushed(mode.flush, [a, b, c]);
    if mode.rounding != Rounding::NearestEven {
        return on_integers(layout, mode, operands, exact::fused_multiply_add);
    }
    let [a, b, c] = native::all_widened(format, operands);
    // In double precision, `mul_add` promises one rounding. Below, no call into the host's library is needed for that.
    let result =
        if format == FloatFormat::Df { a.mul_add(b, c) } else { native::multiply_add_to_odd(a, b, c) };
    let result = if result.is_nan() { layout.nan_among(operands) } else { native::narrow(format, result) };
    finish(layout, mode, result)
}

/// `a * b` of two `.bf` or `.hf` numbers as an `.f` number (`fmul.full`, spec 2.10).
///
/// `mode` rounds, flushes and clamps the `.f` result; a denormal source is flushed in its own format.
#[inline]
pub fn multiply_full(format: FloatFormat, mode: Mode, a: u64, b: u64) -> u64 {
    let layout = Layout::of(format);
    let extend = |bits| convert(FloatFormat::F, format, Mode::default(), layout.flushed(mode.flush, bits));
    mul(FloatFormat::F, mode, extend(a), extend(b))
}

/// `a` without its sign (spec 2.1); a NaN becomes quiet and positive.
#[inline]
pub fn abs(format: FloatFormat, flush: bool, a: u64) -> u64 {
    let layout = Layout::of(format);
    layout.magnitude(quieted(layout, layout.flushed(flush, a)))
}

/// `a` with the other sign (spec 2.11), also for zeros and NaN; a NaN becomes quiet.
#[inline]
pub fn neg(format: FloatFormat, flush: bool, a: u64) -> u64 {
    let layout = Layout::of(format);
    quieted(layout, layout.flushed(flush, a)) ^ layout.sign()
}

/// `a - ⌊a⌋` of an `.f` number (`frc`, spec 2.12).
///
/// As written there: of a tiny negative number that is 1 after rounding, and of an infinity NaN.
#[inline]
pub fn fraction(flush: bool, a: u64) -> u64 {
    let mode = Mode { flush, ..Mode::default() };
    let floor = round_to_integral(FloatFormat::F, Rounding::Down, flush, a);
    sub(FloatFormat::F, mode, a, floor)
}

#[inline]
fn quieted(layout: Layout, bits: u64) -> u64 {
    if layout.is_nan(bits) { bits | layout.quiet() } else { bits }
}

/// An operation in any format and mode: on the host where it rounds as asked, else on integers.
///
/// `.hf` and `.bf` are computed by `double`, so its result must survive a second rounding.
#[inline]
pub(super) fn operate<const N: usize>(
    format: FloatFormat,
    mode: Mode,
    operands: [u64; N],
    exact: impl FnOnce(Layout, Rounding, [u64; N]) -> u64,
    single: impl FnOnce([f32; N]) -> f32,
    double: impl FnOnce([f64; N]) -> f64,
) -> u64 {
    let layout = Layout::of(format);
    let operands = layout.all_flushed(mode.flush, operands);
    if mode.rounding != Rounding::NearestEven {
        return on_integers(layout, mode, operands, exact);
    }
    let result = if format == FloatFormat::F {
        let result = single(native::all_single(operands));
        if result.is_nan() { layout.nan_among(operands) } else { native::single_bits(result) }
    } else {
        let result = double(native::all_widened(format, operands));
        if result.is_nan() { layout.nan_among(operands) } else { native::narrow(format, result) }
    };
    finish(layout, mode, result)
}

/// An operation on integers, on operands that are flushed already.
#[inline(never)]
pub(super) fn on_integers<const N: usize>(
    layout: Layout,
    mode: Mode,
    operands: [u64; N],
    exact: impl FnOnce(Layout, Rounding, [u64; N]) -> u64,
) -> u64 {
    let result = if operands.iter().any(|&bits| layout.is_nan(bits)) {
        layout.nan_among(operands)
    } else {
        exact(layout, mode.rounding, operands)
    };
    finish(layout, mode, result)
}

/// What `.ftz` and `.dsat` make of a rounded result.
#[inline]
pub(super) fn finish(layout: Layout, mode: Mode, result: u64) -> u64 {
    let result = layout.flushed(mode.flush, result);
    if mode.saturate { layout.saturated(result) } else { result }
}
