//! NumPy's `.npy` files, by way of `npyz`.
//!
//! `npyz` reads the header as any Python literal, with an effort that grows exponentially in the depth of its brackets,
//! and believes the length it claims. So both are looked at first. The elements follow the header as they are in
//! memory, and are taken as they are.

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriteOptions, WriterBuilder};
use thiserror::Error;

use super::{Array, Element, ShapeError};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Longest header. One of 64 dimensions with the greatest numbers is shorter.
const LONGEST_HEADER: usize = 2048;

/// Brackets within one another: a dictionary, the list of a record's fields, a field, its shape.
const DEEPEST_HEADER: usize = 4;

/// Why bytes are not an npy file we can use.
#[derive(Debug, Error)]
pub enum NpyError {
    /// The magic number is missing.
    #[error("not an npy file: it does not begin with the bytes \\x93NUMPY")]
    NotNpy,
    /// The file ends within its header.
    #[error("the file ends within its header")]
    HeaderCutOff,
    /// The header is longer or nested deeper than an array can need.
    #[error("the header is too long or too deeply nested for an array of plain numbers")]
    HeaderTooLarge,
    /// The header is not the dictionary it should be.
    #[error("the header cannot be read: {reason}")]
    Header {
        /// What the reader of the header says.
        reason: String,
    },
    /// The element type is none of ours.
    #[error("the element type {descr} is not supported; expected one of u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8")]
    UnsupportedType {
        /// The type as the header says it.
        descr: String,
    },
    /// An element type that NumPy has not.
    #[error("NumPy has no element type {element}")]
    NoNumpyType {
        /// The type.
        element: Element,
    },
    /// The elements are stored with the highest byte first.
    #[error("the elements are big-endian (`{descr}`); expected little-endian")]
    BigEndian {
        /// The type as the header says it.
        descr: String,
    },
    /// The first dimension is the fastest.
    #[error("the array is in Fortran order; expected C order")]
    FortranOrder,
    /// The elements do not fill the shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl NpyError {
    /// How to get a file that is accepted.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::UnsupportedType { .. } => {
                Some("convert it in NumPy, for example with `array.astype('<f4')`")
            }
            Self::BigEndian { .. } => {
                Some("convert it in NumPy with `array.astype(array.dtype.newbyteorder('<'))`")
            }
            Self::NoNumpyType { .. } => {
                Some("save the bare elements, as `.bin`, or load them with their type: `FILE.bin:bf16`")
            }
            Self::FortranOrder => Some("convert it in NumPy with `numpy.ascontiguousarray(array)`"),
            _ => None,
        }
    }
}

/// Reads a whole file.
pub(super) fn decode(mut bytes: Vec<u8>) -> Result<Array, NpyError> {
    check_header(&bytes)?;
    let mut rest = &bytes[..];
    let header = NpyHeader::from_reader(&mut rest).map_err(|error| {
        // A syntax error comes with a drawing of the place, which is no use in one line of many.
        let message = error.to_string();
        let reason = if message.contains('\n') { "it is no Python dictionary" } else { &message };
        NpyError::Header { reason: reason.to_owned() }
    })?;
    let element = element(&header.dtype())?;
    if header.order() == Order::Fortran && header.shape().len() > 1 {
        return Err(NpyError::FortranOrder);
    }
    let shape = header.shape().iter().map(|dimension| usize::try_from(*dimension).unwrap_or(usize::MAX));
    let shape = shape.collect();
    let start = bytes.len() - rest.len();
    bytes.drain(..start);
    Ok(Array::new(element, shape, bytes)?)
}

/// Whether NumPy has an element type.
pub(super) fn accepts(element: Element) -> Result<(), NpyError> {
    if element == Element::BF16 { Err(NpyError::NoNumpyType { element }) } else { Ok(()) }
}

/// The whole file of an array of a type that NumPy has.
pub(super) fn encode(array: &Array) -> Result<Vec<u8>, NpyError> {
    accepts(array.element())?;
    let shape: Vec<u64> = array.shape().iter().map(|dimension| *dimension as u64).collect();
    let header = WriteOptions::new_header_only()
        .dtype(dtype(array.element()))
        .shape(&shape)
        .writer(Vec::new())
        .write_header_only();
    let Ok(mut bytes) = header else { unreachable!("a vector can be written to") };
    bytes.extend_from_slice(array.bytes());
    Ok(bytes)
}

