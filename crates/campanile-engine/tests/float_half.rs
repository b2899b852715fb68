//! Every `.hf` and `.bf` number, against double precision, which holds all their sums, products and conversions.

use std::cmp::Ordering;

use campanile_core::isa::{Comparison, FloatFormat, Rounding};
use campanile_engine::float::{self, Mode};

const HALVES: [FloatFormat; 2] = [FloatFormat::Hf, FloatFormat::Bf];

/// The second operands of operations whose first one is every number.
const PARTNERS: [u64; 6] = [0x0000, 0x8001, 0x1555, 0x3C01, 0xBBFF, 0x7BFF];

fn infinity(format: FloatFormat) -> u64 {
    if format == FloatFormat::Hf { 0x7C00 } else { 0x7F80 }
}

fn is_nan(format: FloatFormat, bits: u64) -> bool {
    bits & 0x7FFF > infinity(format)
}

/// The value of a pattern; the patterns of infinity stand for the next power of two.
fn value(format: FloatFormat, bits: u64) -> f64 {
    let (fraction_bits, bias) = if format == FloatFormat::Hf { (10, 15) } else { (7, 127) };
    let (field, fraction) = ((bits & 0x7FFF) >> fraction_bits, bits & ((1 << fraction_bits) - 1));
    let significand = if field == 0 { fraction } else { fraction | 1 << fraction_bits } as f64;
    let power_of_two = f64::from_bits((field.max(1) + 1023 - bias - fraction_bits) << 52);
    if bits & 0x8000 == 0 { significand * power_of_two } else { -significand * power_of_two }
}

/// Finite numbers of both signs.
fn finite(format: FloatFormat) -> impl Iterator<Item = u64> {
    (0..0x1_0000).filter(move |bits| bits & 0x7FFF < infinity(format))
}

/// Where an exact result, other than zero, lies among the numbers of a format.
struct Place {
    negative: bool,
    /// The pattern of the number at the result or next to it on the side of zero.
    low: u64,
    is_exact: bool,
    /// How the middle between that number and the next one compares with the result.
    middle: Ordering,
}

impl Place {
    /// `compare` orders the magnitudes of numbers against that of the result.
    fn find(format: FloatFormat, negative: bool, compare: impl Fn(f64) -> Ordering) -> Self {
        let (mut low, mut high) = (0, infinity(format));
        while high - low > 1 {
            let middle = (low + high) / 2;
            if compare(value(format, middle)).is_le() { low = middle } else { high = middle }
        }
        let [at_low, next] = [value(format, low), value(format, low + 1)];
        Self { negative, low, is_exact: compare(at_low).is_eq(), middle: compare((at_low + next) / 2.0) }
    }

    fn of(format: FloatFormat, exact: f64) -> Self {
        Self::find(format, exact < 0.0, |number| number.total_cmp(&exact.abs()))
    }

    fn rounded(&self, rounding: Rounding) -> u64 {
        let away = match (rounding, self.middle) {
            _ if self.is_exact => false,
            (Rounding::TowardZero, _) => false,
            (Rounding::Down, _) => self.negative,
            (Rounding::Up, _) => !self.negative,
            (_, Ordering::Less) => true,
            (_, Ordering::Greater) => false,
            (Rounding::NearestAway, Ordering::Equal) => true,
            (Rounding::NearestEven, Ordering::Equal) => self.low % 2 == 1,
        };
        (self.low + u64::from(away)) | if self.negative { 0x8000 } else { 0 }
    }
}

fn with(rounding: Rounding) -> Mode {
    Mode { rounding, ..Mode::default() }
}

