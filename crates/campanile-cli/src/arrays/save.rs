//! Arrays written to files: whole or not at all.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::array::same_size;
use super::file::{beside, extension};
use super::{Array, Element, FileError, npy, picture};
use crate::output::replace;

/// Where an array goes: `FILE`, `FILE:WxH` or `FILE:WxHxC`.
///
/// The size is that of a picture as people say it, width first; `640x480x3` makes the shape
/// `[480, 640, 3]`. Without a size the array keeps its own shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    path: PathBuf,
    shape: Option<Vec<usize>>,
}

impl FromStr for Destination {
    type Err = FileError;

    fn from_str(text: &str) -> Result<Self, FileError> {
        let sized = text.rsplit_once(':').and_then(|(path, size)| Some((path, picture_shape(size)?)));
        let destination = match sized {
            Some((path, shape)) => Self { path: path.into(), shape: Some(shape) },
            None => Self { path: text.into(), shape: None },
        };
        Encoding::of(&destination.path)?;
        Ok(destination)
    }
}

impl Destination {
    /// Whether an array of this type and shape can go there, as far as that can be told beforehand: better to know it
    /// before a long computation than after.
    pub fn accepts(&self, element: Element, shape: &[usize]) -> Result<(), FileError> {
        let path = || self.path.clone();
        self.has_folder()?;
        if let Some(wanted) = &self.shape {
            same_size(element, shape, wanted).map_err(|source| FileError::Shape { path: path(), source })?;
        }
        match Encoding::of(&self.path)? {
            Encoding::Png => {
                let shape = self.shape.as_deref().unwrap_or(shape);
                picture::layout(element, shape)
                    .map(|_| ())
                    .map_err(|source| FileError::Picture { path: path(), source })
            }
            Encoding::Npy => npy::accepts(element).map_err(|source| FileError::Npy { path: path(), source }),
            Encoding::Raw => Ok(()),
        }
    }

    /// Checks that there is a folder for the file.
    pub fn has_folder(&self) -> Result<(), FileError> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        match folder.map(std::fs::metadata) {
            Some(Err(source)) => Err(FileError::Write { path: self.path.clone(), source }),
            _ => Ok(()),
        }
    }

    /// The file as it is named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, by the one name that it has; none if it is a device or the like, which may be written to again.
    pub fn file(&self) -> Option<PathBuf> {
        if std::fs::metadata(&self.path).is_ok_and(|older| !older.is_file()) {
            return None;
        }
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize();
        let named = folder.ok().zip(self.path.file_name()).map(|(folder, name)| folder.join(name));
        self.path.canonicalize().ok().or(named)
    }

    /// The same, named relative to the folder of another file.
    pub fn beside(self, file: &Path) -> Self {
        Self { path: beside(file, &self.path), ..self }
    }

    /// Writes an array there.
    pub fn save(&self, array: &Array) -> Result<(), FileError> {
        match &self.shape {
            None => save(array, &self.path),
            Some(shape) => {
                let array = array
                    .reshaped(shape.clone())
                    .map_err(|source| FileError::Shape { path: self.path.clone(), source })?;
                save(&array, &self.path)
            }
        }
    }
}

/// Writes an array as `.npy`, `.png`, or bare elements (`.bin`, `.raw`), by the file's name.
fn save(array: &Array, path: &Path) -> Result<(), FileError> {
    let encoding = Encoding::of(path)?;
    let written = match encoding {
        Encoding::Npy => {
            let bytes = npy::encode(array).map_err(|source| FileError::Npy { path: path.into(), source })?;
            replace(path, &bytes)
        }
        Encoding::Png => {
            let bytes =
                picture::encode(array).map_err(|source| FileError::Picture { path: path.into(), source })?;
            replace(path, &bytes)
        }
        Encoding::Raw => replace(path, array.bytes()),
    };
    written.map_err(|source| FileError::Write { path: path.into(), source })
}

/// What a file's name says about its contents.
#[derive(Clone, Copy)]
enum Encoding {
    Npy,
    Png,
    Raw,
}

impl Encoding {
    fn of(path: &Path) -> Result<Self, FileError> {
        match extension(path).as_deref() {
            Some("npy") => Ok(Self::Npy),
            Some("png") => Ok(Self::Png),
            Some("bin" | "raw") => Ok(Self::Raw),
            _ => Err(FileError::UnknownExtension { path: path.into() }),
        }
    }
}

