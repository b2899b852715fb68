//! The operations on integers alone: every format, every rounding mode, one rounding.
//!
//! Which NaN comes out when one goes in is decided elsewhere; here NaN operands give the default NaN.

use campanile_core::isa::Rounding;

use super::format::Layout;
use super::number::{Number, Value};

#[inline]
pub(super) fn add(layout: Layout, rounding: Rounding, [a, b]: [u64; 2]) -> u64 {
    sum(layout, rounding, Value::of(layout, a).widen(), Value::of(layout, b).widen())
}

#[inline]
pub(super) fn sub(layout: Layout, rounding: Rounding, [a, b]: [u64; 2]) -> u64 {
    add(layout, rounding, [a, b ^ layout.sign()])
}

#[inline]
pub(super) fn mul(layout: Layout, rounding: Rounding, [a, b]: [u64; 2]) -> u64 {
    product(Value::of(layout, a), Value::of(layout, b)).narrow().round(layout, rounding)
}

#[inline]
pub(super) fn fused_multiply_add(layout: Layout, rounding: Rounding, [a, b, c]: [u64; 3]) -> u64 {
    let product = product(Value::of(layout, a), Value::of(layout, b));
    sum(layout, rounding, product, Value::of(layout, c).widen())
}

#[inline]
pub(super) fn div(layout: Layout, rounding: Rounding, [a, b]: [u64; 2]) -> u64 {
    let negative = layout.is_negative(a) != layout.is_negative(b);
    let quotient = match (Value::of(layout, a), Value::of(layout, b)) {
        (Value::Nan, _) | (_, Value::Nan) => Value::Nan,
        (Value::Infinite { .. }, Value::Infinite { .. }) | (Value::Zero { .. }, Value::Zero { .. }) => {
            Value::Nan
        }
        (Value::Infinite { .. }, _) | (_, Value::Zero { .. }) => Value::Infinite { negative },
        (Value::Zero { .. }, _) | (_, Value::Infinite { .. }) => Value::Zero { negative },
        (Value::Finite(a), Value::Finite(b)) => {
            let (dividend, divisor) = (u128::from(a.significand) << 64, u128::from(b.significand));
            let quotient = dividend / divisor;
            let inexact = quotient * divisor != dividend;
            Value::Finite(Number::from_wide(negative, a.exponent - b.exponent + 63, quotient, inexact))
        }
    };
    quotient.round(layout, rounding)
}

#[inline]
pub(super) fn sqrt(layout: Layout, rounding: Rounding, [a]: [u64; 1]) -> u64 {
    let root = match Value::of(layout, a) {
        Value::Finite(Number { negative: true, .. }) | Value::Infinite { negative: true } => Value::Nan,
        Value::Finite(number) => {
            // The radicand is an integer times an even power of two, so large that its root has 63 bits or more.
            let shift = 62 + ((number.exponent - 1) & 1);
            let radicand = u128::from(number.significand) << shift;
            let root = radicand.isqrt();
            let exponent = (number.exponent - 63 - shift) / 2 + 127;
            Value::Finite(Number::from_wide(false, exponent, root, root * root != radicand))
        }
        other => other,
    };
    root.round(layout, rounding)
}

/// 1 / √a. The root of a negative zero is a negative zero, so its reciprocal is -∞.
#[inline]
pub(super) fn reciprocal_sqrt(layout: Layout, rounding: Rounding, [a]: [u64; 1]) -> u64 {
    let result = match Value::of(layout, a) {
        Value::Zero { negative } => Value::Infinite { negative },
        Value::Infinite { negative: false } => Value::Zero { negative: false },
        Value::Finite(number) if !number.negative => {
            // a = m × 4^k with an integer m of 53 or 54 bits. ⌊2^89 / √m⌋ is the root of ⌊2^178 / m⌋, and that is
            // divided out in two steps because 2^178 has no room.
            let odd = number.exponent & 1;
            let m = u128::from(number.significand >> (11 - odd));
            let k = (number.exponent - 52 - odd) / 2;
            let (high, rest) = ((1 << 126) / m, (1 << 126) % m);
            let (low, rest) = ((rest << 52) / m, (rest << 52) % m);
            let square = (high << 52) + low;
            let root = square.isqrt();
            let inexact = rest != 0 || root * root != square;
            Value::Finite(Number::from_wide(false, 127 - 89 - k, root, inexact))
        }
        _ => Value::Nan,
    };
    result.round(layout, rounding)
}

