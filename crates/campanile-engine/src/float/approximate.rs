//! `frcp`, `frsqrt`, `fsin`, `fcos`, `fexp2`, `flog2` and `ftanh` (spec instructions 2.3 to 2.18).
//!
//! The specification allows errors of 1 or 2 units in the last place. Reciprocals and reciprocal roots are correctly
//! rounded here. The others are computed in double precision by the `libm` crate, which gives the same bits on every
//! host, and then rounded: the error is hardly more than half a unit, for huge arguments of sine and cosine too.

use campanile_core::isa::FloatFormat;

use super::arithmetic::{div, finish, on_integers};
use super::format::Layout;
use super::{Mode, exact, native};

/// `1 / a` (spec 2.13), correctly rounded.
#[inline]
pub fn reciprocal(format: FloatFormat, flush: bool, a: u64) -> u64 {
    div(format, mode(flush), Layout::of(format).one(), a)
}

/// `1 / √a` (spec 2.14), correctly rounded. Of -0 it is -∞, of other negative numbers NaN.
#[inline]
pub fn reciprocal_sqrt(format: FloatFormat, flush: bool, a: u64) -> u64 {
    if format == FloatFormat::Df {
        let layout = Layout::of(format);
        on_integers(layout, mode(flush), [layout.flushed(flush, a)], exact::reciprocal_sqrt)
    } else {
        // Three roundings never miss the right result: of all 2^24 significands in `.f`, none lies so close to a tie.
        through_double(format, flush, a, |a| 1.0 / a.sqrt())
    }
}

/// The sine of `a` (spec 2.15); ±0 for ±0, NaN for infinities.
#[inline]
pub fn sine(format: FloatFormat, flush: bool, a: u64) -> u64 {
    through_double(format, flush, a, libm::sin)
}

/// The cosine of `a` (spec 2.3); NaN for infinities.
#[inline]
pub fn cosine(format: FloatFormat, flush: bool, a: u64) -> u64 {
    through_double(format, flush, a, libm::cos)
}

/// Two to the power of `a` (spec 2.5), exact where `a` is an integer.
#[inline]
pub fn exp2(format: FloatFormat, flush: bool, a: u64) -> u64 {
    through_double(format, flush, a, libm::exp2)
}

/// The logarithm of `a` to base two (spec 2.6), exact where `a` is a power of two; -∞ for ±0, NaN below.
#[inline]
pub fn log2(format: FloatFormat, flush: bool, a: u64) -> u64 {
    through_double(format, flush, a, libm::log2)
}

/// The hyperbolic tangent of `a` (spec 2.18); ±0 for ±0 and ±1 for infinities.
#[inline]
pub fn tanh(format: FloatFormat, flush: bool, a: u64) -> u64 {
    through_double(format, flush, a, libm::tanh)
}

fn mode(flush: bool) -> Mode {
    Mode { flush, ..Mode::default() }
}

#[inline]
fn through_double(format: FloatFormat, flush: bool, a: u64, function: impl FnOnce(f64) -> f64) -> u64 {
    let layout = Layout::of(format);
    let operand = layout.flushed(flush, a);
    let value = function(native::widen(format, operand));
    let result = if value.is_nan() { layout.nan_among([operand]) } else { native::narrow(format, value) };
    finish(layout, mode(flush), result)
}
