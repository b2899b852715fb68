use crate::check;

const fn single(value: f32) -> u64 {
    value.to_bits() as u64
}

const NAN: u64 = 0x7FC0_0000;
const INFINITY: u64 = 0x7F80_0000;
const HALF_ONE: u64 = 0x3C00;
const BRAIN_ONE: u64 = 0x3F80;

#[test]
fn arithmetic_rounds_as_asked() {
    let (one, tiny) = (single(1.0), single(f32::EPSILON / 4.0));
    check("fadd.f", &[([single(1.5), single(2.25)], single(3.75)), ([one, tiny], one)]);
    check("fadd.ru.f", &[([one, tiny], one + 1)]);
    check("fsub.rd.f", &[([one, tiny], one - 1)]);
    check("fsub.rz.f", &[([single(-1.0), single(-0.5)], single(-0.5)), ([one, tiny], one - 1)]);
    // Half a unit in the last place is a tie.
    let half = single(f32::EPSILON / 2.0);
    check("fadd.re.f", &[([one, half], one), ([one + 1, half], one + 2)]);
    check("fadd.rna.f", &[([one, half], one + 1)]);
    check("fmul.re.df", &[([1.5f64.to_bits(), 3f64.to_bits()], 4.5f64.to_bits())]);
    check("fdiv.f", &[([one, single(3.0)], 0x3EAA_AAAB), ([one, 0], INFINITY), ([0, 0], NAN)]);
    check("fdiv.rz.f", &[([one, single(3.0)], 0x3EAA_AAAA)]);
    check("fdiv.fast.hf", &[([HALF_ONE, 0x4200], 0x3555)]);
    check("fsqrt.f", &[([single(2.0)], 0x3FB5_04F3), ([single(-1.0)], NAN), ([1 << 31], 1 << 31)]);
    check("fsqrt.fast.bf", &[([0x4080], 0x4000)]);
    check("fsqrt.ru.df", &[([4f64.to_bits()], 2f64.to_bits())]);
}

#[test]
fn multiply_add_rounds_once() {
    // The product is 1 - 2^-46; rounded by itself it would be 1.
    let (above, below) = (single(1.0) + 1, single(1.0 - f32::EPSILON));
    let exact = single(-(2f32.powi(-46)));
    check(
        "fmad.f",
        &[([above, below, single(-1.0)], exact), ([single(2.0), single(3.0), single(1.0)], single(7.0))],
    );
    check("fmad.hf", &[([0x3C01, 0x3BFE, 0xBC00], 0x8010)]);
    check("fmad.bfx2", &[([0x4000_4000, 0x4040_4040, 0xBF80_0000], 0x40A0_40C0)]);
}

#[test]
fn full_products_are_single_precision() {
    // 65504 squared, and the least denormals of both formats.
    check(
        "fmul.full.re.hf",
        &[([0x7BFF, 0x7BFF], single(65504.0 * 65504.0)), ([1, 1], single(2f32.powi(-48)))],
    );
    check("fmul.full.re.bf", &[([BRAIN_ONE, 0xC000], single(-2.0)), ([1, BRAIN_ONE], 0x0001_0000)]);
    check("fmul.full.re.dsat.hf", &[([0x4000, HALF_ONE], single(1.0)), ([0xC000, HALF_ONE], 0)]);
    check("fmul.full.re.ftz.bf", &[([1, BRAIN_ONE], 0)]);
}

#[test]
fn a_nan_in_one_lane_leaves_the_others_alone() {
    let (quiet, signalling) = (0x7FC0_1234, 0xFF80_0001);
    check(
        "fadd.f",
        &[
            ([single(1.0), single(2.0)], single(3.0)),
            ([quiet, single(1.0)], quiet),
            ([single(1.0), signalling], 0xFFC0_0001),
            ([signalling, quiet], 0xFFC0_0001),
            ([INFINITY, 1 << 31 | INFINITY], NAN),
            ([single(-1.0), single(0.5)], single(-0.5)),
        ],
    );
    check("fmul.re.df", &[([0x7FF0_0000_0000_0001, 0], 0x7FF8_0000_0000_0001), ([1 << 63, 0], 1 << 63)]);
}

