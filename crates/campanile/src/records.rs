//! Arrays of records, with components whose data lie elsewhere.

use campanile_contract::layout::{IndexType, Kind};
use campanile_contract::{ElementType, Field, KernelLayout, Number, RecordLayout};

use crate::device::{AccessError, Device, DeviceId, Owner, StorageId};
use crate::element::{Element, bytes_of};

/// An array of records, or a single one, of a device. Cheap to clone; a clone is the same array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    pub(crate) device: DeviceId,
    pub(crate) layout: RecordLayout,
    pub(crate) shape: Vec<u64>,
    /// The records themselves.
    pub(crate) plain: StorageId,
    pub(crate) components: Vec<Component>,
}

/// An allocatable component of all records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Component {
    pub name: String,
    pub data: StorageId,
    pub offsets: StorageId,
    pub sizes: StorageId,
    /// The shape in each record; none where it is not allocated.
    pub shapes: Vec<Option<Vec<u64>>>,
}

impl Records {
    /// Its sizes; none for a single record.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The type of a plain field, if there is one of this name.
    pub fn field(&self, name: &str) -> Option<Number> {
        self.layout.plain(name)
    }

    /// The type and shape of a component in a record, counted from zero; none where it is not allocated.
    ///
    /// # Errors
    /// When there is no such component or record.
    pub fn component(&self, name: &str, record: u64) -> Result<Option<(Number, &[u64])>, RecordsError> {
        let field = self.layout.component(name).map(|field| &field.ty);
        let component = self.components.iter().find(|one| one.name == name);
        let (Some(ElementType::Number(number)), Some(component)) = (field, component) else {
            return Err(self.lacks("component", name, None));
        };
        let count = component.shapes.len() as u64;
        let shape = usize::try_from(record).ok().and_then(|record| component.shapes.get(record));
        let shape = shape.ok_or(RecordsError::Index { index: record, count })?;
        Ok(shape.as_ref().map(|shape| (*number, shape.as_slice())))
    }

    fn lacks(&self, what: &'static str, name: &str, number: Option<Number>) -> RecordsError {
        RecordsError::NoField { record: self.layout.name.clone(), what, name: name.to_owned(), number }
    }
}

/// Why records cannot be made or read so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordsError {
    /// The kernel has no such argument, or it holds no records.
    #[error("`{0}` is no argument of records")]
    NoRecords(String),
    /// The record has no such field or component.
    #[error("record `{record}` has no {what} `{name}`{}", number.map_or(String::new(), |one| format!(" of {}", one.as_str())))]
    NoField {
        /// The record.
        record: String,
        /// `field` or `component`.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// Its type, if one was asked for.
        number: Option<Number>,
    },
    /// Another number of values than records, or of elements than the shape asks.
    #[error("`{name}` needs {expected} values, got {given}")]
    Count {
        /// The field or component.
        name: String,
        /// Values needed.
        expected: u64,
        /// Values given.
        given: u64,
    },
    /// Another number of bytes than the records have, or the elements that the shape asks.
    #[error("`{name}` needs {expected} bytes, got {given}")]
    Bytes {
        /// The record or component.
        name: String,
        /// Bytes needed.
        expected: u64,
        /// Bytes given.
        given: u64,
    },
    /// Another number of dimensions.
    #[error("`{name}` has {expected} dimensions, got {given}")]
    Rank {
        /// The component.
        name: String,
        /// Its dimensions.
        expected: u32,
        /// Dimensions given.
        given: usize,
    },
    /// No such record.
    #[error("there are {count} records, but record {index} is asked for")]
    Index {
        /// The record asked for.
        index: u64,
        /// How many there are.
        count: u64,
    },
    /// More elements than the kernel's index type counts.
    #[error("the elements of `{0}` are more than the kernel's index type counts")]
    TooMany(String),
    /// More records than there is memory for.
    #[error("no memory for so many records `{0}`")]
    Memory(String),
    /// The arrays cannot be read.
    #[error(transparent)]
    Access(#[from] AccessError),
}

