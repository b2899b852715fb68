//! Arrays made from nothing: zeros, counting, and pseudo-random elements.

use std::collections::TryReserveError;

use half::{bf16, f16};
use thiserror::Error;

use super::array::{byte_size, dimensions};
use super::{Array, Element, ShapeError};

/// How an array is filled.
///
/// The pseudo-random elements come from SplitMix64 (Steele, Lea and Flood, 2014), whose state begins
/// as the seed. Each element takes one 64-bit draw: an integer of `n` bits its top `n` bits (so all
/// values of the type occur), `f32` its top 24 bits times 2^-24, `f64` its top 53 bits times 2^-53
/// (so floats lie in \[0, 1)). The same text thus means the same array on every machine, for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Zeros.
    Zeros,
    /// 0, 1, 2, … in C order; wraps in integers, rounds in floats.
    Iota,
    /// Pseudo-random elements.
    Random {
        /// Where the generator starts.
        seed: u64,
    },
}

/// Why an array could not be made.
#[derive(Debug, Error)]
pub enum FillError {
    /// The shape is impossible.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// There is not enough memory.
    #[error("no memory for the {size} bytes of {element}[{}]", dimensions(.shape))]
    OutOfMemory {
        /// The element type.
        element: Element,
        /// The shape asked for.
        shape: Vec<usize>,
        /// The bytes it needs.
        size: usize,
        /// The allocator's answer.
        source: TryReserveError,
    },
}

impl Fill {
    /// Makes an array of this type and shape.
    pub fn make(self, element: Element, shape: &[usize]) -> Result<Array, FillError> {
        let size = byte_size(element, shape)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|source| FillError::OutOfMemory {
            element,
            shape: shape.to_vec(),
            size,
            source,
        })?;
        let count = (size / element.size()) as u64;
        match self {
            Self::Zeros => bytes.resize(size, 0),
            Self::Iota => {
                for index in 0..count {
                    push(&mut bytes, element, number(element, index));
                }
            }
            Self::Random { seed } => {
                let mut generator = SplitMix64(seed);
                for _ in 0..count {
                    push(&mut bytes, element, random_bits(element, generator.next()));
                }
            }
        }
        Ok(Array::new(element, shape.to_vec(), bytes)?)
    }
}

/// Appends the low bits of `bits` as one element.
fn push(bytes: &mut Vec<u8>, element: Element, bits: u64) {
    bytes.extend_from_slice(&bits.to_le_bytes()[..element.size()]);
}

/// The bits of the element nearest to a number; integers keep its low bits.
fn number(element: Element, value: u64) -> u64 {
    match element {
        Element::F16 => f16::from_f64(value as f64).to_bits().into(),
        Element::BF16 => bf16::from_f64(value as f64).to_bits().into(),
        Element::F32 => (value as f32).to_bits().into(),
        Element::F64 => (value as f64).to_bits(),
        _ => value,
    }
}

/// The bits of the element that a 64-bit draw stands for.
fn random_bits(element: Element, draw: u64) -> u64 {
    match element {
        // As many bits as the type holds of a number below one, so that nothing is rounded.
        Element::F16 => f16::from_f64((draw >> 53) as f64 / f64::from(1u16 << 11)).to_bits().into(),
        Element::BF16 => bf16::from_f64((draw >> 56) as f64 / f64::from(1u16 << 8)).to_bits().into(),
        Element::F32 => ((draw >> 40) as f32 / (1u32 << 24) as f32).to_bits().into(),
        Element::F64 => ((draw >> 11) as f64 / (1u64 << 53) as f64).to_bits(),
        _ => draw >> (64 - 8 * element.size()),
    }
}

/// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_splitmix64() {
        // The outputs published for the seed 1234567 (rosettacode.org, "Pseudo-random numbers/Splitmix64").
        let array = Fill::Random { seed: 1_234_567 }.make(Element::U64, &[5]).unwrap();
        let expected: Vec<u8> = [
            6_457_827_717_110_365_317u64,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ]
        .into_iter()
        .flat_map(u64::to_le_bytes)
        .collect();
        assert_eq!(array.bytes(), expected);
    }

    #[test]
    fn narrow_elements_take_the_top_bits() {
        let bytes = Fill::Random { seed: 1_234_567 }.make(Element::U8, &[2]).unwrap();
        assert_eq!(bytes.bytes(), [0x59, 0x2c]);
        let float = Fill::Random { seed: 1_234_567 }.make(Element::F32, &[1]).unwrap();
        assert_eq!(float.bytes(), 0.350_079_54f32.to_le_bytes());
        let floats = Fill::Random { seed: 0 }.make(Element::F64, &[1000]).unwrap();
        for bytes in floats.bytes().chunks_exact(8) {
            let value = f64::from_le_bytes(bytes.try_into().unwrap());
            assert!((0.0..1.0).contains(&value), "{value}");
        }
    }

    #[test]
    fn iota_counts_and_wraps() {
        let bytes = Fill::Iota.make(Element::U8, &[258]).unwrap();
        assert_eq!(bytes.bytes()[254..], [254, 255, 0, 1]);
        let floats = Fill::Iota.make(Element::F32, &[2, 2]).unwrap();
        assert_eq!(floats.bytes(), [0.0f32, 1.0, 2.0, 3.0].map(f32::to_le_bytes).concat());
        assert_eq!(floats.shape(), [2, 2]);
    }

    #[test]
    fn floats_of_16_bits_are_below_one() {
        for element in [Element::F16, Element::BF16] {
            let array = Fill::Random { seed: 0 }.make(element, &[1000]).unwrap();
            let numbers = array.bytes().chunks(2).map(|bytes| element.format(bytes).parse().unwrap());
            assert!(numbers.into_iter().all(|number: f64| (0.0..1.0).contains(&number)));
            let iota = Fill::Iota.make(element, &[3]).unwrap();
            assert_eq!(iota.bytes()[4..], element.parse("2").unwrap());
        }
    }

    #[test]
    fn what_cannot_be_allocated_is_an_error() {
        let error = Fill::Zeros.make(Element::U8, &[isize::MAX as usize]).unwrap_err();
        assert!(matches!(error, FillError::OutOfMemory { .. }));
        assert!(matches!(Fill::Zeros.make(Element::U64, &[usize::MAX]), Err(FillError::Shape(_))));
    }
}
