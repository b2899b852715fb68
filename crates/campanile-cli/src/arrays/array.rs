//! An array: bytes with an element type and a shape.

use thiserror::Error;

use super::Element;

/// More dimensions than anyone uses; the limit of NumPy.
const MAX_DIMENSIONS: usize = 64;

/// Elements of one type in C order (last dimension fastest), little endian.
///
/// There are always as many bytes as the type and the shape say. No dimensions make one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    element: Element,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// Why bytes and a shape do not make an array.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ShapeError {
    /// The product of the dimensions overflows.
    #[error("the shape {} is too large for this machine", dimensions(.shape))]
    TooLarge {
        /// The shape asked for.
        shape: Vec<usize>,
    },
    /// There are too many dimensions.
    #[error("{count} dimensions are too many; at most {MAX_DIMENSIONS} are allowed")]
    TooManyDimensions {
        /// How many were given.
        count: usize,
    },
    /// The bytes do not fill the shape.
    #[error("the shape {} of {element} has {expected} bytes, but there are {found}", dimensions(.shape))]
    WrongSize {
        /// The shape asked for.
        shape: Vec<usize>,
        /// The element type.
        element: Element,
        /// The size of such an array.
        expected: usize,
        /// The bytes at hand.
        found: usize,
    },
}

impl Array {
    /// An array of these bytes.
    pub fn new(element: Element, shape: Vec<usize>, bytes: Vec<u8>) -> Result<Self, ShapeError> {
        filled(element, &shape, bytes.len())?;
        Ok(Self { element, shape, bytes })
    }

    /// The same elements in another shape.
    pub fn reshaped(&self, shape: Vec<usize>) -> Result<Self, ShapeError> {
        Self::new(self.element, shape, self.bytes.clone())
    }

    /// The type of the elements.
    pub fn element(&self) -> Element {
        self.element
    }

    /// The dimensions, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.element.size()
    }

    /// The elements' bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The size in bytes of an array of this type and shape.
pub(super) fn byte_size(element: Element, shape: &[usize]) -> Result<usize, ShapeError> {
    if shape.len() > MAX_DIMENSIONS {
        return Err(ShapeError::TooManyDimensions { count: shape.len() });
    }
    // A zero anywhere makes the array empty, but the other dimensions must be sensible all the same.
    shape
        .iter()
        .filter(|&&dimension| dimension != 0)
        .try_fold(element.size(), |size, &dimension| size.checked_mul(dimension))
        .filter(|&size| isize::try_from(size).is_ok())
        .map(|size| if shape.contains(&0) { 0 } else { size })
        .ok_or_else(|| ShapeError::TooLarge { shape: shape.to_vec() })
}

/// Whether elements of one shape fill another.
pub(super) fn same_size(element: Element, shape: &[usize], wanted: &[usize]) -> Result<(), ShapeError> {
    filled(element, wanted, byte_size(element, shape)?)
}

/// Whether so many bytes fill a shape.
pub(super) fn filled(element: Element, shape: &[usize], found: usize) -> Result<(), ShapeError> {
    let expected = byte_size(element, shape)?;
    let wrong = || ShapeError::WrongSize { shape: shape.to_vec(), element, expected, found };
    if found == expected { Ok(()) } else { Err(wrong()) }
}

/// A shape as it is written in brackets: `480x640`.
pub(super) fn dimensions(shape: &[usize]) -> String {
    let texts: Vec<String> = shape.iter().map(usize::to_string).collect();
    texts.join("x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_must_fill_the_shape() {
        let array = Array::new(Element::U16, vec![2, 3], vec![0; 12]).unwrap();
        assert_eq!((array.len(), array.shape()), (6, &[2, 3][..]));
        assert_eq!(array.reshaped(vec![3, 2]).unwrap().shape(), [3, 2]);
        assert_eq!(
            array.reshaped(vec![4]).unwrap_err().to_string(),
            "the shape 4 of u16 has 8 bytes, but there are 12"
        );
        assert_eq!(Array::new(Element::F64, vec![], vec![0; 8]).unwrap().len(), 1);
        assert_eq!(Array::new(Element::F64, vec![5, 0], vec![]).unwrap().len(), 0);
    }

    #[test]
    fn absurd_shapes_are_errors() {
        let huge = vec![usize::MAX, 2];
        assert!(matches!(byte_size(Element::U8, &huge), Err(ShapeError::TooLarge { .. })));
        assert!(matches!(byte_size(Element::U8, &[usize::MAX, 2, 0]), Err(ShapeError::TooLarge { .. })));
        assert!(matches!(byte_size(Element::U8, &[1; 65]), Err(ShapeError::TooManyDimensions { count: 65 })));
    }
}
