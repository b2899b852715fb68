//! Types of the elements of buffers, and of scalars.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A number that kernel arguments consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Number {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    Bf16,
    F32,
    F64,
}

impl Number {
    /// Every number type.
    pub const ALL: [Number; 12] = [
        Number::U8,
        Number::I8,
        Number::U16,
        Number::I16,
        Number::U32,
        Number::I32,
        Number::U64,
        Number::I64,
        Number::F16,
        Number::Bf16,
        Number::F32,
        Number::F64,
    ];

    /// As written: `u8`, `f32`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Number::U8 => "u8",
            Number::I8 => "i8",
            Number::U16 => "u16",
            Number::I16 => "i16",
            Number::U32 => "u32",
            Number::I32 => "i32",
            Number::U64 => "u64",
            Number::I64 => "i64",
            Number::F16 => "f16",
            Number::Bf16 => "bf16",
            Number::F32 => "f32",
            Number::F64 => "f64",
        }
    }

    /// Size and natural alignment in bytes.
    pub const fn size(self) -> u32 {
        match self {
            Number::U8 | Number::I8 => 1,
            Number::U16 | Number::I16 | Number::F16 | Number::Bf16 => 2,
            Number::U32 | Number::I32 | Number::F32 => 4,
            Number::U64 | Number::I64 | Number::F64 => 8,
        }
    }

    /// Whether it counts: extents, offsets and lanes are integers.
    pub const fn is_integer(self) -> bool {
        !matches!(self, Number::F16 | Number::Bf16 | Number::F32 | Number::F64)
    }
}

/// Most dimensions that an array, component or workspace can have.
pub(crate) const GREATEST_RANK: u32 = 32;

/// Greatest alignment in bytes that PISA can declare.
pub(crate) const GREATEST_ALIGNMENT: u32 = 1 << 16;

/// Whether memory can be aligned so, for elements that need an alignment of `least`.
pub(crate) const fn is_alignment(align: u32, least: u32) -> bool {
    align.is_power_of_two() && align >= least && align <= GREATEST_ALIGNMENT
}

/// Type of an element or scalar. Written as the name of a number type, as `bytes[12]`, else as the name of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ElementType {
    /// A number.
    Number(Number),
    /// So many bytes of which nothing more is known.
    Bytes(u32),
    /// A record of the layout or interface.
    Record(String),
}

impl ElementType {
    /// Whether it is an integer.
    pub fn is_integer(&self) -> bool {
        matches!(self, ElementType::Number(number) if number.is_integer())
    }
}

impl From<Number> for ElementType {
    fn from(number: Number) -> Self {
        ElementType::Number(number)
    }
}

/// Why a text is no type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a number type nor a name for a record")]
pub struct TypeFault(String);

impl FromStr for ElementType {
    type Err = TypeFault;

    fn from_str(text: &str) -> Result<Self, TypeFault> {
        if let Some(number) = Number::ALL.into_iter().find(|number| number.as_str() == text) {
            return Ok(ElementType::Number(number));
        }
        let bytes = text.strip_prefix("bytes[").and_then(|rest| rest.strip_suffix(']'));
        if let Some(count) = bytes.and_then(|digits| digits.parse().ok()) {
            return Ok(ElementType::Bytes(count));
        }
        if crate::extent::is_name(text) {
            return Ok(ElementType::Record(text.to_owned()));
        }
        Err(TypeFault(text.to_owned()))
    }
}

impl TryFrom<String> for ElementType {
    type Error = TypeFault;

    fn try_from(text: String) -> Result<Self, TypeFault> {
        text.parse()
    }
}

impl From<ElementType> for String {
    fn from(ty: ElementType) -> String {
        ty.to_string()
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElementType::Number(number) => formatter.write_str(number.as_str()),
            ElementType::Bytes(count) => write!(formatter, "bytes[{count}]"),
            ElementType::Record(name) => formatter.write_str(name),
        }
    }
}

impl JsonSchema for ElementType {
    fn schema_name() -> Cow<'static, str> {
        "ElementType".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A number type (u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64), \
                            bytes[N], else the name of a record.",
            "pattern": "^([A-Za-z_][A-Za-z0-9_]*|bytes\\[[0-9]+\\])$",
        })
    }
}
