//! Floating point (spec chapter 2 of the instruction set); the arithmetic itself is [`crate::float`].

use campanile_core::isa::{FloatFormat, FloatingPoint, Op, Rounding, Type};

use super::Meaning;
use super::lanewise::{floatwise, nativewise, type_of};
use crate::float::{self, Mode};

pub(super) fn meaning(opcode: FloatingPoint, op: Op) -> Meaning {
    match opcode {
        FloatingPoint::Fabs => flushing(op, |format, flush, [a]| float::abs(format, flush, a)),
        FloatingPoint::Fadd => {
            native(op, |[a, b]| a + b, |[a, b]| a + b, |format, mode, [a, b]| float::add(format, mode, a, b))
        }
        FloatingPoint::Fcos => flushing(op, |format, flush, [a]| float::cosine(format, flush, a)),
        // The correctly rounded result is also a `.fast` one.
        FloatingPoint::Fdiv => {
            native(op, |[a, b]| a / b, |[a, b]| a / b, |format, mode, [a, b]| float::div(format, mode, a, b))
        }
        FloatingPoint::Fexp2 => flushing(op, |format, flush, [a]| float::exp2(format, flush, a)),
        FloatingPoint::Flog2 => flushing(op, |format, flush, [a]| float::log2(format, flush, a)),
        FloatingPoint::Fmad => {
            rounding(op, |format, mode, [a, b, c]| float::fused_multiply_add(format, mode, a, b, c))
        }
        FloatingPoint::Fmax => extreme(op, float::max),
        FloatingPoint::Fmin => extreme(op, float::min),
        FloatingPoint::Fmul if op.has("precision") => {
            rounding(op, |format, mode, [a, b]| float::multiply_full(format, mode, a, b))
        }
        FloatingPoint::Fmul => {
            native(op, |[a, b]| a * b, |[a, b]| a * b, |format, mode, [a, b]| float::mul(format, mode, a, b))
        }
        FloatingPoint::Fneg => flushing(op, |format, flush, [a]| float::neg(format, flush, a)),
        FloatingPoint::Frc => flushing(op, |_, flush, [a]| float::fraction(flush, a)),
        FloatingPoint::Frcp => flushing(op, |format, flush, [a]| float::reciprocal(format, flush, a)),
        FloatingPoint::Frsqrt => flushing(op, |format, flush, [a]| float::reciprocal_sqrt(format, flush, a)),
        FloatingPoint::Fsin => flushing(op, |format, flush, [a]| float::sine(format, flush, a)),
        FloatingPoint::Fsqrt => {
            native(op, |[a]| a.sqrt(), |[a]| a.sqrt(), |format, mode, [a]| float::sqrt(format, mode, a))
        }
        FloatingPoint::Fsub => {
            native(op, |[a, b]| a - b, |[a, b]| a - b, |format, mode, [a, b]| float::sub(format, mode, a, b))
        }
        FloatingPoint::Ftanh => flushing(op, |format, flush, [a]| float::tanh(format, flush, a)),
    }
}

/// The mode without qualifiers.
pub(super) const NEAREST: Mode = Mode { rounding: Rounding::NearestEven, flush: false, saturate: false };
const NEAREST_FLUSHING: Mode = Mode { flush: true, ..NEAREST };

/// The mode that the qualifiers of an operation ask for.
pub(super) fn mode_of(op: Op) -> Mode {
    let rounding = op.rounding().unwrap_or(Rounding::NearestEven);
    Mode { rounding, flush: op.has("ftz"), saturate: op.has("dsat") }
}

/// An operation that the host rounds as well, in single and in double precision, when results go to the nearest.
fn native<const N: usize>(
    op: Op,
    single: impl Fn([f32; N]) -> f32 + Copy + Send + Sync + 'static,
    double: impl Fn([f64; N]) -> f64 + Copy + Send + Sync + 'static,
    operation: impl Fn(FloatFormat, Mode, [u64; N]) -> u64 + Copy + Send + Sync + 'static,
) -> Meaning {
    match (type_of(op), mode_of(op)) {
        (Type::F, NEAREST) => nativewise(single, move |sources| operation(FloatFormat::F, NEAREST, sources)),
        (Type::Df, NEAREST) => {
            nativewise(double, move |sources| operation(FloatFormat::Df, NEAREST, sources))
        }
        _ => rounding(op, operation),
    }
}

/// An operation that depends on `.rndmode`, `.ftz` and `.dsat`, compiled apart for the modes that kernels mostly use.
fn rounding<const N: usize>(
    op: Op,
    operation: impl Fn(FloatFormat, Mode, [u64; N]) -> u64 + Copy + Send + Sync + 'static,
) -> Meaning {
    let ty = type_of(op);
    match mode_of(op) {
        NEAREST => floatwise(ty, move |format, sources| operation(format, NEAREST, sources)),
        NEAREST_FLUSHING => {
            floatwise(ty, move |format, sources| operation(format, NEAREST_FLUSHING, sources))
        }
        mode => floatwise(ty, move |format, sources| operation(format, mode, sources)),
    }
}

/// An operation that depends on `.ftz` alone.
fn flushing<const N: usize>(
    op: Op,
    operation: impl Fn(FloatFormat, bool, [u64; N]) -> u64 + Copy + Send + Sync + 'static,
) -> Meaning {
    let ty = type_of(op);
    if op.has("ftz") {
        floatwise(ty, move |format, sources| operation(format, true, sources))
    } else {
        floatwise(ty, move |format, sources| operation(format, false, sources))
    }
}

/// `fmin` or `fmax`, with or without `.nanp`.
fn extreme(
    op: Op,
    operation: impl Fn(FloatFormat, Mode, bool, u64, u64) -> u64 + Copy + Send + Sync + 'static,
) -> Meaning {
    if op.has("nanp") {
        rounding(op, move |format, mode, [a, b]| operation(format, mode, true, a, b))
    } else {
        rounding(op, move |format, mode, [a, b]| operation(format, mode, false, a, b))
    }
}
