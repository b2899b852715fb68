//! Rust types that buffers and scalars may have.

use campanile_contract::Number;
use half::{bf16, f16};

mod sealed {
    pub trait Sealed {}
}

/// A number that lies in memory as PISA has it: little endian. Sealed: the number types of layouts are these.
pub trait Element: Copy + sealed::Sealed {
    /// Its type in layouts.
    const NUMBER: Number;

    /// Appends the bytes of numbers.
    fn write(values: &[Self], bytes: &mut Vec<u8>);

    /// The numbers that bytes hold; a rest too short for one is left out.
    fn read(bytes: &[u8]) -> Vec<Self>;

    /// Overwrites numbers by those that bytes hold.
    fn read_into(bytes: &[u8], values: &mut [Self]);
}

macro_rules! elements {
    ($($ty:ty: $number:ident, $size:literal;)+) => {
        $(
            impl sealed::Sealed for $ty {}

            impl Element for $ty {
                const NUMBER: Number = Number::$number;

                fn write(values: &[Self], bytes: &mut Vec<u8>) {
                    let start = bytes.len();
                    bytes.resize(start + values.len() * $size, 0);
                    for (bytes, value) in bytes[start..].chunks_exact_mut($size).zip(values) {
                        bytes.copy_from_slice(&value.to_le_bytes());
                    }
                }

                fn read(bytes: &[u8]) -> Vec<Self> {
                    bytes.as_chunks::<$size>().0.iter().map(|bytes| <$ty>::from_le_bytes(*bytes)).collect()
                }

                fn read_into(bytes: &[u8], values: &mut [Self]) {
                    for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<$size>().0) {
                        *value = <$ty>::from_le_bytes(*bytes);
                    }
                }
            }
        )+
    };
}

elements! {
    u8: U8, 1;
    i8: I8, 1;
    u16: U16, 2;
    i16: I16, 2;
    u32: U32, 4;
    i32: I32, 4;
    u64: U64, 8;
    i64: I64, 8;
    f16: F16, 2;
    bf16: Bf16, 2;
    f32: F32, 4;
    f64: F64, 8;
}

/// The bytes of numbers.
pub(crate) fn bytes_of<T: Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    T::write(values, &mut bytes);
    bytes
}
