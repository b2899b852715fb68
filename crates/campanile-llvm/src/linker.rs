//! The linker that makes code objects: `ld.lld`, or the one that comes with Rust.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::ffi::object::Object;
use crate::search;

const VARIABLE: &str = "CAMPANILE_LLD";

/// Why an object file was not linked.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// There is no linker.
    #[error("found no linker for code objects; looked at {}", .looked_at.join(", "))]
    Absent {
        /// Where it was looked for, in order.
        looked_at: Vec<String>,
    },
    /// The linker cannot be run, or its files cannot be written and read.
    #[error("cannot run `{linker}`: {error}")]
    Unusable {
        /// The linker.
        linker: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The linker refused.
    #[error("`{linker}` failed: {message}")]
    Refused {
        /// The linker.
        linker: String,
        /// What it says.
        message: String,
    },
}

/// Where a linker may be that nobody names.
fn usual_places() -> Vec<PathBuf> {
    let mut places = search::toolchain_programs("rust-lld");
    let folders = env::var_os("PATH").unwrap_or_default();
    places.extend(env::split_paths(&folders).map(|folder| folder.join("ld.lld")));
    places
}

/// A linker of the LLVM project, by its name for ELF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linker {
    path: PathBuf,
}

impl Linker {
    /// Finds it: what `CAMPANILE_LLD` names, the linker of the Rust toolchain, `ld.lld` in the folders of `PATH`.
    ///
    /// # Errors
    ///
    /// Where it was looked for.
    pub fn find() -> Result<Self, LinkError> {
        let named = env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
        let places = named.map_or_else(usual_places, |path| vec![path]);
        let found = places.iter().find(|path| path.is_file()).cloned();
        let looked_at = || places.iter().map(|path| format!("`{}`", path.display())).collect();
        found.map(|path| Linker { path }).ok_or_else(|| LinkError::Absent { looked_at: looked_at() })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Links one object file to a shared object, as loaders of AMD's devices take it.
    ///
    /// # Errors
    ///
    /// When the linker cannot be run or refuses.
    pub fn shared(&self, object: &Object) -> Result<Vec<u8>, LinkError> {
        let linker = || self.path.display().to_string();
        let unusable = |error| LinkError::Unusable { linker: linker(), error };
        let folder = tempfile::tempdir().map_err(unusable)?;
        let [from, to] = ["module.o", "module.co"].map(|name| folder.path().join(name));
        fs::write(&from, object.bytes()).map_err(unusable)?;
        let mut command = Command::new(&self.path);
        // The linker of the Rust toolchain asks for its manner of speaking; `ld.lld` has it in its name.
        if self.path.file_stem() == Some(OsStr::new("rust-lld")) {
            command.args(["-flavor", "gnu"]);
        }
        command.args(["-shared", "--no-undefined-version", "-o"]).arg(&to).arg(&from);
        let output = command.output().map_err(unusable)?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(LinkError::Refused { linker: linker(), message });
        }
        fs::read(&to).map_err(unusable)
    }
}
