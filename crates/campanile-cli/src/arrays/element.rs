//! Element types: their names, sizes, literals and printed form.

use std::fmt;

use campanile::contract::Number;
use half::{bf16, f16};
use thiserror::Error;

/// The type of an array's elements or of a scalar: a number type as the command line reads and prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Element(Number);

/// Why a number could not be read as an element type.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LiteralError {
    /// The text is no number of this kind.
    #[error("`{literal}` is not a number of type {element}")]
    NotANumber {
        /// The text without its type.
        literal: String,
        /// The type it was read as.
        element: Element,
    },
    /// The number is too large or too small.
    #[error("`{literal}` does not fit in {element}")]
    OutOfRange {
        /// The text without its type.
        literal: String,
        /// The type it was read as.
        element: Element,
    },
}

impl LiteralError {
    /// What to write instead.
    pub fn hint(&self) -> String {
        match self {
            Self::NotANumber { element, .. } if element.is_float() => {
                "write a decimal number such as `-3.5`, `1e-3`, `inf` or `nan`, or the bits as `0x…`"
                    .to_string()
            }
            Self::NotANumber { .. } => {
                "write decimal digits with an optional sign, or the bits as `0x…`".to_string()
            }
            Self::OutOfRange { element, .. } => format!("{element} holds {}", element.range()),
        }
    }
}

