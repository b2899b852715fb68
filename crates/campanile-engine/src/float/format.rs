//! The four formats as numbers: where the fields are, and the bit patterns with a meaning (spec 3.1).

use campanile_core::isa::FloatFormat;

/// Field widths of a binary interchange format; everything else follows from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Bits of the fraction field; the precision is one more.
    pub fraction_bits: u32,
    /// Bits of the exponent field.
    pub exponent_bits: u32,
}

impl Layout {
    pub const BF: Self = Self { fraction_bits: 7, exponent_bits: 8 };
    pub const HF: Self = Self { fraction_bits: 10, exponent_bits: 5 };
    pub const F: Self = Self { fraction_bits: 23, exponent_bits: 8 };
    pub const DF: Self = Self { fraction_bits: 52, exponent_bits: 11 };

    #[inline]
    pub const fn of(format: FloatFormat) -> Self {
        match format {
            FloatFormat::Bf => Self::BF,
            FloatFormat::Hf => Self::HF,
            FloatFormat::F => Self::F,
            FloatFormat::Df => Self::DF,
        }
    }

    /// The exponent of the least normal number; the exponent field is biased by one minus this.
    #[inline]
    pub const fn min_exponent(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1))
    }

    #[inline]
    pub const fn sign(self) -> u64 {
        1 << (self.fraction_bits + self.exponent_bits)
    }

    #[inline]
    pub const fn fraction(self) -> u64 {
        (1 << self.fraction_bits) - 1
    }

    /// Positive infinity, which is also the mask of the exponent field.
    #[inline]
    pub const fn infinity(self) -> u64 {
        self.sign() - (1 << self.fraction_bits)
    }

    #[inline]
    pub const fn max_finite(self) -> u64 {
        self.infinity() - 1
    }

    #[inline]
    pub const fn one(self) -> u64 {
        (self.infinity() >> 1) & self.infinity()
    }

    /// The bit that tells a quiet NaN from a signalling one (spec 3.4).
    #[inline]
    pub const fn quiet(self) -> u64 {
        1 << (self.fraction_bits - 1)
    }

    /// The NaN that an invalid operation makes.
    #[inline]
    pub const fn default_nan(self) -> u64 {
        self.infinity() | self.quiet()
    }

    #[inline]
    pub const fn magnitude(self, bits: u64) -> u64 {
        bits & (self.sign() - 1)
    }

    #[inline]
    pub const fn is_negative(self, bits: u64) -> bool {
        bits & self.sign() != 0
    }

    #[inline]
    pub const fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity()
    }

    #[inline]
    pub const fn with_sign(self, negative: bool, magnitude: u64) -> u64 {
        if negative { self.sign() | magnitude } else { magnitude }
    }

    /// `bits`, or the zero of the same sign if `flush` is set and they are denormal (spec 3.3).
    #[inline]
    pub const fn flushed(self, flush: bool, bits: u64) -> u64 {
        if flush && bits & self.infinity() == 0 { bits & self.sign() } else { bits }
    }

    /// `bits` clamped to [0, 1]; NaN and both zeros give +0 (spec 3.5).
    #[inline]
    pub const fn saturated(self, bits: u64) -> u64 {
        if self.is_negative(bits) || self.is_nan(bits) {
            0
        } else if bits > self.one() {
            self.one()
        } else {
            bits
        }
    }

    /// The result of an operation that has a NaN operand or is invalid: the first NaN, quieted (spec 3.4).
    #[inline]
    pub fn nan_among<const N: usize>(self, operands: [u64; N]) -> u64 {
        let mut nan = self.default_nan();
        for &bits in operands.iter().rev() {
            nan = if self.is_nan(bits) { bits | self.quiet() } else { nan };
        }
        nan
    }

    /// The operands of an instruction, [`Self::flushed`].
    #[inline]
    pub fn all_flushed<const N: usize>(self, flush: bool, mut operands: [u64; N]) -> [u64; N] {
        for bits in &mut operands {
            *bits = self.flushed(flush, *bits);
        }
        operands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_the_native_types() {
        let single = Layout::of(FloatFormat::F);
        assert_eq!(single.one(), u64::from(1f32.to_bits()));
        assert_eq!(single.max_finite(), u64::from(f32::MAX.to_bits()));
        assert_eq!(single.infinity(), u64::from(f32::INFINITY.to_bits()));
        assert_eq!(single.default_nan(), 0x7FC0_0000);
        assert_eq!(single.min_exponent(), f32::MIN_EXP - 1);
        let double = Layout::of(FloatFormat::Df);
        assert_eq!(double.one(), 1f64.to_bits());
        assert_eq!(double.max_finite(), f64::MAX.to_bits());
        assert_eq!(double.default_nan(), 0x7FF8_0000_0000_0000);
        assert_eq!(double.min_exponent(), f64::MIN_EXP - 1);
        assert_eq!(Layout::of(FloatFormat::Hf).default_nan(), 0x7E00);
        assert_eq!(Layout::of(FloatFormat::Hf).one(), 0x3C00);
        assert_eq!(Layout::of(FloatFormat::Bf).default_nan(), 0x7FC0);
        assert_eq!(Layout::of(FloatFormat::Bf).one(), 0x3F80);
    }
}
