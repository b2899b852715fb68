//! Integer arithmetic (spec chapter 1 of the instruction set).

use campanile_core::isa::{Arithmetic, Op, Output, Signedness, Type};

use super::Meaning;
use super::lanewise::{lanewise, required, signed, type_of, unsigned};

pub(super) fn meaning(opcode: Arithmetic, op: Op) -> Meaning {
    let saturate = op.has("dsat");
    let full = op.has("precision");
    match opcode {
        Arithmetic::Dp4a => dot_product(op),
        Arithmetic::Iabs => signed!(op, |[a]| a.wrapping_abs()),
        Arithmetic::Iadd if saturate => signed!(op, |[a, b]| a.saturating_add(b)),
        Arithmetic::Iadd => unsigned!(op, |[a, b]| a.wrapping_add(b)),
        Arithmetic::Ineg => unsigned!(op, |[a]| a.wrapping_neg()),
        Arithmetic::Isub if saturate => signed!(op, |[a, b]| a.saturating_sub(b)),
        Arithmetic::Isub => unsigned!(op, |[a, b]| a.wrapping_sub(b)),
        Arithmetic::Sdiv => match required(op.output()) {
            Output::Quotient => signed!(op, |[a, b]| if b == 0 { -1 } else { a.wrapping_div(b) }),
            Output::Remainder => signed!(op, |[a, b]| if b == 0 { a } else { a.wrapping_rem(b) }),
        },
        Arithmetic::Smad if full => full_product::<3>(op, true),
        Arithmetic::Smax => signed!(op, |[a, b]| a.max(b)),
        Arithmetic::Smin => signed!(op, |[a, b]| a.min(b)),
        Arithmetic::Smul if full => full_product::<2>(op, true),
        Arithmetic::Uaddc => carrying(|a, b, carry| a + b + carry),
        Arithmetic::Usubb => carrying(|a, b, borrow| a.wrapping_sub(b + borrow)),
        Arithmetic::Udiv => match required(op.output()) {
            Output::Quotient => unsigned!(op, |[a, b]| a.checked_div(b).unwrap_or(!0)),
            Output::Remainder => unsigned!(op, |[a, b]| a.checked_rem(b).unwrap_or(a)),
        },
        Arithmetic::Umad if full => full_product::<3>(op, false),
        Arithmetic::Smad | Arithmetic::Umad => {
            unsigned!(op, |[a, b, c]| a.wrapping_mul(b).wrapping_add(c))
        }
        Arithmetic::Umax => unsigned!(op, |[a, b]| a.max(b)),
        Arithmetic::Umin => unsigned!(op, |[a, b]| a.min(b)),
        Arithmetic::Umul if full => full_product::<2>(op, false),
        Arithmetic::Smul | Arithmetic::Umul => unsigned!(op, |[a, b]| a.wrapping_mul(b)),
    }
}

/// `dp4a` (spec 1.1). The letters of `.signedness` speak of `src1` and then of `src2`; `src0` counts as signed where the
/// sum is clamped, and where it wraps its sign makes no difference.
fn dot_product(op: Op) -> Meaning {
    let unsigned = |word: u64, byte: u32| i32::from((word >> (8 * byte)) as u8);
    let signed = |word: u64, byte: u32| i32::from((word >> (8 * byte)) as i8);
    let saturate = op.has("dsat");
    match required(op.signedness()) {
        Signedness::Ss => dot_product_of(saturate, signed, signed),
        Signedness::Us => dot_product_of(saturate, unsigned, signed),
        Signedness::Su => dot_product_of(saturate, signed, unsigned),
        Signedness::Uu => dot_product_of(saturate, unsigned, unsigned),
    }
}

fn dot_product_of(
    saturate: bool,
    first: impl Fn(u64, u32) -> i32 + Send + Sync + 'static,
    second: impl Fn(u64, u32) -> i32 + Send + Sync + 'static,
) -> Meaning {
    let dot = move |a, b| (0..4).map(|byte| first(a, byte) * second(b, byte)).sum();
    if saturate {
        lanewise(move |[addend, a, b]| u64::from((addend as i32).saturating_add(dot(a, b)) as u32))
    } else {
        lanewise(move |[addend, a, b]| u64::from((addend as i32).wrapping_add(dot(a, b)) as u32))
    }
}

/// A product in twice the width of its factors (`.full`), plus the third source if there is one.
fn full_product<const N: usize>(op: Op, signed: bool) -> Meaning {
    match (type_of(op), signed) {
        (Type::B16, false) => full_product_of::<N>(u64::from(u32::MAX), |factor| factor),
        (Type::B16, true) => full_product_of::<N>(u64::from(u32::MAX), |factor| factor as i16 as u64),
        (Type::B32, false) => full_product_of::<N>(u64::MAX, |factor| factor),
        (Type::B32, true) => full_product_of::<N>(u64::MAX, |factor| factor as i32 as u64),
        (other, _) => unreachable!("the table has no full product of .{other}"),
    }
}

fn full_product_of<const N: usize>(
    mask: u64,
    extend: impl Fn(u64) -> u64 + Send + Sync + 'static,
) -> Meaning {
    lanewise(move |sources: [u64; N]| {
        let addend = sources.get(2).copied().unwrap_or(0);
        extend(sources[0]).wrapping_mul(extend(sources[1])).wrapping_add(addend) & mask
    })
}

/// `uaddc` and `usubb`: the low 32 bits of `operation` are the result, the next one is what is carried out, if anything
/// asks for it. Nothing is carried in without a third source.
fn carrying(operation: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> Meaning {
    Box::new(move |sources, results| {
        let ([a, b, carried_in @ ..], [result, carried_out @ ..]) = (sources, results) else {
            unreachable!("an operation is given as many sources and results as its syntax line has");
        };
        let carry = carried_in.first().unwrap_or(&[0; 32]);
        let wide: [u64; 32] = std::array::from_fn(|lane| operation(a[lane], b[lane], carry[lane]));
        *result = wide.map(|value| u64::from(value as u32));
        if let [carried_out] = carried_out {
            *carried_out = wide.map(|value| value >> 32 & 1);
        }
    })
}
