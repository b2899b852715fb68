use std::array;

use campanile_engine::meaning::{Lanes, cross_lane};

use crate::operation;

const KEPT: u64 = 0xDEAD;
const ALL: u32 = !0;

/// Runs a cross-lane operation; the lanes that it does not write hold [`KEPT`].
fn run(mnemonic: &str, sources: &[Lanes], active: u32) -> Lanes {
    let mut result = [KEPT; 32];
    let op = operation(mnemonic, "");
    let meaning = cross_lane(op).unwrap_or_else(|| panic!("{mnemonic} is no cross-lane operation"));
    let written = meaning(sources, active, &mut result);
    assert_eq!(written & !active, 0, "{mnemonic} writes inactive lanes");
    for (lane, value) in result.iter().enumerate() {
        assert!(
            written >> lane & 1 == 1 || *value == KEPT,
            "{mnemonic} changes lane {lane} that it does not report"
        );
    }
    result
}

/// `value` in the lanes of `mask`, [`KEPT`] elsewhere.
fn only(mask: u32, value: u64) -> Lanes {
    array::from_fn(|lane| if mask >> lane & 1 == 1 { value } else { KEPT })
}

fn everywhere(mask: u32) -> Lanes {
    [u64::from(mask); 32]
}

fn shuffle(mnemonic: &str, control: u64, mask: u32, active: u32) -> Lanes {
    let numbers = array::from_fn(|lane| 100 + lane as u64);
    run(mnemonic, &[numbers, [control; 32], everywhere(mask)], active)
}

/// The lanes that each lane got its value from.
fn read_from(result: Lanes) -> [i64; 32] {
    result.map(|value| if value == KEPT { -1 } else { value as i64 - 100 })
}

/// Lanes 16 to 31 from the top down, as the tables of the specification show them.
fn upper_half(result: Lanes) -> Vec<i64> {
    read_from(result)[16..].iter().rev().copied().collect()
}

#[test]
fn shuffles_down_in_segments_of_eight_follow_the_tables_of_the_specification() {
    // A blank in the picture is a lane without a lane to read; it keeps its own value. The first picture shows segments
    // whole, which takes a clamp of 31; with its clamp of 0 nothing lies within bounds by the formula, which we follow.
    let whole = upper_half(shuffle("shfl.dn.sg.32b", 0x0018_1F02, ALL, ALL));
    assert_eq!(whole, [31, 30, 31, 30, 29, 28, 27, 26, 23, 22, 23, 22, 21, 20, 19, 18]);
    let literal = upper_half(shuffle("shfl.dn.sg.32b", 0x0018_0002, ALL, ALL));
    assert_eq!(literal, [31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16]);
    // Clamped to lane 5 of each segment.
    let clamped = upper_half(shuffle("shfl.dn.sg.32b", 0x0018_1D02, ALL, ALL));
    assert_eq!(clamped, [31, 30, 29, 28, 29, 28, 27, 26, 23, 22, 21, 20, 21, 20, 19, 18]);
}

#[test]
fn shuffles_without_segments_span_the_sub_group() {
    let lanes = |f: fn(i64) -> i64| -> [i64; 32] { array::from_fn(|lane| f(lane as i64)) };
    // Clamp and segment bits are set but not read.
    let extra = 0x001F_1F00;
    assert_eq!(read_from(shuffle("shfl.up.32b", extra | 1, ALL, ALL)), lanes(|lane| (lane - 1).max(0)));
    let expected = lanes(|lane| if lane < 4 { lane } else { lane - 4 });
    assert_eq!(read_from(shuffle("shfl.up.32b", 4, ALL, ALL)), expected);
    let expected = lanes(|lane| if lane > 27 { lane } else { lane + 4 });
    assert_eq!(read_from(shuffle("shfl.dn.32b", extra | 4, ALL, ALL)), expected);
    assert_eq!(read_from(shuffle("shfl.xor.32b", extra | 5, ALL, ALL)), lanes(|lane| lane ^ 5));
    assert_eq!(read_from(shuffle("shfl.idx.32b", extra | 7, ALL, ALL)), [7; 32]);
    // Five bits of the offset count.
    assert_eq!(read_from(shuffle("shfl.idx.32b", 32 + 7, ALL, ALL)), [7; 32]);
}

