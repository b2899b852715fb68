use crate::{check, check_form, check_op, operation};

const MIN: u64 = 0x8000_0000;
const MAX: u64 = 0x7FFF_FFFF;
const ONES: u64 = 0xFFFF_FFFF;

/// `value` as a 32-bit word.
fn word(value: i32) -> u64 {
    u64::from(value as u32)
}

#[test]
fn sums_and_differences_wrap_or_clamp() {
    check("iadd.32b", &[([ONES, 1], 0), ([MAX, 1], MIN), ([MIN, MIN], 0)]);
    check("iadd.dsat.32b", &[([MAX, 1], MAX), ([MIN, ONES], MIN), ([ONES, 1], 0), ([MAX, MIN], ONES)]);
    check("iadd.16b", &[([0xFFFF, 1], 0), ([0x7FFF, 1], 0x8000)]);
    check("iadd.dsat.16b", &[([0x7FFF, 1], 0x7FFF), ([0x8000, 0xFFFF], 0x8000)]);
    check("iadd.64b", &[([!0, 1], 0), ([ONES, 1], 1 << 32)]);
    check("iadd.dsat.64b", &[([i64::MAX as u64, 1], i64::MAX as u64), ([1 << 63, !0], 1 << 63)]);
    check("isub.32b", &[([0, 1], ONES), ([MIN, 1], MAX)]);
    check("isub.dsat.32b", &[([MIN, 1], MIN), ([MAX, ONES], MAX), ([0, MIN], MAX)]);
}

#[test]
fn packed_sums_and_differences_keep_to_their_elements() {
    check("iadd.8bx4", &[([0x7F80_FF01, 0x0180_0102], 0x8000_0003)]);
    check("iadd.dsat.8bx4", &[([0x7F80_FF01, 0x0180_0102], 0x7F80_0003)]);
    check("iadd.16bx2", &[([0x7FFF_FFFF, 0x0001_0001], 0x8000_0000)]);
    check("iadd.dsat.16bx2", &[([0x7FFF_FFFF, 0x0001_0001], 0x7FFF_0000)]);
    check("isub.16bx2", &[([0x8000_0005, 0x0001_0007], 0x7FFF_FFFE)]);
    check("isub.dsat.16bx2", &[([0x8000_0005, 0x0001_0007], 0x8000_FFFE)]);
}

#[test]
fn the_minimum_is_its_own_negation_and_magnitude() {
    check("iabs.32b", &[([MIN], MIN), ([ONES], 1), ([5], 5), ([0], 0)]);
    check("iabs.16b", &[([0x8000], 0x8000), ([0xFFFE], 2)]);
    check("iabs.64b", &[([1 << 63], 1 << 63), ([!0], 1)]);
    check("ineg.32b", &[([MIN], MIN), ([1], ONES), ([0], 0)]);
    check("ineg.16b", &[([0x8000], 0x8000), ([1], 0xFFFF)]);
    check("ineg.64b", &[([1 << 63], 1 << 63), ([1], !0)]);
}

#[test]
fn signed_division_truncates_and_the_remainder_has_the_sign_of_the_dividend() {
    let quotients = [([word(-7), 2], word(-3)), ([7, word(-2)], word(-3)), ([word(-7), word(-2)], 3)];
    check("sdiv.quo.32b", &quotients);
    check("sdiv.32b", &quotients);
    let remainders = [([word(-7), 2], ONES), ([7, word(-2)], 1), ([word(-7), word(-2)], ONES)];
    check("sdiv.rem.32b", &remainders);
    check("sdiv.32b", &[([MIN, ONES], MIN), ([MIN, 1], MIN)]);
    check("sdiv.rem.32b", &[([MIN, ONES], 0)]);
    check("sdiv.16b", &[([0x8000, 0xFFFF], 0x8000), ([0xFFF9, 2], 0xFFFD)]);
    check("sdiv.rem.64b", &[([1 << 63, !0], 0), ([-9i64 as u64, 4], -1i64 as u64)]);
}

#[test]
fn division_by_zero_gives_ones_and_the_dividend() {
    check("sdiv.32b", &[([7, 0], ONES), ([word(-7), 0], ONES), ([0, 0], ONES)]);
    check("sdiv.rem.32b", &[([word(-7), 0], word(-7)), ([0, 0], 0)]);
    check("udiv.32b", &[([7, 0], ONES), ([ONES, 2], MAX), ([MIN, ONES], 0)]);
    check("udiv.rem.32b", &[([7, 0], 7), ([ONES, 2], 1)]);
    check("udiv.16b", &[([7, 0], 0xFFFF)]);
    check("udiv.64b", &[([7, 0], !0), ([!0, 10], u64::MAX / 10)]);
}

#[test]
fn products_have_the_width_asked_for() {
    check("smul.32b", &[([0x1_0000, 0x1_0000], 0), ([ONES, 5], word(-5))]);
    check("umul.64b", &[([!0, !0], 1)]);
    check("umul.16b", &[([0xFFFF, 0xFFFF], 1)]);
    check_form("smul.full.16b", "widening", &[([0x8000, 0x8000], 0x4000_0000), ([0xFFFF, 1], ONES)]);
    check_form("umul.full.16b", "widening", &[([0xFFFF, 0xFFFF], 0xFFFE_0001)]);
    check_form("smul.full.32b", "widening", &[([MIN, MIN], 1 << 62), ([ONES, 2], -2i64 as u64)]);
    check_form("umul.full.32b", "widening", &[([ONES, ONES], 0xFFFF_FFFE_0000_0001)]);
    check("smul.16bx2", &[([0xFFFF_0100, 0x0002_0100], 0xFFFE_0000)]);
}

