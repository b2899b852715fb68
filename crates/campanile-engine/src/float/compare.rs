//! `fcmp`, `fmin` and `fmax` (spec instructions 5.3, 2.8 and 2.9).

use std::cmp::Ordering;

use campanile_core::isa::{Comparison, FloatFormat};

use super::arithmetic::finish;
use super::format::Layout;
use super::{Mode, native};

/// Whether `a` stands in the given relation to `b` (spec 5.3).
///
/// The zeros are equal. A NaN is unequal to everything and in no other relation to anything.
#[inline]
pub fn compare(format: FloatFormat, flush: bool, comparison: Comparison, a: u64, b: u64) -> bool {
    let layout = Layout::of(format);
    let [a, b] = native::all_widened(format, layout.all_flushed(flush, [a, b]));
    match comparison {
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
        Comparison::Greater => a > b,
        Comparison::GreaterEqual => a >= b,
        Comparison::Less => a < b,
        Comparison::LessEqual => a <= b,
    }
}

/// The lesser of `a` and `b` (spec 2.9), where -0 is less than +0.
///
/// A NaN is passed over in favour of the other operand, or is the result if `propagate_nan` (`.nanp`) is set: the
/// operations minimumNumber and minimum of IEEE 754-2019.
#[inline]
pub fn min(format: FloatFormat, mode: Mode, propagate_nan: bool, a: u64, b: u64) -> u64 {
    select(format, mode, propagate_nan, [a, b], Ordering::Less)
}

/// The greater of `a` and `b` (spec 2.8), where +0 is greater than -0; NaN as in [`min`].
#[inline]
pub fn max(format: FloatFormat, mode: Mode, propagate_nan: bool, a: u64, b: u64) -> u64 {
    select(format, mode, propagate_nan, [a, b], Ordering::Greater)
}

#[inline]
fn select(format: FloatFormat, mode: Mode, propagate_nan: bool, operands: [u64; 2], wanted: Ordering) -> u64 {
    let layout = Layout::of(format);
    // With `.ftz`, a flushed result is that of flushed operands, since flushing keeps the order.
    let [a, b] = operands;
    let result = match (layout.is_nan(a), layout.is_nan(b)) {
        (false, false) if order(layout, a).cmp(&order(layout, b)) == wanted => a,
        (false, false) => b,
        (true, false) if !propagate_nan => b,
        (false, true) if !propagate_nan => a,
        _ => layout.nan_among([a, b]),
    };
    finish(layout, mode, result)
}

/// An integer that orders patterns as the numbers they stand for, -0 right below +0.
#[inline]
fn order(layout: Layout, bits: u64) -> i64 {
    let magnitude = layout.magnitude(bits) as i64;
    if layout.is_negative(bits) { !magnitude } else { magnitude }
}