/// The contents of records to be, field by field.
///
/// ```
/// use campanile::contract::layout::Limits;
/// use campanile::contract::{Field, KernelInterface, Number, finalize};
/// use campanile::{Device, Module, RecordsBuilder};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fields = vec![Field::plain("k", Number::F32), Field::allocatable("q", Number::F32, 1)];
/// let interface = KernelInterface::kernel("step").record("Cell", fields).records("cells", "Cell", 1);
/// let layout = finalize(&interface, Limits::default()).map_err(|faults| faults[0].clone())?;
/// let cells = RecordsBuilder::new(&layout, "cells", [2])?
///     .field("k", &[0.5f32, 1.5])?
///     .component("q", 0, [3], &[1.0f32, 2.0, 3.0])?;
/// # let text = ".version 0.1;\n.target 100;\n.kernel @k () { return; }\n";
/// # let mut device = Device::checked(&Module::from_text("empty", text)?)?;
/// let cells = device.records("cells", cells)?;
/// assert_eq!(device.read_field::<f32>(&cells, "k")?, [0.5, 1.5]);
/// assert_eq!(device.read_component::<f32>(&cells, "q", 0)?, Some(vec![1.0, 2.0, 3.0]));
/// assert_eq!(device.read_component::<f32>(&cells, "q", 1)?, None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct RecordsBuilder {
    layout: RecordLayout,
    index: IndexType,
    shape: Vec<u64>,
    plain: Vec<u8>,
    components: Vec<Contents>,
}

/// What a component holds, record by record: shape and bytes, none where it is not allocated.
#[derive(Clone, Debug)]
struct Contents {
    field: Field,
    records: Vec<Option<(Vec<u64>, Vec<u8>)>>,
}

impl RecordsBuilder {
    /// Records for an argument of a kernel: all fields zero, no component allocated. A single record has no sizes.
    ///
    /// # Errors
    /// When the argument holds no records, or there is no memory for so many.
    pub fn new(
        kernel: &KernelLayout,
        argument: &str,
        shape: impl Into<Vec<u64>>,
    ) -> Result<Self, RecordsError> {
        let mut buffers = kernel.buffers.iter().filter(|one| one.variable == argument);
        let own = buffers.find(|one| matches!(one.kind, Kind::Array | Kind::Struct | Kind::Class));
        let record = own.and_then(|buffer| match &buffer.ty {
            ElementType::Record(name) => kernel.record(name),
            ElementType::Number(_) | ElementType::Bytes(_) => None,
        });
        let layout = record.ok_or_else(|| RecordsError::NoRecords(argument.to_owned()))?.clone();
        let shape = shape.into();
        let no_memory = || RecordsError::Memory(argument.to_owned());
        let count = product(&shape).and_then(|count| usize::try_from(count).ok()).ok_or_else(no_memory)?;
        let bytes = count.checked_mul(layout.size as usize).ok_or_else(no_memory)?;
        let plain = repeated(0, bytes).ok_or_else(no_memory)?;
        let mut components = Vec::new();
        for field in layout.fields.iter().filter(|field| field.allocatable) {
            let records = repeated(None, count).ok_or_else(no_memory)?;
            components.push(Contents { field: field.clone(), records });
        }
        Ok(RecordsBuilder { layout, index: kernel.index, shape, plain, components })
    }

    fn count(&self) -> u64 {
        self.shape.iter().product()
    }

    /// The bytes of all records, one after another.
    ///
    /// # Errors
    /// When there are not as many.
    pub fn bytes(mut self, bytes: &[u8]) -> Result<Self, RecordsError> {
        let (expected, given) = (self.plain.len() as u64, bytes.len() as u64);
        if expected != given {
            return Err(RecordsError::Bytes { name: self.layout.name, expected, given });
        }
        self.plain.copy_from_slice(bytes);
        Ok(self)
    }

    /// The values of a plain field, one for each record.
    ///
    /// # Errors
    /// When there is no such field of this type, or another number of values.
    pub fn field<T: Element>(self, name: &str, values: &[T]) -> Result<Self, RecordsError> {
        let (expected, given) = (self.count(), values.len() as u64);
        if expected != given {
            return Err(RecordsError::Count { name: name.to_owned(), expected, given });
        }
        self.field_bytes(name, T::NUMBER, &bytes_of(values))
    }

    /// The same with the type known at run time only.
    ///
    /// # Errors
    /// When there is no such field of this type, or another number of bytes.
    pub fn field_bytes(mut self, name: &str, number: Number, bytes: &[u8]) -> Result<Self, RecordsError> {
        let size = number.size() as usize;
        let (expected, given) = (self.count().saturating_mul(size as u64), bytes.len() as u64);
        if expected != given {
            return Err(wrong_count(name, number, expected, given));
        }
        let place = plain_field(&self.layout, name, number)?;
        let stride = self.layout.size as usize;
        for (record, value) in self.plain.chunks_exact_mut(stride).zip(bytes.chunks_exact(size)) {
            record[place..][..size].copy_from_slice(value);
        }
        Ok(self)
    }

