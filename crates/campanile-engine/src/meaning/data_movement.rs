//! Conversions (spec chapter 4 of the instruction set); what only moves bits between registers is the machine's.

use campanile_core::isa::{DataMovement, FloatFormat, Op, Rounding, Type};

use super::Meaning;
use super::floating_point::{NEAREST, mode_of};
use super::lanewise::{floatwise, lanewise, required, type_of};
use crate::float::{self, Mode};

pub(super) fn meaning(opcode: DataMovement, op: Op) -> Option<Meaning> {
    let meaning = match opcode {
        DataMovement::Addrcast
        | DataMovement::Addrof
        | DataMovement::ExtractDynamic
        | DataMovement::Extract
        | DataMovement::InsertDynamic
        | DataMovement::Insert
        | DataMovement::Isaddr
        | DataMovement::LifetimeStart
        | DataMovement::Mov => return None,
        DataMovement::F2i | DataMovement::Pf2i => float_to_integer(op),
        DataMovement::Fext | DataMovement::Ftrunc => convert(op),
        DataMovement::Frnd => round(op),
        DataMovement::Ftrunc2 => convert_pair(op),
        DataMovement::I2f => integer_to_float(op),
        DataMovement::Sext => sign_extend(op),
        DataMovement::Trunc => {
            let mask = ones(required(op.to()));
            lanewise(move |[a]| a & mask)
        }
        DataMovement::Zext => lanewise(|[a]| a),
    };
    Some(meaning)
}

/// All ones in the width of an element of `ty`.
fn ones(ty: Type) -> u64 {
    u64::MAX >> (64 - ty.element_bits())
}

/// `f2i` and, on packed elements, `pf2i` (spec 4.5 and 4.15).
fn float_to_integer(op: Op) -> Meaning {
    let (to, from) = (required(op.to()), required(op.from()));
    let (bits, signed) = (to.element_bits(), to.is_signed());
    rounded(from, required(op.rounding()), move |format, rounding, a| {
        float::to_integer(format, bits, signed, rounding, a)
    })
}

/// `i2f` (spec 4.10).
fn integer_to_float(op: Op) -> Meaning {
    let (to, from) = (required(op.to()), required(op.from()));
    let (bits, signed) = (from.element_bits(), from.is_signed());
    match mode_of(op) {
        NEAREST => floatwise(to, move |to, [a]| float::from_integer(to, NEAREST, bits, signed, a)),
        mode => floatwise(to, move |to, [a]| float::from_integer(to, mode, bits, signed, a)),
    }
}

/// `frnd` (spec 4.7).
fn round(op: Op) -> Meaning {
    let (ty, flush) = (type_of(op), op.has("ftz"));
    rounded(ty, required(op.rounding()), move |format, rounding, a| {
        float::round_to_integral(format, rounding, flush, a)
    })
}

/// An operation compiled apart for each rounding mode.
fn rounded(
    ty: Type,
    rounding: Rounding,
    operation: impl Fn(FloatFormat, Rounding, u64) -> u64 + Copy + Send + Sync + 'static,
) -> Meaning {
    match rounding {
        Rounding::NearestEven => {
            floatwise(ty, move |format, [a]| operation(format, Rounding::NearestEven, a))
        }
        Rounding::NearestAway => {
            floatwise(ty, move |format, [a]| operation(format, Rounding::NearestAway, a))
        }
        Rounding::Up => floatwise(ty, move |format, [a]| operation(format, Rounding::Up, a)),
        Rounding::Down => floatwise(ty, move |format, [a]| operation(format, Rounding::Down, a)),
        Rounding::TowardZero => floatwise(ty, move |format, [a]| operation(format, Rounding::TowardZero, a)),
    }
}

/// `fext` and `ftrunc` (spec 4.6 and 4.8).
fn convert(op: Op) -> Meaning {
    match required(op.to()) {
        Type::Bf => convert_by(op, |from, mode, a| float::convert(FloatFormat::Bf, from, mode, a)),
        Type::Hf => convert_by(op, |from, mode, a| float::convert(FloatFormat::Hf, from, mode, a)),
        Type::F => convert_by(op, |from, mode, a| float::convert(FloatFormat::F, from, mode, a)),
        Type::Df => convert_by(op, |from, mode, a| float::convert(FloatFormat::Df, from, mode, a)),
        other => unreachable!("the table has no conversion to .{other}"),
    }
}

fn convert_by(
    op: Op,
    conversion: impl Fn(FloatFormat, Mode, u64) -> u64 + Copy + Send + Sync + 'static,
) -> Meaning {
    let from = required(op.from());
    match mode_of(op) {
        NEAREST => floatwise(from, move |from, [a]| conversion(from, NEAREST, a)),
        mode => floatwise(from, move |from, [a]| conversion(from, mode, a)),
    }
}

/// `ftrunc2` (spec 4.9).
fn convert_pair(op: Op) -> Meaning {
    match required(op.to()) {
        Type::Bfx2 => convert_pair_by(op, |mode, a| float::convert(FloatFormat::Bf, FloatFormat::F, mode, a)),
        Type::Hfx2 => convert_pair_by(op, |mode, a| float::convert(FloatFormat::Hf, FloatFormat::F, mode, a)),
        other => unreachable!("the table has no conversion of two numbers to .{other}"),
    }
}

fn convert_pair_by(op: Op, conversion: impl Fn(Mode, u64) -> u64 + Send + Sync + 'static) -> Meaning {
    match mode_of(op) {
        NEAREST => lanewise(move |[low, high]| conversion(NEAREST, low) | conversion(NEAREST, high) << 16),
        mode => lanewise(move |[low, high]| conversion(mode, low) | conversion(mode, high) << 16),
    }
}

/// `sext` (spec 4.16).
fn sign_extend(op: Op) -> Meaning {
    let mask = ones(required(op.to()));
    match required(op.from()) {
        Type::B8 => lanewise(move |[a]| a as i8 as u64 & mask),
        Type::B16 => lanewise(move |[a]| a as i16 as u64 & mask),
        Type::B32 => lanewise(move |[a]| a as i32 as u64 & mask),
        other => unreachable!("the table does not sign-extend .{other}"),
    }
}
