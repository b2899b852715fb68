//! Floating-point numbers as PISA has them (spec chapter 3): which NaN results, flushed denormals, every way to round.
//!
//! A device computes in single and, where it has it, in double precision, and rounds to the nearest. Numbers of 16 bits
//! are computed in single precision; so half precision and bfloat16 need no more than conversions.

mod double;
mod functions;
mod narrow;
mod operations;

use campanile_core::isa::{FloatFormat, Type};
use rspirv::spirv::{Op, OpenclStd100Op};

pub(super) use functions::integral_function;
pub(super) use narrow::{Way, narrowed};
pub(super) use operations::Mode;

use super::code::Code;
use super::value::{Bits, Number, Truth};

/// The layout of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// The format.
    pub kind: FloatFormat,
    /// Its width in bits.
    pub bits: u32,
    /// Bits of the fraction.
    pub fraction: u32,
}

impl Format {
    /// The layout of a format.
    pub const fn new(kind: FloatFormat) -> Self {
        let (bits, fraction) = match kind {
            FloatFormat::Bf => (16, 7),
            FloatFormat::Hf => (16, 10),
            FloatFormat::F => (32, 23),
            FloatFormat::Df => (64, 52),
        };
        Format { kind, bits, fraction }
    }

    /// That of a type, or single precision for one that has none.
    pub fn of(ty: Option<Type>) -> Self {
        Format::new(ty.and_then(Type::float_format).unwrap_or(FloatFormat::F))
    }

    const fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    const fn infinity(self) -> u64 {
        (self.sign() - 1) >> self.fraction << self.fraction
    }

    const fn quiet(self) -> u64 {
        1 << (self.fraction - 1)
    }

    /// The pattern of 1.
    const fn one(self) -> u64 {
        self.infinity() >> 1 >> self.fraction << self.fraction
    }

    /// A known pattern.
    fn known(self, code: &mut Code<'_>, pattern: u64) -> Bits {
        code.constant(self.bits, pattern)
    }

    /// A pattern without its sign.
    fn magnitude(self, code: &mut Code<'_>, pattern: Bits) -> Bits {
        let others = self.known(code, self.sign() - 1);
        code.and(pattern, others)
    }

    /// The sign of a pattern.
    fn sign_of(self, code: &mut Code<'_>, pattern: Bits) -> Bits {
        let sign = self.known(code, self.sign());
        code.and(pattern, sign)
    }

    /// Whether a pattern is a NaN.
    pub fn is_nan(self, code: &mut Code<'_>, pattern: Bits) -> Truth {
        let magnitude = self.magnitude(code, pattern);
        let infinity = self.known(code, self.infinity());
        code.compare(Op::UGreaterThan, magnitude, infinity)
    }

    /// A pattern with a NaN made quiet.
    pub fn quieted(self, code: &mut Code<'_>, pattern: Bits) -> Bits {
        let is_nan = self.is_nan(code, pattern);
        let quiet = self.known(code, self.quiet());
        let quiet = code.or(pattern, quiet);
        code.select(is_nan, quiet, pattern)
    }

    /// The first NaN among sources, made quiet, or a new one.
    pub fn nan_among(self, code: &mut Code<'_>, sources: &[Bits]) -> Bits {
        let mut found = self.known(code, self.infinity() | self.quiet());
        for source in sources.iter().rev() {
            let is_nan = self.is_nan(code, *source);
            let quiet = self.known(code, self.quiet());
            let quiet = code.or(*source, quiet);
            found = code.select(is_nan, quiet, found);
        }
        found
    }

    /// A result, or where that is a NaN the one that PISA says.
    pub fn with_nan(self, code: &mut Code<'_>, result: Bits, sources: &[Bits]) -> Bits {
        let is_nan = self.is_nan(code, result);
        let nan = self.nan_among(code, sources);
        code.select(is_nan, nan, result)
    }

    /// A pattern with a denormal made zero (`.ftz`).
    pub fn flushed(self, code: &mut Code<'_>, pattern: Bits) -> Bits {
        let exponent = self.known(code, self.infinity());
        let exponent = code.and(pattern, exponent);
        let is_small = code.is(exponent, 0);
        let zero = self.sign_of(code, pattern);
        code.select(is_small, zero, pattern)
    }

    /// A pattern clamped to the range from 0 to 1 (`.dsat`), where NaN and -0 become 0.
    pub fn saturated(self, code: &mut Code<'_>, pattern: Bits) -> Bits {
        let infinity = self.known(code, self.infinity());
        // Negative patterns are above that of infinity, as are NaNs.
        let is_none = code.compare(Op::UGreaterThan, pattern, infinity);
        let one = self.known(code, self.one());
        let clamped = code.extended_int(OpenclStd100Op::u_min, &[pattern, one]);
        let zero = self.known(code, 0);
        code.select(is_none, zero, clamped)
    }

    /// A pattern with an infinity made the greatest number (`.dsat` of conversions).
    pub fn finite(self, code: &mut Code<'_>, pattern: Bits) -> Bits {
        let magnitude = self.magnitude(code, pattern);
        let is_infinite = code.is(magnitude, self.infinity());
        let one = self.known(code, 1);
        let greatest = code.sub(pattern, one);
        code.select(is_infinite, greatest, pattern)
    }

    /// An integer that orders patterns as the numbers they stand for, -0 right below +0. Doing it twice leads back.
    pub fn order(self, code: &mut Code<'_>, pattern: Bits) -> Bits {
        let sign = code.shift_by(Op::ShiftRightArithmetic, pattern, self.bits - 1);
        let others = self.known(code, self.sign() - 1);
        let flipped = code.and(sign, others);
        code.xor(pattern, flipped)
    }

    /// The number that a pattern stands for, in single precision for formats of 16 bits.
    pub fn widened(self, code: &mut Code<'_>, pattern: Bits) -> Number {
        match self.kind {
            FloatFormat::F | FloatFormat::Df => code.number(pattern),
            FloatFormat::Hf => {
                let half = code.number(pattern);
                code.resize_number(half, 32)
            }
            FloatFormat::Bf => {
                let wide = code.resize(pattern, 32);
                let wide = code.shift_by(Op::ShiftLeftLogical, wide, 16);
                code.number(wide)
            }
        }
    }

    /// The numbers that patterns stand for, in single or double precision.
    fn all_widened(self, code: &mut Code<'_>, width: u32, patterns: &[Bits]) -> Vec<Number> {
        let widened = |pattern: &Bits| {
            let number = self.widened(code, *pattern);
            code.resize_number(number, width)
        };
        patterns.iter().map(widened).collect()
    }

    /// The format in which numbers of this one are computed.
    pub fn wide(self) -> Format {
        match self.kind {
            FloatFormat::Bf | FloatFormat::Hf => Format::new(FloatFormat::F),
            FloatFormat::F | FloatFormat::Df => self,
        }
    }
}
