//! Real numbers between operands and results: taken apart, and rounded once into a format.

use campanile_core::isa::Rounding;

use super::format::Layout;

/// An extended real number; those that are finite and not zero in a representation of choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<T = Number> {
    Nan,
    Infinite { negative: bool },
    Zero { negative: bool },
    Finite(T),
}

/// A real number other than zero: ± `significand` / 2^63 × 2^`exponent`, a little further from zero if `inexact`.
///
/// The leading bit of `significand` is set. "A little" is more than nothing, and not enough to reach the next multiple
/// of four in `significand`; rounding to 53 bits or fewer needs to know no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub negative: bool,
    pub exponent: i32,
    pub significand: u64,
    pub inexact: bool,
}

impl Value {
    #[inline]
    pub fn of(layout: Layout, bits: u64) -> Self {
        let negative = layout.is_negative(bits);
        match layout.magnitude(bits) {
            0 => Self::Zero { negative },
            magnitude if magnitude > layout.infinity() => Self::Nan,
            magnitude if magnitude == layout.infinity() => Self::Infinite { negative },
            magnitude => Self::Finite(Number::of(layout, negative, magnitude)),
        }
    }

    /// The pattern of the value, rounded once; NaN is the one that operations make.
    #[inline]
    pub fn round(self, layout: Layout, rounding: Rounding) -> u64 {
        match self {
            Self::Nan => layout.default_nan(),
            Self::Infinite { negative } => layout.with_sign(negative, layout.infinity()),
            Self::Zero { negative } => layout.with_sign(negative, 0),
            Self::Finite(number) => number.round(layout, rounding),
        }
    }
}

impl Number {
    /// The finite, non-zero number whose pattern without its sign is `magnitude`.
    #[inline]
    fn of(layout: Layout, negative: bool, magnitude: u64) -> Self {
        let biased = (magnitude >> layout.fraction_bits) as i32;
        let fraction = magnitude & layout.fraction();
        let significand = if biased == 0 { fraction } else { fraction | (1 << layout.fraction_bits) };
        let leading = significand.leading_zeros();
        let unit = biased.max(1) - 1 + layout.min_exponent() - layout.fraction_bits as i32;
        Self {
            negative,
            exponent: unit + 63 - leading as i32,
            significand: significand << leading,
            inexact: false,
        }
    }

    /// ± `wide` / 2^127 × 2^`exponent`, further from zero by less than the last bit of `wide` if `inexact`.
    ///
    /// `wide` is not zero, and has 62 bits or more if `inexact`.
    #[inline]
    pub fn from_wide(negative: bool, exponent: i32, wide: u128, inexact: bool) -> Self {
        let leading = wide.leading_zeros();
        debug_assert!(leading <= if inexact { 128 - 62 } else { 127 });
        let wide = wide << leading;
        Self {
            negative,
            exponent: exponent - leading as i32,
            significand: (wide >> 64) as u64,
            inexact: inexact || wide as u64 != 0,
        }
    }

    /// The pattern of the number rounded once; the only place where a result is rounded.
    #[inline]
    pub fn round(self, layout: Layout, rounding: Rounding) -> u64 {
        const HALF: u64 = 1 << 63;
        let least = layout.min_exponent();
        let denormal_by = (least - self.exponent).max(0) as u32;
        // `kept` and `dropped` are the digits before and after the point, where the last digit that `layout` can
        // hold is the unit. Below 2^-64 units, bits fall out; but the leading one stays, and `dropped` is under half.
        let drop = 63 - layout.fraction_bits + denormal_by;
        let split = (u128::from(self.significand) << 64) >> drop.min(127);
        let (kept, dropped) = ((split >> 64) as u64, split as u64);

        let inexact = self.inexact || dropped != 0;
        let away = match rounding {
            Rounding::NearestEven => dropped > HALF || dropped == HALF && (self.inexact || kept & 1 == 1),
            Rounding::NearestAway => dropped >= HALF,
            Rounding::Up => inexact && !self.negative,
            Rounding::Down => inexact && self.negative,
            Rounding::TowardZero => false,
        };
        // The leading bit of `kept` adds one to the exponent field, and so does a carry out of the fraction.
        let field = (self.exponent.max(least) - least) as u64;
        let magnitude = (field << layout.fraction_bits) + kept + u64::from(away);
        if magnitude >= layout.infinity() {
            overflow(layout, rounding, self.negative)
        } else {
            layout.with_sign(self.negative, magnitude)
        }
    }
}

/// What becomes of a number beyond the finite range.
#[cold]
fn overflow(layout: Layout, rounding: Rounding, negative: bool) -> u64 {
    let infinite = match rounding {
        Rounding::NearestEven | Rounding::NearestAway => true,
        Rounding::Up => !negative,
        Rounding::Down => negative,
        Rounding::TowardZero => false,
    };
    layout.with_sign(negative, if infinite { layout.infinity() } else { layout.max_finite() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_rounds_to_itself() {
        for layout in [Layout::HF, Layout::BF] {
            for bits in 0..=0xFFFF {
                if let Value::Finite(number) = Value::of(layout, bits) {
                    for &rounding in Rounding::ALL {
                        assert_eq!(number.round(layout, rounding), bits, "{bits:#06x} {rounding}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_little_above_a_tie_is_no_tie() {
        let tie = Number { negative: false, exponent: 0, significand: (1 << 63) | (1 << 52), inexact: false };
        assert_eq!(tie.round(Layout::HF, Rounding::NearestEven), 0x3C00);
        let above = Number { inexact: true, ..tie };
        assert_eq!(above.round(Layout::HF, Rounding::NearestEven), 0x3C01);
    }

    #[test]
    fn far_below_the_least_denormal() {
        for exponent in [-26, -100, -5000] {
            let tiny = Number { negative: true, exponent, significand: u64::MAX, inexact: true };
            let results = Rounding::ALL.iter().map(|&rounding| tiny.round(Layout::HF, rounding));
            assert_eq!(results.collect::<Vec<_>>(), [0x8000, 0x8001, 0x8000, 0x8000, 0x8000]);
        }
    }
}