#[test]
fn saturation_clamps_to_the_unit_interval_and_drops_nan() {
    check(
        "fadd.dsat.f",
        &[
            ([single(0.25), single(0.5)], single(0.75)),
            ([single(1.0), single(0.5)], single(1.0)),
            ([single(-1.0), single(0.5)], 0),
            ([1 << 31, 1 << 31], 0),
            ([NAN, single(1.0)], 0),
        ],
    );
    check("fmul.re.dsat.hfx2", &[([0x4000_B800, 0x4000_3C00], HALF_ONE << 16)]);
    check("fmax.dsat.f", &[([single(-3.0), single(-2.0)], 0), ([NAN, NAN], 0)]);
}

#[test]
fn flushing_makes_denormals_signed_zeros() {
    check("fadd.f", &[([1, 1], 2)]);
    check("fadd.ftz.f", &[([1, 1], 0), ([0x8000_0001; 2], 1 << 31), ([0x0080_0001, 0x8080_0000], 0)]);
    check("fabs.ftz.f", &[([0x8000_0001], 0), ([single(-2.0)], single(2.0))]);
    check("fneg.ftz.f", &[([1], 1 << 31)]);
    check("fmin.ftz.f", &[([1, single(1.0)], 0)]);
}

#[test]
fn signs_are_changed_bit_by_bit_but_nan_becomes_quiet() {
    check("fabs.f", &[([1 << 31], 0), ([0xFF80_0001], 0x7FC0_0001), ([0x8000_0001], 1)]);
    check("fneg.f", &[([0], 1 << 31), ([0x7F80_0001], 0xFFC0_0001), ([0x8000_0001], 1)]);
    check("fneg.hfx2", &[([0x0000_3C00], 0x8000_BC00)]);
    check("fabs.df", &[([1 << 63 | 1], 1)]);
}

#[test]
fn extremes_pass_over_nan_unless_told_otherwise() {
    let one = single(1.0);
    let rows = [([NAN, one], one), ([one, 0x7F80_0001], one), ([0x7F80_0001; 2], NAN | 1)];
    check("fmax.f", &rows);
    check("fmin.f", &rows);
    let rows = [([NAN, one], NAN), ([one, 0x7F80_0001], NAN | 1), ([one, one], one)];
    check("fmax.nanp.f", &rows);
    check("fmin.nanp.f", &rows);
    check("fmax.f", &[([1 << 31, 0], 0), ([0, 1 << 31], 0), ([single(-1.0), one], one)]);
    check("fmin.f", &[([1 << 31, 0], 1 << 31), ([0, 1 << 31], 1 << 31), ([single(-1.0), one], single(-1.0))]);
    check("fmax.hfx2", &[([0x7E00_BC00, 0x3C00_3C00], 0x3C00_3C00)]);
}

#[test]
fn fractions_are_what_is_above_the_floor() {
    check(
        "frc.f",
        &[
            ([single(2.75)], single(0.75)),
            ([single(-0.25)], single(0.75)),
            ([1 << 31], 0),
            ([single(-(2f32.powi(-30)))], single(1.0)),
            ([INFINITY], NAN),
        ],
    );
}

#[test]
fn functions_are_exact_where_they_can_be() {
    let [zero, one, two] = [0.0, 1.0, 2.0].map(single);
    check("fcos.f", &[([zero], one)]);
    check("fsin.f", &[([1 << 31], 1 << 31), ([INFINITY], NAN)]);
    check("fexp2.f", &[([one], two), ([single(-149.0)], 1), ([single(128.0)], INFINITY)]);
    check("flog2.f", &[([two], one), ([1], single(-149.0)), ([zero], 1 << 31 | INFINITY)]);
    check("ftanh.f", &[([1 << 31], 1 << 31), ([INFINITY], one)]);
    check("frcp.f", &[([two], single(0.5)), ([1 << 31], 1 << 31 | INFINITY), ([1], INFINITY)]);
    check("frcp.ftz.f", &[([1], INFINITY)]);
    check("frsqrt.fast.f", &[([single(4.0)], single(0.5)), ([1 << 31], 1 << 31 | INFINITY)]);
    check("frsqrt.fast.df", &[([16f64.to_bits()], 0.25f64.to_bits())]);
    check("fexp2.hfx2", &[([0x4000_3C00], 0x4400_4000)]);
    check("fcos.bf", &[([0], BRAIN_ONE)]);
}
