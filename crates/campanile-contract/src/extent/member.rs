//! What an extent asks of a record: the value of a plain field, the sizes of an allocatable component.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Arguments, EvaluationFault, Extent};

/// A field of a record argument: `cells[0].k`, or `cell.k` of a single record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// The argument.
    pub of: String,
    /// Which element of an array of records, counted from zero in storage order; none for a single record.
    #[serde(default)]
    pub index: Option<Box<Extent>>,
    /// The field.
    pub name: String,
}

/// A dimension of an allocatable component: `extent(cells[0].q, 0)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberDimension {
    /// The argument.
    pub of: String,
    /// Which element of an array of records, counted from zero in storage order; none for a single record.
    #[serde(default)]
    pub index: Option<Box<Extent>>,
    /// The component.
    pub name: String,
    /// The dimension, counted from zero.
    pub dimension: u32,
}

impl Member {
    /// The dimension of the component of this name.
    pub(super) fn along(self, dimension: u32) -> MemberDimension {
        let Member { of, index, name } = self;
        MemberDimension { of, index, name, dimension }
    }

    pub(super) fn selection(&self) -> Selection<'_> {
        Selection { of: &self.of, index: self.index.as_deref(), name: &self.name }
    }
}

impl MemberDimension {
    pub(super) fn selection(&self) -> Selection<'_> {
        Selection { of: &self.of, index: self.index.as_deref(), name: &self.name }
    }
}

/// A field as either form names it.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    pub of: &'a str,
    pub index: Option<&'a Extent>,
    pub name: &'a str,
}

impl fmt::Display for Selection<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(formatter, "{}[{index}].{}", self.of, self.name),
            None => write!(formatter, "{}.{}", self.of, self.name),
        }
    }
}

impl Selection<'_> {
    fn unknown(&self) -> EvaluationFault {
        EvaluationFault::Unknown(self.to_string())
    }

    /// The value of the plain field.
    pub fn value(&self, arguments: &dyn Arguments) -> Result<i64, EvaluationFault> {
        let index = self.element(arguments)?;
        arguments.field(self.of, index, self.name).ok_or_else(|| self.unknown())
    }

    /// The size of the component along a dimension.
    pub fn size(&self, dimension: u32, arguments: &dyn Arguments) -> Result<i64, EvaluationFault> {
        let index = self.element(arguments)?;
        let shape = arguments.component_shape(self.of, index, self.name);
        let size = shape.and_then(|shape| shape.get(dimension as usize).copied());
        size.ok_or_else(|| self.unknown())
    }

    /// The number of elements of the component.
    pub fn count(&self, arguments: &dyn Arguments) -> Result<i64, EvaluationFault> {
        let index = self.element(arguments)?;
        let shape = arguments.component_shape(self.of, index, self.name).ok_or_else(|| self.unknown())?;
        super::product(&shape)
    }

    /// The element that the index selects, which must exist; the first of a single record.
    fn element(&self, arguments: &dyn Arguments) -> Result<u64, EvaluationFault> {
        let Some(index) = self.index else { return Ok(0) };
        let index = index.value(arguments)?;
        let shape = arguments.shape(self.of).ok_or_else(|| EvaluationFault::Unknown(self.of.to_owned()))?;
        let count = super::product(&shape)?;
        match u64::try_from(index) {
            Ok(element) if index < count => Ok(element),
            _ => Err(EvaluationFault::OutOfRange { of: self.of.to_owned(), index, count }),
        }
    }
}