#[test]
fn segments_bound_shuffles() {
    // Four lanes each: segment mask 28, clamp 3 (0 for up).
    let four = 0x001C_0300;
    let lanes = |f: fn(i64) -> i64| -> [i64; 32] { array::from_fn(|lane| f(lane as i64)) };
    let expected = lanes(|lane| if lane % 4 == 0 { lane } else { lane - 1 });
    assert_eq!(read_from(shuffle("shfl.up.sg.32b", 0x001C_0001, ALL, ALL)), expected);
    let expected = lanes(|lane| if lane % 4 == 3 { lane } else { lane + 1 });
    assert_eq!(read_from(shuffle("shfl.dn.sg.32b", four | 1, ALL, ALL)), expected);
    assert_eq!(read_from(shuffle("shfl.idx.sg.32b", four | 6, ALL, ALL)), lanes(|lane| lane / 4 * 4 + 2));
    assert_eq!(read_from(shuffle("shfl.xor.sg.32b", four | 3, ALL, ALL)), lanes(|lane| lane ^ 3));
    // Another segment is reached by exclusive OR where it lies below.
    let expected = lanes(|lane| if lane & 4 != 0 { lane ^ 4 } else { lane });
    assert_eq!(read_from(shuffle("shfl.xor.sg.32b", four | 4, ALL, ALL)), expected);
    // The upper bits of the clamp, which the table of the specification sets, are of no account.
    assert_eq!(
        shuffle("shfl.up.sg.32b", 0x001C_1C01, ALL, ALL),
        shuffle("shfl.up.sg.32b", 0x001C_0001, ALL, ALL)
    );
    // A clamp of 2 in the segment for up.
    let expected = lanes(|lane| if lane % 4 == 3 { lane - 1 } else { lane });
    assert_eq!(read_from(shuffle("shfl.up.sg.32b", 0x001C_0201, ALL, ALL)), expected);
}

#[test]
fn lanes_that_do_not_take_part_are_neither_written_nor_read() {
    // Lane 2 is not in the mask and lane 5 is not active.
    let result = read_from(shuffle("shfl.dn.32b", 1, !(1 << 2), !(1 << 5)));
    assert_eq!(result[..8], [1, 1, -1, 4, 4, -1, 7, 8]);
    assert_eq!(read_from(shuffle("shfl.idx.32b", 9, 0, ALL)), [-1; 32]);
}

#[test]
fn each_lane_goes_by_its_own_mask() {
    let numbers = array::from_fn(|lane| 1 << lane);
    let masks = array::from_fn(|lane| [0x3, 0x1, 0xC, 0xF][lane % 4]);
    let result = run("ired.or.32b", &[numbers, masks], 0xF);
    // Lane 1 is not in its own mask.
    assert_eq!(result[..4], [0x3, KEPT, 0xC, 0xF]);
    let numbers = array::from_fn(|lane| 100 + lane as u64);
    let masks = array::from_fn(|lane| [0x3, 0x1, 0xC, 0xF][lane % 4]);
    let result = run("shfl.idx.32b", &[numbers, [1; 32], masks], 0xF);
    assert_eq!(result[..4], [101, KEPT, 102, 101]);
}

#[test]
fn integer_reductions_cover_the_chosen_active_lanes() {
    let numbers: Lanes = array::from_fn(|lane| u64::from(lane as u32));
    assert_eq!(run("ired.sum.32b", &[numbers, everywhere(ALL)], ALL), [496; 32]);
    assert_eq!(run("ired.sum.32b", &[numbers, everywhere(0xFF00)], 0x0FF0), only(0x0F00, 8 + 9 + 10 + 11));
    assert_eq!(run("ired.umin.32b", &[numbers, everywhere(0xFFF0)], ALL), only(0xFFF0, 4));
    assert_eq!(run("ired.umax.32b", &[numbers, everywhere(0xFFF0)], ALL), only(0xFFF0, 15));
    assert_eq!(run("ired.xor.32b", &[numbers, everywhere(0x7)], ALL), only(0x7, 3));
    assert_eq!(run("ired.or.32b", &[numbers, everywhere(0x1F)], ALL), only(0x1F, 7));
    assert_eq!(run("ired.and.32b", &[numbers, everywhere(0xC0)], ALL), only(0xC0, 6));
    assert_eq!(run("ired.sum.32b", &[numbers, everywhere(0)], ALL), [KEPT; 32]);
}

