//! What is bound to each entry of a layout: memory, values, shared memory.

use std::collections::BTreeMap;
use std::ops::Range;

use campanile_contract::layout::{Buffer, Kind, Origin, Scalar};
use campanile_contract::{ElementType, KernelLayout, Number};
use campanile_engine::SharedMemoryArgument;

use super::arguments::Values;
use super::error::ArgumentError;
use super::extents;
use super::value::Passed;
use crate::buffer::AnyBuffer;
use crate::device::{Device, StorageId};
use crate::records::Records;

/// What is bound to a buffer.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// Bytes of an array.
    Memory { storage: StorageId, bytes: Range<u64> },
    /// An address as it is, of a kernel of which only the module is known.
    Address([u8; 8]),
}

/// What is bound to the entries of a layout, in their order.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    pub buffers: Vec<Bound>,
    /// The bytes of a source scalar; none for those that the launch computes.
    pub scalars: Vec<Option<Vec<u8>>>,
    /// Arrays passed where a kernel of which only the module is known takes a value: its address is the value.
    pub addresses: BTreeMap<usize, (StorageId, Range<u64>)>,
    /// The size of shared memory where the launch says it.
    pub shared: Vec<Option<u32>>,
    /// Shared memory passed where a kernel of which only the module is known takes a value, by parameter.
    pub unmarked_shared: Vec<SharedMemoryArgument>,
    /// Sizes of the arrays passed.
    pub shapes: BTreeMap<String, Vec<u64>>,
    /// The records passed.
    pub records: BTreeMap<String, Records>,
}

struct Binder<'a, 'v> {
    layout: &'a KernelLayout,
    device: &'a Device,
    values: &'a Values<'v>,
    read_only: &'a [StorageId],
    faults: Vec<ArgumentError>,
}

/// Binds values to all entries. `read_only` is what the caller lends to be read.
///
/// # Errors
/// Every value that does not fit its argument.
pub(super) fn bind(
    layout: &KernelLayout,
    device: &Device,
    values: &Values<'_>,
    read_only: &[StorageId],
) -> Result<Bindings, Vec<ArgumentError>> {
    let mut binder = Binder { layout, device, values, read_only, faults: Vec::new() };
    let mut bindings = Bindings::default();
    for (name, value) in values {
        binder.shape(name, value, &mut bindings);
    }
    for index in 0..layout.buffers.len() {
        let bound = binder.buffer(index);
        bindings.buffers.push(bound.unwrap_or(Bound::Address([0; 8])));
    }
    for (index, scalar) in layout.scalars.iter().enumerate() {
        let source = scalar.kind == Kind::Scalar && scalar.argument_index < layout.source_argument_count;
        let bound = if source { binder.scalar(index, scalar, &mut bindings) } else { None };
        bindings.scalars.push(bound);
    }
    for shared in &layout.shared {
        bindings.shared.push(binder.shared(&shared.variable));
    }
    if binder.faults.is_empty() { Ok(bindings) } else { Err(binder.faults) }
}

/// Whether it belongs to an argument of records: their plain part, or something of a component.
fn is_of_records(buffer: &Buffer) -> bool {
    buffer.member.is_some() || matches!(buffer.ty, ElementType::Record(_))
}

impl Binder<'_, '_> {
    fn fault(&mut self, fault: ArgumentError) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    fn wrong_kind(&mut self, name: &str, expected: &'static str, given: &'static str) {
        self.fault(ArgumentError::Kind { name: name.to_owned(), expected, given });
    }

    /// Notes the sizes of what is passed, which must have the dimensions of the argument.
    fn shape(&mut self, name: &str, value: &Passed<'_>, bindings: &mut Bindings) {
        let shape = match value {
            Passed::Array(buffer) => self.elements(name, buffer.shape()),
            Passed::Records(records) => {
                bindings.records.insert(name.to_owned(), records.clone());
                &records.shape
            }
            _ => return,
        };
        let parameter = self.layout.parameters.iter().find(|parameter| parameter.name == name);
        let deferred = parameter.filter(|one| self.layout.origin == Origin::Interface && one.shape.is_none());
        if let Some(rank) = deferred.map(|parameter| parameter.rank)
            && shape.len() != rank as usize
            && (rank > 0 || matches!(value, Passed::Records(_)))
        {
            let (name, given) = (name.to_owned(), shape.len());
            self.fault(ArgumentError::Rank { name, expected: rank, given });
        }
        bindings.shapes.insert(name.to_owned(), shape.to_vec());
    }

