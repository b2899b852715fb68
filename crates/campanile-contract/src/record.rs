//! Records: elements with named fields, laid out naturally or as declared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::element::{ElementType, GREATEST_ALIGNMENT, GREATEST_RANK, Number, is_alignment};

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type, or that of its elements.
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Dimensions of an allocatable array; zero for a plain field.
    #[serde(default)]
    pub rank: u32,
    /// Whether its data lie elsewhere: it becomes three buffers and takes no bytes in the record.
    #[serde(default)]
    pub allocatable: bool,
    /// Its place in the record in bytes. In an interface none is the next natural place; in a layout only an
    /// allocatable component has none.
    #[serde(default)]
    pub offset: Option<u32>,
}

impl Field {
    /// A number in the record, at its natural place.
    pub fn plain(name: &str, number: Number) -> Field {
        Field { name: name.to_owned(), ty: number.into(), rank: 0, allocatable: false, offset: None }
    }

    /// An array whose data lie elsewhere.
    pub fn allocatable(name: &str, number: Number, rank: u32) -> Field {
        Field { rank, allocatable: true, ..Field::plain(name, number) }
    }

    /// The same field at so many bytes.
    #[must_use]
    pub fn at(self, offset: u32) -> Field {
        Field { offset: Some(offset), ..self }
    }
}

/// A record as an interface declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Its fields, inherited ones first.
    pub fields: Vec<Field>,
    /// Bytes from one element of an array to the next; by default where the fields end, rounded up to the alignment.
    #[serde(default)]
    pub size: Option<u32>,
    /// Alignment in bytes; by default that of the field that asks for most.
    #[serde(default)]
    pub alignment: Option<u32>,
}

impl From<Vec<Field>> for Record {
    fn from(fields: Vec<Field>) -> Record {
        Record { fields, size: None, alignment: None }
    }
}

/// A record with the places of its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordLayout {
    /// Its name.
    pub name: String,
    /// Its fields, inherited ones first, each plain one with its offset.
    pub fields: Vec<Field>,
    /// Bytes from one element of an array to the next.
    pub size: u32,
    /// Alignment in bytes.
    pub alignment: u32,
}

/// Why a record cannot be laid out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// A fault of one field.
    #[error("component `{record}.{field}` {fault}")]
    Field {
        /// The record.
        record: String,
        /// The component.
        field: String,
        /// What is wrong with it.
        fault: FieldFault,
    },
    /// An alignment that memory cannot have, or less than a field needs.
    #[error(
        "record `{record}` has the alignment {alignment}, must be a power of two from {least} to {GREATEST_ALIGNMENT}"
    )]
    Alignment {
        /// The record.
        record: String,
        /// As declared.
        alignment: u32,
        /// That of its fields.
        least: u32,
    },
    /// A size that does not hold the fields, or from which the next element would be misaligned.
    #[error("record `{record}` has {size} bytes, must have a multiple of {alignment} of at least {least}")]
    Size {
        /// The record.
        record: String,
        /// As declared.
        size: u32,
        /// Its alignment.
        alignment: u32,
        /// Where its fields end.
        least: u32,
    },
    /// A name that an argument cannot ask for, such as that of a number type.
    #[error("`{0}` cannot be the name of a record")]
    Name(String),
    /// Nothing in it.
    #[error("record `{0}` has no fields")]
    Empty(String),
    /// More bytes than 32 bits count.
    #[error("record `{0}` does not fit in 4 GiB")]
    TooLarge(String),
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldFault {
    /// An allocatable component must be an array.
    #[error("is allocatable and a scalar: give it a rank")]
    AllocatableScalar,
    /// A plain field is one number.
    #[error("is an array: make it allocatable")]
    PlainArray,
    /// More dimensions than an array can have.
    #[error("has {0} dimensions, can have at most {GREATEST_RANK}")]
    Rank(u32),
    /// Components are numbers.
    #[error("is of type `{0}`: only numbers can be components")]
    NotANumber(ElementType),
    /// Another field of the same name.
    #[error("is declared twice")]
    Twice,
    /// An allocatable component lies outside the record.
    #[error("is allocatable and has an offset")]
    AllocatableOffset,
    /// An offset that is no multiple of the field's size.
    #[error("has the offset {offset}, must be a multiple of {size}")]
    Misaligned {
        /// As declared.
        offset: u32,
        /// Size of the field.
        size: u32,
    },
    /// Bytes that an earlier field has too.
    #[error("overlaps `{0}`")]
    Overlap(String),
}

