//! Extents that the host evaluates: expressions over the source arguments of a kernel, kept as trees.

mod constant;
mod display;
mod member;
mod parse;

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use member::{Member, MemberDimension};
pub use parse::ParseFault;
pub(crate) use parse::is_name;

/// An extent: `4`, `"n"` or `{"add": ["n", 1]}`. Values are 64-bit integers; a negative result counts as zero.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Extent {
    /// A constant.
    Literal(i64),
    /// The value of a scalar argument.
    Scalar(String),
    /// What is computed.
    Operation(Operation),
}

/// A computed extent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// The sum.
    Add(Box<[Extent; 2]>),
    /// The difference.
    Sub(Box<[Extent; 2]>),
    /// The product.
    Mul(Box<[Extent; 2]>),
    /// The quotient, truncated.
    Div(Box<[Extent; 2]>),
    /// The remainder of the truncated quotient.
    Rem(Box<[Extent; 2]>),
    /// The lesser.
    Min(Box<[Extent; 2]>),
    /// The greater.
    Max(Box<[Extent; 2]>),
    /// The second if the first is not zero, else the third.
    Select(Box<[Extent; 3]>),
    /// Size of an array argument along a dimension counted from zero.
    Extent(String, u32),
    /// Number of elements of an array argument.
    Count(String),
    /// Value of an integer field of a record argument.
    Field(Member),
    /// Size of an allocatable component of a record argument along a dimension.
    ComponentExtent(MemberDimension),
    /// Number of elements of an allocatable component of a record argument.
    ComponentCount(Member),
}

/// Why an extent has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationFault {
    /// An argument that the launch does not give.
    #[error("extent needs `{0}`, which has no value")]
    Unknown(String),
    /// A result beyond 64 bits.
    #[error("extent overflows 64 bits")]
    Overflow,
    /// An element that an array of records does not have.
    #[error("extent needs element {index} of `{of}`, which has {count}")]
    OutOfRange {
        /// The array.
        of: String,
        /// The element asked for, counted from zero.
        index: i64,
        /// How many it has.
        count: i64,
    },
    /// A divisor of zero.
    #[error("extent divides by zero")]
    DivisionByZero,
}

/// What an extent may ask of a launch.
pub trait Arguments {
    /// The value of a scalar argument.
    fn scalar(&self, name: &str) -> Option<i64>;
    /// The sizes of an array argument.
    fn shape(&self, name: &str) -> Option<Cow<'_, [i64]>>;
    /// The value of an integer field of an element of a record argument, counted from zero.
    fn field(&self, of: &str, index: u64, name: &str) -> Option<i64>;
    /// The sizes of an allocatable component of an element of a record argument, counted from zero; all zero where it
    /// is not allocated.
    fn component_shape(&self, of: &str, index: u64, name: &str) -> Option<Cow<'_, [i64]>>;
}

