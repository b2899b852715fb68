//! Sine and cosine, of arguments of any size.
//!
//! An argument is brought to the nearest multiple of π/2: below [`LIMIT`] by subtracting it in parts, beyond with as many
//! bits of 2/π as its exponent needs. What remains has an error of about half a unit in its own last place even where it is
//! tiny: of all arguments, none comes nearer to a multiple than 2^-31.

use crate::lower::compute::single::{Body, INTEGRAL, Single};
use crate::lower::compute::writer::constant;

/// Up to here arguments are reduced in parts.
const LIMIT: f32 = 65536.0;

/// π/2 in three parts of 24 bits.
const PARTS: [f32; 3] = [std::f32::consts::FRAC_PI_2, -4.371_139e-8, -1.715_124_5e-15];

/// π/2 in two parts in double precision, of which the first has 32 bits, so that its multiples are exact.
const WIDE_PARTS: [f64; 2] = [1.570_796_326_734_125_6, 6.077_100_506_506_192e-11];

/// `(sin r / r - 1) / r²` as a polynomial in `r²` up to π/4, so that `sin r` has a relative error of 2^-28.
const SINE: [f32; 3] = [-0.166_666_55, 0.008_332_187, -0.000_195_178_96];

/// `(cos r - 1) / r²` as a polynomial in `r²` up to π/4, so that `cos r` has a relative error of 2^-33.
const COSINE: [f32; 4] = [-0.5, 0.041_666_646, -0.001_388_731, 2.443_232_7e-5];

/// Words of 2/π, after one of zeros.
const BITS: [u32; 8] =
    [0, 0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041, 0xfe51_63ab];

/// The pattern of the number with exponent zero whose significand begins at the first bit of [`BITS`], as an integer of
/// 24 bits.
const FIRST_EXPONENT: u32 = 120;

pub(in crate::lower) fn sine(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    either(single, &arguments[0], "fsin.far", far_sine, sine_of_rest)
}

pub(in crate::lower) fn cosine(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    either(single, &arguments[0], "fcos.far", far_cosine, cosine_of_rest)
}

/// Gives the result from what remains of an argument, the number of right angles and the argument.
type OfRest = fn(&mut Single<'_, '_>, &str, &str, &str) -> String;

fn either(single: &mut Single<'_, '_>, x: &str, name: &str, far: Body, of_rest: OfRest) -> String {
    let (magnitude, _) = single.magnitude_and_sign(x);
    let (rest, angles) = reduced(single, &magnitude);
    let near = of_rest(single, &rest, &angles, x);
    let limit = single.constant(LIMIT);
    let is_far = single.compare("ugt", &magnitude, &limit);
    let width = single.width;
    single.unless(&is_far, &near, |single| {
        single.code.subroutine(name, "cold noinline", width, &[x.to_owned()], far)
    })
}

fn far_sine(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    far(single, &arguments[0], sine_of_rest)
}

fn far_cosine(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    far(single, &arguments[0], cosine_of_rest)
}

/// The result for an argument beyond the limit; infinities give NaN.
fn far(single: &mut Single<'_, '_>, x: &str, of_rest: OfRest) -> String {
    let (magnitude, _) = single.magnitude_and_sign(x);
    let (rest, angles) = far_reduced(single, &magnitude);
    let result = of_rest(single, &rest, &angles, x);
    let infinity = single.constant(f32::INFINITY);
    let is_finite = single.compare("olt", &magnitude, &infinity);
    let is_infinite = single.compare("oeq", &magnitude, &infinity);
    let nan = single.constant(f32::NAN);
    let itself = single.add(x, x);
    let special = single.select(&is_infinite, &nan, &itself);
    single.select(&is_finite, &result, &special)
}

/// What remains of an argument beside the nearest multiple of π/2, and which one that is, in its two low bits.
fn reduced(single: &mut Single<'_, '_>, magnitude: &str) -> (String, String) {
    let per_angle = single.constant(std::f32::consts::FRAC_2_PI);
    let offset = single.constant(INTEGRAL);
    let sum = single.multiply_add(magnitude, &per_angle, &offset);
    let angles = single.pattern(&sum);
    let count = single.sub(&sum, &offset);
    if !single.is_fused() {
        return (reduced_widely(single, magnitude, &count), angles);
    }
    let mut rest = magnitude.to_owned();
    for part in PARTS {
        let part = single.constant(-part);
        rest = single.multiply_add(&count, &part, &rest);
    }
    (rest, angles)
}

/// The same without an instruction that multiplies and adds.
fn reduced_widely(single: &mut Single<'_, '_>, magnitude: &str, count: &str) -> String {
    let (ty, double) = (single.ty(), single.width.of("double"));
    let parts = WIDE_PARTS.map(|part| single.float_constant("double", part));
    let writer = &mut single.code.writer;
    let mut rest = writer.value(&format!("fpext {ty} {magnitude} to {double}"));
    let count = writer.value(&format!("fpext {ty} {count} to {double}"));
    for part in parts {
        let multiple = writer.value(&format!("fmul {double} {count}, {part}"));
        rest = writer.value(&format!("fsub {double} {rest}, {multiple}"));
    }
    writer.value(&format!("fptrunc {double} {rest} to {ty}"))
}