#[test]
fn multiply_add_takes_its_addend_in_the_width_of_the_result() {
    check("smad.32b", &[([ONES, 5, 6], 1), ([0x1_0000, 0x1_0000, 7], 7)]);
    check("umad.16b", &[([0xFFFF, 0xFFFF, 0xFFFF], 0)]);
    check("smad.16bx2", &[([0xFFFF_0100, 0x0002_0100, 0x0001_0005], 0xFFFF_0005)]);
    check("smad.full.16b", &[([0xFFFF, 1, 0x1_0000], 0xFFFF), ([2, 3, ONES], 5)]);
    check("umad.full.16b", &[([0xFFFF, 0xFFFF, ONES], 0xFFFE_0000)]);
    check("smad.full.32b", &[([ONES, 1, 0], !0), ([2, 3, !0], 5)]);
    check("umad.full.32b", &[([ONES, ONES, 0x1_FFFF_FFFF], 0)]);
}

#[test]
fn extremes_follow_the_sign() {
    check("smax.32b", &[([MIN, 1], 1), ([ONES, 0], 0)]);
    check("smin.32b", &[([MIN, 1], MIN), ([ONES, 0], ONES)]);
    check("umax.32b", &[([MIN, 1], MIN)]);
    check("umin.32b", &[([MIN, 1], 1)]);
    check("smin.16b", &[([0x8000, 1], 0x8000)]);
    check("smax.64b", &[([1 << 63, 1], 1)]);
    check("umax.64b", &[([1 << 63, 1], 1 << 63)]);
    check("smax.8bx4", &[([0x7F80_FF00, 0x8001_0001], 0x7F01_0001)]);
    check("smin.8bx4", &[([0x7F80_FF00, 0x8001_0001], 0x8080_FF00)]);
    check("umax.16bx2", &[([0x8000_0001, 0x7FFF_FFFF], 0x8000_FFFF)]);
    check("umin.16bx2", &[([0x8000_0001, 0x7FFF_FFFF], 0x7FFF_0001)]);
}

#[test]
fn carries_go_in_and_out() {
    let out = operation("uaddc.co.32b", "");
    check_op(out, &[([ONES, 1], [0, 1]), ([1, 1], [2, 0]), ([ONES, ONES], [ONES - 1, 1])]);
    check("uaddc.ci.32b", &[([ONES, 0, 1], 0), ([1, 2, 0], 3), ([1, 2, 1], 4)]);
    let both = operation("uaddc.ci.co.32b", "");
    check_op(both, &[([ONES, 0, 1], [0, 1]), ([ONES, ONES, 1], [ONES, 1]), ([ONES, 0, 0], [ONES, 0])]);
    check_op(operation("usubb.co.32b", ""), &[([0, 1], [ONES, 1]), ([1, 1], [0, 0])]);
    check("usubb.ci.32b", &[([5, 4, 1], 0), ([0, 0, 1], ONES)]);
    let both = operation("usubb.ci.co.32b", "");
    check_op(both, &[([0, ONES, 1], [0, 1]), ([5, 5, 1], [ONES, 1]), ([5, 4, 1], [0, 0])]);
}

#[test]
fn dot_products_read_each_side_by_its_own_sign() {
    let (a, b) = (0xFF80_7F02, 0x02FF_8003);
    check("dp4a.uu.32b", &[([10, a, b], 10 + 6 + 127 * 128 + 128 * 255 + 255 * 2)]);
    check("dp4a.ss.32b", &[([10, a, b], word(10 + 6 - 127 * 128 + 128 - 2))]);
    check("dp4a.us.32b", &[([10, a, b], word(10 + 6 - 127 * 128 - 128 + 255 * 2))]);
    check("dp4a.su.32b", &[([10, a, b], word(10 + 6 + 127 * 128 - 128 * 255 - 2))]);
}

#[test]
fn dot_products_clamp_the_whole_sum_once() {
    let (most, least) = (0x7F7F_7F7F, 0x8080_8080);
    check("dp4a.ss.32b", &[([MAX, most, most], 0x8000_FC03)]);
    check(
        "dp4a.ss.dsat.32b",
        &[
            ([MAX, most, most], MAX),
            ([MIN, most, least], MIN),
            ([ONES, 1, 1], 0),
            // +127 * 127 and -128 * 128 together stay below the limit that the first alone would pass.
            ([MAX, 0x7F80, 0x7F7F], word(i32::MAX - 127)),
        ],
    );
    check("dp4a.us.dsat.32b", &[([MIN, ONES, least], MIN), ([MAX, ONES, most], MAX)]);
    check("dp4a.su.dsat.32b", &[([MIN, least, ONES], MIN), ([MAX, most, ONES], MAX)]);
}