/// What an extent uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// A scalar.
    Scalar(&'a str),
    /// An array along a dimension, or as a whole.
    Array(&'a str, Option<u32>),
    /// A plain field of a record.
    Field(Path<'a>),
    /// The sizes of an allocatable component along a dimension, or as a whole.
    Component(Path<'a>, Option<u32>),
}

/// The way to a field of a record argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path<'a> {
    /// The argument.
    pub of: &'a str,
    /// Whether an element of an array is selected.
    pub indexed: bool,
    /// The field.
    pub name: &'a str,
}

impl<'a> Reference<'a> {
    /// The argument that is asked.
    pub fn argument(self) -> &'a str {
        match self {
            Reference::Scalar(name) | Reference::Array(name, _) => name,
            Reference::Field(path) | Reference::Component(path, _) => path.of,
        }
    }
}

impl Extent {
    /// The constant, if it is one.
    pub fn literal(&self) -> Option<i64> {
        match self {
            Extent::Literal(value) => Some(*value),
            _ => None,
        }
    }

    fn operands(&self) -> &[Extent] {
        match self {
            Extent::Operation(operation) => match operation {
                Operation::Add(pair)
                | Operation::Sub(pair)
                | Operation::Mul(pair)
                | Operation::Div(pair)
                | Operation::Rem(pair)
                | Operation::Min(pair)
                | Operation::Max(pair) => pair.as_slice(),
                Operation::Select(three) => three.as_slice(),
                Operation::Field(member) | Operation::ComponentCount(member) => {
                    member.index.as_deref().map_or(&[], std::slice::from_ref)
                }
                Operation::ComponentExtent(member) => {
                    member.index.as_deref().map_or(&[], std::slice::from_ref)
                }
                Operation::Extent(..) | Operation::Count(_) => &[],
            },
            _ => &[],
        }
    }

    /// Every argument that it uses.
    pub fn references(&self) -> Vec<Reference<'_>> {
        let own = match self {
            Extent::Literal(_) => None,
            Extent::Scalar(name) => Some(Reference::Scalar(name)),
            Extent::Operation(operation) => operation.reference(),
        };
        own.into_iter().chain(self.operands().iter().flat_map(Extent::references)).collect()
    }

    /// Its value for a launch, not less than zero.
    ///
    /// # Errors
    /// When an argument is missing, an array of records has no such element, a result does not fit in 64 bits, or a
    /// divisor is zero.
    pub fn evaluate(&self, arguments: &dyn Arguments) -> Result<u64, EvaluationFault> {
        Ok(self.value(arguments)?.max(0).unsigned_abs())
    }

    fn value(&self, arguments: &dyn Arguments) -> Result<i64, EvaluationFault> {
        let operation = match self {
            Extent::Literal(value) => return Ok(*value),
            Extent::Scalar(name) => {
                return arguments.scalar(name).ok_or_else(|| EvaluationFault::Unknown(name.clone()));
            }
            Extent::Operation(operation) => operation,
        };
        let shape =
            |name: &str| arguments.shape(name).ok_or_else(|| EvaluationFault::Unknown(name.to_owned()));
        let both = |pair: &[Extent; 2]| Ok((pair[0].value(arguments)?, pair[1].value(arguments)?));
        let divisor = |value: i64| if value == 0 { Err(EvaluationFault::DivisionByZero) } else { Ok(value) };
        let result = match operation {
            Operation::Add(pair) => both(pair).map(|(a, b)| a.checked_add(b))?,
            Operation::Sub(pair) => both(pair).map(|(a, b)| a.checked_sub(b))?,
            Operation::Mul(pair) => both(pair).map(|(a, b)| a.checked_mul(b))?,
            Operation::Div(pair) => both(pair).and_then(|(a, b)| Ok(a.checked_div(divisor(b)?)))?,
            Operation::Rem(pair) => both(pair).and_then(|(a, b)| Ok(a.checked_rem(divisor(b)?)))?,
            Operation::Min(pair) => both(pair).map(|(a, b)| Some(a.min(b)))?,
            Operation::Max(pair) => both(pair).map(|(a, b)| Some(a.max(b)))?,
            Operation::Select(three) => {
                let chosen = if three[0].value(arguments)? != 0 { &three[1] } else { &three[2] };
                Some(chosen.value(arguments)?)
            }
            Operation::Extent(name, dimension) => {
                let size = shape(name)?.get(*dimension as usize).copied();
                Some(size.ok_or_else(|| EvaluationFault::Unknown(format!("extent({name}, {dimension})")))?)
            }
            Operation::Count(name) => Some(product(&shape(name)?)?),
            Operation::Field(member) => Some(member.selection().value(arguments)?),
            Operation::ComponentExtent(member) => Some(member.selection().size(member.dimension, arguments)?),
            Operation::ComponentCount(member) => Some(member.selection().count(arguments)?),
        };
        result.ok_or(EvaluationFault::Overflow)
    }
}

impl Operation {
    /// What it uses itself, without its operands.
    fn reference(&self) -> Option<Reference<'_>> {
        fn path(selection: member::Selection<'_>) -> Path<'_> {
            Path { of: selection.of, indexed: selection.index.is_some(), name: selection.name }
        }
        Some(match self {
            Operation::Extent(name, dimension) => Reference::Array(name, Some(*dimension)),
            Operation::Count(name) => Reference::Array(name, None),
            Operation::Field(member) => Reference::Field(path(member.selection())),
            Operation::ComponentExtent(member) => {
                Reference::Component(path(member.selection()), Some(member.dimension))
            }
            Operation::ComponentCount(member) => Reference::Component(path(member.selection()), None),
            _ => return None,
        })
    }
}

/// The number of elements of an array of these sizes.
fn product(shape: &[i64]) -> Result<i64, EvaluationFault> {
    let product = shape.iter().try_fold(1i64, |product, size| product.checked_mul(*size));
    product.ok_or(EvaluationFault::Overflow)
}
