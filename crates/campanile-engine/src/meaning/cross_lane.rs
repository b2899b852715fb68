//! Sub-group communication (spec chapter 7 of the instruction set).
//!
//! The mask operand should be the same in all lanes. Where it is not, each lane goes by its own value.

use campanile_core::isa::{CrossLane, FloatFormat, Op, Operation};

use super::CrossLaneMeaning;
use super::lanewise::{required, type_of};
use crate::float::{self, Mode};

pub(super) fn meaning(opcode: CrossLane, op: Op) -> CrossLaneMeaning {
    match opcode {
        CrossLane::Fred => reduce_floats(op),
        CrossLane::Ired => reduce_integers(op),
        CrossLane::Redfirstidx => first_index(),
        CrossLane::Shfl => shuffle(op),
    }
}

/// The lanes of a mask, ascending.
fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < u32::BITS).then_some(lane as usize)
    })
}

/// A reduction over the active lanes that the mask in the second source names; these alone receive the result.
///
/// What goes into it is what `prepare` makes of the first source.
fn reduction(
    prepare: impl Fn(u64) -> u64 + Send + Sync + 'static,
    combine: impl Fn(u64, u64) -> u64 + Send + Sync + 'static,
) -> CrossLaneMeaning {
    Box::new(move |sources, active, result| {
        let [values, masks] = sources else { unreachable!("a reduction has two sources") };
        let mut written = 0;
        let mut last = None;
        for lane in lanes_of(active) {
            let participating = masks[lane] as u32 & active;
            if participating >> lane & 1 == 0 {
                continue;
            }
            result[lane] = match last {
                Some((mask, value)) if mask == participating => value,
                _ => {
                    let values = lanes_of(participating).map(|lane| prepare(values[lane]));
                    let value = values.reduce(&combine).unwrap_or_default();
                    last = Some((participating, value));
                    value
                }
            };
            written |= 1 << lane;
        }
        written
    })
}

/// `fred` (spec 7.1).
fn reduce_floats(op: Op) -> CrossLaneMeaning {
    let ty = type_of(op);
    let format = required(ty.float_format());
    let propagate_nan = op.has("nanp");
    let operation = required(op.operation());
    let extreme: fn(FloatFormat, Mode, bool, u64, u64) -> u64 = match operation {
        Operation::Min => float::min,
        Operation::Max | Operation::AbsMax => float::max,
        other => unreachable!("the table has no floating-point reduction .{other}"),
    };
    let combine = move |a, b| extreme(format, Mode::default(), propagate_nan, a, b);
    // A number is the extreme of itself and itself; a NaN is so made quiet, even if it is the only one there.
    let prepare = move |a| {
        if operation == Operation::AbsMax { float::abs(format, false, a) } else { combine(a, a) }
    };
    if ty.is_packed() {
        let low = |pair: u64| pair & 0xffff;
        reduction(
            move |a| prepare(low(a)) | prepare(a >> 16) << 16,
            move |a, b| combine(low(a), low(b)) | combine(a >> 16, b >> 16) << 16,
        )
    } else {
        reduction(prepare, combine)
    }
}

/// `ired` (spec 7.2).
fn reduce_integers(op: Op) -> CrossLaneMeaning {
    let unused = 64 - type_of(op).bits();
    let signed = move |value: u64| (value << unused) as i64 >> unused;
    let truncated = move |value: u64| value << unused >> unused;
    let same = |value| value;
    match required(op.operation()) {
        Operation::Sum => reduction(same, move |a, b| truncated(a.wrapping_add(b))),
        Operation::SignedMin => reduction(same, move |a, b| truncated(signed(a).min(signed(b)) as u64)),
        Operation::SignedMax => reduction(same, move |a, b| truncated(signed(a).max(signed(b)) as u64)),
        Operation::UnsignedMin => reduction(same, u64::min),
        Operation::UnsignedMax => reduction(same, u64::max),
        Operation::And => reduction(same, |a, b| a & b),
        Operation::Or => reduction(same, |a, b| a | b),
        Operation::Xor => reduction(same, |a, b| a ^ b),
        Operation::AbsMax => reduction(move |value| signed(value).unsigned_abs(), u64::max),
        other => unreachable!("the table has no integer reduction .{other}"),
    }
}

/// `redfirstidx` (spec 7.3). Here all active lanes receive the result, the number of lanes if there is no first one.
fn first_index() -> CrossLaneMeaning {
    Box::new(|sources, active, result| {
        for lane in lanes_of(active) {
            result[lane] = u64::from((sources[0][lane] as u32 & active).trailing_zeros());
        }
        active
    })
}

/// `shfl` (spec 7.4).
fn shuffle(op: Op) -> CrossLaneMeaning {
    let segmented = op.has("sg");
    match required(op.operation()) {
        Operation::Up => shuffle_from(segmented, 0, |lane, reach| lane - reach.offset, i32::ge),
        Operation::Down => shuffle_from(segmented, 31, |lane, reach| lane + reach.offset, i32::le),
        Operation::Xor => shuffle_from(segmented, 31, |lane, reach| lane ^ reach.offset, i32::le),
        Operation::Index => shuffle_from(
            segmented,
            31,
            |lane, reach| lane & reach.segment | reach.offset & !reach.segment,
            i32::le,
        ),
        other => unreachable!("the table has no shuffle .{other}"),
    }
}

/// What the second source of a shuffle says.
struct Reach {
    /// How far away a lane reads, or where in its segment.
    offset: i32,
    /// The last lane to read in a segment, or for `.up` the first.
    clamp: i32,
    /// The bits of a lane's number that tell its segment from the others.
    segment: i32,
}

impl Reach {
    /// Reads it; without segments all 32 lanes are one, which ends at the lane `clamp`.
    #[inline]
    fn read(control: u64, segmented: bool, clamp: i32) -> Self {
        let field = |first: u32| (control >> first & 31) as i32;
        if segmented {
            Reach { offset: field(0), clamp: field(8), segment: field(16) }
        } else {
            Reach { offset: field(0), clamp, segment: 0 }
        }
    }
}

/// A shuffle in which a lane reads the lane `source`, if this stands in the relation `within` to the clamping lane and
/// takes part; otherwise itself.
fn shuffle_from(
    segmented: bool,
    clamp: i32,
    source: impl Fn(i32, &Reach) -> i32 + Send + Sync + 'static,
    within: impl Fn(&i32, &i32) -> bool + Send + Sync + 'static,
) -> CrossLaneMeaning {
    Box::new(move |sources, active, result| {
        let [values, controls, masks] = sources else { unreachable!("a shuffle has three sources") };
        let mut written = 0;
        for lane in lanes_of(active) {
            let participating = masks[lane] as u32 & active;
            if participating >> lane & 1 == 0 {
                continue;
            }
            let own = lane as i32;
            let reach = Reach::read(controls[lane], segmented, clamp);
            let from = source(own, &reach);
            let limit = own & reach.segment | reach.clamp & !reach.segment;
            let readable = within(&from, &limit) && participating >> (from & 31) & 1 == 1;
            result[lane] = values[if readable { from as usize & 31 } else { lane }];
            written |= 1 << lane;
        }
        written
    })
}