impl Element {
    /// As [`Number::U8`].
    pub const U8: Self = Self(Number::U8);
    /// As [`Number::I8`].
    pub const I8: Self = Self(Number::I8);
    /// As [`Number::U16`].
    pub const U16: Self = Self(Number::U16);
    /// As [`Number::I16`].
    pub const I16: Self = Self(Number::I16);
    /// As [`Number::U32`].
    pub const U32: Self = Self(Number::U32);
    /// As [`Number::I32`].
    pub const I32: Self = Self(Number::I32);
    /// As [`Number::U64`].
    pub const U64: Self = Self(Number::U64);
    /// As [`Number::I64`].
    pub const I64: Self = Self(Number::I64);
    /// As [`Number::Bf16`].
    pub const BF16: Self = Self(Number::Bf16);
    /// As [`Number::F16`].
    pub const F16: Self = Self(Number::F16);
    /// As [`Number::F32`].
    pub const F32: Self = Self(Number::F32);
    /// As [`Number::F64`].
    pub const F64: Self = Self(Number::F64);
    /// Every element type; `bf16` stands before `f16`, with which its name ends.
    pub const ALL: [Self; 12] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::BF16,
        Self::F16,
        Self::F32,
        Self::F64,
    ];

    /// The element type of a number type.
    pub const fn of(number: Number) -> Self {
        Self(number)
    }

    /// The number type.
    pub const fn number(self) -> Number {
        self.0
    }

    /// The name, as in `f32`.
    pub const fn name(self) -> &'static str {
        self.0.as_str()
    }

    /// The element type of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name() == name)
    }

    /// The size in bytes.
    pub const fn size(self) -> usize {
        self.0.size() as usize
    }

    /// Whether this is a floating-point type.
    pub const fn is_float(self) -> bool {
        !self.0.is_integer()
    }

    /// Whether this is a signed integer type.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// Reads a number written without its type, and returns its little-endian bytes.
    ///
    /// Decimal numbers must fit the type. Hexadecimal digits give the bits, as in PISA text: `0xff`
    /// is -1 in `i8`, and `0x3f800000` is 1.0 in `f32`. Floats may also be `inf`, `-inf` and `nan`. Those of 16 bits
    /// are rounded by way of `f64`, which tells all but the very closest from the middle of two.
    pub fn parse(self, literal: &str) -> Result<Vec<u8>, LiteralError> {
        let not_a_number = || LiteralError::NotANumber { literal: literal.to_string(), element: self };
        let out_of_range = || LiteralError::OutOfRange { literal: literal.to_string(), element: self };
        if let Some(digits) = literal.strip_prefix("0x").or_else(|| literal.strip_prefix("0X")) {
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(not_a_number());
            }
            let bits = u64::from_str_radix(digits, 16).map_err(|_| out_of_range())?;
            let unused = 64 - 8 * self.size();
            if bits << unused >> unused != bits {
                return Err(out_of_range());
            }
            return Ok(bits.to_le_bytes()[..self.size()].to_vec());
        }
        let names_infinity = literal.to_ascii_lowercase().contains("inf");
        let fits = |infinite: bool| if infinite && !names_infinity { Err(out_of_range()) } else { Ok(()) };
        match self {
            Self::F16 => {
                let number = f16::from_f64(literal.parse().map_err(|_| not_a_number())?);
                fits(number.is_infinite()).map(|()| number.to_le_bytes().to_vec())
            }
            Self::BF16 => {
                let number = bf16::from_f64(literal.parse().map_err(|_| not_a_number())?);
                fits(number.is_infinite()).map(|()| number.to_le_bytes().to_vec())
            }
            Self::F32 => {
                let number: f32 = literal.parse().map_err(|_| not_a_number())?;
                fits(number.is_infinite()).map(|()| number.to_le_bytes().to_vec())
            }
            Self::F64 => {
                let number: f64 = literal.parse().map_err(|_| not_a_number())?;
                fits(number.is_infinite()).map(|()| number.to_le_bytes().to_vec())
            }
            _ => {
                let digits = literal.strip_prefix('-').unwrap_or(literal);
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(not_a_number());
                }
                let number: i128 = literal.parse().map_err(|_| out_of_range())?;
                let (least, most) = self.integer_range();
                if number < least || number > most {
                    return Err(out_of_range());
                }
                Ok(number.to_le_bytes()[..self.size()].to_vec())
            }
        }
    }

    /// The text of one element given by its bytes; floats in their shortest exact form.
    ///
    /// `bytes` must have the size of the type.
    pub fn format(self, bytes: &[u8]) -> String {
        let mut word = [0; 8];
        word[..self.size()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(word);
        let unused = 64 - 8 * self.size() as u32;
        match self {
            Self::F16 => format_float(format!("{:?}", f16::from_bits(bits as u16).to_f32())),
            Self::BF16 => format_float(format!("{:?}", bf16::from_bits(bits as u16).to_f32())),
            Self::F32 => format_float(format!("{:?}", f32::from_bits(bits as u32))),
            Self::F64 => format_float(format!("{:?}", f64::from_bits(bits))),
            _ if self.is_signed() => ((bits << unused) as i64 >> unused).to_string(),
            _ => bits.to_string(),
        }
    }

    /// Least and greatest value of an integer type.
    fn integer_range(self) -> (i128, i128) {
        let bits = 8 * self.size();
        if self.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }

    /// The range in words.
    fn range(self) -> String {
        match self {
            Self::F16 => format!("numbers up to {:e}, and `inf`", f16::MAX.to_f32()),
            Self::BF16 => format!("numbers up to {:e}, and `inf`", bf16::MAX.to_f32()),
            Self::F32 => format!("numbers up to {:e}, and `inf`", f32::MAX),
            Self::F64 => format!("numbers up to {:e}, and `inf`", f64::MAX),
            _ => {
                let (least, most) = self.integer_range();
                format!("{least} to {most}")
            }
        }
    }
}