#[test]
fn sums_and_products() {
    // Of `.hf` numbers alone: a sum of `.bf` numbers may need more than 53 bits.
    let format = FloatFormat::Hf;
    for a in finite(format) {
        for b in PARTNERS {
            let (sum, product) = (value(format, a) + value(format, b), value(format, a) * value(format, b));
            let (sum, product) = (
                (sum != 0.0).then(|| Place::of(format, sum)),
                (product != 0.0).then(|| Place::of(format, product)),
            );
            for &rounding in Rounding::ALL {
                let mode = with(rounding);
                if let Some(sum) = &sum {
                    let expected = sum.rounded(rounding);
                    assert_eq!(float::add(format, mode, a, b), expected, "{a:x} + {b:x} {rounding}");
                    assert_eq!(
                        float::sub(format, mode, a, b ^ 0x8000),
                        expected,
                        "{a:x} - -{b:x} {rounding}"
                    );
                }
                if let Some(product) = &product {
                    let expected = product.rounded(rounding);
                    assert_eq!(float::mul(format, mode, a, b), expected, "{a:x} * {b:x} {rounding}");
                }
            }
        }
    }
}

#[test]
fn fused_products_and_sums() {
    // In units of 2^-48, all products of `.hf` numbers and their sums are integers of less than 90 bits.
    let format = FloatFormat::Hf;
    let units = |value: f64| (value * 2f64.powi(48)) as i128;
    let addends = [0x3C00, 0x0001, 0x8001, 0xA400, 0x4001, 0xFBFF];
    for a in finite(format) {
        for (b, c) in PARTNERS.into_iter().zip(addends) {
            let exact = units(value(format, a) * value(format, b)) + units(value(format, c));
            if exact == 0 {
                continue;
            }
            let place = Place::find(format, exact < 0, |number| units(number).cmp(&exact.abs()));
            for &rounding in Rounding::ALL {
                let actual = float::fused_multiply_add(format, with(rounding), a, b, c);
                assert_eq!(actual, place.rounded(rounding), "{a:x} * {b:x} + {c:x} {rounding}");
            }
        }
    }
}

#[test]
fn quotients_and_roots() {
    for format in HALVES {
        for a in finite(format).filter(|bits| bits & 0x7FFF != 0) {
            let x = value(format, a);
            for b in PARTNERS.into_iter().filter(|&bits| bits != 0) {
                let y = value(format, b);
                let compare = |number: f64| (number * y.abs()).total_cmp(&x.abs());
                let place = Place::find(format, (x < 0.0) != (y < 0.0), compare);
                for &rounding in Rounding::ALL {
                    let actual = float::div(format, with(rounding), a, b);
                    assert_eq!(actual, place.rounded(rounding), "{a:x} / {b:x} {rounding}");
                }
            }
            let place = Place::find(format, x < 0.0, |number| (number * x.abs()).total_cmp(&1.0));
            let expected = place.rounded(Rounding::NearestEven);
            assert_eq!(float::reciprocal(format, false, a), expected, "1 / {a:x}");
            if x < 0.0 {
                continue;
            }
            let place = Place::find(format, false, |number| (number * number).total_cmp(&x));
            for &rounding in Rounding::ALL {
                let actual = float::sqrt(format, with(rounding), a);
                assert_eq!(actual, place.rounded(rounding), "√{a:x} {rounding}");
            }
            let place = Place::find(format, false, |number| (number * number * x).total_cmp(&1.0));
            let expected = place.rounded(Rounding::NearestEven);
            assert_eq!(float::reciprocal_sqrt(format, false, a), expected, "1 / √{a:x}");
        }
    }
}

#[test]
fn extensions_are_exact_and_truncations_round() {
    for format in HALVES {
        for bits in finite(format) {
            let x = value(format, bits);
            let double = float::convert(FloatFormat::Df, format, Mode::default(), bits);
            let single = float::convert(FloatFormat::F, format, Mode::default(), bits);
            assert_eq!(double, x.to_bits(), "{bits:x}");
            assert_eq!(single, u64::from((x as f32).to_bits()), "{bits:x}");
            // The middle between two numbers, and its neighbours in double precision.
            let middle = (x + value(format, bits + 1)) / 2.0;
            for near in [middle.next_down(), middle, middle.next_up()] {
                let place = Place::of(format, near);
                for &rounding in Rounding::ALL {
                    let actual = float::convert(format, FloatFormat::Df, with(rounding), near.to_bits());
                    assert_eq!(actual, place.rounded(rounding), "{near:e} {rounding}");
                }
            }
        }
    }
}

