//! Reciprocals, quotients and roots by the processor's estimates and one step of Newton's iteration. An estimate is good
//! to 2^-14, so that after the step little more than the last rounding remains. The instructions that round correctly
//! take longer.

use crate::lower::compute::single::Single;
use crate::lower::compute::writer::Width;

/// `1 / a`. Where the step gives no number, for zeros and infinities, the estimate is right by itself.
pub(in crate::lower) fn reciprocal(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    let a = &arguments[0];
    let y = single.code.reciprocal_estimate(a);
    let (minus_y, one) = (single.neg(&y), single.constant(1.0));
    let error = single.multiply_add(&minus_y, a, &one);
    let refined = single.multiply_add(&y, &error, &y);
    or_estimate(single, &refined, &y)
}

/// `1 / √a`. The product `a * y` is rounded; its error is made good.
pub(in crate::lower) fn reciprocal_root(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    let a = &arguments[0];
    let y = single.code.root_estimate(a);
    let [minus_one, minus_half] = [-1.0, -0.5].map(|value| single.constant(value));
    let product = single.mul(a, &y);
    let minus_product = single.neg(&product);
    let rest = single.multiply_add(a, &y, &minus_product);
    let error = single.multiply_add(&product, &y, &minus_one);
    let error = single.multiply_add(&rest, &y, &error);
    let minus_half_y = single.mul(&y, &minus_half);
    let refined = single.multiply_add(&minus_half_y, &error, &y);
    or_estimate(single, &refined, &y)
}

fn or_estimate(single: &mut Single<'_, '_>, refined: &str, estimate: &str) -> String {
    let is_number = single.compare("ord", refined, refined);
    single.select(&is_number, refined, estimate)
}

/// The exponents of arguments for which the step neither overflows nor loses bits below the least number: from this one
/// up to the one that is as far above that of 1.
const LEAST_EXPONENT: u32 = 127 - 60;
const EXPONENTS: u32 = 120;

/// `a / b`.
pub(in crate::lower) fn quotient(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    let [a, b] = [&arguments[0], &arguments[1]];
    let y = single.code.reciprocal_estimate(b);
    let quotient = single.mul(a, &y);
    let minus_quotient = single.neg(&quotient);
    let rest = single.multiply_add(&minus_quotient, b, a);
    let refined = single.multiply_add(&rest, &y, &quotient);
    let [a_is_far, b_is_far] = [a, b].map(|number| is_far_from_one(single, number, 0x7fff_ffff));
    let is_far = single.code.binary(Width::All, "or", 1, &a_is_far, &b_is_far);
    single.unless(&is_far, &refined, |single| single.div(a, b))
}

/// `√a`.
pub(in crate::lower) fn root(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    let a = &arguments[0];
    let y = single.code.root_estimate(a);
    let half = single.constant(0.5);
    let root = single.mul(a, &y);
    let half_y = single.mul(&y, &half);
    let minus_root = single.neg(&root);
    let rest = single.multiply_add(&minus_root, &root, a);
    let refined = single.multiply_add(&rest, &half_y, &root);
    // A negative number counts as great.
    let is_far = is_far_from_one(single, a, u32::MAX);
    single.unless(&is_far, &refined, |single| {
        let ty = single.ty();
        single.code.writer.call(&ty, "llvm.sqrt.v32f32", &[(&ty, a)])
    })
}

/// Whether the step may fail for an argument, of whose pattern these bits count.
fn is_far_from_one(single: &mut Single<'_, '_>, number: &str, bits: u32) -> String {
    let pattern = single.pattern(number);
    let pattern = if bits == u32::MAX { pattern } else { single.on_pattern("and", &pattern, bits) };
    let above = single.on_pattern("sub", &pattern, LEAST_EXPONENT << 23);
    let range = single.pattern_constant(EXPONENTS << 23);
    single.code.compare(Width::All, "uge", 32, &above, &range)
}