#[test]
fn integer_reductions_respect_sign_and_width() {
    let pair = |a: u64, b: u64| -> Lanes { array::from_fn(|lane| [a, b][lane % 2]) };
    let reduce = |mnemonic: &str, a, b| run(mnemonic, &[pair(a, b), everywhere(0x3)], ALL)[0];
    assert_eq!(reduce("ired.smin.32b", 0x8000_0000, 1), 0x8000_0000);
    assert_eq!(reduce("ired.smax.32b", 0x8000_0000, 1), 1);
    assert_eq!(reduce("ired.umax.32b", 0x8000_0000, 1), 0x8000_0000);
    assert_eq!(reduce("ired.smin.16b", 0x8000, 1), 0x8000);
    assert_eq!(reduce("ired.smax.16b", 0xFFFF, 0), 0);
    assert_eq!(reduce("ired.sum.16b", 0xFFFF, 2), 1);
    assert_eq!(reduce("ired.sum.32b", 0xFFFF_FFFF, 2), 1);
    assert_eq!(reduce("ired.absmax.32b", 0xFFFF_FFFB, 3), 5);
    assert_eq!(reduce("ired.absmax.32b", 0x8000_0000, 0x7FFF_FFFF), 0x8000_0000);
    assert_eq!(reduce("ired.absmax.16b", 0x8000, 0x7FFF), 0x8000);
    // A single lane is also taken in magnitude.
    assert_eq!(run("ired.absmax.32b", &[[0xFFFF_FFFB; 32], everywhere(1)], ALL), only(1, 5));
}

#[test]
fn float_reductions_ignore_nan_unless_all_are() {
    let [one, three, minus_five] = [1f32, 3.0, -5.0].map(|value| u64::from(value.to_bits()));
    let values: Lanes = array::from_fn(|lane| [one, 0x7FC0_0001, minus_five, three][lane % 4]);
    let reduce = |mnemonic: &str, mask| run(mnemonic, &[values, everywhere(mask)], ALL);
    assert_eq!(reduce("fred.max.f", 0xF), only(0xF, three));
    assert_eq!(reduce("fred.min.f", 0xF), only(0xF, minus_five));
    assert_eq!(reduce("fred.absmax.f", 0xF), only(0xF, minus_five & 0x7FFF_FFFF));
    assert_eq!(reduce("fred.max.f", 0x22), only(0x22, 0x7FC0_0001));
    assert_eq!(reduce("fred.max.nanp.f", 0xF), only(0xF, 0x7FC0_0001));
    assert_eq!(reduce("fred.min.nanp.f", 0xD), only(0xD, minus_five));
    // The mask of active lanes counts too.
    assert_eq!(run("fred.max.nanp.f", &[values, everywhere(ALL)], 0xD), only(0xD, three));
    // A signalling NaN alone is made quiet, and zeros are in order.
    let lone = [0xFF80_0001; 32];
    assert_eq!(run("fred.max.f", &[lone, everywhere(1)], ALL), only(1, 0xFFC0_0001));
    assert_eq!(run("fred.absmax.f", &[lone, everywhere(1)], ALL), only(1, 0x7FC0_0001));
    let zeros: Lanes = array::from_fn(|lane| (lane as u64 % 2) << 31);
    assert_eq!(run("fred.max.f", &[zeros, everywhere(3)], ALL), only(3, 0));
    assert_eq!(run("fred.min.f", &[zeros, everywhere(3)], ALL), only(3, 1 << 31));
}

#[test]
fn packed_float_reductions_are_made_element_by_element() {
    let values: Lanes = array::from_fn(|lane| [0x3C00_C000, 0x7E00_4000][lane % 2]);
    assert_eq!(run("fred.max.hfx2", &[values, everywhere(3)], ALL), only(3, 0x3C00_4000));
    assert_eq!(run("fred.min.nanp.hfx2", &[values, everywhere(3)], ALL), only(3, 0x7E00_C000));
    assert_eq!(run("fred.absmax.hfx2", &[values, everywhere(1)], ALL), only(1, 0x3C00_4000));
    let values: Lanes = array::from_fn(|lane| [0x3F80_C000, 0xBF80_4000][lane % 2]);
    assert_eq!(run("fred.min.bfx2", &[values, everywhere(3)], ALL), only(3, 0xBF80_C000));
}

#[test]
fn the_first_lane_is_told_to_all_active_ones() {
    assert_eq!(run("redfirstidx.32b", &[everywhere(0xFFF0)], 0xFF0F_FF03), only(0xFF0F_FF03, 8));
    assert_eq!(run("redfirstidx.32b", &[everywhere(ALL)], ALL), [0; 32]);
    assert_eq!(run("redfirstidx.32b", &[everywhere(1 << 31)], ALL), [31; 32]);
    assert_eq!(run("redfirstidx.32b", &[everywhere(0xF0)], 0xF), only(0xF, 32));
}
