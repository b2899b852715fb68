//! Reciprocals, quotients and roots by the processor's estimates and one step of Newton's iteration. An estimate is good
//! to 2^-14, so that after the step little more than the last rounding remains. The instructions that round correctly
//! take longer.

use crate::lower::compute::avx512::Classes;
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

/// `a / b`. Where an estimate or a product is beyond what is finite, the result is no number. What is left of `a` has the
/// bits that count unless `a` is subnormal.
pub(in crate::lower) fn quotient(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    let [a, b] = [&arguments[0], &arguments[1]];
    let y = single.code.reciprocal_estimate(b);
    let quotient = single.mul(a, &y);
    let minus_quotient = single.neg(&quotient);
    let rest = single.multiply_add(&minus_quotient, b, a);
    let refined = single.multiply_add(&rest, &y, &quotient);
    let is_special = single.code.is_of_class(&refined, Classes::NotNormal);
    let loses_bits = single.code.is_of_class(a, Classes::Subnormal);
    let is_unsure = single.code.binary(Width::All, "or", 1, &is_special, &loses_bits);
    single.unless(&is_unsure, &refined, |single| single.div(a, b))
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
    let is_special = single.code.is_of_class(a, Classes::NotPositiveNormal);
    single.unless(&is_special, &refined, |single| {
        let ty = single.ty();
        single.code.writer.call(&ty, "llvm.sqrt.v32f32", &[(&ty, a)])
    })
}
