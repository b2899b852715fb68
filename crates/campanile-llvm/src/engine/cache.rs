//! Object files that are kept from one run of a program to the next.
//!
//! An entry is named by a sum of everything that decides what it is, begins with a sum of what follows, and is moved to
//! its place when it is complete. A damaged one is as good as none. That a cache cannot be read or written is no fault:
//! kernels are compiled then.
#![allow(unsafe_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use sha2::{Digest, Sha256};

use crate::ffi::object::Object;
use crate::machine::Description;

/// What entries begin with; another number for another form.
const MAGIC: &[u8] = b"campanile object 1\n";

/// A folder with object files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectCache {
    folder: PathBuf,
}

/// What is in a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheContents {
    /// Kernels that are kept.
    pub kernels: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

impl ObjectCache {
    /// The user's own: `$CAMPANILE_CACHE`, or else `$XDG_CACHE_HOME/campanile`, or else `~/.cache/campanile`; none if
    /// there is no such place.
    pub fn of_user() -> Option<Self> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = set("CAMPANILE_CACHE")
            .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("campanile")))
            .or_else(|| env::home_dir().map(|home| home.join(".cache").join("campanile")));
        folder.map(Self::in_folder)
    }

    /// A cache in this folder, which is made when something is kept.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        ObjectCache { folder: folder.into() }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is in it, as far as it can be read.
    pub fn contents(&self) -> CacheContents {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let kept = entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "o"));
        kept.filter_map(|entry| entry.metadata().ok()).fold(CacheContents::default(), |sum, file| {
            CacheContents { kernels: sum.kernels + 1, bytes: sum.bytes + file.len() }
        })
    }

    /// The name of an entry.
    pub(super) fn key(&self, llvm: [u32; 3], machine: &Description, passes: &str, ir: &str) -> String {
        let Description { triple, cpu, features, level } = machine;
        let (llvm, level) = (format!("{llvm:?}"), format!("{level:?}"));
        let mut sum = Sha256::new();
        for part in [&llvm, triple, cpu, features, &level, passes, ir] {
            sum.update((part.len() as u64).to_le_bytes());
            sum.update(part);
        }
        sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.o"))
    }

    /// The entry of this name, if it is there and whole.
    pub(super) fn read(&self, key: &str) -> Option<Object> {
        let bytes = fs::read(self.path(key)).ok()?;
        let (sum, object) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<32>()?;
        let whole = sum[..] == Sha256::digest(object)[..];
        // SAFETY: the sum says that they are what was written, which LLVM had emitted; only the user writes here.
        whole.then(|| unsafe { Object::from_bytes(object.to_vec()) })
    }

    /// Keeps an entry, as far as possible.
    pub(super) fn write(&self, key: &str, object: &Object) {
        let write = || {
            fs::create_dir_all(&self.folder)?;
            // Whoever reads sees the older entry or the new one, and nothing of a temporary file stays behind.
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            for part in [MAGIC, &Sha256::digest(object.bytes())[..], object.bytes()] {
                file.write_all(part)?;
            }
            file.persist(self.path(key)).map_err(|error| error.error)
        };
        let _: std::io::Result<fs::File> = write();
    }
}