    /// The elements of a component in one record, which allocates it there.
    ///
    /// # Errors
    /// When there is no such record or component of this type and rank, or another number of values.
    pub fn component<T: Element>(
        self,
        name: &str,
        record: u64,
        shape: impl Into<Vec<u64>>,
        values: &[T],
    ) -> Result<Self, RecordsError> {
        let shape = shape.into();
        let (expected, given) = (product(&shape).unwrap_or(u64::MAX), values.len() as u64);
        if expected != given {
            return Err(RecordsError::Count { name: name.to_owned(), expected, given });
        }
        self.component_bytes(name, record, T::NUMBER, shape, bytes_of(values))
    }

    /// The same with the type known at run time only.
    ///
    /// # Errors
    /// When there is no such record or component of this type and rank, or another number of bytes.
    pub fn component_bytes(
        mut self,
        name: &str,
        record: u64,
        number: Number,
        shape: Vec<u64>,
        bytes: Vec<u8>,
    ) -> Result<Self, RecordsError> {
        let count = self.count();
        let record_name = self.layout.name.clone();
        let component = self
            .components
            .iter_mut()
            .find(|one| one.field.name == name && one.field.ty == ElementType::Number(number));
        let component = component.ok_or_else(|| RecordsError::NoField {
            record: record_name,
            what: "component",
            name: name.to_owned(),
            number: Some(number),
        })?;
        if shape.len() != component.field.rank as usize {
            let (expected, given) = (component.field.rank, shape.len());
            return Err(RecordsError::Rank { name: name.to_owned(), expected, given });
        }
        let expected = product(&shape).and_then(|elements| elements.checked_mul(number.size().into()));
        let (expected, given) = (expected.unwrap_or(u64::MAX), bytes.len() as u64);
        if expected != given {
            return Err(wrong_count(name, number, expected, given));
        }
        let slot = component.records.get_mut(record as usize);
        *slot.ok_or(RecordsError::Index { index: record, count })? = Some((shape, bytes));
        Ok(self)
    }
}

/// Another number of bytes than needed, told in values where whole values are given.
fn wrong_count(name: &str, number: Number, expected: u64, given: u64) -> RecordsError {
    let (name, size) = (name.to_owned(), u64::from(number.size()));
    match given % size {
        0 => RecordsError::Count { name, expected: expected / size, given: given / size },
        _ => RecordsError::Bytes { name, expected, given },
    }
}

/// The number of elements of so many in each dimension, if 64 bits count them.
fn product(shape: &[u64]) -> Option<u64> {
    shape.iter().try_fold(1u64, |product, size| product.checked_mul(*size))
}

/// So many of a value, if there is memory for them.
fn repeated<T: Clone>(value: T, count: usize) -> Option<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(count).ok()?;
    all.resize(count, value);
    Some(all)
}

/// The place of a plain field in a record, in bytes.
fn plain_field(layout: &RecordLayout, name: &str, number: Number) -> Result<usize, RecordsError> {
    let mut fields = layout.fields.iter();
    let field = fields.find(|field| field.name == name && field.ty == ElementType::Number(number));
    let offset = field.and_then(|field| field.offset);
    offset.map(|offset| offset as usize).ok_or_else(|| RecordsError::NoField {
        record: layout.name.clone(),
        what: "field",
        name: name.to_owned(),
        number: Some(number),
    })
}

impl Contents {
    /// All elements end to end, per record the elements before it, and per record the shape.
    fn flattened(&self, index: IndexType) -> Result<[Vec<u8>; 3], RecordsError> {
        let (mut data, mut offsets, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        let size = match self.field.ty {
            ElementType::Number(number) => number.size() as usize,
            ElementType::Bytes(_) | ElementType::Record(_) => 1,
        };
        let push = |bytes: &mut Vec<u8>, value: u64| {
            let too_many = || RecordsError::TooMany(self.field.name.clone());
            match index {
                IndexType::I32 => i32::write(&[i32::try_from(value).map_err(|_| too_many())?], bytes),
                IndexType::I64 => i64::write(&[i64::try_from(value).map_err(|_| too_many())?], bytes),
            }
            Ok::<(), RecordsError>(())
        };
        for record in &self.records {
            push(&mut offsets, (data.len() / size) as u64)?;
            match record {
                Some((shape, bytes)) => {
                    shape.iter().try_for_each(|size| push(&mut sizes, *size))?;
                    data.extend(bytes);
                }
                None => (0..self.field.rank).try_for_each(|_| push(&mut sizes, 0))?,
            }
        }
        Ok([data, offsets, sizes])
    }
}

impl Device {
    /// Records of this device; the name stands in messages and transfers.
    ///
    /// # Errors
    /// When the components have more elements than the kernel's index type counts.
    pub fn records(&mut self, name: &str, contents: RecordsBuilder) -> Result<Records, RecordsError> {
        let RecordsBuilder { layout, index, shape, plain, components } = contents;
        let flattened: Vec<_> =
            components.iter().map(|one| one.flattened(index)).collect::<Result<_, _>>()?;
        let plain = self.add_storage(name.to_owned(), Owner::Device, plain);
        let mut made = Vec::new();
        for (component, [data, offsets, sizes]) in components.into_iter().zip(flattened) {
            let full = format!("{name}.{}", component.field.name);
            made.push(Component {
                name: component.field.name,
                data: self.add_storage(full.clone(), Owner::Device, data),
                offsets: self.add_storage(format!("{full} offsets"), Owner::Device, offsets),
                sizes: self.add_storage(format!("{full} sizes"), Owner::Device, sizes),
                shapes: component.records.into_iter().map(|one| one.map(|(shape, _)| shape)).collect(),
            });
        }
        Ok(Records { device: self.id(), layout, shape, plain, components: made })
    }