/// The same of an argument beyond the limit. Bits of 2/π that give multiples of four right angles are left out; of the
/// others, 96 are multiplied with the significand. The product is a number of right angles with 62 bits behind the point.
fn far_reduced(single: &mut Single<'_, '_>, magnitude: &str) -> (String, String) {
    let width = single.width;
    let pattern = single.pattern(magnitude);
    let exponent = single.on_pattern("lshr", &pattern, 23);
    let first = single.on_pattern("sub", &exponent, FIRST_EXPONENT);
    let significand = single.on_pattern("and", &pattern, 0x007f_ffff);
    let significand = single.on_pattern("or", &significand, 0x0080_0000);
    let [high, low] = window(single, &first);
    let lowering = &mut *single.code;
    let significand = lowering.resize(width, &significand, 32, 64);
    let product = lowering.binary(width, "mul", 64, &high, &significand);
    let low = lowering.binary(width, "mul", 64, &low, &significand);
    let carried = lowering.binary(width, "lshr", 64, &low, &constant(width, 64, 32));
    let product = lowering.binary(width, "add", 64, &product, &carried);
    let rounded = lowering.binary(width, "add", 64, &product, &constant(width, 64, 1 << 61));
    let angles = lowering.binary(width, "lshr", 64, &rounded, &constant(width, 64, 62));
    let angles = lowering.resize(width, &angles, 64, 32);
    let fraction = lowering.binary(width, "shl", 64, &product, &constant(width, 64, 2));
    (of_right_angle(single, &fraction), angles)
}

/// The 64 bits of [`BITS`] from `first` on, and 32 after them.
fn window(single: &mut Single<'_, '_>, first: &str) -> [String; 2] {
    let width = single.width;
    let index = single.on_pattern("lshr", first, 5);
    let shift = single.on_pattern("and", first, 31);
    let mut words: [String; 4] = std::array::from_fn(|word| single.pattern_constant(BITS[word]));
    for start in 1..=BITS.len() - words.len() {
        let start_word = single.pattern_constant(start as u32);
        let here = single.code.compare(width, "eq", 32, &index, &start_word);
        for (place, word) in words.iter_mut().enumerate() {
            let own = single.pattern_constant(BITS[start + place]);
            *word = single.code.select(width, &here, 32, &own, word);
        }
    }
    let lowering = &mut *single.code;
    let words = words.map(|word| lowering.resize(width, &word, 32, 64));
    let [high, low] = [[0, 1], [2, 3]].map(|[upper, lower]| {
        let upper = lowering.binary(width, "shl", 64, &words[upper], &constant(width, 64, 32));
        lowering.binary(width, "or", 64, &upper, &words[lower])
    });
    let shift = lowering.resize(width, &shift, 32, 64);
    let window = lowering.intrinsic(width, "fshl", 64, &[&high, &low, &shift]);
    let after = lowering.binary(width, "shl", 64, &low, &shift);
    [window, lowering.binary(width, "lshr", 64, &after, &constant(width, 64, 32))]
}

/// The angle that is so many 2^-64 of a right one.
fn of_right_angle(single: &mut Single<'_, '_>, fraction: &str) -> String {
    let (ty, double, integers) = (single.ty(), single.width.of("double"), single.width.int(64));
    let unit = single.float_constant("double", std::f64::consts::FRAC_PI_2 * (-64f64).exp2());
    let writer = &mut single.code.writer;
    let number = writer.value(&format!("sitofp {integers} {fraction} to {double}"));
    let angle = writer.value(&format!("fmul {double} {number}, {unit}"));
    writer.value(&format!("fptrunc {double} {angle} to {ty}"))
}

fn sine_of_rest(single: &mut Single<'_, '_>, rest: &str, angles: &str, x: &str) -> String {
    let (_, sign) = single.magnitude_and_sign(x);
    let result = of_rest(single, rest, angles);
    single.signed(&result, &sign)
}

fn cosine_of_rest(single: &mut Single<'_, '_>, rest: &str, angles: &str, _: &str) -> String {
    let angles = single.on_pattern("add", angles, 1);
    of_rest(single, rest, &angles)
}

/// The sine of so many right angles and a rest.
fn of_rest(single: &mut Single<'_, '_>, rest: &str, angles: &str) -> String {
    let square = single.mul(rest, rest);
    let polynomial = single.polynomial(&square, &SINE);
    let cube = single.mul(rest, &square);
    let sine = single.multiply_add(&cube, &polynomial, rest);
    let polynomial = single.polynomial(&square, &COSINE);
    let one = single.constant(1.0);
    let cosine = single.multiply_add(&square, &polynomial, &one);
    let odd = single.on_pattern("and", angles, 1);
    let zero = single.pattern_constant(0);
    let is_odd = single.code.compare(single.width, "ne", 32, &odd, &zero);
    let result = single.select(&is_odd, &cosine, &sine);
    let sign = single.on_pattern("shl", angles, 30);
    let sign = single.on_pattern("and", &sign, 0x8000_0000);
    single.signed(&result, &sign)
}
