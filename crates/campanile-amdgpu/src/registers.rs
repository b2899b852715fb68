//! Which registers survive a call, and which have a fixed job.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::target::{LlvmVersion, Target};

/// Where a function finds the address to return to: `s[30:31]`. It is callee-saved, so a function that calls keeps it.
pub const RETURN_ADDRESS: RegisterRange = scalars(30, 31);

/// The stack pointer. A function gives it back as it was.
pub const STACK_POINTER: RegisterRange = scalars(32, 32);

/// The frame pointer, of functions that need one. It is callee-saved.
pub const FRAME_POINTER: RegisterRange = scalars(33, 33);

/// The base pointer, of functions whose frame is aligned to more than the stack. It is callee-saved.
pub const BASE_POINTER: RegisterRange = scalars(34, 34);

/// The descriptor of scratch memory, on processors without flat scratch.
pub const SCRATCH_DESCRIPTOR: RegisterRange = scalars(0, 3);

/// Vector registers there are.
const VECTOR_REGISTERS: u32 = 256;

/// A file of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegisterFile {
    /// `v0` and so on: 32 bits for each lane.
    Vector,
    /// `s0` and so on: 32 bits for all lanes.
    Scalar,
    /// `a0` and so on: accumulation registers, 32 bits for each lane.
    Accumulation,
}

impl RegisterFile {
    /// Every file.
    pub const ALL: [RegisterFile; 3] =
        [RegisterFile::Vector, RegisterFile::Scalar, RegisterFile::Accumulation];

    /// The letter before a register's number.
    pub const fn letter(self) -> char {
        match self {
            RegisterFile::Vector => 'v',
            RegisterFile::Scalar => 's',
            RegisterFile::Accumulation => 'a',
        }
    }
}

/// Registers of a file that follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisterRange {
    /// The file.
    pub file: RegisterFile,
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

const fn scalars(first: u32, last: u32) -> RegisterRange {
    RegisterRange { file: RegisterFile::Scalar, first, last }
}

impl RegisterRange {
    /// How many.
    pub const fn count(self) -> u32 {
        self.last - self.first + 1
    }
}

impl fmt::Display for RegisterRange {
    /// `v40-v47`, `s32`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = self.file.letter();
        match self.first == self.last {
            true => write!(formatter, "{letter}{}", self.first),
            false => write!(formatter, "{letter}{}-{letter}{}", self.first, self.last),
        }
    }
}

impl Serialize for RegisterRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Target {
    /// How many registers a file has.
    pub fn registers(&self, file: RegisterFile) -> u32 {
        match file {
            RegisterFile::Vector => VECTOR_REGISTERS,
            RegisterFile::Scalar => self.generation().scalar_registers(),
            RegisterFile::Accumulation => self.generation().accumulation_registers(),
        }
    }

    /// Whether a function gives a register back as it found it. For the stack pointer this holds too, though it is in no
    /// list of LLVM.
    pub fn is_callee_saved(&self, file: RegisterFile, register: u32) -> bool {
        // Eight registers of every sixteen, from the first of them on.
        let striped = |first: u32| register >= first && (register - first) % 16 < 8;
        register < self.registers(file)
            && match (file, self.llvm) {
                (RegisterFile::Vector, _) => striped(40),
                (RegisterFile::Scalar, LlvmVersion::Llvm19) => register >= 30,
                (RegisterFile::Scalar, LlvmVersion::Llvm22) => {
                    (30..40).contains(&register) || striped(48) || register >= 96
                }
                (RegisterFile::Accumulation, _) => {
                    self.generation().keeps_accumulation_registers() && register >= 32
                }
            }
    }

    /// The registers that a function gives back as it found them, of all files.
    pub fn callee_saved(&self) -> Vec<RegisterRange> {
        self.ranges(true)
    }

    /// The registers that may hold anything after a call. Besides these, a function may change `vcc`, `scc` and `m0`.
    pub fn clobbered(&self) -> Vec<RegisterRange> {
        self.ranges(false)
    }

    fn ranges(&self, saved: bool) -> Vec<RegisterRange> {
        let mut ranges: Vec<RegisterRange> = Vec::new();
        for file in RegisterFile::ALL {
            let registers = 0..self.registers(file);
            for register in registers.filter(|register| self.is_callee_saved(file, *register) == saved) {
                match ranges.last_mut() {
                    Some(range) if range.file == file && range.last + 1 == register => range.last = register,
                    _ => ranges.push(RegisterRange { file, first: register, last: register }),
                }
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(processor: &str, llvm: LlvmVersion, file: RegisterFile) -> String {
        let target = Target::new(processor.parse().unwrap(), llvm).unwrap();
        let ranges = target.callee_saved().into_iter().filter(|range| range.file == file);
        ranges.map(|range| range.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn vector_registers_are_saved_in_stripes() {
        let expected = "v40-v47 v56-v63 v72-v79 v88-v95 v104-v111 v120-v127 v136-v143 v152-v159 v168-v175 \
                        v184-v191 v200-v207 v216-v223 v232-v239 v248-v255";
        for llvm in LlvmVersion::ALL {
            assert_eq!(saved("gfx1100", llvm, RegisterFile::Vector), expected);
        }
    }

    #[test]
    fn scalar_registers_are_saved_as_the_version_has_it() {
        let scalar = |processor, llvm| saved(processor, llvm, RegisterFile::Scalar);
        assert_eq!(scalar("gfx90a", LlvmVersion::Llvm19), "s30-s101");
        assert_eq!(scalar("gfx1100", LlvmVersion::Llvm19), "s30-s105");
        assert_eq!(scalar("gfx90a", LlvmVersion::Llvm22), "s30-s39 s48-s55 s64-s71 s80-s87 s96-s101");
        assert_eq!(scalar("gfx1100", LlvmVersion::Llvm22), "s30-s39 s48-s55 s64-s71 s80-s87 s96-s105");
    }

    #[test]
    fn accumulation_registers_are_saved_where_they_are_of_one_file_with_vector_registers() {
        let accumulation = |processor| saved(processor, LlvmVersion::Llvm22, RegisterFile::Accumulation);
        assert_eq!(accumulation("gfx942"), "a32-a255");
        assert_eq!(accumulation("gfx908"), "");
        assert_eq!(accumulation("gfx1201"), "");
    }

    #[test]
    fn every_register_is_either_saved_or_clobbered() {
        for processor in crate::Processor::ALL {
            let target = Target::new(processor, LlvmVersion::Llvm22).unwrap();
            let counted = [target.callee_saved(), target.clobbered()].concat();
            let counted: u32 = counted.into_iter().map(RegisterRange::count).sum();
            let all: u32 = RegisterFile::ALL.into_iter().map(|file| target.registers(file)).sum();
            assert_eq!(counted, all, "{}", processor.name);
        }
    }
}
