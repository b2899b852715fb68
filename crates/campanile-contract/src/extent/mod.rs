//! Extents that the host evaluates: expressions over the source arguments of a kernel, kept as trees.

mod parse;

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}

/// A name that an extent uses, with the dimension if it asks for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// A scalar.
    Scalar(&'a str),
    /// An array along a dimension, or as a whole.
    Array(&'a str, Option<u32>),
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
                Operation::Extent(..) | Operation::Count(_) => &[],
            },
            _ => &[],
        }
    }

    /// Every argument that it uses.
    pub fn references(&self) -> Vec<Reference<'_>> {
        match self {
            Extent::Literal(_) => Vec::new(),
            Extent::Scalar(name) => vec![Reference::Scalar(name)],
            Extent::Operation(Operation::Extent(name, dimension)) => {
                vec![Reference::Array(name, Some(*dimension))]
            }
            Extent::Operation(Operation::Count(name)) => vec![Reference::Array(name, None)],
            _ => self.operands().iter().flat_map(Extent::references).collect(),
        }
    }

    /// Its value for a launch, not less than zero.
    ///
    /// # Errors
    /// When an argument is missing, a result does not fit in 64 bits, or a divisor is zero.
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
            Operation::Count(name) => {
                shape(name)?.iter().try_fold(1i64, |product, size| product.checked_mul(*size))
            }
        };
        result.ok_or(EvaluationFault::Overflow)
    }
}
