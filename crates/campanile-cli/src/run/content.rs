//! What a run can print and save by name: arrays, fields of records (`cells.k`), components (`cells[0].q`).

use anyhow::{Result, anyhow};
use campanile::{AnyBuffer, Device, Records};

use crate::arrays::{Array, Element};

/// Something with elements.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    /// An array.
    Array(&'a AnyBuffer),
    /// A plain field of all records.
    Field {
        /// The records.
        records: &'a Records,
        /// The field.
        name: &'a str,
    },
    /// A component of one record.
    Component {
        /// The records.
        records: &'a Records,
        /// The component.
        name: &'a str,
        /// The record, counted from zero.
        record: u64,
    },
}

/// The parts of a name such as `cells[0].q` or `cells.k`: the records, which of them, the field.
pub fn parts(name: &str) -> Option<(&str, Option<u64>, &str)> {
    let (of, field) = name.split_once('.')?;
    match of.split_once('[') {
        None => Some((of, None, field)),
        Some((of, index)) => Some((of, Some(index.strip_suffix(']')?.parse().ok()?), field)),
    }
}

impl Content<'_> {
    /// The type and shape as the command line has them.
    pub fn form(&self) -> Result<(Element, Vec<usize>)> {
        let (number, shape) = match self {
            Content::Array(buffer) => (buffer.number(), buffer.shape()),
            Content::Field { records, name } => {
                let number = records.field(name);
                (number.ok_or_else(|| anyhow!("the records have no plain field `{name}`"))?, records.shape())
            }
            Content::Component { records, name, record } => {
                let component = records.component(name, *record)?;
                component.ok_or_else(|| anyhow!("`{name}` of record {record} is not allocated"))?
            }
        };
        Ok((Element::of(number), shape.iter().map(|size| *size as usize).collect()))
    }

    /// How many bytes the elements have.
    pub fn bytes(&self) -> Result<usize> {
        let (element, shape) = self.form()?;
        Ok(shape.iter().product::<usize>() * element.size())
    }

    /// The elements.
    pub fn read(&self, device: &mut Device) -> Result<Array> {
        let (element, shape) = self.form()?;
        let bytes = match self {
            Content::Array(buffer) => device.read_bytes(buffer)?.to_vec(),
            Content::Field { records, name } => device.read_field_bytes(records, name)?,
            Content::Component { records, name, record } => {
                device.read_component_bytes(records, name, *record)?.unwrap_or_default()
            }
        };
        Ok(Array::new(element, shape, bytes)?)
    }
}
