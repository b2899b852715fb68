//! Numbers: from their text to the bits of an operand (spec 3.2).

use crate::isa::FloatFormat;

/// Why a number cannot stand where it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LiteralFault {
    /// Not a number at all.
    Malformed(&'static str),
    /// A number, but of the wrong sort for its place; with advice.
    Form(String, Option<String>),
    /// Too large or too small for its place.
    Range(String),
}

/// What is odd about an accepted number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LiteralDoubt {
    /// A hexadecimal float with fewer digits than its format has.
    Digits(u32),
    /// A finite number that became infinite.
    Infinite,
}

/// An integer as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Integer {
    pub negative: bool,
    pub magnitude: u64,
    /// Number of digits of a hexadecimal literal.
    pub hexadecimal_digits: Option<u32>,
}

impl Integer {
    /// Reads a decimal or hexadecimal literal of at most 64 bits.
    pub fn parse(text: &str) -> Result<Integer, LiteralFault> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, text),
        };
        if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            if hexadecimal.is_empty() || !hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(LiteralFault::Malformed("a hexadecimal number has the digits 0-9 and a-f"));
            }
            if negative {
                let message = "a hexadecimal number has no sign, as it is zero-extended".to_owned();
                let help = "write the two's complement, or a decimal number".to_owned();
                return Err(LiteralFault::Form(message, Some(help)));
            }
            let Ok(magnitude) = u64::from_str_radix(hexadecimal, 16) else {
                return Err(LiteralFault::Range("does not fit in 64 bits".to_owned()));
            };
            let digits = u32::try_from(hexadecimal.len()).unwrap_or(u32::MAX);
            return Ok(Integer { negative, magnitude, hexadecimal_digits: Some(digits) });
        }
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(LiteralFault::Malformed("an integer has the digits 0-9, or starts with `0x`"));
        }
        match digits.parse::<u64>() {
            Ok(magnitude) if !negative || magnitude <= 1 << 63 => {
                Ok(Integer { negative, magnitude, hexadecimal_digits: None })
            }
            _ => Err(LiteralFault::Range("does not fit in 64 bits".to_owned())),
        }
    }

    /// The value extended to 64 bits: decimal by sign, hexadecimal by zeros.
    pub fn extended(self) -> u64 {
        if self.negative { self.magnitude.wrapping_neg() } else { self.magnitude }
    }

    /// The low `bits` bits, if the value is within the signed or unsigned range of that width.
    pub fn in_bits(self, bits: u32) -> Result<u64, LiteralFault> {
        if bits >= 64 {
            return Ok(self.extended());
        }
        let fits =
            if self.negative { self.magnitude <= 1 << (bits - 1) } else { self.magnitude >> bits == 0 };
        if fits {
            return Ok(self.extended() & ((1 << bits) - 1));
        }
        let (low, high) = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
        Err(LiteralFault::Range(format!("does not fit in {bits} bits: the range is {low} to {high}")))
    }
}