/// The shape of a size such as `640x480` or `640x480x3`.
fn picture_shape(size: &str) -> Option<Vec<usize>> {
    let numbers: Vec<usize> = size.split('x').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    match *numbers {
        [width, height] => Some(vec![height, width]),
        [width, height, channels] => Some(vec![height, width, channels]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fill, PictureError, ShapeError, ValueSpec};
    use super::*;

    fn destination(text: &str) -> Destination {
        text.parse().unwrap()
    }

    #[test]
    fn a_size_is_width_first() {
        assert_eq!(destination("a.png:640x480").shape, Some(vec![480, 640]));
        assert_eq!(destination("a.png:640x480x3").shape, Some(vec![480, 640, 3]));
        assert_eq!(destination("C:\\a.npy").shape, None);
        for text in ["a.pgn", "a", "a.png:640", "a.png:640x", "a.png:-1x3", "a.png:1x2x3x4"] {
            let error = text.parse::<Destination>().unwrap_err();
            assert!(matches!(error, FileError::UnknownExtension { .. }), "{text}");
            assert!(error.hint().unwrap().contains(".npy"));
        }
    }

    #[test]
    fn what_is_saved_is_loaded_again() {
        let directory = tempfile::tempdir().unwrap();
        let array = Fill::Random { seed: 3 }.make(Element::U8, &[6]).unwrap();
        for (name, given) in
            [("a.npy", "a.npy"), ("a.PNG", "a.PNG"), ("a.bin", "a.bin:u8[2x3]"), ("a.raw", "a.raw:u8[2x3]")]
        {
            let path = directory.path().join(name);
            destination(&format!("{}:3x2", path.display())).save(&array).unwrap();
            let text = directory.path().join(given).display().to_string();
            let loaded = text.parse::<ValueSpec>().unwrap().load().unwrap();
            assert_eq!(loaded, super::super::Value::Array(array.reshaped(vec![2, 3]).unwrap()), "{name}");
        }
    }

    #[test]
    fn numpy_has_no_bf16() {
        let directory = tempfile::tempdir().unwrap();
        let to = |name: &str| destination(&directory.path().join(name).display().to_string());
        let array = Fill::Iota.make(Element::BF16, &[6]).unwrap();
        for fault in [to("a.npy").accepts(Element::BF16, &[6]), to("a.npy").save(&array)] {
            assert!(fault.unwrap_err().hint().unwrap().contains(".bin"));
        }
        assert!(to("a.bin").accepts(Element::BF16, &[6]).is_ok() && to("a.bin").save(&array).is_ok());
    }

    #[test]
    fn a_file_has_one_name() {
        let directory = tempfile::tempdir().unwrap();
        let in_folder = |text: &str| destination(&format!("{}/{text}", directory.path().display())).file();
        assert_eq!(in_folder("a.npy"), in_folder("./a.npy"));
        assert_eq!(in_folder("a.npy"), in_folder("a.npy:2x3"));
        assert_ne!(in_folder("a.npy"), in_folder("b.npy"));
        #[cfg(unix)]
        {
            std::fs::write(directory.path().join("a.npy"), "").unwrap();
            std::os::unix::fs::symlink("a.npy", directory.path().join("b.npy")).unwrap();
            std::os::unix::fs::symlink("/dev/null", directory.path().join("c.npy")).unwrap();
            assert_eq!(in_folder("a.npy"), in_folder("b.npy"));
            assert_eq!(in_folder("c.npy"), None);
        }
    }

    #[test]
    fn a_failure_leaves_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.png");
        std::fs::write(&path, "old").unwrap();
        let array = Fill::Zeros.make(Element::U8, &[6]).unwrap();
        let error = save(&array, &path).unwrap_err();
        assert!(matches!(error, FileError::Picture { source: PictureError::NotFlat { .. }, .. }));
        let error = destination(&format!("{}:2x2", path.display())).save(&array).unwrap_err();
        assert!(matches!(error, FileError::Shape { source: ShapeError::WrongSize { .. }, .. }));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);

        let nowhere = directory.path().join("missing").join("a.npy");
        assert!(matches!(save(&array, &nowhere), Err(FileError::Write { .. })));
    }
}
