//! VALUEs: their syntax, and what they stand for once files are read.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

use super::file::{self, Format, beside, extension};
use super::{Array, Element, FileError, Fill, FillError, LiteralError};

/// A value as it was written; nothing has been read or made yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueSpec {
    /// An array in a file.
    File {
        /// The file.
        path: PathBuf,
        /// How it holds the array.
        format: Format,
    },
    /// An array made from nothing.
    Filled {
        /// The type of its elements.
        element: Element,
        /// Its dimensions, outermost first.
        shape: Vec<usize>,
        /// What its elements are.
        fill: Fill,
    },
    /// A number.
    Scalar(Scalar),
    /// Shared memory of this many bytes.
    Local(u32),
    /// The raw bytes of a parameter.
    Bytes(Vec<u8>),
}

/// A value to hand to a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A buffer with these elements.
    Array(Array),
    /// A number.
    Scalar(Scalar),
    /// A buffer of this many bytes in shared memory.
    Local(u32),
    /// The raw bytes of a parameter.
    Bytes(Vec<u8>),
}

/// A number with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The type.
    pub element: Element,
    /// The number, little endian, as many bytes as the type has.
    pub bytes: Vec<u8>,
}

/// Why a text is no VALUE.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SyntaxError {
    /// The text has none of the known forms.
    #[error("`{text}` is not a value")]
    UnknownForm {
        /// The text.
        text: String,
    },
    /// A number stands without a type.
    #[error("the number `{text}` has no type")]
    UntypedNumber {
        /// The text.
        text: String,
    },
    /// The type is none of those there are.
    #[error("`{name}` is not an element type")]
    UnknownElement {
        /// The text in place of a type.
        name: String,
    },
    /// A made array has no shape.
    #[error("`{text}` does not say how many elements")]
    NoShape {
        /// The text.
        text: String,
    },
    /// The brackets do not hold a shape.
    #[error("`[{text}]` is not a number of elements or a shape")]
    BadShape {
        /// The text between the brackets.
        text: String,
    },
    /// Something follows where nothing should.
    #[error("unexpected `{text}` at the end")]
    Trailing {
        /// What follows.
        text: String,
    },
    /// A pseudo-random array has no seed, or one that is no number.
    #[error("`random` needs a seed between 0 and 18446744073709551615")]
    BadSeed,
    /// A type is given to a file that has one.
    #[error("`{}` says its own element type", .path.display())]
    TypedTwice {
        /// The file.
        path: PathBuf,
    },
    /// The size of shared memory is not one.
    #[error("`{text}` is not a number of bytes")]
    BadLocal {
        /// The text in place of the size.
        text: String,
    },
    /// The bytes are not pairs of hexadecimal digits.
    #[error("`{text}` is not made of pairs of hexadecimal digits")]
    BadBytes {
        /// The text in place of the digits.
        text: String,
    },
    /// The number does not belong to its type.
    #[error(transparent)]
    Literal(#[from] LiteralError),
}

impl SyntaxError {
    /// What to write instead.
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownForm { .. } => {
                "expected a file (`a.npy`, `a.png`, `a.bin:f32`), an array (`zeros:u8[1024]`, \
                 `iota:u32[64]`, `random:f32[16x16]:1`), a number with its type (`1024u32`, `3.5f32`), \
                 `local:BYTES`, or `bytes:HEX`"
                    .to_string()
            }
            Self::UntypedNumber { text } => {
                let fits = |element: &&Element| element.parse(text).is_ok();
                let suitable = [Element::U32, Element::I32, Element::F32];
                let typed: Vec<String> =
                    suitable.iter().filter(fits).map(|element| format!("`{text}{element}`")).collect();
                format!("add one, as in {}", typed.join(" or "))
            }
            Self::UnknownElement { .. } => {
                let names = Element::ALL.map(Element::name);
                format!("expected one of {}", names.join(" "))
            }
            Self::NoShape { text } => format!("add it in brackets: `{text}[1024]` or `{text}[480x640]`"),
            Self::BadShape { .. } => {
                "expected numbers joined by `x`, such as `1024` or `480x640`".to_string()
            }
            Self::Trailing { .. } => "leave it out".to_string(),
            Self::BadSeed => "add it at the end: `random:f32[1024]:1`".to_string(),
            Self::TypedTwice { .. } => "leave out the type behind the name".to_string(),
            Self::BadLocal { .. } => {
                "expected a decimal number below 4294967296, as in `local:4096`".to_string()
            }
            Self::BadBytes { .. } => {
                "expected the bytes in their order in memory, as in `bytes:0100a0ff`".to_string()
            }
            Self::Literal(error) => error.hint(),
        }
    }
}

