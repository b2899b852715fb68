//! Results against expectations.

use super::expectation::Output;
use super::value::Expected;
use crate::arrays::Element;

/// Differences shown of one buffer.
const SHOWN: usize = 4;

/// Compares the contents of a buffer with the lines that speak of it; says where they differ.
pub fn compare(bytes: &[u8], outputs: &[Output]) -> Result<(), String> {
    let mut differences = Vec::new();
    let mut count = 0usize;
    let mut index = 0usize;
    let mut rest = bytes;
    for output in outputs {
        let size = output.element.size();
        for expected in &output.values {
            let Some((element, tail)) = rest.split_at_checked(size) else {
                return Err(format!("the buffer ends before element {index}, more are expected"));
            };
            rest = tail;
            let mut padded = [0; 8];
            padded[..size].copy_from_slice(element);
            let got = u64::from_le_bytes(padded);
            if !agrees(got, *expected, output) {
                count += 1;
                if differences.len() < SHOWN {
                    let (expected, got) = (describe(*expected, output.element), number(got, output.element));
                    differences.push(format!("[{index}] expected {expected}, got {got}"));
                }
            }
            index += 1;
        }
    }
    match count {
        0 => Ok(()),
        _ if count > differences.len() => {
            Err(format!("{}; {} more differ", differences.join("; "), count - differences.len()))
        }
        _ => Err(differences.join("; ")),
    }
}

fn agrees(got: u64, expected: Expected, output: &Output) -> bool {
    match expected {
        Expected::Anything => true,
        Expected::Nan(format) => format.is_nan(got),
        Expected::Bits(bits) => {
            bits == got
                || (output.ulp > 0
                    && distance(bits, got, output.element).is_some_and(|ulp| ulp <= output.ulp))
        }
    }
}

/// Number of representable values between two floating-point numbers; none if one is a NaN.
fn distance(left: u64, right: u64, element: Element) -> Option<u64> {
    let value = |bits: u64| match element {
        Element::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    };
    if value(left).is_nan() || value(right).is_nan() {
        return None;
    }
    let width = element.size() as u32 * 8;
    let ordered = |bits: u64| {
        let magnitude = (bits & !(1 << (width - 1))) as i128;
        if bits >> (width - 1) == 1 { -magnitude } else { magnitude }
    };
    u64::try_from((ordered(left) - ordered(right)).unsigned_abs()).ok()
}

fn describe(expected: Expected, element: Element) -> String {
    match expected {
        Expected::Bits(bits) => number(bits, element),
        Expected::Nan(_) => "a NaN".to_owned(),
        Expected::Anything => "anything".to_owned(),
    }
}

/// A number in decimal and as its bits.
fn number(bits: u64, element: Element) -> String {
    let digits = element.size() * 2;
    let decimal = match element {
        Element::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Element::F64 => format!("{:?}", f64::from_bits(bits)),
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => {
            let unused = 64 - element.size() as u32 * 8;
            (((bits << unused) as i64) >> unused).to_string()
        }
        _ => bits.to_string(),
    };
    format!("{decimal} (0x{bits:0digits$x})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::value::NanFormat;

    #[test]
    fn differences_are_named_with_index_and_both_values() {
        let values =
            vec![Expected::Bits(1), Expected::Anything, Expected::Bits(3), Expected::Nan(NanFormat::Hf)];
        let output = Output { element: Element::U16, ulp: 0, values };
        let good = [1, 0, 9, 9, 3, 0, 1, 0x7c];
        assert_eq!(compare(&good, std::slice::from_ref(&output)), Ok(()));
        let bad = [1, 0, 9, 9, 4, 0, 1, 0x7c];
        let difference = compare(&bad, std::slice::from_ref(&output));
        assert_eq!(difference, Err("[2] expected 3 (0x0003), got 4 (0x0004)".to_owned()));
        assert!(compare(&good[..6], &[output]).is_err());
    }

    #[test]
    fn ulps_count_across_zero() {
        assert_eq!(distance(0x3f80_0000, 0x3f80_0002, Element::F32), Some(2));
        assert_eq!(distance(0x8000_0001, 0x0000_0001, Element::F32), Some(2));
        assert_eq!(distance(0x7fc0_0000, 0x3f80_0000, Element::F32), None);
    }
}
