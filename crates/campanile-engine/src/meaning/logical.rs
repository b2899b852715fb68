//! Logic and shift (spec chapter 3 of the instruction set).

use std::array;

use campanile_core::isa::{Direction, Logical, Op};

use super::Meaning;
use super::lanewise::{lanewise, required, signed, unsigned};

pub(super) fn meaning(opcode: Logical, op: Op) -> Meaning {
    match opcode {
        Logical::And => lanewise(|[a, b]| a & b),
        // A count is a whole 32-bit source, or one in each half for packed elements: either way the low six bits of what
        // is read like an element of `src0`. Counts beyond the width are not cut off any further (spec 3.2).
        Logical::Asr => signed!(op, |[a, count]| a.unbounded_shr((count & 63) as _)),
        Logical::Bfi => lanewise(|[base, inserted, width, offset]| {
            let offset = offset & 31;
            let mask = low_mask(width) << offset;
            (base & !mask | inserted << offset & mask) & low_mask(32)
        }),
        Logical::Bfn => bitwise_function(required(op.number("operation"))),
        Logical::Bfrev => unsigned!(op, |[a]| a.reverse_bits()),
        Logical::Cbit => unsigned!(op, |[a]| a.count_ones() as _),
        Logical::Fbh => unsigned!(op, |[a]| if a == 0 { !0 } else { a.leading_zeros() as _ }),
        Logical::Fbl => unsigned!(op, |[a]| if a == 0 { !0 } else { a.trailing_zeros() as _ }),
        Logical::Not => unsigned!(op, |[a]| !a),
        Logical::Or => lanewise(|[a, b]| a | b),
        Logical::Sbfe => lanewise(|[a, width, offset]| {
            let (field, width) = bit_field(a, width, offset);
            let unused = 32 - width;
            u64::from((i64::from((field << unused) as i32) >> unused) as u32)
        }),
        Logical::Shr => unsigned!(op, |[a, count]| a.unbounded_shr((count & 63) as _)),
        Logical::Shl => unsigned!(op, |[a, count]| a.unbounded_shl((count & 63) as _)),
        Logical::Shf => match required(op.direction()) {
            Direction::Left => lanewise(|[high, low, count]| (high << 32 | low) << (count & 31) >> 32),
            Direction::Right => {
                lanewise(|[high, low, count]| u64::from(((high << 32 | low) >> (count & 31)) as u32))
            }
        },
        Logical::Ubfe => lanewise(|[a, width, offset]| bit_field(a, width, offset).0),
        Logical::Xor => lanewise(|[a, b]| a ^ b),
    }
}

/// As many ones as the low six bits of `width` say, but no more than 32.
#[inline]
fn low_mask(width: u64) -> u64 {
    (1 << (width & 63).min(32)) - 1
}

/// A bit field of a 32-bit word as the specification cuts it (3.11 and 3.15), and how many bits there are of it.
#[inline]
fn bit_field(word: u64, width: u64, offset: u64) -> (u64, u64) {
    let offset = offset & 31;
    let width = (width & 63).min(32 - offset);
    (word >> offset & low_mask(width), width)
}

/// `bfn` (spec 3.4): bit `src0 + 2 * src1 + 4 * src2` of the truth table, for each bit of the sources.
fn bitwise_function(table: u8) -> Meaning {
    let truth: [u64; 8] = array::from_fn(|row| if table >> row & 1 == 1 { low_mask(32) } else { 0 });
    let choose = |selector: u64, [zero, one]: [u64; 2]| zero ^ selector & (zero ^ one);
    lanewise(move |[a, b, c]| {
        let by_first: [u64; 4] = array::from_fn(|row| choose(a, [truth[2 * row], truth[2 * row + 1]]));
        let by_second: [u64; 2] = array::from_fn(|row| choose(b, [by_first[2 * row], by_first[2 * row + 1]]));
        choose(c, by_second)
    })
}