/// Why a value could not be had.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A file is missing or wrong.
    #[error(transparent)]
    File(#[from] FileError),
    /// An array could not be made.
    #[error(transparent)]
    Fill(#[from] FillError),
}

impl LoadError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::File(error) => error.hint(),
            Self::Fill(_) => None,
        }
    }
}

impl ValueSpec {
    /// The same, with a file that is named relative to the folder of another one.
    pub fn beside(self, file: &Path) -> Self {
        match self {
            Self::File { path, format } => Self::File { path: beside(file, &path), format },
            other => other,
        }
    }

    /// Reads the file or makes the array.
    pub fn load(&self) -> Result<Value, LoadError> {
        Ok(match self {
            Self::File { path, format } => Value::Array(file::read(path, format)?),
            Self::Filled { element, shape, fill } => Value::Array(fill.make(*element, shape)?),
            Self::Scalar(scalar) => Value::Scalar(scalar.clone()),
            Self::Local(size) => Value::Local(*size),
            Self::Bytes(bytes) => Value::Bytes(bytes.clone()),
        })
    }
}

impl FromStr for ValueSpec {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        match text.split_once(':') {
            Some(("zeros", rest)) => filled(text, rest, |tail| no_more(tail).map(|()| Fill::Zeros)),
            Some(("iota", rest)) => filled(text, rest, |tail| no_more(tail).map(|()| Fill::Iota)),
            Some(("random", rest)) => filled(text, rest, |tail| seed(tail).map(|seed| Fill::Random { seed })),
            Some(("local", size)) => local(size),
            Some(("bytes", digits)) => raw_bytes(digits),
            _ => match (typed_format(Path::new(text)), text.rsplit_once(':')) {
                (Some(format), _) => Ok(Self::File { path: text.into(), format }),
                (None, Some((path, kind))) => raw_file(path, kind),
                (None, None) => scalar(text),
            },
        }
    }
}

/// `TYPE[SHAPE]` and a tail, behind the name of a fill.
fn filled(
    text: &str,
    rest: &str,
    fill: impl FnOnce(&str) -> Result<Fill, SyntaxError>,
) -> Result<ValueSpec, SyntaxError> {
    let (element, shape, tail) = element_and_shape(rest)?;
    let Some(shape) = shape else {
        let typed = &text[..text.len() - tail.len()];
        return Err(SyntaxError::NoShape { text: typed.to_string() });
    };
    Ok(ValueSpec::Filled { element, shape, fill: fill(tail)? })
}

/// Nothing may follow.
fn no_more(tail: &str) -> Result<(), SyntaxError> {
    if tail.is_empty() { Ok(()) } else { Err(SyntaxError::Trailing { text: tail.to_string() }) }
}

/// `:SEED`.
fn seed(tail: &str) -> Result<u64, SyntaxError> {
    tail.strip_prefix(':').and_then(|seed| seed.parse().ok()).ok_or(SyntaxError::BadSeed)
}

/// `TYPE` or `TYPE[SHAPE]`, and what follows.
pub(super) fn element_and_shape(text: &str) -> Result<(Element, Option<Vec<usize>>, &str), SyntaxError> {
    let (name, rest) = text.split_at(text.find(['[', ':']).unwrap_or(text.len()));
    let element =
        Element::from_name(name).ok_or_else(|| SyntaxError::UnknownElement { name: name.to_string() })?;
    let Some(inside) = rest.strip_prefix('[') else { return Ok((element, None, rest)) };
    let bad_shape = |text: &str| SyntaxError::BadShape { text: text.to_string() };
    let (inside, tail) = inside.split_once(']').ok_or_else(|| bad_shape(inside))?;
    let shape = inside.split('x').map(|number| number.parse().ok()).collect::<Option<_>>();
    Ok((element, Some(shape.ok_or_else(|| bad_shape(inside))?), tail))
}

