//! Floating-point arithmetic on bit patterns, rounded as the specification says (spec part 3).
//!
//! A value is the pattern of its format in the low bits of a `u64`; the bits above are zero, in operands as in results.
//! Where the specification leaves a choice, the functions agree on one:
//!
//! - A result is rounded once, from the exact value, in all five modes. Denormals count as any other number.
//! - `.ftz` makes a denormal operand a zero of its sign, and then a denormal result, after rounding.
//! - `.dsat` comes last. It clamps to [0, 1] with NaN and -0 made +0, but in conversions to the finite range.
//! - With NaN among the operands the first of them is the result, made quiet; otherwise an invalid operation makes the
//!   positive quiet NaN without a payload.
//!
//! There are two ways to a result. `exact` works on integers, for every format and mode; `native` uses the host's
//! floating-point unit where that rounds as asked, which is what kernels do nearly always. Tests hold one against the
//! other, and both against numbers from exact rational arithmetic.

#[cfg(test)]
mod agreement;
mod approximate;
mod arithmetic;
mod compare;
mod convert;
mod exact;
mod format;
mod native;
mod number;

use campanile_core::isa::Rounding;

pub use approximate::{cosine, exp2, log2, reciprocal, reciprocal_sqrt, sine, tanh};
pub use arithmetic::{abs, add, div, fraction, fused_multiply_add, mul, multiply_full, neg, sqrt, sub};
pub use compare::{compare, max, min};
pub use convert::{convert, from_decimal, from_integer, round_to_integral, to_integer};

/// How an instruction makes its result: the qualifiers `.rndmode`, `.ftz` and `.dsat` (spec 3.2, 3.3 and 3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// How a result that is not representable is rounded.
    pub rounding: Rounding,
    /// Whether denormal operands and results become zeros.
    pub flush: bool,
    /// Whether the result is clamped.
    pub saturate: bool,
}

impl Default for Mode {
    fn default() -> Self {
        Self { rounding: Rounding::NearestEven, flush: false, saturate: false }
    }
}
