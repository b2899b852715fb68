//! Raw files: little-endian elements and nothing else.

use thiserror::Error;

use super::{Array, Element, ShapeError};

/// Why bytes are not the elements asked for.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RawError {
    /// The last element is cut off.
    #[error("{size} bytes are no whole number of {element}, which has {} bytes", .element.size())]
    Remainder {
        /// The size of the file.
        size: usize,
        /// The type asked for.
        element: Element,
    },
    /// The elements do not fill the shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Reads a whole file; without a shape it has one dimension.
pub(super) fn decode(element: Element, shape: Option<&[usize]>, bytes: Vec<u8>) -> Result<Array, RawError> {
    let size = bytes.len();
    if !size.is_multiple_of(element.size()) {
        return Err(RawError::Remainder { size, element });
    }
    let shape = shape.map_or_else(|| vec![size / element.size()], <[usize]>::to_vec);
    Ok(Array::new(element, shape, bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_fill_the_file() {
        assert_eq!(decode(Element::U16, None, vec![0; 6]).unwrap().shape(), [3]);
        assert_eq!(decode(Element::U16, Some(&[3, 1]), vec![0; 6]).unwrap().shape(), [3, 1]);
        assert_eq!(
            decode(Element::F32, None, vec![0; 6]).unwrap_err().to_string(),
            "6 bytes are no whole number of f32, which has 4 bytes"
        );
        assert!(matches!(
            decode(Element::U16, Some(&[4]), vec![0; 6]),
            Err(RawError::Shape(ShapeError::WrongSize { expected: 8, found: 6, .. }))
        ));
    }
}
