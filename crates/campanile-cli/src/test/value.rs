//! Values in expectations: what goes into a buffer, and what may come out of one.

use anyhow::{Result, bail};

use crate::arrays::Element;

/// A NaN format that an integer buffer may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanFormat {
    /// `nan16h`
    Hf,
    /// `nan16b`
    Bf,
    /// `nan32`
    F,
    /// `nan64`
    Df,
}

impl NanFormat {
    fn from_text(text: &str) -> Option<Self> {
        match text {
            "nan16h" => Some(NanFormat::Hf),
            "nan16b" => Some(NanFormat::Bf),
            "nan32" => Some(NanFormat::F),
            "nan64" => Some(NanFormat::Df),
            _ => None,
        }
    }

    /// Width in bytes.
    pub fn bytes(self) -> usize {
        match self {
            NanFormat::Hf | NanFormat::Bf => 2,
            NanFormat::F => 4,
            NanFormat::Df => 8,
        }
    }

    /// The bits of the exponent, which are all ones in a NaN; in the fraction there is at least one more.
    fn masks(self) -> (u64, u64) {
        match self {
            NanFormat::Hf => (0x7c00, 0x03ff),
            NanFormat::Bf => (0x7f80, 0x007f),
            NanFormat::F => (0x7f80_0000, 0x007f_ffff),
            NanFormat::Df => (0x7ff0_0000_0000_0000, 0x000f_ffff_ffff_ffff),
        }
    }

    /// Whether `bits` is a NaN.
    pub fn is_nan(self, bits: u64) -> bool {
        let (exponent, fraction) = self.masks();
        bits & exponent == exponent && bits & fraction != 0
    }

    /// A quiet NaN.
    fn quiet(self) -> u64 {
        let (exponent, fraction) = self.masks();
        exponent | (fraction + 1) >> 1
    }
}

/// What an element of a buffer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Exactly these bits.
    Bits(u64),
    /// Any NaN of the format.
    Nan(NanFormat),
    /// Anything.
    Anything,
}

/// Reads an expected element.
pub fn expected(text: &str, element: Element) -> Result<Expected> {
    if text == "*" {
        return Ok(Expected::Anything);
    }
    if let Some(format) = nan(text, element)? {
        return Ok(Expected::Nan(format));
    }
    Ok(Expected::Bits(bits(text, element)?))
}

/// Reads an element to put into a buffer.
pub fn given(text: &str, element: Element) -> Result<u64> {
    match nan(text, element)? {
        Some(format) => Ok(format.quiet()),
        None => bits(text, element),
    }
}

fn nan(text: &str, element: Element) -> Result<Option<NanFormat>> {
    let format = match (text, element) {
        ("nan", Element::F32) => Some(NanFormat::F),
        ("nan", Element::F64) => Some(NanFormat::Df),
        _ => NanFormat::from_text(text),
    };
    if let Some(format) = format
        && format.bytes() != element.size()
    {
        bail!("`{text}` has {} bytes, {element} has {}", format.bytes(), element.size());
    }
    Ok(format)
}

/// The bits of a number; integers may lie in the signed or the unsigned range, and hexadecimal digits are bits.
fn bits(text: &str, element: Element) -> Result<u64> {
    let width = element.size() as u32 * 8;
    let mask = u64::MAX >> (64 - width);
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = match digits {
        Some(digits) => u64::from_str_radix(digits, 16).ok().filter(|bits| bits & !mask == 0),
        None => match element {
            Element::F32 => text.parse::<f32>().ok().map(|value| u64::from(value.to_bits())),
            Element::F64 => text.parse::<f64>().ok().map(f64::to_bits),
            _ => {
                let value = text.parse::<i128>().ok();
                let fits = |value: &i128| -(1i128 << (width - 1)) <= *value && *value < 1i128 << width;
                value.filter(fits).map(|value| value as u64 & mask)
            }
        },
    };
    let Some(number) = number else { bail!("`{text}` is not a value of type {element}") };
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_their_type() {
        let read = |text, element| expected(text, element).ok();
        assert_eq!(read("-1", Element::U8), Some(Expected::Bits(0xff)));
        assert_eq!(read("255", Element::I8), Some(Expected::Bits(0xff)));
        assert_eq!(read("256", Element::U8), None);
        assert_eq!(read("0x100", Element::U8), None);
        assert_eq!(read("1.5", Element::F32), Some(Expected::Bits(0x3fc0_0000)));
        assert_eq!(read("0x3fc00000", Element::F32), Some(Expected::Bits(0x3fc0_0000)));
        assert_eq!(read("-inf", Element::F64), Some(Expected::Bits(0xfff0_0000_0000_0000)));
        assert_eq!(read("nan", Element::F32), Some(Expected::Nan(NanFormat::F)));
        assert_eq!(read("nan16b", Element::U16), Some(Expected::Nan(NanFormat::Bf)));
        assert_eq!(read("nan32", Element::U16), None);
        assert_eq!(read("1.5", Element::U32), None);
        assert_eq!(read("18446744073709551615", Element::U64), Some(Expected::Bits(u64::MAX)));
    }

    #[test]
    fn any_nan_is_a_nan() {
        assert!(
            NanFormat::Hf.is_nan(0x7c01) && NanFormat::Hf.is_nan(0xfe00) && !NanFormat::Hf.is_nan(0x7c00)
        );
        assert!(NanFormat::Bf.is_nan(0x7fc0) && !NanFormat::Bf.is_nan(0xff80));
        assert!(NanFormat::Df.is_nan(given("nan", Element::F64).unwrap_or(0)));
    }
}
