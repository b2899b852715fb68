//! NumPy's `.npy` files.
//!
//! Read and written by hand: the format is a magic number, a length and one line of Python, and this
//! way a header made to mislead (an impossible shape, a length beyond the file) is an ordinary error.
//! See "NPY format" in the reference of NumPy.

use thiserror::Error;

use super::{Array, Element, ShapeError};

const MAGIC: &[u8] = b"\x93NUMPY";

/// NumPy pads the header so that the elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// Why bytes are not an npy file we can use.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NpyError {
    /// The magic number is missing.
    #[error("not an npy file: it does not begin with the bytes \\x93NUMPY")]
    NotNpy,
    /// A version from the future.
    #[error("version {major}.{minor} of the npy format is unknown; expected 1.0, 2.0 or 3.0")]
    Version {
        /// The version's first part.
        major: u8,
        /// The version's second part.
        minor: u8,
    },
    /// The file ends within its header.
    #[error("the file ends within its header")]
    HeaderCutOff,
    /// The header is not the dictionary it should be.
    #[error("expected {expected} at byte {position} of the header")]
    Header {
        /// What should stand there.
        expected: &'static str,
        /// The place, counted from the opening brace.
        position: usize,
    },
    /// The element type is none of ours.
    #[error("the element type `{descr}` is not supported; expected one of u1 i1 u2 i2 u4 i4 u8 i8 f4 f8")]
    UnsupportedType {
        /// The type as the header says it.
        descr: String,
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
            Self::FortranOrder => Some("convert it in NumPy with `numpy.ascontiguousarray(array)`"),
            _ => None,
        }
    }
}

/// Reads a whole file.
pub(super) fn decode(mut bytes: Vec<u8>) -> Result<Array, NpyError> {
    let text = header(&bytes)?;
    let (start, end) = (text.start, text.end);
    let header = Header::parse(&bytes[start..end])?;
    let element = element(&header.descr)?;
    if header.fortran_order && header.shape.len() > 1 {
        return Err(NpyError::FortranOrder);
    }
    bytes.drain(..end);
    Ok(Array::new(element, header.shape, bytes)?)
}

/// The whole file of an array, as NumPy writes it.
pub(super) fn encode(array: &Array) -> Vec<u8> {
    let mut shape = String::new();
    for dimension in array.shape() {
        shape.push_str(&dimension.to_string());
        shape.push_str(", ");
    }
    // `(3,)` and `(3, 4)`, as Python prints tuples.
    let shape = if array.shape().len() == 1 { shape.trim_end() } else { shape.trim_end_matches(", ") };
    let mut header =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}", descr(array.element()));
    let before_text = MAGIC.len() + 4;
    let used = before_text + header.len() + 1;
    header.extend(std::iter::repeat_n(' ', used.next_multiple_of(ALIGNMENT) - used));
    header.push('\n');

    // An array has at most 64 dimensions, so its header is far below the 64 kB of version 1.0.
    let mut bytes = Vec::with_capacity(before_text + header.len() + array.bytes().len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(array.bytes());
    bytes
}

/// Where the header's text lies.
fn header(bytes: &[u8]) -> Result<std::ops::Range<usize>, NpyError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(NpyError::NotNpy)?;
    let [major, minor, rest @ ..] = rest else { return Err(NpyError::HeaderCutOff) };
    let (length, start) = match (major, minor, rest) {
        (1, 0, [a, b, ..]) => (u16::from_le_bytes([*a, *b]).into(), MAGIC.len() + 4),
        (2 | 3, 0, [a, b, c, d, ..]) => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, MAGIC.len() + 6),
        (1..=3, 0, _) => return Err(NpyError::HeaderCutOff),
        (&major, &minor, _) => return Err(NpyError::Version { major, minor }),
    };
    if length > bytes.len() - start {
        return Err(NpyError::HeaderCutOff);
    }
    Ok(start..start + length)
}

