use campanile_engine::meaning::meaning;

use crate::{check, operation};

const fn single(value: f32) -> u64 {
    value.to_bits() as u64
}

const NAN: u64 = 0x7FC0_0000;
const INFINITY: u64 = 0x7F80_0000;

#[test]
fn integers_come_of_floats_rounded_and_clamped() {
    check(
        "f2i.s32.f",
        &[
            ([single(-2.75)], -2i32 as u32 as u64),
            ([single(3e9)], i32::MAX as u64),
            ([single(-3e9)], 1 << 31),
            ([INFINITY], i32::MAX as u64),
            ([NAN], 0),
            ([0xFF80_0001], 0),
        ],
    );
    check("f2i.u32.f", &[([single(-0.75)], 0), ([single(-5.0)], 0), ([single(3e9)], 3_000_000_000)]);
    check("f2i.u32.f.ru", &[([single(2.25)], 3), ([single(5e9)], 0xFFFF_FFFF)]);
    check("f2i.s8.f.re", &[([single(2.5)], 2), ([single(-3.5)], 0xFC), ([single(200.0)], 127)]);
    check("f2i.s8.f.rna", &[([single(2.5)], 3), ([single(-2.5)], 0xFD), ([single(-200.0)], 0x80)]);
    check("f2i.s16.hf.rd", &[([0xB800], 0xFFFF), ([0x7C00], 0x7FFF)]);
    check("f2i.u64.df", &[([1e19f64.to_bits()], 10_000_000_000_000_000_000), ([1e20f64.to_bits()], !0)]);
    check("f2i.s64.df", &[([(-1e19f64).to_bits()], 1 << 63)]);
    check("f2i.u8.bf", &[([0x437F], 255), ([0x4380], 255)]);
}

#[test]
fn packed_floats_become_packed_integers() {
    check("pf2i.s16x2.hfx2", &[([0xC100_7BFF], 0xFFFE_7FFF), ([0x7E00_4100], 2)]);
    check("pf2i.s16x2.hfx2.re", &[([0xC100_4300], 0xFFFE_0004)]);
    check("pf2i.u16x2.bfx2", &[([0xBF80_4780], 0xFFFF), ([0x4040_0000], 0x0003_0000)]);
}

#[test]
fn floats_come_of_integers() {
    check("i2f.f.u32", &[([0xFFFF_FFFF], single(4_294_967_296.0)), ([0], 0)]);
    check("i2f.f.s32", &[([0xFFFF_FFFF], single(-1.0)), ([1 << 31], single(-2_147_483_648.0))]);
    check("i2f.f.u32.rz", &[([0xFFFF_FFFF], 0x4F7F_FFFF)]);
    check("i2f.f.s8", &[([0x80], single(-128.0))]);
    check("i2f.f.u8", &[([0x80], single(128.0))]);
    check("i2f.hf.u32", &[([70_000], 0x7C00), ([65_519], 0x7BFF), ([2049], 0x6800)]);
    check("i2f.hf.u32.rz", &[([70_000], 0x7BFF)]);
    check("i2f.hf.u32.ru", &[([2049], 0x6801)]);
    check("i2f.hf.s32.dsat", &[([70_000], 0x7BFF), ([-70_000i32 as u32 as u64], 0xFBFF)]);
    check("i2f.df.s64", &[([!0], (-1f64).to_bits())]);
    check("i2f.bf.u16", &[([257], 0x4380), ([259], 0x4382)]);
}

#[test]
fn formats_widen_exactly() {
    check(
        "fext.f.hf",
        &[([0x3C00], single(1.0)), ([1], single(2f32.powi(-24))), ([0xFC00], 1 << 31 | INFINITY)],
    );
    check("fext.f.hf", &[([0x7C01], 0x7FC0_2000), ([0x8000], 1 << 31)]);
    check("fext.f.bf", &[([0x3F80], single(1.0)), ([1], 0x0001_0000), ([0x7F81], 0x7FC1_0000)]);
    check("fext.df.f", &[([single(0.1)], f64::from(0.1f32).to_bits()), ([1], 2f64.powi(-149).to_bits())]);
    check("fext.df.hf", &[([0x3555], 0.333_251_953_125f64.to_bits())]);
}

