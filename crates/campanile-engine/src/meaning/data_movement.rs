//! Conversions (spec chapter 4 of the instruction set); what only moves bits between registers is the machine's.

use campanile_core::isa::{DataMovement, FloatFormat, Op, Rounding, Type};

use super::Meaning;
use super::floating_point::mode_of;
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
        mode if mode == Mode::default() => {
            floatwise(to, move |format, [a]| float::from_integer(format, Mode::default(), bits, signed, a))
        }
        mode => floatwise(to, move |format, [a]| float::from_integer(format, mode, bits, signed, a)),
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
    let mode = mode_of(op);
    let from = required(op.from());
    match required(op.to()) {
        Type::F => convert_to(FloatFormat::F, from, mode),
        Type::Df => convert_to(FloatFormat::Df, from, mode),
        Type::Hf => convert_to(FloatFormat::Hf, from, mode),
        Type::Bf => convert_to(FloatFormat::Bf, from, mode),
        other => unreachable!("the table has no conversion to .{other}"),
    }
}

fn convert_to(to: FloatFormat, from: Type, mode: Mode) -> Meaning {
    if mode == Mode::default() {
        floatwise(from, move |from, [a]| float::convert(to, from, Mode::default(), a))
    } else {
        floatwise(from, move |from, [a]| float::convert(to, from, mode, a))
    }
}

/// `ftrunc2` (spec 4.9).
fn convert_pair(op: Op) -> Meaning {
    let mode = mode_of(op);
    let to = required(required(op.to()).float_format());
    let narrow = move |a| float::convert(to, FloatFormat::F, mode, a);
    lanewise(move |[low, high]| narrow(low) | narrow(high) << 16)
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
