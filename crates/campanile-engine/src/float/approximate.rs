//! `frcp`, `frsqrt`, `fsin`, `fcos`, `fexp2`, `flog2` and `ftanh` (spec instructions 2.3 to 2.18).
//!
//! The specification allows errors of 1 or 2 units in the last place. Reciprocals and reciprocal roots are correctly
//! rounded. The others are computed in double precision by the `libm` crate, whose results do not depend on the host,
//! and then rounded: the error is hardly more than half a unit, for huge arguments of sine and cosine too.

use campanile_core::isa::{FloatFormat, Rounding};

use super::arithmetic::{finish, operate};
use super::format::Layout;
use super::{Mode, exact, native};

/// `1 / a` (spec 2.13), correctly rounded.
#[inline]
pub fn reciprocal(format: FloatFormat, flush: bool, a: u64) -> u64 {
    let one = Layout::of(format).one();
    super::div(format, Mode { flush, ..Mode::default() }, one, a)
}

/// `1 / √a` (spec 2.14), correctly rounded; -∞ for -0, and NaN for other negative numbers.
#[inline]
pub fn reciprocal_sqrt(format: FloatFormat, flush: bool, a: u64) -> u64 {
    todo!()
}