/// `local:BYTES`.
fn local(size: &str) -> Result<ValueSpec, SyntaxError> {
    size.parse().map(ValueSpec::Local).map_err(|_| SyntaxError::BadLocal { text: size.to_string() })
}

/// `bytes:HEX`.
fn raw_bytes(digits: &str) -> Result<ValueSpec, SyntaxError> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| match *pair {
        [high, low] => Some((hex_digit(high)? << 4) | hex_digit(low)?),
        _ => None,
    });
    match pairs.collect::<Option<Vec<u8>>>() {
        Some(bytes) if !bytes.is_empty() => Ok(ValueSpec::Bytes(bytes)),
        _ => Err(SyntaxError::BadBytes { text: digits.to_string() }),
    }
}

fn hex_digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// The format of a file whose name is enough to know it.
fn typed_format(path: &Path) -> Option<Format> {
    match extension(path)?.as_str() {
        "npy" => Some(Format::Npy),
        "png" => Some(Format::Png),
        _ => None,
    }
}

/// `FILE:TYPE` or `FILE:TYPE[SHAPE]`.
fn raw_file(path: &str, kind: &str) -> Result<ValueSpec, SyntaxError> {
    let path = PathBuf::from(path);
    let (element, shape, tail) = element_and_shape(kind)?;
    no_more(tail)?;
    if typed_format(&path).is_some() {
        return Err(SyntaxError::TypedTwice { path });
    }
    Ok(ValueSpec::File { path, format: Format::Raw { element, shape } })
}