/// Writes `nan` as the command line reads it.
fn format_float(text: String) -> String {
    if text == "NaN" { "nan".to_string() } else { text }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_must_fit() {
        assert_eq!(Element::U8.parse("255"), Ok(vec![255]));
        assert_eq!(Element::I8.parse("-128"), Ok(vec![0x80]));
        assert_eq!(Element::I32.parse("-1"), Ok(vec![255; 4]));
        assert_eq!(Element::U64.parse("18446744073709551615"), Ok(vec![255; 8]));
        assert_eq!(Element::I64.parse("-9223372036854775808"), Ok(vec![0, 0, 0, 0, 0, 0, 0, 0x80]));
        for (element, literal) in [
            (Element::U8, "256"),
            (Element::U8, "-1"),
            (Element::I8, "128"),
            (Element::I16, "-32769"),
            (Element::U64, "18446744073709551616"),
            (Element::I32, "999999999999999999999999999999999999999999999"),
        ] {
            assert!(matches!(element.parse(literal), Err(LiteralError::OutOfRange { .. })), "{literal}");
        }
        assert_eq!(Element::U8.parse("256").unwrap_err().hint(), "u8 holds 0 to 255");
        assert_eq!(Element::I16.parse("1e9").unwrap_err().to_string(), "`1e9` is not a number of type i16");
    }

    #[test]
    fn hexadecimal_gives_the_bits() {
        assert_eq!(Element::U8.parse("0x10"), Ok(vec![16]));
        assert_eq!(Element::I8.parse("0XFF"), Ok(vec![255]));
        assert_eq!(Element::F32.parse("0x3f800000"), Ok(1.0f32.to_le_bytes().to_vec()));
        assert!(matches!(Element::U8.parse("0x100"), Err(LiteralError::OutOfRange { .. })));
        assert!(matches!(Element::U64.parse("0x10000000000000000"), Err(LiteralError::OutOfRange { .. })));
        assert!(matches!(Element::U8.parse("0x"), Err(LiteralError::NotANumber { .. })));
        assert!(matches!(Element::U8.parse("0x+1"), Err(LiteralError::NotANumber { .. })));
    }

    #[test]
    fn floats_round_once_and_may_be_special() {
        // 1 + 2^-24 + 2^-60 lies just above a tie of f32: rounded by way of f64 it would fall to 1.
        assert_eq!(Element::F32.parse("1.000000059604644776"), Ok(0x3f80_0001u32.to_le_bytes().to_vec()));
        assert_eq!(Element::F32.parse("-inf"), Ok(0xff80_0000u32.to_le_bytes().to_vec()));
        assert_eq!(Element::F64.parse("inf"), Ok(0x7ff0_0000_0000_0000u64.to_le_bytes().to_vec()));
        assert_eq!(Element::F32.format(&Element::F32.parse("nan").unwrap()), "nan");
        assert!(matches!(Element::F32.parse("1e39"), Err(LiteralError::OutOfRange { .. })));
        assert!(matches!(Element::F64.parse("one"), Err(LiteralError::NotANumber { .. })));
    }

    #[test]
    fn floats_of_16_bits() {
        assert_eq!(Element::F16.parse("1.5"), Ok(vec![0x00, 0x3e]));
        assert_eq!(Element::BF16.parse("-1.5"), Ok(vec![0xc0, 0xbf]));
        assert_eq!(Element::F16.parse("0x3c00"), Ok(f16::ONE.to_le_bytes().to_vec()));
        assert_eq!(Element::BF16.parse("inf"), Ok(bf16::INFINITY.to_le_bytes().to_vec()));
        assert_eq!(Element::F16.parse("65504"), Ok(f16::MAX.to_le_bytes().to_vec()));
        assert!(matches!(Element::F16.parse("65520"), Err(LiteralError::OutOfRange { .. })));
        assert!(matches!(Element::BF16.parse("x"), Err(LiteralError::NotANumber { .. })));
        for element in [Element::F16, Element::BF16] {
            for text in ["0.5", "-2.0", "inf", "nan"] {
                assert_eq!(element.format(&element.parse(text).unwrap()), text);
            }
        }
    }

    #[test]
    fn elements_print_as_they_are_read() {
        assert_eq!(Element::I8.format(&[0xff]), "-1");
        assert_eq!(Element::U16.format(&[0xff, 0xff]), "65535");
        assert_eq!(Element::I64.format(&[0xfe, 255, 255, 255, 255, 255, 255, 255]), "-2");
        assert_eq!(Element::F32.format(&0.1f32.to_le_bytes()), "0.1");
        assert_eq!(Element::F64.format(&1e300f64.to_le_bytes()), "1e300");
        assert_eq!(Element::F32.format(&(-0.0f32).to_le_bytes()), "-0.0");
    }
}
