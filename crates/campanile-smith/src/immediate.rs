//! Numbers in all the ways in which they can be written.

use campanile_core::isa::FloatFormat;

use crate::choices::Choices;

/// An integer that fits `bits` bits.
pub(crate) fn integer(choices: &mut Choices<'_>, bits: u32) -> String {
    let bits = bits.min(64);
    let all = u64::MAX >> (64 - bits);
    let value = integer_value(choices, bits);
    match choices.between(0, 3) {
        0 => format!("{value}"),
        1 => format!("{value:#x}"),
        2 => format!("0X{value:0width$X}", width = bits as usize / 4),
        _ => {
            let negative = value > all >> 1;
            let magnitude = value.wrapping_neg() & all;
            if negative { format!("-{magnitude}") } else { format!("{value}") }
        }
    }
}

/// An integer that fits `bits` bits and is not zero.
pub(crate) fn nonzero_integer(choices: &mut Choices<'_>, bits: u32) -> String {
    integer_value(choices, bits.min(64)).max(1).to_string()
}

fn integer_value(choices: &mut Choices<'_>, bits: u32) -> u64 {
    let all = u64::MAX >> (64 - bits);
    match choices.between(0, 5) {
        0 | 1 => u64::from(choices.between(0, 40)) & all,
        2 => u64::from(choices.between(1, 40)).wrapping_neg() & all,
        3 => 1 << choices.below(bits as usize),
        4 => (all >> 1).wrapping_add(u64::from(choices.between(0, 1))),
        _ => choices.word() & all,
    }
}

/// A number of a floating-point format, finite if in decimal.
pub(crate) fn float(choices: &mut Choices<'_>, format: FloatFormat) -> String {
    let (bits, fraction) = match format {
        FloatFormat::Bf => (16, 7),
        FloatFormat::Hf => (16, 10),
        FloatFormat::F => (32, 23),
        FloatFormat::Df => (64, 52),
    };
    let all = u64::MAX >> (64 - bits);
    let infinity = (all >> 1 >> fraction) << fraction;
    let sign = u64::from(choices.between(0, 1)) << (bits - 1);
    let value = match choices.between(0, 9) {
        0 => infinity,
        1 => infinity | 1 << (fraction - 1),
        2 => infinity | 1,
        3 => infinity - 1,
        4 => u64::from(choices.between(0, 3)),
        5 => 1 << fraction,
        6 => choices.word() & all >> 1,
        _ => return decimal(choices),
    };
    format!("0x{:0width$X}", sign | value, width = bits as usize / 4)
}

/// A decimal number that is finite in every format.
fn decimal(choices: &mut Choices<'_>) -> String {
    let sign = if choices.chance(40) { "-" } else { "" };
    let (whole, part) = (choices.between(0, 999), choices.between(0, 99));
    match choices.between(0, 4) {
        0 => format!("{sign}{whole}"),
        1 => format!("{sign}{whole}.{part}"),
        2 => format!("{sign}{whole}.0"),
        3 => format!("{sign}{}.{part:02}e-{}", whole % 10, choices.between(0, 9)),
        _ => format!("{sign}{}.5E+{}", whole % 10, choices.between(0, 3)),
    }
}
