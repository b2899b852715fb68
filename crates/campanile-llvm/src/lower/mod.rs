//! Lowering: PISA to LLVM IR text, 32 lanes at a time.

use campanile_core::analysis::LaunchShape;
use campanile_core::isa::Op;
use campanile_core::module::{FunctionId, Module};

/// What the code is made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The triple.
    pub triple: String,
    /// The data layout.
    pub data_layout: String,
    /// Whether the processor has AVX-512 (F, BW, DQ, VL).
    pub avx512: bool,
    /// Whether it has half-precision arithmetic.
    pub half: bool,
}

/// A kernel as LLVM IR.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The module's text.
    pub text: String,
    /// `void (ptr SubgroupFrame)`: runs one sub-group.
    pub subgroup_entry: String,
    /// `void (ptr LaunchFrame, ptr shared, ptr private, i64 first, i64 end)`: runs all sub-groups of the work-groups of
    /// these numbers, x counting fastest. None if sub-groups have to wait for one another.
    pub groups_entry: Option<String>,
    /// The operations that [`Services`](crate::frame::Services) are asked for by their numbers.
    pub operations: Vec<Op>,
    /// Bytes of shared memory of the kernel's variables, from shared address zero on.
    pub shared_bytes: u64,
    /// Bytes of private memory that a work-item needs; none if that depends on how deep functions call themselves.
    pub private_bytes: Option<u64>,
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

/// Lowers a kernel and the functions that it reaches.
pub fn lower(module: &Module, kernel: FunctionId, launch: LaunchShape, target: &Target) -> Lowered {
    let _ = (module, kernel, launch, target);
    todo!()
}
