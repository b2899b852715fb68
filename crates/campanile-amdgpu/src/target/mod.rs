//! What code is made for: a processor, the LLVM that makes it, and the format of code objects.

mod processors;

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use campanile_core::isa::distance;
use thiserror::Error;

pub use processors::{Generation, Processor};

/// A version of LLVM whose ABI is known. Versions between the two have not been looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LlvmVersion {
    /// LLVM 19.
    Llvm19,
    /// LLVM 22.
    Llvm22,
}

impl LlvmVersion {
    /// Every version, the oldest first.
    pub const ALL: [LlvmVersion; 2] = [LlvmVersion::Llvm19, LlvmVersion::Llvm22];

    /// Its major number.
    pub const fn major(self) -> u32 {
        match self {
            LlvmVersion::Llvm19 => 19,
            LlvmVersion::Llvm22 => 22,
        }
    }

    /// The code objects that it makes where nothing else is asked for.
    pub const fn default_code_object(self) -> CodeObject {
        match self {
            LlvmVersion::Llvm19 => CodeObject::V5,
            LlvmVersion::Llvm22 => CodeObject::V6,
        }
    }
}

/// The format of code objects, which decides what hidden arguments a kernel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeObject {
    /// Version 4.
    V4,
    /// Version 5.
    V5,
    /// Version 6.
    V6,
}

impl CodeObject {
    /// Every version, the oldest first.
    pub const ALL: [CodeObject; 3] = [CodeObject::V4, CodeObject::V5, CodeObject::V6];

    /// Its number.
    pub const fn number(self) -> u32 {
        match self {
            CodeObject::V4 => 4,
            CodeObject::V5 => 5,
            CodeObject::V6 => 6,
        }
    }
}

/// What code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The processor.
    pub processor: &'static Processor,
    /// The LLVM that makes the code, as callers and callees must agree.
    pub llvm: LlvmVersion,
    /// The format of the code object.
    pub code_object: CodeObject,
}

impl Target {
    /// The target for a processor, with the code objects that this LLVM makes by default, or the oldest there are for it.
    ///
    /// # Errors
    ///
    /// If this LLVM does not know the processor.
    pub fn new(processor: &'static Processor, llvm: LlvmVersion) -> Result<Self, TargetError> {
        if llvm < processor.since {
            return Err(TargetError::Newer { name: processor.name, llvm: llvm.major() });
        }
        let code_object = llvm.default_code_object().max(processor.oldest_code_object);
        Ok(Self { processor, llvm, code_object })
    }

    /// The same target with code objects of this version.
    ///
    /// # Errors
    ///
    /// If there are none for the processor.
    pub fn with_code_object(self, code_object: CodeObject) -> Result<Self, TargetError> {
        let Processor { name, oldest_code_object, .. } = *self.processor;
        match code_object < oldest_code_object {
            true => Err(TargetError::CodeObject { name, oldest: oldest_code_object.number() }),
            false => Ok(Self { code_object, ..self }),
        }
    }

    /// What the processor's generation has.
    pub fn generation(&self) -> Generation {
        self.processor.generation
    }
}

impl fmt::Display for Target {
    /// As on the command line: `amdgpu:gfx1100`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "amdgpu:{}", self.processor.name)
    }
}

impl FromStr for &'static Processor {
    type Err = TargetError;

    fn from_str(name: &str) -> Result<Self, TargetError> {
        let known = Processor::ALL.iter().find(|processor| processor.name == name);
        known.ok_or_else(|| TargetError::Unknown { name: name.to_owned(), nearest: nearest(name) })
    }
}

/// The names that differ least from this one, up to three; of those that differ alike, the ones that begin like it.
fn nearest(name: &str) -> Vec<&'static str> {
    let shared =
        |known: &str| known.bytes().zip(name.bytes()).take_while(|(left, right)| left == right).count();
    let names = Processor::ALL.iter().map(|processor| processor.name);
    let mut near: Vec<_> = names.filter(|known| distance(name, known) <= 3).collect();
    near.sort_by_key(|known| (distance(name, known), Reverse(shared(known))));
    near.truncate(3);
    near
}

/// Why there is no such target.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TargetError {
    /// No processor has this name.
    #[error("there is no AMD GPU `{name}` whose ABI is known")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Known names that are much like it, the nearest first.
        nearest: Vec<&'static str>,
    },
    /// The processor came with a later LLVM.
    #[error("LLVM {llvm} does not know `{name}`")]
    Newer {
        /// The processor.
        name: &'static str,
        /// The major version of the LLVM.
        llvm: u32,
    },
    /// Code objects for the processor came later.
    #[error("there are no code objects before version {oldest} for `{name}`")]
    CodeObject {
        /// The processor.
        name: &'static str,
        /// The oldest version.
        oldest: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_answered_with_near_ones() {
        let error = "gfx110".parse::<&Processor>().unwrap_err();
        let TargetError::Unknown { nearest, .. } = error else { panic!("{error}") };
        assert_eq!(nearest, ["gfx1100", "gfx1101", "gfx1102"]);
        let long = "g".repeat(1 << 20);
        let error = long.parse::<&Processor>().unwrap_err();
        assert!(matches!(error, TargetError::Unknown { nearest, .. } if nearest.is_empty()));
    }

    #[test]
    fn later_processors_are_unknown_to_older_versions() {
        let processor: &Processor = "gfx950".parse().unwrap();
        assert!(Target::new(processor, LlvmVersion::Llvm22).is_ok());
        let error = Target::new(processor, LlvmVersion::Llvm19).unwrap_err();
        assert_eq!(error.to_string(), "LLVM 19 does not know `gfx950`");
    }

    #[test]
    fn processors_that_stand_for_others_have_new_code_objects_only() {
        let target = Target::new("gfx11-generic".parse().unwrap(), LlvmVersion::Llvm19).unwrap();
        assert_eq!(target.code_object, CodeObject::V6);
        let error = target.with_code_object(CodeObject::V5).unwrap_err();
        assert_eq!(error.to_string(), "there are no code objects before version 6 for `gfx11-generic`");
        let target = Target::new("gfx1100".parse().unwrap(), LlvmVersion::Llvm22).unwrap();
        assert_eq!(target.with_code_object(CodeObject::V4).unwrap().code_object, CodeObject::V4);
    }
}