#[test]
fn integral_numbers_and_integers() {
    for format in HALVES {
        for bits in finite(format) {
            let x = value(format, bits);
            let whole = [x.round_ties_even(), x.floor(), x.ceil(), x.trunc(), x.round()];
            for (&rounding, whole) in Rounding::ALL.iter().zip(whole) {
                let integral = float::round_to_integral(format, rounding, false, bits);
                assert_eq!(value(format, integral).to_bits(), whole.to_bits(), "{bits:x} {rounding}");
                let to_integer =
                    |bits_of_type, signed| float::to_integer(format, bits_of_type, signed, rounding, bits);
                let expected = [
                    (8, true, u64::from(whole as i8 as u8)),
                    (8, false, u64::from(whole as u8)),
                    (16, true, u64::from(whole as i16 as u16)),
                    (16, false, u64::from(whole as u16)),
                    (32, true, u64::from(whole as i32 as u32)),
                    (32, false, u64::from(whole as u32)),
                    (64, true, whole as i64 as u64),
                    (64, false, whole as u64),
                ];
                for (bits_of_type, signed, expected) in expected {
                    assert_eq!(
                        to_integer(bits_of_type, signed),
                        expected,
                        "{bits:x} {rounding} {bits_of_type}"
                    );
                }
            }
        }
    }
}

#[test]
fn signs_and_order() {
    let less = |format, a, b| float::compare(format, false, Comparison::Less, a, b);
    for format in HALVES {
        for a in 0..0x1_0000 {
            let quiet = if format == FloatFormat::Hf { 0x0200 } else { 0x0040 };
            let quieted = if is_nan(format, a) { a | quiet } else { a };
            assert_eq!(float::abs(format, false, a), quieted & 0x7FFF);
            assert_eq!(float::neg(format, false, a), quieted ^ 0x8000);
            let flushed = if a & infinity(format) == 0 { a & 0x8000 } else { quieted };
            assert_eq!(float::abs(format, true, a), flushed & 0x7FFF);
            assert_eq!(float::neg(format, true, a), flushed ^ 0x8000);
            for b in PARTNERS {
                let expected = !is_nan(format, a) && value(format, a) < value(format, b);
                assert_eq!(less(format, a, b), expected, "{a:x} < {b:x}");
                if !is_nan(format, a) {
                    let [x, y] = [value(format, a), value(format, b)];
                    let (min, max) = if x.total_cmp(&y).is_lt() { (a, b) } else { (b, a) };
                    assert_eq!(float::min(format, Mode::default(), false, a, b), min);
                    assert_eq!(float::max(format, Mode::default(), false, a, b), max);
                }
            }
        }
    }
}

#[test]
fn approximations() {
    // The library of the host is another one than that of the engine, and good to a bit or two of double precision.
    type Pair = (&'static str, fn(FloatFormat, bool, u64) -> u64, fn(f64) -> f64);
    let functions: [Pair; 5] = [
        ("sine", float::sine, f64::sin),
        ("cosine", float::cosine, f64::cos),
        ("exp2", float::exp2, f64::exp2),
        ("log2", float::log2, f64::log2),
        ("tanh", float::tanh, f64::tanh),
    ];
    for format in HALVES {
        for bits in finite(format) {
            for (name, function, host) in functions {
                let expected = host(value(format, bits));
                let actual = function(format, false, bits);
                if expected.is_nan() {
                    assert_eq!(
                        actual,
                        if format == FloatFormat::Hf { 0x7E00 } else { 0x7FC0 },
                        "{name} {bits:x}"
                    );
                } else if expected == 0.0 {
                    assert_eq!(
                        actual,
                        if expected.is_sign_negative() { 0x8000 } else { 0 },
                        "{name} {bits:x}"
                    );
                } else {
                    let expected = Place::of(format, expected).rounded(Rounding::NearestEven);
                    assert_eq!(actual, expected, "{name} {bits:x}");
                }
            }
        }
    }
}
