//! What a launch passes for an argument.

use campanile_contract::Number;

use crate::buffer::{AnyBuffer, Buffer};
use crate::element::{Element, bytes_of};
use crate::records::Records;

/// What a launch passes for an argument. Made from what is passed: `&buffer`, `&numbers[..]`, `2.5f32`.
pub struct Value<'a>(pub(crate) Passed<'a>);

pub(crate) enum Passed<'a> {
    Array(AnyBuffer),
    Records(Records),
    Lent(Lent<'a>),
    Scalar { number: Number, bytes: Vec<u8> },
    Bytes(Vec<u8>),
    Shared(u32),
}

/// Memory of the caller, lent for one launch.
pub(crate) struct Lent<'a> {
    pub number: Number,
    pub elements: u64,
    pub bytes: Vec<u8>,
    /// Takes what the kernel has written; none if the caller lends to read only.
    pub back: Option<Back<'a>>,
}

/// Takes bytes back to where they were lent from.
pub(crate) type Back<'a> = Box<dyn FnOnce(&[u8]) + 'a>;

impl Value<'_> {
    /// The bytes of a parameter of which nobody knows more.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Value(Passed::Bytes(bytes.into()))
    }

    /// So many bytes of shared memory for each work-group.
    pub fn shared(bytes: u32) -> Self {
        Value(Passed::Shared(bytes))
    }

    /// A number whose type is known at run time, by its little-endian bytes.
    pub fn scalar(number: Number, bytes: impl Into<Vec<u8>>) -> Self {
        Value(Passed::Scalar { number, bytes: bytes.into() })
    }
}

impl Passed<'_> {
    /// What it is, for messages.
    pub fn describe(&self) -> &'static str {
        match self {
            Passed::Array(_) | Passed::Lent(_) => "an array",
            Passed::Records(_) => "records",
            Passed::Scalar { .. } => "a number",
            Passed::Bytes(_) => "bytes",
            Passed::Shared(_) => "shared memory",
        }
    }
}

impl From<&AnyBuffer> for Value<'_> {
    fn from(buffer: &AnyBuffer) -> Self {
        Value(Passed::Array(buffer.clone()))
    }
}

impl<T: Element> From<&Buffer<T>> for Value<'_> {
    fn from(buffer: &Buffer<T>) -> Self {
        Value(Passed::Array(buffer.any().clone()))
    }
}

impl From<&Records> for Value<'_> {
    fn from(records: &Records) -> Self {
        Value(Passed::Records(records.clone()))
    }
}

impl<'a, T: Element> From<&'a [T]> for Value<'a> {
    fn from(elements: &'a [T]) -> Self {
        let (number, bytes) = (T::NUMBER, bytes_of(elements));
        Value(Passed::Lent(Lent { number, elements: elements.len() as u64, bytes, back: None }))
    }
}

impl<'a, T: Element> From<&'a mut [T]> for Value<'a> {
    fn from(elements: &'a mut [T]) -> Self {
        let (number, bytes, count) = (T::NUMBER, bytes_of(elements), elements.len() as u64);
        let back = Box::new(move |bytes: &[u8]| T::read_into(bytes, elements));
        Value(Passed::Lent(Lent { number, elements: count, bytes, back: Some(back) }))
    }
}

macro_rules! scalars {
    ($($ty:ty),+) => {
        $(
            impl From<$ty> for Value<'_> {
                fn from(value: $ty) -> Self {
                    Value::scalar(<$ty as Element>::NUMBER, value.to_le_bytes())
                }
            }
        )+
    };
}

scalars!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, half::f16, half::bf16);

/// An argument by its name or its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// By name.
    Named(String),
    /// By position among the arguments that the program writes.
    Position(usize),
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Name::Named(name.to_owned())
    }
}

impl From<usize> for Name {
    fn from(position: usize) -> Self {
        Name::Position(position)
    }
}
