//! Functions of which the specification bounds the error: sine, cosine, powers, logarithm, hyperbolic tangent, and
//! reciprocals, roots and quotients that need not be rounded correctly (spec instructions 2.3 to 2.18).
//!
//! All are computed in single precision; what has 16 bits is widened first and rounded afterwards, where hardly more than
//! half a unit in the last place is lost. The bounds are 1 or 2 units. Each function is written once in a module, as a
//! function of IR that is inlined. Coefficients are those of least greatest error in the interval that is named with
//! them, by Remez's algorithm, rounded to single precision.

mod circular;
mod exponential;
mod logarithm;
mod reciprocal;

use campanile_core::isa::{FloatFormat, FloatingPoint, Op};

use super::Computation;
use super::single::Body;
use super::writer::Width;

impl Computation<'_> {
    /// The pattern of the result of such a function; none if the operation is none, or is best done otherwise.
    pub(in crate::lower) fn approximate(
        &mut self,
        opcode: FloatingPoint,
        op: Op,
        width: Width,
        sources: &[String],
    ) -> Option<String> {
        let format = op.ty().and_then(|ty| ty.float_format()).unwrap_or(FloatFormat::F);
        let estimates = self.target.avx512 && width == Width::All;
        let fast = estimates && format == FloatFormat::F && op.has("fast");
        let (name, body): (_, Body) = match opcode {
            FloatingPoint::Fsin => ("fsin", circular::sine),
            FloatingPoint::Fcos => ("fcos", circular::cosine),
            FloatingPoint::Fexp2 => ("fexp2", exponential::power_of_two),
            FloatingPoint::Ftanh => ("ftanh", exponential::hyperbolic_tangent),
            FloatingPoint::Flog2 => ("flog2", logarithm::binary_logarithm),
            FloatingPoint::Frcp if estimates => ("frcp", reciprocal::reciprocal),
            FloatingPoint::Frsqrt if estimates && format != FloatFormat::Df => {
                ("frsqrt", reciprocal::reciprocal_root)
            }
            FloatingPoint::Fsqrt if fast => ("fsqrt", reciprocal::root),
            FloatingPoint::Fdiv if fast => ("fdiv", reciprocal::quotient),
            _ => return None,
        };
        let numbers: Vec<String> = sources.iter().map(|source| self.widened(width, format, source)).collect();
        let result = self.subroutine(name, "alwaysinline", width, &numbers, body);
        Some(self.narrowed(width, format, &result))
    }
}
