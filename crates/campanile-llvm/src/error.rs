//! What can go wrong between asking for LLVM and calling code that it compiled.

use std::fmt;
use std::path::PathBuf;

/// Why a file that was tried is not the LLVM to use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no such file or folder, or it holds no LLVM.
    #[error("no libLLVM there")]
    Absent,
    /// The loader refused it, for the reason it gives.
    #[error("{0}")]
    Unloadable(String),
    /// It is another library.
    #[error("it is no LLVM: it has no `LLVMGetVersion`")]
    NotLlvm,
    /// It is older than what is supported.
    #[error("LLVM {}.{}.{} is too old", .version[0], .version[1], .version[2])]
    TooOld {
        /// Its version: major, minor, patch.
        version: [u32; 3],
    },
    /// It was built without a function that is needed.
    #[error("LLVM {}.{}.{} lacks `{symbol}`", .version[0], .version[1], .version[2])]
    Lacks {
        /// The function's name in C.
        symbol: &'static str,
        /// Its version: major, minor, patch.
        version: [u32; 3],
    },
}

/// A place where LLVM was looked for, and what was wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Who says that LLVM might be there: a variable, a toolchain, the system.
    pub source: &'static str,
    /// The file or folder, or the name given to the system's loader.
    pub path: PathBuf,
    /// Why it was passed over.
    pub fault: Fault,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.path.display(), self.source, self.fault)
    }
}

/// No usable LLVM was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found no LLVM 18 or newer; looked at{}", listed(.attempts))]
pub struct LoadError {
    /// Where it was looked for, in order.
    pub attempts: Vec<Attempt>,
}

fn listed(attempts: &[Attempt]) -> String {
    attempts.iter().map(|attempt| format!("\n  {attempt}")).collect()
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Why a target machine cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// The triple names nothing that this LLVM emits code for.
    #[error("no target `{triple}`: {message}")]
    Triple {
        /// The triple asked for.
        triple: String,
        /// What LLVM says.
        message: String,
    },
    /// The target has no such processor.
    #[error("`{triple}` has no processor `{cpu}`{}", hint(*.nearest))]
    Cpu {
        /// The triple asked for.
        triple: String,
        /// The processor asked for.
        cpu: String,
        /// One with a similar name.
        nearest: Option<&'static str>,
    },
    /// The processor is newer than the LLVM that was found.
    #[error("LLVM {major} does not know `{cpu}`; LLVM {since} does")]
    NewerCpu {
        /// The processor asked for.
        cpu: String,
        /// The first major version that knows it.
        since: u32,
        /// The major version that was found.
        major: u32,
    },
    /// Features are given as `+name` or `-name`, with commas between them.
    #[error("`{0}` is no feature: write `+name` or `-name`")]
    Feature(String),
}

/// Why IR did not become code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The text is no IR.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1; 0 if LLVM names none.
        line: u32,
        /// The column, from 1; 0 if LLVM names none.
        column: u32,
        /// What LLVM says.
        message: String,
    },
    /// The module breaks a rule of IR, in LLVM's words.
    #[error("the module is not well formed: {0}")]
    Invalid(String),
    /// The module names another target than the machine's.
    #[error("the module is for `{module}`, the machine is `{machine}`")]
    OtherTarget {
        /// The module's triple.
        module: String,
        /// The machine's triple.
        machine: String,
    },
    /// The passes could not be run.
    #[error("cannot run the passes `{pipeline}`: {message}")]
    Passes {
        /// The passes asked for.
        pipeline: String,
        /// What LLVM says.
        message: String,
    },
    /// The module could not be emitted, in LLVM's words.
    #[error("cannot emit the module: {0}")]
    Emission(String),
    /// LLVM met what it cannot survive; the module is lost, the process goes on.
    #[error("LLVM gave up: {0}")]
    Fatal(String),
}

/// Why code cannot be linked or found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JitError {
    /// LLVM cannot run code on this machine.
    #[error("cannot begin to run code: {0}")]
    Unavailable(String),
    /// A name is taken.
    #[error("cannot add code or symbols: {0}")]
    Addition(String),
    /// No code has the name, or something it needs is missing.
    #[error("cannot link `{name}`: {message}")]
    Link {
        /// The function's name.
        name: String,
        /// What LLVM says.
        message: String,
    },
}
