//! The library that was found.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::error::{Attempt, LoadError};
use crate::ffi::functions::Functions;
use crate::ffi::library::{self, Loaded};
use crate::host::Cpu;
use crate::search::{self, Place};

/// An LLVM that is loaded, once for the process and for good.
pub struct Llvm {
    path: PathBuf,
    version: [u32; 3],
    targets: Vec<String>,
    pub(crate) functions: &'static Functions,
}

impl Llvm {
    /// The LLVM of this process. The first call looks for it; all others return what that one found.
    ///
    /// It is the one that the variable `CAMPANILE_LLVM` names, a file or a folder; without that variable the Rust
    /// toolchain's own, or else the system's.
    ///
    /// # Errors
    ///
    /// All places that were looked at and what was wrong with each.
    pub fn load() -> Result<&'static Self, LoadError> {
        static LLVM: OnceLock<Result<Llvm, LoadError>> = OnceLock::new();
        LLVM.get_or_init(Self::find).as_ref().map_err(Clone::clone)
    }

    fn find() -> Result<Self, LoadError> {
        let mut attempts = Vec::new();
        for Place { source, path, outlook } in search::places() {
            let opened = outlook.and_then(|()| library::open(path.as_os_str()));
            match opened {
                Ok(Loaded { functions, version }) => {
                    return Ok(Self { path, version, targets: functions.targets(), functions });
                }
                Err(fault) => attempts.push(Attempt { source, path, fault }),
            }
        }
        Err(LoadError { attempts })
    }

    /// The library's file, or the name under which the system's loader found it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version: major, minor, patch.
    pub fn version(&self) -> [u32; 3] {
        self.version
    }

    /// The targets it emits code for, by LLVM's names (`x86-64`, `amdgcn`), sorted. Only those that concern PISA are
    /// registered.
    pub fn targets(&self) -> &[String] {
        &self.targets
    }

    /// Sets options as LLVM's own tools take them, such as `-stop-after=finalize-isel`, for all that this process compiles
    /// from now on. They are LLVM's own affair and change with its versions; one that it does not know, or has been given
    /// before, ends the process.
    pub fn set_options(&self, options: &[&str]) {
        self.functions.set_options(options);
    }

    /// The processor of this machine, as LLVM names it.
    pub fn host_cpu(&self) -> Cpu {
        Cpu { name: self.functions.host_cpu(), features: self.functions.host_features() }
    }
}

impl fmt::Debug for Llvm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.version;
        write!(f, "LLVM {major}.{minor}.{patch} at {}", self.path.display())
    }
}
