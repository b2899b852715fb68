//! Handles of arrays that a device keeps.

use std::marker::PhantomData;
use std::ops::Range;

use campanile_contract::Number;

use crate::device::{DeviceId, StorageId};
use crate::element::Element;

/// An array of a device whose element type is known at run time. Cheap to clone; a clone is the same array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnyBuffer {
    pub(crate) device: DeviceId,
    pub(crate) storage: StorageId,
    pub(crate) bytes: Range<u64>,
    number: Number,
    shape: Vec<u64>,
}

/// An array of a device. Cheap to clone; a clone is the same array.
///
/// ```
/// use campanile::{Device, Module};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let text = ".version 0.1;\n.target 100;\n.kernel @k () { return; }\n";
/// # let mut device = Device::checked(&Module::from_text("empty", text)?)?;
/// let all = device.buffer(&[1i32, 2, 3, 4, 5, 6]).shaped([2, 3])?;
/// let last = all.part(3..6)?;
/// device.write(&last, &[40, 50, 60])?;
/// assert_eq!(device.read(&all)?, [1, 2, 3, 40, 50, 60]);
/// assert_eq!((all.shape(), last.shape()), (&[2, 3][..], &[3][..]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer<T> {
    any: AnyBuffer,
    element: PhantomData<T>,
}

/// Why an array has no such part or shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BufferError {
    /// More or fewer elements.
    #[error("the shape {shape:?} has not as many elements as the array, which has {elements}")]
    Shape {
        /// The shape asked for.
        shape: Vec<u64>,
        /// Elements of the array.
        elements: u64,
    },
    /// Elements past the end.
    #[error("elements {start} to {end} are not all in the array, which has {elements}")]
    Range {
        /// The first element asked for.
        start: u64,
        /// One past the last.
        end: u64,
        /// Elements of the array.
        elements: u64,
    },
    /// Another element type.
    #[error("the array is of {found}, not of {wanted}")]
    Type {
        /// The type asked for.
        wanted: &'static str,
        /// Its type.
        found: &'static str,
    },
}

impl AnyBuffer {
    pub(crate) fn new(device: DeviceId, storage: StorageId, number: Number, shape: Vec<u64>) -> Self {
        let elements: u64 = shape.iter().product();
        let bytes = 0..elements * u64::from(number.size());
        AnyBuffer { device, storage, bytes, number, shape }
    }

    /// The type of its elements.
    pub fn number(&self) -> Number {
        self.number
    }

    /// Its sizes, as many as it has dimensions.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Number of elements.
    pub fn len(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same elements with other sizes. How they lie in memory is for the kernel to know.
    ///
    /// # Errors
    /// When the sizes make another number of elements.
    pub fn shaped(mut self, shape: impl Into<Vec<u64>>) -> Result<Self, BufferError> {
        let (shape, elements) = (shape.into(), self.len());
        let product = shape.iter().try_fold(1u64, |product, size| product.checked_mul(*size));
        if product != Some(elements) {
            return Err(BufferError::Shape { shape, elements });
        }
        self.shape = shape;
        Ok(self)
    }

    /// Some of its elements, in one dimension: the same memory.
    ///
    /// # Errors
    /// When the array has not all of them.
    pub fn part(&self, elements: Range<u64>) -> Result<Self, BufferError> {
        let Range { start, end } = elements;
        if start > end || end > self.len() {
            return Err(BufferError::Range { start, end, elements: self.len() });
        }
        let (size, first) = (u64::from(self.number.size()), self.bytes.start);
        let bytes = first + start * size..first + end * size;
        Ok(AnyBuffer { bytes, shape: vec![end - start], ..self.clone() })
    }

    /// The same array with its type known.
    ///
    /// # Errors
    /// When its elements are of another type.
    pub fn typed<T: Element>(self) -> Result<Buffer<T>, BufferError> {
        if self.number != T::NUMBER {
            let (wanted, found) = (T::NUMBER.as_str(), self.number.as_str());
            return Err(BufferError::Type { wanted, found });
        }
        Ok(Buffer { any: self, element: PhantomData })
    }
}

impl<T: Element> Buffer<T> {
    pub(crate) fn new(device: DeviceId, storage: StorageId, elements: u64) -> Self {
        let any = AnyBuffer::new(device, storage, T::NUMBER, vec![elements]);
        Buffer { any, element: PhantomData }
    }

    /// The same array, its type known at run time only.
    pub fn any(&self) -> &AnyBuffer {
        &self.any
    }

    /// Its sizes, as many as it has dimensions.
    pub fn shape(&self) -> &[u64] {
        self.any.shape()
    }

    /// Number of elements.
    pub fn len(&self) -> u64 {
        self.any.len()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.any.is_empty()
    }

    /// The same elements with other sizes. How they lie in memory is for the kernel to know.
    ///
    /// # Errors
    /// When the sizes make another number of elements.
    pub fn shaped(self, shape: impl Into<Vec<u64>>) -> Result<Self, BufferError> {
        Ok(Buffer { any: self.any.shaped(shape)?, element: PhantomData })
    }

    /// Some of its elements, in one dimension: the same memory.
    ///
    /// # Errors
    /// When the array has not all of them.
    pub fn part(&self, elements: Range<u64>) -> Result<Self, BufferError> {
        Ok(Buffer { any: self.any.part(elements)?, element: PhantomData })
    }
}