impl RecordLayout {
    /// Lays a record out: a field without an offset comes after the one before it, at its natural alignment.
    ///
    /// # Errors
    /// When a field is of a sort that the contract refuses, or a stated place, size or alignment does not fit.
    pub fn new(name: &str, record: &Record) -> Result<RecordLayout, RecordFault> {
        let too_large = || RecordFault::TooLarge(name.to_owned());
        if !matches!(name.parse(), Ok(ElementType::Record(_))) {
            return Err(RecordFault::Name(name.to_owned()));
        }
        if record.fields.is_empty() {
            return Err(RecordFault::Empty(name.to_owned()));
        }
        let mut fields: Vec<Field> = Vec::new();
        let (mut next, mut end, mut least_alignment) = (0u32, 0, 1);
        for field in &record.fields {
            let faulty =
                |fault| RecordFault::Field { record: name.to_owned(), field: field.name.clone(), fault };
            let number = sort(field, &fields).map_err(faulty)?;
            let mut placed = field.clone();
            if !field.allocatable {
                let size = number.size();
                let natural = || next.checked_next_multiple_of(size);
                let offset = field.offset.or_else(natural).ok_or_else(too_large)?;
                placed.offset = Some(offset);
                place(offset, size, &fields).map_err(faulty)?;
                next = offset.checked_add(size).ok_or_else(too_large)?;
                end = next.max(end);
                least_alignment = size.max(least_alignment);
            }
            fields.push(placed);
        }
        let alignment = record.alignment.unwrap_or(least_alignment);
        if !is_alignment(alignment, least_alignment) {
            return Err(RecordFault::Alignment {
                record: name.to_owned(),
                alignment,
                least: least_alignment,
            });
        }
        let rounded = end.checked_next_multiple_of(alignment).ok_or_else(too_large)?;
        let size = record.size.unwrap_or(rounded);
        if size < end || !size.is_multiple_of(alignment) {
            return Err(RecordFault::Size { record: name.to_owned(), size, alignment, least: end });
        }
        Ok(RecordLayout { name: name.to_owned(), fields, size, alignment })
    }

    /// The record as an interface would declare it to have this layout.
    pub(crate) fn declaration(&self) -> Record {
        Record { fields: self.fields.clone(), size: Some(self.size), alignment: Some(self.alignment) }
    }

    /// The allocatable component of this name.
    pub fn component(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.allocatable && field.name == name)
    }

    /// The number type of a plain field.
    pub fn plain(&self, name: &str) -> Option<Number> {
        let field = self.fields.iter().find(|field| !field.allocatable && field.name == name)?;
        match field.ty {
            ElementType::Number(number) => Some(number),
            ElementType::Bytes(_) | ElementType::Record(_) => None,
        }
    }
}

/// The number type of a field, if it is of a sort that the contract takes.
fn sort(field: &Field, before: &[Field]) -> Result<Number, FieldFault> {
    let ElementType::Number(number) = field.ty else { return Err(FieldFault::NotANumber(field.ty.clone())) };
    if before.iter().any(|other| other.name == field.name) {
        return Err(FieldFault::Twice);
    }
    match (field.allocatable, field.rank) {
        (_, rank) if rank > GREATEST_RANK => Err(FieldFault::Rank(rank)),
        (true, 0) => Err(FieldFault::AllocatableScalar),
        (false, 1..) => Err(FieldFault::PlainArray),
        (true, _) if field.offset.is_some() => Err(FieldFault::AllocatableOffset),
        _ => Ok(number),
    }
}

/// Whether so many bytes may lie there, beside the fields before.
fn place(offset: u32, size: u32, before: &[Field]) -> Result<(), FieldFault> {
    if !offset.is_multiple_of(size) {
        return Err(FieldFault::Misaligned { offset, size });
    }
    let range = |offset: u32, size: u32| (u64::from(offset), u64::from(offset) + u64::from(size));
    let (start, end) = range(offset, size);
    let other = before.iter().find(|other| match (&other.ty, other.offset) {
        (ElementType::Number(number), Some(offset)) => {
            let (other_start, other_end) = range(offset, number.size());
            start < other_end && other_start < end
        }
        _ => false,
    });
    other.map_or(Ok(()), |other| Err(FieldFault::Overlap(other.name.clone())))
}
