//! Lowering: PISA to LLVM IR text.
//!
//! `compute` has what is computed lane by lane, written once for one lane and for 32. `sub_group` is the shape of 32 lanes:
//! [`lower`] makes one module of a kernel and all that it reaches. There, `function` keeps a function's registers, `value`
//! the forms that values have: one base for all lanes or each row of them where the analysis knows them to be linear,
//! vectors elsewhere. `evaluate` computes in the cheapest form, `control_flow` compiles the rule that the earliest block
//! goes first, and `service` leaves rare operations to the host.

mod compute;
mod lane;
mod ordering;
mod places;
mod sub_group;

use std::collections::BTreeSet;

use campanile_core::analysis::LaunchShape;
use campanile_core::isa::Op;
use campanile_core::module::{BlockId, FunctionId};

pub(crate) use lane::lower_for_host;
pub use lane::{AmdgpuOptions, lower_for_amdgpu};
pub use sub_group::{lower, lower_specialized};

/// What the code is made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The triple.
    pub triple: String,
    /// The data layout.
    pub data_layout: String,
    /// Whether the processor has AVX-512 (F, BW, DQ, VL).
    pub avx512: bool,
    /// Whether it has AVX2.
    pub avx2: bool,
    /// Whether it has half-precision arithmetic.
    pub half: bool,
    /// Whether it converts between half and single precision. What the processor lacks of this and of the next two, LLVM
    /// would call functions for that are nowhere; the host does it instead.
    pub half_conversion: bool,
    /// Whether it multiplies and adds with one rounding.
    pub fused: bool,
    /// Whether it rounds to integral numbers.
    pub integral: bool,
    /// The major version of the LLVM that reads the text.
    pub llvm: u32,
}

impl Target {
    /// Whether it needs no host for what is computed lane by lane.
    pub(crate) fn has_exact_arithmetic(&self) -> bool {
        self.fused && self.half_conversion && self.integral
    }

    /// Whether it is an AMD GPU.
    pub(crate) fn is_amdgpu(&self) -> bool {
        self.triple.starts_with("amdgcn")
    }
}

/// The function by which the host enters a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryName {
    /// A [`GroupsEntry`](crate::frame::GroupsEntry). Sub-groups wait at barriers of the kernel only, the local size is
    /// known, and calls are not deep.
    Groups(String),
    /// A [`SubgroupEntry`](crate::frame::SubgroupEntry); barriers are the host's affair.
    Subgroup(String),
    /// A [`LaneEntry`](crate::frame::LaneEntry): lanes run one by one.
    Lane(String),
}

/// What is fixed of a launch that a kernel is compiled for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Specialization {
    /// Its work-groups.
    pub shape: LaunchShape,
    /// The positions of parameters whose buffers are written past the caches.
    pub streamed: BTreeSet<u32>,
    /// Whether no buffer that the kernel writes shares bytes with one that another parameter points to.
    pub disjoint: bool,
}

impl Specialization {
    /// For all launches of this shape.
    pub fn of_shape(shape: LaunchShape) -> Self {
        Specialization { shape, ..Specialization::default() }
    }
}

/// What compiled code does besides what the kernel says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Instrumentation {
    /// Whether every access is held against what kernels may access.
    pub bounds: bool,
    /// Whether executions of blocks are counted.
    pub counts: bool,
}

/// A kernel as LLVM IR.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The module's text.
    pub text: String,
    /// The function by which the host enters it.
    pub entry: EntryName,
    /// The operations that [`Services`](crate::frame::Services) are asked for by their numbers.
    pub operations: Vec<Op>,
    /// Bytes of shared memory of the kernel's variables, from shared address zero on.
    pub shared_bytes: u64,
    /// Bytes of private memory that a work-item needs; none if that depends on how deep functions call themselves.
    pub private_bytes: Option<u64>,
    /// Whether the groups entry has all sub-groups of a work-group under way together, each with its private memory.
    pub together: bool,
    /// The guarded accesses by their numbers: functions, and instructions of their bodies.
    pub sites: Vec<(FunctionId, u32)>,
    /// The counted blocks by their numbers.
    pub counted: Vec<(FunctionId, BlockId)>,
}

/// What compiled code may report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Fault {
    /// Private memory, or the stack, is full.
    StackOverflow = 0,
    /// An indirect call to what is no function of its type.
    BadFunctionPointer = 1,
}
