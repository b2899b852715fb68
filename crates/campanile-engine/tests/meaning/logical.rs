use crate::check;

const MAX: u64 = 0x7FFF_FFFF;
const ONES: u64 = 0xFFFF_FFFF;

#[test]
fn bitwise_operations_keep_to_the_width() {
    check("not.16b", &[([0], 0xFFFF), ([0xFF0F], 0x00F0)]);
    check("not.32b", &[([0], ONES)]);
    check("not.64b", &[([0], !0)]);
    check("and.32b", &[([0xFF00_FF00, 0x0FF0_0FF0], 0x0F00_0F00)]);
    check("or.64b", &[([1 << 63, 1], 1 << 63 | 1)]);
    check("xor.16b", &[([0xFFFF, 0x0FF0], 0xF00F)]);
}

#[test]
fn shifts_by_the_width_or_more_leave_nothing_but_the_sign() {
    check("shl.32b", &[([1, 31], 1 << 31), ([1, 32], 0), ([ONES, 40], 0), ([ONES, 63], 0)]);
    check("shr.32b", &[([1 << 31, 31], 1), ([ONES, 32], 0), ([ONES, 63], 0)]);
    check("asr.32b", &[([1 << 31, 40], ONES), ([1 << 30, 40], 0), ([1 << 31, 4], 0xF800_0000)]);
    check("shl.16b", &[([1, 15], 0x8000), ([1, 16], 0), ([0xFFFF, 33], 0)]);
    check("shr.16b", &[([0x8000, 15], 1), ([0xFFFF, 20], 0)]);
    check("asr.16b", &[([0x8000, 20], 0xFFFF), ([0x4000, 63], 0), ([0x8000, 1], 0xC000)]);
    check("shl.64b", &[([1, 63], 1 << 63), ([3, 63], 1 << 63)]);
    check("asr.64b", &[([1 << 63, 63], !0)]);
}

#[test]
fn only_six_bits_of_a_shift_count_are_read() {
    check("shl.32b", &[([1, 64], 1), ([1, 0xFFFF_FFC1], 2)]);
    check("shr.64b", &[([8, 64], 8), ([8, 67], 1)]);
    check("asr.16b", &[([0x8000, 0x41], 0xC000)]);
}

#[test]
fn packed_shifts_have_a_count_for_each_element() {
    check("shl.16bx2", &[([0x0001_0001, 0x0004_0002], 0x0010_0004), ([0x0001_0001, 0x0010_000F], 0x8000)]);
    check("shl.16bx2", &[([0x0001_0001, 0xFFC1_FFC1], 0x0002_0002), ([0x0001_0001, 3], 0x0001_0008)]);
    check("shr.16bx2", &[([0x8000_8000, 0x000F_0001], 0x0001_4000)]);
    check("asr.16bx2", &[([0x8000_4000, 0x003F_003F], 0xFFFF_0000)]);
}

#[test]
fn fields_are_inserted_as_far_as_they_fit() {
    check(
        "bfi.32b",
        &[
            ([ONES, 0, 8, 4], 0xFFFF_F00F),
            ([0, ONES, 8, 4], 0x0000_0FF0),
            ([0x1234, ONES, 0, 4], 0x1234),
            ([0, 0x1234_5678, 32, 0], 0x1234_5678),
            ([0, 0xABCD, 63, 28], 0xD000_0000),
            ([0, 1, 1, 33], 2),
            // Six bits are read of the width: 64 is none, 40 is more than there are.
            ([0x1234, ONES, 64, 0], 0x1234),
            ([0x1234, ONES, 40, 0], ONES),
        ],
    );
}

#[test]
fn fields_are_extracted_as_far_as_they_reach() {
    check(
        "ubfe.32b",
        &[
            ([0x1234_5678, 8, 4], 0x67),
            ([0x1234_5678, 0, 4], 0),
            ([0x1234_5678, 63, 24], 0x12),
            ([0x1234_5678, 32, 0], 0x1234_5678),
            ([0x1234_5678, 8, 36], 0x67),
            ([ONES, 1, 31], 1),
            ([ONES, 64, 0], 0),
        ],
    );
    check(
        "sbfe.32b",
        &[
            ([0x1234_5678, 8, 8], 0x56),
            ([0x1234_5678, 3, 4], ONES),
            ([0x1234_5678, 4, 4], 7),
            ([0x1234_5678, 0, 4], 0),
            ([0x8000_0000, 8, 28], 0xFFFF_FFF8),
            ([0x4000_0000, 8, 28], 4),
            ([0x8765_4321, 32, 0], 0x8765_4321),
            ([0x8765_4321, 63, 16], 0xFFFF_8765),
            ([ONES, 1, 31], ONES),
            ([ONES, 0, 0], 0),
        ],
    );
}

#[test]
fn every_bitwise_function_is_its_truth_table() {
    let (a, b, c) = (0x1BAD_F00D, 0xDEAD_BEEF, 0x0F1E_2D3C);
    for table in 1..=254u64 {
        let mnemonic = format!("bfn.{table:#04x}.32b");
        let of_each_bit = (0..32).fold(0, |result, bit| {
            let row = (a >> bit & 1) | (b >> bit & 1) << 1 | (c >> bit & 1) << 2;
            result | (table >> row & 1) << bit
        });
        // The first row is how the specification derives the number of a function.
        let repeated = table * 0x0101_0101;
        check(&mnemonic, &[([0xAAAA_AAAA, 0xCCCC_CCCC, 0xF0F0_F0F0], repeated), ([a, b, c], of_each_bit)]);
    }
    check("bfn.0xba.32b", &[([a, b, c], a | (!b & c))]);
    check("bfn.0x18.32b", &[([a, b, c], (a ^ c) & (b ^ c))]);
}

#[test]
fn bits_are_counted_found_and_reversed() {
    check("bfrev.32b", &[([1], 1 << 31), ([0x1234_5678], 0x1E6A_2C48)]);
    check("cbit.32b", &[([ONES], 32), ([0], 0), ([0x8000_0001], 2)]);
    check("cbit.16b", &[([0xFFFF], 16)]);
    check("fbh.32b", &[([0], ONES), ([1], 31), ([ONES], 0), ([0x00FF_0000], 8)]);
    check("fbh.16b", &[([0], 0xFFFF), ([1], 15), ([0x8000], 0)]);
    check("fbl.32b", &[([0], ONES), ([1], 0), ([0x00F0_0000], 20)]);
    check("fbl.16b", &[([0], 0xFFFF), ([0x8000], 15)]);
}

#[test]
fn funnel_shifts_take_the_high_word_first() {
    let (high, low) = (0x1234_5678, 0x9ABC_DEF0);
    check("shf.l.32b", &[([high, low, 8], 0x3456_789A), ([high, low, 32], high), ([0, ONES, 31], MAX)]);
    check("shf.r.32b", &[([high, low, 8], 0x789A_BCDE), ([high, low, 32], low), ([ONES, 0, 1], 1 << 31)]);
    check("shf.l.32b", &[([high, high, 4], 0x2345_6781)]);
}
