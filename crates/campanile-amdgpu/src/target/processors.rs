//! The table of processors, and what each generation has.

use super::LlvmVersion::{Llvm19, Llvm22};
use super::{CodeObject, LlvmVersion};

/// Processors that are alike to the ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generation {
    /// Vega and the processors after it, 64 lanes.
    Gfx9,
    /// The first with accumulation registers, which no function keeps over a call.
    Gfx908,
    /// MI200: vector and accumulation registers are one file.
    Gfx90a,
    /// MI300: scratch memory is addressed by the hardware itself.
    Gfx940,
    /// RDNA 1 and 2, 32 lanes.
    Gfx10,
    /// RDNA 3.
    Gfx11,
    /// RDNA 4: work-group ids come in registers of the trap handler.
    Gfx12,
}

impl Generation {
    /// Lanes of a wave as PISA uses them: its sub-group is one wave, or half of one where waves have 64 lanes.
    pub const fn wave_lanes(self) -> u32 {
        match self {
            Self::Gfx9 | Self::Gfx908 | Self::Gfx90a | Self::Gfx940 => 64,
            Self::Gfx10 | Self::Gfx11 | Self::Gfx12 => 32,
        }
    }

    /// Whether the hardware knows where scratch memory begins. Otherwise functions get a descriptor of it in `s[0:3]`,
    /// and stack and frame pointer count the bytes of all lanes together.
    pub const fn has_flat_scratch(self) -> bool {
        matches!(self, Self::Gfx940 | Self::Gfx11 | Self::Gfx12)
    }

    /// Scalar registers that code may use, from `s0` on.
    pub const fn scalar_registers(self) -> u32 {
        match self {
            Self::Gfx9 | Self::Gfx908 | Self::Gfx90a | Self::Gfx940 => 102,
            Self::Gfx10 | Self::Gfx11 | Self::Gfx12 => 106,
        }
    }

    /// Accumulation registers, from `a0` on.
    pub const fn accumulation_registers(self) -> u32 {
        match self {
            Self::Gfx908 | Self::Gfx90a | Self::Gfx940 => 256,
            Self::Gfx9 | Self::Gfx10 | Self::Gfx11 | Self::Gfx12 => 0,
        }
    }

    /// Whether functions keep accumulation registers from `a32` on.
    pub const fn keeps_accumulation_registers(self) -> bool {
        matches!(self, Self::Gfx90a | Self::Gfx940)
    }

    /// Whether a kernel finds its three work-item ids packed in `v0`, ten bits each, and not in `v0`, `v1` and `v2`.
    pub const fn packs_work_item_ids(self) -> bool {
        match self {
            Self::Gfx90a | Self::Gfx940 | Self::Gfx11 | Self::Gfx12 => true,
            Self::Gfx9 | Self::Gfx908 | Self::Gfx10 => false,
        }
    }

    /// Whether a kernel finds the work-group ids in registers of the trap handler and not in scalar registers.
    pub const fn has_work_group_ids_in_trap_registers(self) -> bool {
        matches!(self, Self::Gfx12)
    }
}

/// A processor.
#[derive(Debug, PartialEq, Eq)]
pub struct Processor {
    /// LLVM's name of it.
    pub name: &'static str,
    /// What it has.
    pub generation: Generation,
    /// The first of the known versions of LLVM that has it.
    pub since: LlvmVersion,
    /// The oldest code objects that there are for it.
    pub oldest_code_object: CodeObject,
    /// Whether what the hardware adds to the scalar registers of a kernel must end at `s15` or later, by a fault of it.
    pub pads_user_scalars: bool,
}

const fn processor(name: &'static str, generation: Generation, since: LlvmVersion) -> Processor {
    Processor { name, generation, since, oldest_code_object: CodeObject::V4, pads_user_scalars: false }
}

/// Code that runs on every processor of a kind.
const fn generic(name: &'static str, generation: Generation, since: LlvmVersion) -> Processor {
    Processor { oldest_code_object: CodeObject::V6, ..processor(name, generation, since) }
}

/// A processor whose work-group ids end at `s15`.
const fn padded(processor: Processor) -> Processor {
    Processor { pads_user_scalars: true, ..processor }
}

impl Processor {
    /// Every processor whose ABI is known, then those that stand for all of a kind.
    pub const ALL: &'static [Processor] = &[
        processor("gfx900", Generation::Gfx9, Llvm19),
        processor("gfx902", Generation::Gfx9, Llvm19),
        processor("gfx904", Generation::Gfx9, Llvm19),
        processor("gfx906", Generation::Gfx9, Llvm19),
        processor("gfx908", Generation::Gfx908, Llvm19),
        processor("gfx909", Generation::Gfx9, Llvm19),
        processor("gfx90a", Generation::Gfx90a, Llvm19),
        processor("gfx90c", Generation::Gfx9, Llvm19),
        processor("gfx942", Generation::Gfx940, Llvm19),
        processor("gfx950", Generation::Gfx940, Llvm22),
        processor("gfx1010", Generation::Gfx10, Llvm19),
        processor("gfx1011", Generation::Gfx10, Llvm19),
        processor("gfx1012", Generation::Gfx10, Llvm19),
        processor("gfx1013", Generation::Gfx10, Llvm19),
        processor("gfx1030", Generation::Gfx10, Llvm19),
        processor("gfx1031", Generation::Gfx10, Llvm19),
        processor("gfx1032", Generation::Gfx10, Llvm19),
        processor("gfx1033", Generation::Gfx10, Llvm19),
        processor("gfx1034", Generation::Gfx10, Llvm19),
        processor("gfx1035", Generation::Gfx10, Llvm19),
        processor("gfx1036", Generation::Gfx10, Llvm19),
        padded(processor("gfx1100", Generation::Gfx11, Llvm19)),
        processor("gfx1101", Generation::Gfx11, Llvm19),
        padded(processor("gfx1102", Generation::Gfx11, Llvm19)),
        processor("gfx1103", Generation::Gfx11, Llvm19),
        processor("gfx1150", Generation::Gfx11, Llvm19),
        processor("gfx1151", Generation::Gfx11, Llvm19),
        processor("gfx1152", Generation::Gfx11, Llvm19),
        processor("gfx1153", Generation::Gfx11, Llvm22),
        processor("gfx1200", Generation::Gfx12, Llvm19),
        processor("gfx1201", Generation::Gfx12, Llvm19),
        generic("gfx9-generic", Generation::Gfx9, Llvm19),
        generic("gfx9-4-generic", Generation::Gfx940, Llvm22),
        generic("gfx10-1-generic", Generation::Gfx10, Llvm19),
        generic("gfx10-3-generic", Generation::Gfx10, Llvm19),
        padded(generic("gfx11-generic", Generation::Gfx11, Llvm19)),
        generic("gfx12-generic", Generation::Gfx12, Llvm19),
    ];
}
