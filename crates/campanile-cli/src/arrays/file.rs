//! Files that hold arrays: which format, and how they are read.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::npy::{self, NpyError};
use super::picture::{self, PictureError};
use super::raw::{self, RawError};
use super::{Array, Element};

/// How a file holds its array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// NumPy's format.
    Npy,
    /// A PNG picture.
    Png,
    /// Elements and nothing else.
    Raw {
        /// Their type.
        element: Element,
        /// Their shape, if not one row.
        shape: Option<Vec<usize>>,
    },
}

/// Why a file could not be read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// The operating system refused to read it.
    #[error("cannot read `{}`", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The operating system refused to write it.
    #[error("cannot write `{}`", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// It is no npy file we can use.
    #[error("cannot use `{}`", .path.display())]
    Npy {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: NpyError,
    },
    /// It is no picture we can read or write.
    #[error("cannot use `{}` as a picture", .path.display())]
    Picture {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: PictureError,
    },
    /// It does not hold the elements asked for.
    #[error("cannot use `{}`", .path.display())]
    Raw {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: RawError,
    },
    /// The name does not say how to write it.
    #[error("the name `{}` does not say in which format to write", .path.display())]
    UnknownExtension {
        /// The file.
        path: PathBuf,
    },
    /// The array does not have the shape asked for.
    #[error("cannot write `{}`", .path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: super::ShapeError,
    },
}

impl FileError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Npy { source, .. } => source.hint(),
            Self::Picture { source, .. } => source.hint(),
            Self::UnknownExtension { .. } => Some(
                "expected `.npy`, `.png`, or `.bin` or `.raw` for bare elements; \
                 a picture's size may follow: `FILE.png:640x480`",
            ),
            Self::Read { .. } | Self::Write { .. } | Self::Raw { .. } | Self::Shape { .. } => None,
        }
    }
}

/// Reads a whole file.
pub(super) fn read(path: &Path, format: &Format) -> Result<Array, FileError> {
    let bytes = std::fs::read(path).map_err(|source| FileError::Read { path: path.into(), source })?;
    match format {
        Format::Npy => npy::decode(bytes).map_err(|source| FileError::Npy { path: path.into(), source }),
        Format::Png => {
            picture::decode(&bytes).map_err(|source| FileError::Picture { path: path.into(), source })
        }
        Format::Raw { element, shape } => raw::decode(*element, shape.as_deref(), bytes)
            .map_err(|source| FileError::Raw { path: path.into(), source }),
    }
}

/// A file named in another one: relative to that one's folder.
pub fn beside(file: &Path, named: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if file != Path::new("-") => folder.join(named),
        _ => named.to_path_buf(),
    }
}

/// The extension of a file name in lower case, without its dot.
pub(super) fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}