/// Refuses a header that is not all there, or that would take long to read.
fn check_header(bytes: &[u8]) -> Result<(), NpyError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(NpyError::NotNpy)?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (u16::from_le_bytes([*a, *b]).into(), rest),
        [_, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        _ => return Err(NpyError::HeaderCutOff),
    };
    if length > LONGEST_HEADER {
        return Err(NpyError::HeaderTooLarge);
    }
    let text = rest.get(..length).ok_or(NpyError::HeaderCutOff)?;
    let mut depth = 0usize;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST_HEADER {
            return Err(NpyError::HeaderTooLarge);
        }
    }
    Ok(())
}

/// The element type of a NumPy description such as `<f4`.
fn element(dtype: &DType) -> Result<Element, NpyError> {
    let unsupported = || NpyError::UnsupportedType { descr: dtype.descr() };
    let DType::Plain(ty) = dtype else { return Err(unsupported()) };
    let element = match (ty.type_char(), ty.size_field()) {
        (TypeChar::Uint, 1) => Element::U8,
        (TypeChar::Int, 1) => Element::I8,
        (TypeChar::Uint, 2) => Element::U16,
        (TypeChar::Int, 2) => Element::I16,
        (TypeChar::Uint, 4) => Element::U32,
        (TypeChar::Int, 4) => Element::I32,
        (TypeChar::Uint, 8) => Element::U64,
        (TypeChar::Int, 8) => Element::I64,
        (TypeChar::Float, 2) => Element::F16,
        (TypeChar::Float, 4) => Element::F32,
        (TypeChar::Float, 8) => Element::F64,
        _ => return Err(unsupported()),
    };
    if ty.endianness() == Endianness::Big && element.size() > 1 {
        return Err(NpyError::BigEndian { descr: ty.to_string() });
    }
    Ok(element)
}