    /// The sizes of an array in elements of the argument: bytes that are one element are none of its dimensions.
    fn elements<'s>(&self, name: &str, shape: &'s [u64]) -> &'s [u64] {
        let buffer = self.layout.buffers.iter().find(|buffer| buffer.variable == name);
        match (buffer.map(|buffer| &buffer.ty), shape) {
            (Some(ElementType::Bytes(bytes)), [shape @ .., last]) if *last == u64::from(*bytes) => shape,
            _ => shape,
        }
    }

    fn buffer(&mut self, index: usize) -> Option<Bound> {
        let buffer = &self.layout.buffers[index];
        let inner = self.layout.inner_name(index);
        let own = inner.as_ref().and_then(|name| self.values.get(name));
        let value = own.or_else(|| self.values.get(&buffer.variable))?;
        match value {
            // An array is one address, and the parameter holds more.
            Passed::Array(_) if inner.is_some() && own.is_none() => {
                self.wrong_kind(&buffer.variable, "bytes", value.describe());
                None
            }
            Passed::Array(array) => self.array(buffer, array),
            Passed::Records(records) => self.records(buffer, records),
            Passed::Bytes(bytes) | Passed::Scalar { bytes, .. } if self.layout.origin == Origin::Module => {
                match (own, inner) {
                    (Some(_), Some(inner)) => self.address(&inner, bytes, 0, 8),
                    _ => {
                        let start = buffer.offset - self.layout.first_byte(buffer.param);
                        self.address(&buffer.variable, bytes, start, self.parameter_size(buffer.param))
                    }
                }
            }
            other => {
                let expected = if is_of_records(buffer) { "an array of records" } else { "an array" };
                self.wrong_kind(&buffer.variable, expected, other.describe());
                None
            }
        }
    }

    fn array(&mut self, buffer: &Buffer, array: &AnyBuffer) -> Option<Bound> {
        let name = buffer.variable.clone();
        match &buffer.ty {
            _ if is_of_records(buffer) => {
                self.wrong_kind(&name, "an array of records", "an array");
                return None;
            }
            expected if self.layout.origin == Origin::Interface && !holds(array, expected) => {
                let (expected, given) = (expected.clone(), array.number().into());
                self.fault(ArgumentError::ElementType { name, expected, given });
                return None;
            }
            _ => {}
        }
        if array.device != self.device.id() || self.device.storage(array.storage).is_none() {
            self.fault(ArgumentError::Foreign(name));
            return None;
        }
        if !array.bytes.start.is_multiple_of(u64::from(buffer.ptr_align)) {
            let (alignment, start) = (buffer.ptr_align, array.bytes.start);
            self.fault(ArgumentError::Alignment { name, alignment, start });
        } else if buffer.written && self.read_only.contains(&array.storage) {
            self.fault(ArgumentError::ReadOnly(name));
        }
        Some(Bound::Memory { storage: array.storage, bytes: array.bytes.clone() })
    }

    fn records(&mut self, buffer: &Buffer, records: &Records) -> Option<Bound> {
        let own = self.layout.buffers.iter().find(|one| {
            one.variable == buffer.variable && matches!(one.kind, Kind::Array | Kind::Struct | Kind::Class)
        });
        let ElementType::Record(record) = &own?.ty else {
            self.wrong_kind(&buffer.variable, "an array", "records");
            return None;
        };
        if self.layout.record(record) != Some(&records.layout) {
            let (name, record, given) = (buffer.variable.clone(), record.clone(), &records.layout.name);
            self.fault(if record == *given {
                ArgumentError::RecordLayout { name, record }
            } else {
                let (expected, given) = (ElementType::Record(record), ElementType::Record(given.clone()));
                ArgumentError::ElementType { name, expected, given }
            });
            return None;
        }
        let component = records.components.iter().find(|one| Some(&one.name) == buffer.member.as_ref());
        let storage = match (buffer.kind, component) {
            (Kind::MemberData, Some(component)) => component.data,
            (Kind::MemberOffsets, Some(component)) => component.offsets,
            (Kind::MemberSizes, Some(component)) => component.sizes,
            _ => records.plain,
        };
        let bytes = self.device.storage(storage).filter(|_| records.device == self.device.id());
        match bytes.map(crate::device::Storage::bytes) {
            Some(bytes) => Some(Bound::Memory { storage, bytes: 0..bytes }),
            None => {
                self.fault(ArgumentError::Foreign(buffer.variable.clone()));
                None
            }
        }
    }

    /// An address that the caller knows, or null: it begins at byte `start` of as many as are expected.
    fn address(&mut self, name: &str, bytes: &[u8], start: u32, expected: u32) -> Option<Bound> {
        if bytes.len() != expected as usize {
            self.fault(ArgumentError::Size { name: name.to_owned(), expected, given: bytes.len() });
            return None;
        }
        bytes[start as usize..].first_chunk().copied().map(Bound::Address)
    }

    /// Bytes of a parameter of which only the module is known, up to the end of its last entry.
    fn parameter_size(&self, param: u32) -> u32 {
        let scalars = self.layout.scalars.iter().filter(|one| one.param == param);
        let buffers = self.layout.buffers.iter().filter(|one| one.param == param);
        let ends = scalars.map(|one| one.offset + one.size).chain(buffers.map(|one| one.offset + 8));
        ends.max().map_or(0, |end| end - self.layout.first_byte(param))
    }

    fn scalar(&mut self, index: usize, scalar: &Scalar, bindings: &mut Bindings) -> Option<Vec<u8>> {
        let inferred = self.layout.origin == Origin::Module;
        match self.values.get(&scalar.variable)? {
            Passed::Scalar { number, bytes } if !inferred => self.number(scalar, *number, bytes),
            Passed::Scalar { bytes, .. } => self.part(scalar, bytes),
            Passed::Bytes(bytes) => self.part(scalar, bytes),
            Passed::Array(array)
                if inferred && self.parameter_size(scalar.param) == 8 && scalar.size == 8 =>
            {
                if array.device != self.device.id() || self.device.storage(array.storage).is_none() {
                    self.fault(ArgumentError::Foreign(scalar.variable.clone()));
                    return None;
                }
                if self.read_only.contains(&array.storage) {
                    self.fault(ArgumentError::ReadOnly(scalar.variable.clone()));
                }
                bindings.addresses.insert(index, (array.storage, array.bytes.clone()));
                Some(vec![0; 8])
            }
            Passed::Shared(bytes)
                if inferred && self.parameter_size(scalar.param) == 4 && scalar.size == 4 =>
            {
                let (parameter, bytes) = (scalar.param, *bytes);
                bindings.unmarked_shared.push(SharedMemoryArgument { parameter, bytes });
                Some(vec![0; 4])
            }
            other => {
                let alone = !inferred || self.parameter_size(scalar.param) == scalar.size;
                let expected = if alone { "a number" } else { "bytes" };
                self.wrong_kind(&scalar.variable, expected, other.describe());
                None
            }
        }
    }

    fn number(&mut self, scalar: &Scalar, number: Number, bytes: &[u8]) -> Option<Vec<u8>> {
        if scalar.ty != number.into() {
            let (name, expected) = (scalar.variable.clone(), scalar.ty.clone());
            self.fault(ArgumentError::ElementType { name, expected, given: number.into() });
            return None;
        }
        if bytes.len() != scalar.size as usize {
            let (name, expected, given) = (scalar.variable.clone(), scalar.size, bytes.len());
            self.fault(ArgumentError::Size { name, expected, given });
            return None;
        }
        Some(bytes.to_vec())
    }

    /// The bytes of a scalar among those of its whole parameter, which must be as many as the parameter has.
    fn part(&mut self, scalar: &Scalar, bytes: &[u8]) -> Option<Vec<u8>> {
        let first = self.layout.first_byte(scalar.param);
        let single = self.layout.origin == Origin::Interface;
        let expected = if single { scalar.size } else { self.parameter_size(scalar.param) };
        if bytes.len() != expected as usize {
            let (name, given) = (scalar.variable.clone(), bytes.len());
            self.fault(ArgumentError::Size { name, expected, given });
            return None;
        }
        let start = if single { 0 } else { (scalar.offset - first) as usize };
        Some(bytes[start..start + scalar.size as usize].to_vec())
    }

    fn shared(&mut self, name: &str) -> Option<u32> {
        match self.values.get(name)? {
            _ if extents::is_computed(self.layout, name) => {
                self.fault(ArgumentError::Computed(name.to_owned()));
                None
            }
            Passed::Shared(bytes) => Some(*bytes),
            other => {
                self.wrong_kind(name, "shared memory", other.describe());
                None
            }
        }
    }
}

/// Whether an array holds elements of a type. Those of which only the bytes are known are rows of `u8`.
fn holds(array: &AnyBuffer, ty: &ElementType) -> bool {
    match ty {
        ElementType::Bytes(bytes) => {
            array.number() == Number::U8 && array.shape().last() == Some(&u64::from(*bytes))
        }
        ty => *ty == array.number().into(),
    }
}