/// The element type of a NumPy description such as `<f4`.
fn element(descr: &str) -> Result<Element, NpyError> {
    let (order, kind) = descr.split_at_checked(1).unwrap_or_default();
    let element = match kind {
        "u1" => Element::U8,
        "i1" => Element::I8,
        "u2" => Element::U16,
        "i2" => Element::I16,
        "u4" => Element::U32,
        "i4" => Element::I32,
        "u8" => Element::U64,
        "i8" => Element::I64,
        "f4" => Element::F32,
        "f8" => Element::F64,
        _ => return Err(NpyError::UnsupportedType { descr: descr.to_string() }),
    };
    match order {
        "<" => Ok(element),
        "|" | ">" if element.size() == 1 => Ok(element),
        ">" => Err(NpyError::BigEndian { descr: descr.to_string() }),
        _ => Err(NpyError::UnsupportedType { descr: descr.to_string() }),
    }
}

/// NumPy's description of an element type.
fn descr(element: Element) -> &'static str {
    match element {
        Element::U8 => "|u1",
        Element::I8 => "|i1",
        Element::U16 => "<u2",
        Element::I16 => "<i2",
        Element::U32 => "<u4",
        Element::I32 => "<i4",
        Element::U64 => "<u8",
        Element::I64 => "<i8",
        Element::F32 => "<f4",
        Element::F64 => "<f8",
    }
}

/// The three facts of a header.
struct Header {
    descr: String,
    fortran_order: bool,
    shape: Vec<usize>,
}

impl Header {
    /// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`, keys in any order.
    fn parse(text: &[u8]) -> Result<Self, NpyError> {
        let mut cursor = Cursor { text, position: 0 };
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        cursor.expect(b'{', "`{`")?;
        while !cursor.take(b'}') {
            let key = cursor.string("a key or `}`")?;
            cursor.expect(b':', "`:`")?;
            match key {
                b"descr" => {
                    descr = Some(
                        String::from_utf8_lossy(cursor.string("the name of a plain type")?).into_owned(),
                    );
                }
                b"fortran_order" => fortran_order = Some(cursor.boolean()?),
                b"shape" => shape = Some(cursor.tuple()?),
                _ => return Err(cursor.error("`descr`, `fortran_order` or `shape`")),
            }
            if !cursor.take(b',') && cursor.peek() != Some(b'}') {
                return Err(cursor.error("`,` or `}`"));
            }
        }
        match (descr, fortran_order, shape) {
            (Some(descr), Some(fortran_order), Some(shape)) => Ok(Self { descr, fortran_order, shape }),
            _ => Err(cursor.error("`descr`, `fortran_order` and `shape`")),
        }
    }
}

/// A place in the header's text; spaces are skipped before every token.
struct Cursor<'a> {
    text: &'a [u8],
    position: usize,
}