    /// Gives records back, with all of their components. Their handles name nothing from then on.
    ///
    /// # Errors
    /// When they are not of this device, or have been freed before.
    pub fn free_records(&mut self, records: Records) -> Result<(), AccessError> {
        self.check_records(&records, records.plain)?;
        self.remove_storage(records.plain);
        for Component { data, offsets, sizes, .. } in records.components {
            for storage in [data, offsets, sizes] {
                self.remove_storage(storage);
            }
        }
        Ok(())
    }

    /// The values of a plain field, one for each record.
    ///
    /// # Errors
    /// When there is no such field of this type, or the records are not of this device.
    pub fn read_field<T: Element>(&mut self, records: &Records, name: &str) -> Result<Vec<T>, RecordsError> {
        plain_field(&records.layout, name, T::NUMBER)?;
        Ok(T::read(&self.read_field_bytes(records, name)?))
    }

    /// The bytes of these values, of the type that [`Records::field`] tells.
    ///
    /// # Errors
    /// When there is no such field, or the records are not of this device.
    pub fn read_field_bytes(&mut self, records: &Records, name: &str) -> Result<Vec<u8>, RecordsError> {
        let number = records.field(name).ok_or_else(|| records.lacks("field", name, None))?;
        let place = plain_field(&records.layout, name, number)?;
        let bytes = self.fetched(records, records.plain)?;
        let record = bytes.chunks_exact(records.layout.size as usize);
        Ok(record.flat_map(|record| &record[place..][..number.size() as usize]).copied().collect())
    }

    /// The elements of a component in one record; none where it is not allocated.
    ///
    /// # Errors
    /// When there is no such record or component of this type, or the records are not of this device.
    pub fn read_component<T: Element>(
        &mut self,
        records: &Records,
        name: &str,
        record: u64,
    ) -> Result<Option<Vec<T>>, RecordsError> {
        if !records.layout.component(name).is_some_and(|field| field.ty == T::NUMBER.into()) {
            return Err(records.lacks("component", name, Some(T::NUMBER)));
        }
        Ok(self.read_component_bytes(records, name, record)?.map(|bytes| T::read(&bytes)))
    }

    /// The bytes of these elements, of the type and shape that [`Records::component`] tells.
    ///
    /// # Errors
    /// When there is no such record or component, or the records are not of this device.
    pub fn read_component_bytes(
        &mut self,
        records: &Records,
        name: &str,
        record: u64,
    ) -> Result<Option<Vec<u8>>, RecordsError> {
        let Some((number, _)) = records.component(name, record)? else { return Ok(None) };
        let component = records.components.iter().find(|one| one.name == name);
        let component = component.ok_or_else(|| records.lacks("component", name, None))?;
        let elements =
            |shape: &Option<Vec<u64>>| shape.iter().map(|shape| shape.iter().product::<u64>()).sum::<u64>();
        let size = u64::from(number.size());
        let (before, own) = component.shapes.split_at(record as usize);
        let start = before.iter().map(elements).sum::<u64>() * size;
        let end = start + own.first().map_or(0, elements) * size;
        let bytes = self.fetched(records, component.data)?;
        Ok(Some(bytes[start as usize..end as usize].to_vec()))
    }

    fn fetched(&mut self, records: &Records, storage: StorageId) -> Result<&[u8], AccessError> {
        self.check_records(records, storage)?;
        self.fetch(storage, None)?;
        Ok(self.storage(storage).map_or(&[], |storage| &storage.host))
    }

    fn check_records(&self, records: &Records, storage: StorageId) -> Result<(), AccessError> {
        let known = records.device == self.id() && self.storage(storage).is_some();
        if known { Ok(()) } else { Err(AccessError::Foreign) }
    }
}
