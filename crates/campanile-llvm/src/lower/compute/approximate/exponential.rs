//! Two to the power of a number, and the hyperbolic tangent.

use std::f32::consts::{LN_2, LOG2_E};

use crate::lower::compute::single::Single;

/// `(2^f - 1) / f` in [-0.5, 0.5], so that `2^f` has a relative error of 2^-26.
const POWER: [f32; 6] = [LN_2, 0.240_225_94, 0.055_503_663, 0.009_625_445, 0.001_338_792_8, 0.000_133_325_24];

/// `2^x`: the fraction of the exponent by a polynomial, which is 1 at zero, the rest by the exponent of the result.
pub(in crate::lower) fn power_of_two(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    let x = &arguments[0];
    if single.has_avx512() {
        let fraction = single.code.rest_beside_integral(x);
        let integral = single.sub(x, &fraction);
        let power = power_of_fraction(single, &fraction);
        return single.code.scaled_by_power(&power, &integral);
    }
    // Beyond these, results are infinite and zero.
    let x = single.at_most(x, 129.0);
    let x = single.at_least(&x, -151.0);
    let (integral, exponent) = single.nearest_integral(&x);
    let fraction = single.sub(&x, &integral);
    let power = power_of_fraction(single, &fraction);
    // In two steps, of which only the second one rounds: the exponent may be too great or too small for one number.
    let half = single.on_pattern("ashr", &exponent, 1);
    let other = single.on_patterns("sub", &exponent, &half);
    let [half, other] = [half, other].map(|exponent| power_of_integer(single, &exponent));
    let scaled = single.mul(&power, &half);
    single.mul(&scaled, &other)
}

/// `2^f` for a fraction of at most one half.
fn power_of_fraction(single: &mut Single<'_, '_>, fraction: &str) -> String {
    let slope = single.polynomial(fraction, &POWER);
    let one = single.constant(1.0);
    single.multiply_add(&slope, fraction, &one)
}

/// `2^n`, which is not subnormal.
fn power_of_integer(single: &mut Single<'_, '_>, n: &str) -> String {
    let biased = single.on_pattern("add", n, 127);
    let pattern = single.on_pattern("shl", &biased, 23);
    single.number(&pattern)
}

/// Where the two ways to a hyperbolic tangent meet.
const LIMIT: f32 = 0.625;

/// `(tanh a / a - 1) / a²` as a polynomial in `a²`, below the limit, so that `tanh a` has a relative error of 2^-27.
const TANGENT: [f32; 5] = [-0.333_332_8, 0.133_314_06, -0.053_736_515, 0.020_628_167, -0.005_692_296];

/// Twice the binary logarithm of e, in two parts.
const EXPONENT: [f32; 2] = [2.0 * LOG2_E, 3.851_926e-8];

/// `tanh x`: near zero by a polynomial, further out as `1 - 2 / (e^2a + 1)`.
pub(in crate::lower) fn hyperbolic_tangent(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    let (a, sign) = single.magnitude_and_sign(&arguments[0]);
    let square = single.mul(&a, &a);
    let polynomial = single.polynomial(&square, &TANGENT);
    let cube = single.mul(&a, &square);
    let near = single.multiply_add(&cube, &polynomial, &a);
    let far = tangent_by_power(single, &a);
    let limit = single.constant(LIMIT);
    let is_near = single.compare("olt", &a, &limit);
    let result = single.select(&is_near, &near, &far);
    single.signed(&result, &sign)
}

fn tangent_by_power(single: &mut Single<'_, '_>, a: &str) -> String {
    // Here it has become 1, to the last bit.
    let a = single.at_most(a, 10.0);
    let [high, low] = EXPONENT.map(|part| single.constant(part));
    let exponent = single.mul(&a, &high);
    let (integral, integer) = single.nearest_integral(&exponent);
    let minus_integral = single.neg(&integral);
    let fraction = single.multiply_add(&a, &high, &minus_integral);
    let fraction = single.multiply_add(&a, &low, &fraction);
    let power = power_of_fraction(single, &fraction);
    let scale = power_of_integer(single, &integer);
    let [one, two] = [1.0, 2.0].map(|value| single.constant(value));
    let denominator = single.multiply_add(&power, &scale, &one);
    let rest = single.div(&two, &denominator);
    single.sub(&one, &rest)
}