impl<'a> Cursor<'a> {
    fn error(&self, expected: &'static str) -> NpyError {
        NpyError::Header { expected, position: self.position }
    }

    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.position).is_some_and(u8::is_ascii_whitespace) {
            self.position += 1;
        }
        self.text.get(self.position).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.position += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, name: &'static str) -> Result<(), NpyError> {
        if self.take(byte) { Ok(()) } else { Err(self.error(name)) }
    }

    /// The bytes that satisfy `wanted`, possibly none.
    fn run_of(&mut self, wanted: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.text[self.position..];
        let length = rest.iter().position(|&byte| !wanted(byte)).unwrap_or(rest.len());
        self.position += length;
        &rest[..length]
    }

    fn string(&mut self, expected: &'static str) -> Result<&'a [u8], NpyError> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.error(expected)),
        };
        self.position += 1;
        let inside = self.run_of(|byte| byte != quote);
        self.expect(quote, "the end of the text")?;
        Ok(inside)
    }

    fn boolean(&mut self) -> Result<bool, NpyError> {
        self.peek();
        match self.run_of(|byte| byte.is_ascii_alphabetic()) {
            b"True" => Ok(true),
            b"False" => Ok(false),
            _ => Err(self.error("`True` or `False`")),
        }
    }

    fn tuple(&mut self) -> Result<Vec<usize>, NpyError> {
        let mut dimensions = Vec::new();
        self.expect(b'(', "`(`")?;
        while !self.take(b')') {
            self.peek();
            let digits = self.run_of(|byte| byte.is_ascii_digit());
            let dimension = str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
            dimensions.push(dimension.ok_or_else(|| self.error("a dimension or `)`"))?);
            if !self.take(b',') && self.peek() != Some(b')') {
                return Err(self.error("`,` or `)`"));
            }
        }
        Ok(dimensions)
    }
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
    fn numpys_own_file_is_read_and_written() {
        let array = decode(numpy_i2()).unwrap();
        assert_eq!((array.element(), array.shape()), (Element::I16, &[2, 3][..]));
        assert_eq!(array.bytes(), [1i16, -2, 3, 4, 5, 6].map(i16::to_le_bytes).concat());
        assert_eq!(encode(&array), numpy_i2());
    }

    #[test]
    fn every_type_and_rank_survives() {
        for element in Element::ALL {
            for shape in [vec![], vec![3], vec![2, 0], vec![2, 1, 3], vec![123_456]] {
                let array = super::super::Fill::Iota.make(element, &shape).unwrap();
                let file = encode(&array);
                assert_eq!((file.len() - array.bytes().len()) % ALIGNMENT, 0);
                assert_eq!(decode(file).unwrap(), array);
            }
        }
    }

    #[test]
    fn headers_may_be_written_freely() {
        let text = "{ \"shape\" : ( 2 , ) , \"descr\":'<f8',\n'fortran_order':True}";
        assert_eq!(decode(file(text, &[0; 16])).unwrap().shape(), [2]);
        let mut second = b"\x93NUMPY\x02\x00\x3c\x00\x00\x00".to_vec();
        second.extend_from_slice(b"{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }  \n\x07");
        assert_eq!(decode(second).unwrap().bytes(), [7]);
    }

    #[test]
    fn other_arrays_are_refused_with_a_hint() {
        let refused = |descr: &str, order: &str| {
            let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': (1, 1), }}");
            decode(file(&text, &[0; 8])).unwrap_err()
        };
        assert!(matches!(refused("<c8", "False"), NpyError::UnsupportedType { .. }));
        assert!(matches!(refused("|b1", "False"), NpyError::UnsupportedType { .. }));
        assert!(matches!(refused("é8", "False"), NpyError::UnsupportedType { .. }));
        assert!(matches!(refused("", "False"), NpyError::UnsupportedType { .. }));
        assert!(matches!(refused(">f8", "False"), NpyError::BigEndian { .. }));
        assert_eq!(refused("<f8", "True"), NpyError::FortranOrder);
        assert!(refused("<f8", "True").hint().unwrap().contains("ascontiguousarray"));
    }

    #[test]
    fn misleading_headers_are_errors() {
        let shape = |shape: &str| {
            let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
            decode(file(&text, &[0; 4])).unwrap_err()
        };
        assert!(matches!(shape("(4294967296, 4294967296)"), NpyError::Shape(ShapeError::TooLarge { .. })));
        assert!(matches!(
            shape("(2,)"),
            NpyError::Shape(ShapeError::WrongSize { expected: 8, found: 4, .. })
        ));
        for wrong in ["(99999999999999999999999,)", "(-1,)", "(1", "1", "(1 2)", "()("] {
            assert!(matches!(shape(wrong), NpyError::Header { .. }), "{wrong}");
        }
        assert_eq!(decode(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec()), Err(NpyError::HeaderCutOff));
        assert_eq!(decode(b"\x93NUMPY\x04\x00".to_vec()), Err(NpyError::Version { major: 4, minor: 0 }));
        assert_eq!(decode(b"PK\x03\x04".to_vec()), Err(NpyError::NotNpy));
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error() {
        let whole = numpy_i2();
        for length in 0..whole.len() {
            assert!(decode(whole[..length].to_vec()).is_err(), "{length}");
        }
    }
}
