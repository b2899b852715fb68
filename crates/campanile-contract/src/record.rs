//! Records: elements with named fields, laid out naturally.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::element::{ElementType, Number};

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
}

/// A record with its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordLayout {
    /// Its name.
    pub name: String,
    /// Its fields, inherited ones first.
    pub fields: Vec<Field>,
    /// Bytes from one element of an array to the next.
    pub size: u32,
    /// Alignment in bytes.
    pub alignment: u32,
}

/// Why a record cannot be laid out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// An allocatable component must be an array.
    #[error("component `{record}.{field}` is allocatable and a scalar: give it a rank")]
    AllocatableScalar {
        /// The record.
        record: String,
        /// The component.
        field: String,
    },
    /// A plain field is one number.
    #[error("component `{record}.{field}` is an array: make it allocatable")]
    PlainArray {
        /// The record.
        record: String,
        /// The component.
        field: String,
    },
    /// Components are numbers.
    #[error("component `{record}.{field}` is of type `{ty}`: only numbers can be components")]
    NotANumber {
        /// The record.
        record: String,
        /// The component.
        field: String,
        /// Its type.
        ty: ElementType,
    },
}

impl RecordLayout {
    /// Lays a record out: each plain field at its natural alignment, the size rounded up to the largest of them.
    ///
    /// # Errors
    /// When a field is of a sort that the contract refuses.
    pub fn natural(name: &str, fields: &[Field]) -> Result<RecordLayout, RecordFault> {
        let (mut size, mut alignment) = (0u32, 1u32);
        for field in fields {
            let names = || (name.to_owned(), field.name.clone());
            let ElementType::Number(number) = &field.ty else {
                let (record, field_name) = names();
                return Err(RecordFault::NotANumber { record, field: field_name, ty: field.ty.clone() });
            };
            match (field.allocatable, field.rank) {
                (true, 0) => {
                    let (record, field) = names();
                    return Err(RecordFault::AllocatableScalar { record, field });
                }
                (true, _) => {}
                (false, 0) => {
                    size = size.next_multiple_of(number.size()) + number.size();
                    alignment = alignment.max(number.size());
                }
                (false, _) => {
                    let (record, field) = names();
                    return Err(RecordFault::PlainArray { record, field });
                }
            }
        }
        let size = size.next_multiple_of(alignment);
        Ok(RecordLayout { name: name.to_owned(), fields: fields.to_vec(), size, alignment })
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