/// Whether a literal is a decimal floating-point number, such as `1.5` or `-2e-3`.
fn is_decimal_float(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && fraction.is_none_or(|fraction| fraction.is_empty() || digits(fraction))
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

/// The bits of an immediate in an integer operand of `bits` bits.
pub(super) fn integer_bits(text: &str, bits: u32) -> Result<u64, LiteralFault> {
    if is_decimal_float(text) && text.contains(['.', 'e', 'E']) {
        let single = text.parse::<f32>().ok().filter(|_| bits == 32);
        let help = single
            .map(|value| format!("the bits of {text} in single precision are {:#010X}", value.to_bits()));
        let help = help.map(|help| help.replace("0X", "0x"));
        return Err(LiteralFault::Form("an integer operand takes no floating-point number".to_owned(), help));
    }
    Integer::parse(text)?.in_bits(bits)
}

/// The bits of an immediate in a floating-point operand, and what is odd about it.
pub(super) fn float_bits(
    text: &str,
    format: FloatFormat,
) -> Result<(u64, Option<LiteralDoubt>), LiteralFault> {
    let bits = match format {
        FloatFormat::Bf | FloatFormat::Hf => 16,
        FloatFormat::F => 32,
        FloatFormat::Df => 64,
    };
    if text.trim_start_matches('-').starts_with(['0']) && text.contains(['x', 'X']) {
        let integer = Integer::parse(text);
        let digits = match &integer {
            Ok(integer) => integer.hexadecimal_digits.unwrap_or(0),
            Err(LiteralFault::Range(_)) => text.len() as u32 - 2,
            Err(fault) => return Err(fault.clone()),
        };
        let wanted = bits / 4;
        if digits > wanted {
            let message = format!("a `.{format}` operand takes {wanted} hexadecimal digits, not {digits}");
            return Err(LiteralFault::Form(message, None));
        }
        return Ok((integer?.extended(), (digits < wanted).then_some(LiteralDoubt::Digits(wanted))));
    }
    if !is_decimal_float(text) {
        return Err(LiteralFault::Malformed(
            "a floating-point number is written like `1.5`, `-2e-3` or `0x3F800000`",
        ));
    }
    let Ok(value) = text.parse::<f64>() else {
        return Err(LiteralFault::Malformed("this is no floating-point number"));
    };
    let (bits, infinite) = match format {
        FloatFormat::Df => (value.to_bits(), value.is_infinite()),
        FloatFormat::F => (u64::from((value as f32).to_bits()), (value as f32).is_infinite()),
        FloatFormat::Hf => {
            let value = half::f16::from_f32(to_odd_single(value));
            (u64::from(value.to_bits()), value.is_infinite())
        }
        FloatFormat::Bf => {
            let value = half::bf16::from_f32(to_odd_single(value));
            (u64::from(value.to_bits()), value.is_infinite())
        }
    };
    Ok((bits, infinite.then_some(LiteralDoubt::Infinite)))
}

/// `value` in single precision, an inexact result having its last bit set. Rounding that once more to nearest, to a
/// format with at least two bits fewer, is as good as rounding `value` itself.
fn to_odd_single(value: f64) -> f32 {
    let nearest = value as f32;
    if f64::from(nearest) == value || value.is_nan() {
        return nearest;
    }
    let away = f64::from(nearest).abs() > value.abs();
    f32::from_bits((nearest.to_bits() - u32::from(away)) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_fit_the_signed_or_unsigned_range() {
        assert_eq!(integer_bits("-2147483648", 32), Ok(0x8000_0000));
        assert_eq!(integer_bits("4294967295", 32), Ok(0xffff_ffff));
        assert!(integer_bits("-2147483649", 32).is_err());
        assert!(integer_bits("4294967296", 32).is_err());
        assert_eq!(integer_bits("-1", 64), Ok(u64::MAX));
        assert_eq!(integer_bits("0xFFFFFFFFFFFFFFFF", 64), Ok(u64::MAX));
        assert_eq!(integer_bits("-128", 8), Ok(0x80));
        assert!(integer_bits("-129", 8).is_err());
        assert!(integer_bits("0x1ff", 8).is_err());
        assert!(integer_bits("-0x1", 32).is_err());
        assert!(integer_bits("18446744073709551616", 64).is_err());
        assert!(integer_bits("1.0", 32).is_err());
    }

    #[test]
    fn floats_are_rounded_once_to_nearest_even() {
        let bits = |text, format| float_bits(text, format).map(|(bits, _)| bits);
        assert_eq!(bits("4.2", FloatFormat::F), Ok(0x4086_6666));
        assert_eq!(bits("1", FloatFormat::F), Ok(0x3f80_0000));
        assert_eq!(bits("-0.0", FloatFormat::Hf), Ok(0x8000));
        // 1 + 2^-8 is a tie in bfloat16 and goes to even; just above it goes up.
        assert_eq!(bits("1.00390625", FloatFormat::Bf), Ok(0x3f80));
        assert_eq!(bits("1.00390625000001", FloatFormat::Bf), Ok(0x3f81));
        // 1 + 2^-11 likewise in half precision.
        assert_eq!(bits("1.00048828125", FloatFormat::Hf), Ok(0x3c00));
        assert_eq!(bits("1.000488281250001", FloatFormat::Hf), Ok(0x3c01));
        assert_eq!(bits("5.960464477539063e-8", FloatFormat::Hf), Ok(0x0001));
        assert_eq!(float_bits("65520", FloatFormat::Hf), Ok((0x7c00, Some(LiteralDoubt::Infinite))));
        assert_eq!(float_bits("0x0", FloatFormat::F), Ok((0, Some(LiteralDoubt::Digits(8)))));
        assert!(float_bits("0x3F8000000", FloatFormat::F).is_err());
        assert!(float_bits("inf", FloatFormat::F).is_err());
    }
}