/// The product, not rounded.
#[inline]
fn product(a: Value, b: Value) -> Value<Wide> {
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => Value::Nan,
        (Value::Infinite { .. }, Value::Zero { .. }) | (Value::Zero { .. }, Value::Infinite { .. }) => {
            Value::Nan
        }
        (Value::Infinite { negative }, other) | (other, Value::Infinite { negative }) => {
            Value::Infinite { negative: negative != other.is_negative() }
        }
        (Value::Zero { negative }, other) | (other, Value::Zero { negative }) => {
            Value::Zero { negative: negative != other.is_negative() }
        }
        (Value::Finite(a), Value::Finite(b)) => Value::Finite(Wide::product(a, b)),
    }
}

/// The sum, rounded. Zeros of both signs, and numbers that cancel, add up to +0, or to -0 when rounding down.
#[inline]
fn sum(layout: Layout, rounding: Rounding, a: Value<Wide>, b: Value<Wide>) -> u64 {
    let cancelled = Value::Zero { negative: rounding == Rounding::Down };
    let sum = match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => Value::Nan,
        (Value::Infinite { negative: a }, Value::Infinite { negative: b }) if a != b => Value::Nan,
        (Value::Infinite { negative }, _) | (_, Value::Infinite { negative }) => Value::Infinite { negative },
        (Value::Zero { negative: a }, Value::Zero { negative: b }) if a == b => Value::Zero { negative: a },
        (Value::Zero { .. }, Value::Zero { .. }) => cancelled,
        (Value::Finite(term), Value::Zero { .. }) | (Value::Zero { .. }, Value::Finite(term)) => {
            Value::Finite(term.number())
        }
        (Value::Finite(a), Value::Finite(b)) => a.sum(b).map_or(cancelled, Value::Finite),
    };
    sum.round(layout, rounding)
}

/// A real number other than zero: ± `significand` / 2^126 × 2^`exponent`, with bit 126 the leading one.
///
/// Holds the product of two numbers of a format exactly, and leaves a bit for the carry of a sum.
#[derive(Clone, Copy)]
struct Wide {
    negative: bool,
    exponent: i32,
    significand: u128,
}

impl Wide {
    /// The product. Significands of a format have at most 53 bits, so the bit shifted out here is a zero.
    #[inline]
    fn product(a: Number, b: Number) -> Self {
        let product = u128::from(a.significand) * u128::from(b.significand);
        let carry = (product >> 127) as i32;
        let exponent = a.exponent + b.exponent + carry;
        Self { negative: a.negative != b.negative, exponent, significand: product >> carry }
    }

    /// The sum, or nothing if it is zero.
    ///
    /// Terms have at most 106 significant bits out of 127. So bits of the lesser term fall out only where it is far
    /// below the greater one, and then the sum keeps so many leading bits that a mark for the lost ones suffices.
    #[inline]
    fn sum(self, other: Self) -> Option<Number> {
        let swap = (self.exponent, self.significand) < (other.exponent, other.significand);
        let (greater, lesser) = if swap { (other, self) } else { (self, other) };
        let distance = (greater.exponent - lesser.exponent).min(127);
        let aligned = lesser.significand >> distance;
        let lost = aligned << distance != lesser.significand;
        let sum = if greater.negative == lesser.negative {
            greater.significand + aligned
        } else {
            greater.significand - aligned - u128::from(lost)
        };
        (sum != 0).then(|| Number::from_wide(greater.negative, greater.exponent + 1, sum, lost))
    }

    #[inline]
    fn number(self) -> Number {
        Number::from_wide(self.negative, self.exponent + 1, self.significand, false)
    }
}

impl Value {
    #[inline]
    fn is_negative(self) -> bool {
        match self {
            Self::Nan => false,
            Self::Infinite { negative } | Self::Zero { negative } => negative,
            Self::Finite(number) => number.negative,
        }
    }

    #[inline]
    fn widen(self) -> Value<Wide> {
        self.map(|Number { negative, exponent, significand, .. }| Wide {
            negative,
            exponent,
            significand: u128::from(significand) << 63,
        })
    }
}

impl Value<Wide> {
    #[inline]
    fn narrow(self) -> Value {
        self.map(Wide::number)
    }
}

impl<T> Value<T> {
    #[inline]
    fn map<U>(self, convert: impl FnOnce(T) -> U) -> Value<U> {
        match self {
            Self::Nan => Value::Nan,
            Self::Infinite { negative } => Value::Infinite { negative },
            Self::Zero { negative } => Value::Zero { negative },
            Self::Finite(number) => Value::Finite(convert(number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocal_roots_of_powers_of_four_are_exact() {
        let layout = Layout::F;
        for &rounding in Rounding::ALL {
            for exponent in -74..64 {
                let pattern = |power: i32| u64::from((2f64.powi(power) as f32).to_bits());
                let root = reciprocal_sqrt(layout, rounding, [pattern(2 * exponent)]);
                assert_eq!(root, pattern(-exponent), "4^{exponent} {rounding}");
            }
        }
    }
}
