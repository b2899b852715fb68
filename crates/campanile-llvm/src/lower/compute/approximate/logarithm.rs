//! The binary logarithm.

use crate::lower::compute::single::{INTEGRAL, Single};

/// The pattern of the root of one half, where significands begin: so the logarithm of a significand is at most one half
/// in magnitude, and what is lost in it counts for less in the sum with the exponent.
const ROOT_OF_HALF: u32 = 0x3f35_04f3;

/// The least number that is not subnormal.
const LEAST: f32 = f32::MIN_POSITIVE;

/// The slope of the logarithm at one, in single precision.
const SLOPE: f32 = std::f32::consts::LOG2_E;

/// `log2(1 + f) / f - SLOPE` between the roots of one half and of two, so that `log2(1 + f)` has a relative error of
/// 2^-27.
const LOGARITHM: [f32; 10] = [
    1.920_034_8e-8,
    -0.721_347_33,
    0.480_898_2,
    -0.360_697_87,
    0.288_570_34,
    -0.239_596_44,
    0.204_538_58,
    -0.191_149_55,
    0.186_566_76,
    -0.110_231_86,
];

/// `log2 x`: the exponent and the logarithm of the significand.
pub(in crate::lower) fn binary_logarithm(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    let x = &arguments[0];
    if single.has_avx512() {
        return by_parts(single, x);
    }
    let least = single.constant(LEAST);
    let is_tiny = single.compare("olt", x, &least);
    let scale = single.constant(24f32.exp2());
    let scaled = single.mul(x, &scale);
    let normal = single.select(&is_tiny, &scaled, x);
    let pattern = single.pattern(&normal);
    let above = single.on_pattern("sub", &pattern, ROOT_OF_HALF);
    let exponent = single.on_pattern("ashr", &above, 23);
    let scale = single.on_pattern("shl", &exponent, 23);
    let significand = single.on_patterns("sub", &pattern, &scale);
    let significand = single.number(&significand);
    let logarithm = near_one(single, &significand);
    let exponent = as_number(single, &exponent);
    let scaling = single.constant(24.0);
    let unscaled = single.sub(&exponent, &scaling);
    let exponent = single.select(&is_tiny, &unscaled, &exponent);
    let sum = single.add(&exponent, &logarithm);
    special(single, x, &sum)
}

/// Significands times this and rounded are [`FIRST_PART`] to 30: 16 parts that the four lowest bits tell apart. The first
/// one begins at one, the last one ends at two, and numbers are about as far from one in the first as from two in the
/// last.
const PARTS: f32 = 15.1;

const FIRST_PART: usize = 15;

/// For each part the reciprocal of a number in it, so that the product of a significand and it is at most 0.043 away from
/// one. The parts beside the first and the last have numbers nearer to those, where logarithms are small. Each is a power
/// of two with an exponent of 16 bits after the point, but for 2^-28.
const RECIPROCALS: [f32; 16] = [
    1.0,
    0.954_862_5,
    0.888_214_2,
    0.838_942_05,
    0.794_837_4,
    0.754_869_6,
    0.718_992_1,
    0.686_393_4,
    0.656_444_97,
    0.628_999_6,
    0.603_805_5,
    0.580_688_2,
    0.559_407_7,
    0.539_311_95,
    0.517_496_7,
    0.5,
];

/// `log2(1 + f) / f` up to 0.043, so that `log2(1 + f)` has a relative error of 2^-26.
const NEAR_ONE: [f32; 5] = [SLOPE, -0.721_347_5, 0.481_001_3, -0.360_985_7, 0.224_676_67];

/// The same with instructions that take numbers apart and look up tables. Of zeros and infinities, the exponent is the
/// logarithm; of negative numbers the significand is NaN. Next to one, where the logarithm is small, nothing is added to
/// it; elsewhere the sum of the exponent and the logarithm in the table is exact.
fn by_parts(single: &mut Single<'_, '_>, x: &str) -> String {
    let (significand, exponent) = (single.code.significand(x), single.code.exponent(x));
    let [parts, integral, minus_one] = [PARTS, INTEGRAL, -1.0].map(|value| single.constant(value));
    let part = single.multiply_add(&significand, &parts, &integral);
    let reciprocal = single.code.looked_up(&by_lowest_bits(|reciprocal| reciprocal), &part);
    let logarithm = single.code.looked_up(&by_lowest_bits(logarithm_of_number), &part);
    let f = single.multiply_add(&significand, &reciprocal, &minus_one);
    let slope = single.polynomial(&f, &NEAR_ONE);
    let great = single.add(&exponent, &logarithm);
    single.multiply_add(&f, &slope, &great)
}

/// The logarithm of the number that has this reciprocal, to 16 bits after the point.
fn logarithm_of_number(reciprocal: f32) -> f32 {
    let unit = 16f64.exp2();
    ((-f64::from(reciprocal).log2() * unit).round() / unit) as f32
}

/// What belongs to each part, in the order of the lowest bits of the parts.
fn by_lowest_bits(value: impl Fn(f32) -> f32) -> [f32; 16] {
    let mut table = RECIPROCALS.map(value);
    table.rotate_right(FIRST_PART);
    table
}

fn as_number(single: &mut Single<'_, '_>, integer: &str) -> String {
    let (ty, integers) = (single.ty(), single.width.int(32));
    single.code.writer.value(&format!("sitofp {integers} {integer} to {ty}"))
}

/// The logarithm of a significand. All but its slope at one makes up a small part, the error of which matters little;
/// the last rounding is that of the sum with the great part.
fn near_one(single: &mut Single<'_, '_>, significand: &str) -> String {
    let one = single.constant(1.0);
    let f = single.sub(significand, &one);
    let polynomial = single.polynomial(&f, &LOGARITHM);
    let small = single.mul(&polynomial, &f);
    if single.is_fused() {
        let slope = single.constant(SLOPE);
        return single.multiply_add(&f, &slope, &small);
    }
    // The product of 12 bits each is exact.
    let coarse = |value: u32| value & 0xffff_f000;
    let high_slope = f32::from_bits(coarse(SLOPE.to_bits()));
    let [high, low] = [high_slope, SLOPE - high_slope].map(|part| single.constant(part));
    let pattern = single.pattern(&f);
    let pattern = single.on_pattern("and", &pattern, coarse(u32::MAX));
    let coarse_f = single.number(&pattern);
    let rest = single.sub(&f, &coarse_f);
    let small = single.multiply_add(&f, &low, &small);
    let small = single.multiply_add(&rest, &high, &small);
    let great = single.mul(&coarse_f, &high);
    single.add(&great, &small)
}

/// The logarithms of zeros, negative numbers, infinity and NaN, in place of what the sum is there.
fn special(single: &mut Single<'_, '_>, x: &str, sum: &str) -> String {
    let [zero, infinity] = [0.0, f32::INFINITY].map(|value| single.constant(value));
    let is_finite = single.compare("olt", x, &infinity);
    let itself = single.add(x, x);
    let result = single.select(&is_finite, sum, &itself);
    let nan = single.constant(f32::NAN);
    let is_negative = single.compare("olt", x, &zero);
    let result = single.select(&is_negative, &nan, &result);
    let pole = single.constant(f32::NEG_INFINITY);
    let is_zero = single.compare("oeq", x, &zero);
    single.select(&is_zero, &pole, &result)
}