/// `NUMBERTYPE` or `NUMBER_TYPE`.
fn scalar(text: &str) -> Result<ValueSpec, SyntaxError> {
    let typed = Element::ALL
        .into_iter()
        .find_map(|element| Some((element, text.strip_suffix(element.name())?)))
        .filter(|(_, literal)| !literal.is_empty());
    match typed {
        Some((element, literal)) => {
            let bytes = element.parse(literal.strip_suffix('_').unwrap_or(literal))?;
            Ok(ValueSpec::Scalar(Scalar { element, bytes }))
        }
        None if text.parse::<f64>().is_ok() || Element::U64.parse(text).is_ok() => {
            Err(SyntaxError::UntypedNumber { text: text.to_string() })
        }
        None => Err(SyntaxError::UnknownForm { text: text.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> ValueSpec {
        text.parse().unwrap()
    }

    fn refused(text: &str) -> SyntaxError {
        text.parse::<ValueSpec>().unwrap_err()
    }

    #[test]
    fn arrays_made_from_nothing() {
        let made =
            |element, shape: &[usize], fill| ValueSpec::Filled { element, shape: shape.to_vec(), fill };
        assert_eq!(parsed("zeros:u8[1024]"), made(Element::U8, &[1024], Fill::Zeros));
        assert_eq!(parsed("iota:f64[2x3x4]"), made(Element::F64, &[2, 3, 4], Fill::Iota));
        assert_eq!(parsed("random:i16[0]:9"), made(Element::I16, &[0], Fill::Random { seed: 9 }));
        assert_eq!(refused("zeros:u8"), SyntaxError::NoShape { text: "zeros:u8".into() });
        assert_eq!(refused("random:f32:7"), SyntaxError::NoShape { text: "random:f32".into() });
        assert_eq!(refused("zeros:q8[4]"), SyntaxError::UnknownElement { name: "q8".into() });
        assert_eq!(refused("iota:u8[4]5"), SyntaxError::Trailing { text: "5".into() });
        for text in ["random:u8[4]", "random:u8[4]:", "random:u8[4]:-1", "random:u8[4]:x"] {
            assert_eq!(refused(text), SyntaxError::BadSeed, "{text}");
        }
        for text in
            ["zeros:u8[]", "zeros:u8[4", "zeros:u8[4x]", "zeros:u8[-1]", "zeros:u8[99999999999999999999]"]
        {
            assert!(matches!(refused(text), SyntaxError::BadShape { .. }), "{text}");
        }
    }

    #[test]
    fn files_by_their_names() {
        let file = |path: &str, format| ValueSpec::File { path: path.into(), format };
        assert_eq!(parsed("a.npy"), file("a.npy", Format::Npy));
        assert_eq!(parsed("dir:1/A.PNG"), file("dir:1/A.PNG", Format::Png));
        let raw =
            |shape: Option<&[usize]>| Format::Raw { element: Element::F32, shape: shape.map(<[_]>::to_vec) };
        assert_eq!(parsed("a.bin:f32"), file("a.bin", raw(None)));
        assert_eq!(parsed("C:\\a:f32[2x3]"), file("C:\\a", raw(Some(&[2, 3]))));
        assert_eq!(refused("a.npy:f32"), SyntaxError::TypedTwice { path: "a.npy".into() });
        assert_eq!(refused("a.bin:float"), SyntaxError::UnknownElement { name: "float".into() });
        assert_eq!(refused("a.bin"), SyntaxError::UnknownForm { text: "a.bin".into() });
        assert_eq!(refused(""), SyntaxError::UnknownForm { text: String::new() });
    }

    #[test]
    fn numbers_with_their_types() {
        let scalar = |element, bytes: &[u8]| ValueSpec::Scalar(Scalar { element, bytes: bytes.to_vec() });
        assert_eq!(parsed("1024u32"), scalar(Element::U32, &[0, 4, 0, 0]));
        assert_eq!(parsed("-1i32"), scalar(Element::I32, &[255; 4]));
        assert_eq!(parsed("0x10u8"), scalar(Element::U8, &[16]));
        assert_eq!(parsed("3.5f32"), scalar(Element::F32, &[0, 0, 0x60, 0x40]));
        assert_eq!(parsed("1bf16"), scalar(Element::BF16, &[0x80, 0x3f]));
        assert_eq!(parsed("0x1b_f16"), scalar(Element::F16, &[0x1b, 0]));
        assert_eq!(parsed("-inf_f64"), scalar(Element::F64, &[0, 0, 0, 0, 0, 0, 0xf0, 0xff]));
        assert_eq!(refused("1024"), SyntaxError::UntypedNumber { text: "1024".into() });
        assert_eq!(refused("0x10"), SyntaxError::UntypedNumber { text: "0x10".into() });
        assert_eq!(refused("-1.5"), SyntaxError::UntypedNumber { text: "-1.5".into() });
        assert_eq!(refused("u32"), SyntaxError::UnknownForm { text: "u32".into() });
        assert_eq!(refused("300u8").hint(), "u8 holds 0 to 255");
        assert!(matches!(refused("3.5u32"), SyntaxError::Literal(LiteralError::NotANumber { .. })));
    }

    #[test]
    fn shared_memory_and_raw_bytes() {
        assert_eq!(parsed("local:4096"), ValueSpec::Local(4096));
        assert_eq!(parsed("bytes:0100A0ff"), ValueSpec::Bytes(vec![1, 0, 0xa0, 0xff]));
        for text in ["local:", "local:4k", "local:4294967296", "local:-1"] {
            assert!(matches!(refused(text), SyntaxError::BadLocal { .. }), "{text}");
        }
        for text in ["bytes:", "bytes:0", "bytes:0g", "bytes:é", "bytes:+1"] {
            assert!(matches!(refused(text), SyntaxError::BadBytes { .. }), "{text}");
        }
    }

    #[test]
    fn loading_reads_files() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.bin");
        std::fs::write(&path, [1, 0, 2, 0]).unwrap();
        let text = format!("{}:u16", path.display());
        let expected = Array::new(Element::U16, vec![2], vec![1, 0, 2, 0]).unwrap();
        assert_eq!(parsed(&text).load().unwrap(), Value::Array(expected));

        let error = parsed("no/such/file.npy").load().unwrap_err();
        assert_eq!(error.to_string(), "cannot read `no/such/file.npy`");
        assert!(matches!(error, LoadError::File(FileError::Read { .. })));
    }
}
