//! Opens a library and makes it ready: version, functions, targets, and a way out of fatal errors.
#![allow(unsafe_code)]

use std::ffi::{CString, OsStr, c_int};
use std::ptr;

use libloading::Library;

use super::fatal;
use super::functions::{self, Functions, copied};
use super::text::c_string;
use crate::error::Fault;

/// The oldest version whose interface is known to fit.
pub const OLDEST: u32 = 18;

/// An LLVM that is loaded for good.
pub struct Loaded {
    /// Its functions.
    pub functions: &'static Functions,
    /// Its version: major, minor, patch.
    pub version: [u32; 3],
}

/// Loads a library and keeps it.
///
/// # Errors
///
/// What keeps the library from being used.
pub fn open(name: &OsStr) -> Result<Loaded, Fault> {
    // SAFETY: what runs when LLVM is loaded are the constructors of its own globals.
    let library = unsafe { Library::new(name) }.map_err(|error| Fault::Unloadable(reason(&error)))?;
    // A library that is refused stays too: LLVM's globals do not bear to be taken down and set up again.
    let library: &'static Library = Box::leak(Box::new(library));
    let version = functions::version(library).ok_or(Fault::NotLlvm)?;
    if version[0] < OLDEST {
        return Err(Fault::TooOld { version });
    }
    let functions = Functions::resolve(library).map_err(|symbol| Fault::Lacks { symbol, version })?;
    let functions: &'static Functions = Box::leak(Box::new(functions));
    functions::register_targets(library);
    fatal::install(functions);
    Ok(Loaded { functions, version })
}

/// The loader's own words, which are in the source of the error.
fn reason(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), ToString::to_string)
}

impl Functions {
    /// The names of the registered targets, sorted.
    pub fn targets(&self) -> Vec<String> {
        let mut names = Vec::new();
        // SAFETY: the list of targets no longer changes, and their names live as long as the library.
        unsafe {
            let mut target = (self.LLVMGetFirstTarget)();
            while !target.is_null() {
                names.push(copied((self.LLVMGetTargetName)(target)));
                target = (self.LLVMGetNextTarget)(target);
            }
        }
        names.sort();
        names
    }

    /// Sets options as LLVM's own tools take them, for the whole process.
    pub fn set_options(&self, options: &[&str]) {
        let words: Vec<CString> =
            std::iter::once("campanile").chain(options.iter().copied()).map(c_string).collect();
        let pointers: Vec<_> = words.iter().map(|word| word.as_ptr()).collect();
        // SAFETY: the texts and the list of them live during the call, which copies what it keeps.
        unsafe {
            (self.LLVMParseCommandLineOptions)(pointers.len() as c_int, pointers.as_ptr(), ptr::null());
        }
    }

    /// The triple of this machine.
    pub fn host_triple(&self) -> String {
        // SAFETY: the function may be called at any time and returns a message.
        unsafe { self.message((self.LLVMGetDefaultTargetTriple)()) }
    }

    /// LLVM's name of this machine's processor.
    pub fn host_cpu(&self) -> String {
        // SAFETY: the function may be called at any time and returns a message.
        unsafe { self.message((self.LLVMGetHostCPUName)()) }
    }

    /// What this machine's processor has and has not: `+avx2,-avx512f,…`.
    pub fn host_features(&self) -> String {
        // SAFETY: the function may be called at any time and returns a message.
        unsafe { self.message((self.LLVMGetHostCPUFeatures)()) }
    }

    /// A triple with all its parts, in LLVM's order.
    pub fn normalized(&self, triple: &str) -> String {
        let triple = c_string(triple);
        // SAFETY: the text lives during the call, which returns a message.
        unsafe { self.message((self.LLVMNormalizeTargetTriple)(triple.as_ptr())) }
    }

    /// Whether code can be emitted for a triple; if not, why.
    pub fn check_triple(&self, triple: &str) -> Result<(), String> {
        let text = c_string(triple);
        let (mut target, mut message) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the text and both places live during the calls; a message is only set on failure.
        unsafe {
            if (self.LLVMGetTargetFromTriple)(text.as_ptr(), &mut target, &mut message) != 0 {
                return Err(self.message(message));
            }
            match (self.LLVMTargetHasTargetMachine)(target) {
                0 => Err("LLVM knows the target, but emits no code for it".to_owned()),
                _ => Ok(()),
            }
        }
    }
}