/// NumPy's description of an element type.
fn dtype(element: Element) -> DType {
    let (size, order) = (element.size(), if element.size() == 1 { '|' } else { '<' });
    let kind = match element {
        _ if element.is_float() => 'f',
        _ if element.is_signed() => 'i',
        _ => 'u',
    };
    let text = format!("{order}{kind}{size}");
    let Ok(ty) = text.parse::<TypeStr>() else { unreachable!("`{text}` is a description of a type") };
    DType::new_scalar(ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of `numpy.save(file, numpy.array([[1, -2, 3], [4, 5, 6]], dtype='<i2'))`, NumPy 2.4.
    fn numpy_i2() -> Vec<u8> {
        let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        file.extend_from_slice(b"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }");
        file.resize(127, b' ');
        file.extend_from_slice(b"\n\x01\x00\xfe\xff\x03\x00\x04\x00\x05\x00\x06\x00");
        file
    }

    /// A file of version 1.0 with this header and these elements.
    fn file(header: &str, elements: &[u8]) -> Vec<u8> {
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend_from_slice(&(header.len() as u16).to_le_bytes());
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(elements);
        file
    }

    #[test]
    fn numpys_own_file_is_read() {
        let array = decode(numpy_i2()).unwrap();
        assert_eq!((array.element(), array.shape()), (Element::I16, &[2, 3][..]));
        assert_eq!(array.bytes(), [1i16, -2, 3, 4, 5, 6].map(i16::to_le_bytes).concat());
    }

    #[test]
    fn every_type_and_rank_survives() {
        for element in Element::ALL.into_iter().filter(|element| accepts(*element).is_ok()) {
            for shape in [vec![], vec![3], vec![2, 0], vec![2, 1, 3], vec![123_456]] {
                let array = super::super::Fill::Iota.make(element, &shape).unwrap();
                let file = encode(&array).unwrap();
                assert_eq!(
                    (file.len() - array.bytes().len()) % 64,
                    0,
                    "NumPy aligns the elements to 64 bytes"
                );
                assert_eq!(decode(file).unwrap(), array);
            }
        }
    }

    #[test]
    fn headers_may_be_written_freely() {
        let text = "{ \"shape\" : ( 2 , ) , \"descr\":'<f8','fortran_order':True}";
        assert_eq!(decode(file(text, &[0; 16])).unwrap().shape(), [2]);
        let mut second = b"\x93NUMPY\x02\x00\x3c\x00\x00\x00".to_vec();
        second.extend_from_slice(b"{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }  \n\x07");
        assert_eq!(decode(second).unwrap().bytes(), [7]);
    }

    #[test]
    fn other_arrays_are_refused_with_a_hint() {
        let refused = |descr: &str, order: &str| {
            let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': (1, 1), }}");
            decode(file(&text, &[0; 8])).unwrap_err()
        };
        for descr in ["'<c8'", "'|b1'", "'<f16'", "[('red', '|u1'), ('rest', '<u2', (2, 3))]"] {
            assert!(matches!(refused(descr, "False"), NpyError::UnsupportedType { .. }), "{descr}");
        }
        for descr in ["'é8'", "''", "7"] {
            assert!(matches!(refused(descr, "False"), NpyError::Header { .. }), "{descr}");
        }
        assert!(matches!(refused("'>f8'", "False"), NpyError::BigEndian { .. }));
        assert!(matches!(refused("'<f8'", "True"), NpyError::FortranOrder));
        assert!(refused("'<f8'", "True").hint().unwrap().contains("ascontiguousarray"));
    }

    #[test]
    fn misleading_headers_are_errors() {
        let shape = |shape: &str| {
            let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
            decode(file(&text, &[0; 4])).unwrap_err()
        };
        for vast in ["(4294967296, 4294967296)", "(18446744073709551615, 2)", "(9223372036854775808,)"] {
            assert!(matches!(shape(vast), NpyError::Shape(ShapeError::TooLarge { .. })), "{vast}");
        }
        assert!(matches!(
            shape("(2,)"),
            NpyError::Shape(ShapeError::WrongSize { expected: 8, found: 4, .. })
        ));
        let many = format!("({})", "1,".repeat(900));
        assert!(matches!(shape(&many), NpyError::Shape(ShapeError::TooManyDimensions { .. })));
        for wrong in ["(99999999999999999999999,)", "(-1,)", "(1", "1", "(1 2)", "()(", "(1.5,)", "({1: 2},)"]
        {
            assert!(matches!(shape(wrong), NpyError::Header { .. }), "{wrong}");
        }
        assert!(matches!(decode(b"PK\x03\x04".to_vec()), Err(NpyError::NotNpy)));
    }

    #[test]
    fn headers_that_would_cost_much_are_not_read() {
        let vast = b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec();
        assert!(matches!(decode(vast), Err(NpyError::HeaderTooLarge)));
        assert!(matches!(
            decode(b"\x93NUMPY\x03\x00\x00\x01\x00\x00{}".to_vec()),
            Err(NpyError::HeaderCutOff)
        ));
        assert!(matches!(
            decode(b"\x93NUMPY\x04\x00\x00\x00\x00\x00".to_vec()),
            Err(NpyError::Header { .. })
        ));
        for bracket in ["{", "[", "("] {
            let deep = file(&bracket.repeat(2000), &[]);
            assert!(matches!(decode(deep), Err(NpyError::HeaderTooLarge)), "{bracket}");
        }
        for (open, close) in [("{", "}"), ("[", "]")] {
            let inner = format!("{}1{},", open.repeat(2), close.repeat(2)).repeat(300);
            let wide = file(&format!("{open}{open}{inner}{close}{close}"), &[]);
            assert!(matches!(decode(wide), Err(NpyError::Header { .. })), "{open}");
        }
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error() {
        let whole = numpy_i2();
        for length in 0..whole.len() {
            assert!(decode(whole[..length].to_vec()).is_err(), "{length}");
        }
    }

    #[test]
    fn damaged_headers_are_arrays_or_errors() {
        let good = numpy_i2();
        let bytes = b"(){}[],:'\"\\-+.0912exjbuTN \n\0\xff";
        for position in 6..70 {
            for byte in bytes {
                for length in 0..3 {
                    let mut damaged = good.clone();
                    damaged[position..position + length + 1].fill(*byte);
                    let _ = decode(damaged);
                }
            }
        }
    }
}