#[test]
fn formats_narrow_with_one_rounding() {
    check(
        "ftrunc.hf.f",
        &[
            ([single(1.0)], 0x3C00),
            ([single(65519.0)], 0x7BFF),
            ([single(65520.0)], 0x7C00),
            ([single(-(2f32.powi(-25)))], 0x8000),
            ([0x7F80_0001], 0x7E00),
        ],
    );
    check("ftrunc.hf.f.rz", &[([single(1e6)], 0x7BFF)]);
    check("ftrunc.hf.f.ru", &[([single(2f32.powi(-30))], 1)]);
    check("ftrunc.hf.f.dsat", &[([single(1e6)], 0x7BFF), ([1 << 31 | INFINITY], 0xFBFF), ([NAN], 0x7E00)]);
    check("ftrunc.hf.f.ftz", &[([single(2f32.powi(-20))], 0)]);
    check("ftrunc.bf.f", &[([0x3F80_8000], 0x3F80), ([0x3F81_8000], 0x3F82), ([1], 0), ([0x0001_0000], 1)]);
    check("ftrunc.f.df", &[([0.1f64.to_bits()], single(0.1))]);
    // Just above the middle of 1 and 1 + 2^-10: by way of `.f` this would become the middle, and then 1.
    check("ftrunc.hf.df", &[([(1.0 + 2f64.powi(-11) + 2f64.powi(-40)).to_bits()], 0x3C01)]);
}

#[test]
fn two_numbers_narrow_into_a_pair() {
    check("ftrunc2.hfx2", &[([single(1.0), single(-2.0)], 0xC000_3C00)]);
    check("ftrunc2.bfx2.rz", &[([0x3F81_FFFF, single(-1.0)], 0xBF80_3F81)]);
    check("ftrunc2.hfx2.dsat", &[([single(1e6), single(-1e6)], 0xFBFF_7BFF)]);
}

#[test]
fn rounding_to_integers_keeps_signs() {
    let rows = |mode: &str, results: [f32; 4]| {
        let sources = [2.5, -2.5, -0.25, 1.5].map(single);
        let rows: Vec<_> =
            sources.into_iter().zip(results).map(|(source, result)| ([source], single(result))).collect();
        check(&format!("frnd.{mode}.f"), &rows);
    };
    rows("re", [2.0, -2.0, -0.0, 2.0]);
    rows("rna", [3.0, -3.0, -0.0, 2.0]);
    rows("ru", [3.0, -2.0, -0.0, 2.0]);
    rows("rd", [2.0, -3.0, -1.0, 1.0]);
    rows("rz", [2.0, -2.0, -0.0, 1.0]);
    check("frnd.ru.f", &[([1], single(1.0)), ([INFINITY], INFINITY), ([0x7F80_0001], NAN | 1)]);
    check("frnd.ru.ftz.f", &[([1], 0)]);
    check("frnd.re.hf", &[([0x3E00], 0x4000)]);
    check("frnd.rd.df", &[([(-0.5f64).to_bits()], (-1f64).to_bits())]);
}

#[test]
fn integers_widen_and_narrow() {
    check("sext.16b.8b", &[([0x80], 0xFF80), ([0x7F], 0x7F)]);
    check("sext.32b.8b", &[([0xFF], 0xFFFF_FFFF)]);
    check("sext.32b.16b", &[([0x8000], 0xFFFF_8000)]);
    check("sext.64b.32b", &[([1 << 31], 0xFFFF_FFFF_8000_0000), ([1], 1)]);
    check("zext.64b.8b", &[([0x80], 0x80)]);
    check("trunc.8b.64b", &[([0x1234_5678_9ABC_DEF0], 0xF0)]);
    check("trunc.32b.64b", &[([0x1234_5678_9ABC_DEF0], 0x9ABC_DEF0)]);
}

#[test]
fn what_moves_bits_between_registers_is_left_to_the_machine() {
    for mnemonic in
        ["mov.32b", "extract.1.32b", "insert.dynamic.v4.32b", "addrcast.generic.shared", "isaddr.global"]
    {
        assert!(meaning(operation(mnemonic, "")).is_none(), "{mnemonic}");
    }
}
