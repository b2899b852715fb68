//! The executable form of a kernel and all that it can reach, made once per launch.
//!
//! Registers are numbered slots of a frame; a slot holds one element of 64 bits or less for each of the 32 lanes. A
//! vector takes a slot per element, a 128-bit register two.

mod step;

use std::ops::Range;
use std::sync::Arc;

use campanile_core::module::{FunctionId, FunctionKind, Module, Parameter, Signature};

pub(crate) use step::*;

use crate::memory::{PrivateVariable, SharedLayout};

/// A kernel ready to run.
pub(crate) struct Program {
    /// What it was made of.
    pub module: Arc<Module>,
    /// The kernel first, then the functions that it can reach.
    pub codes: Vec<Code>,
    /// For each function of the module, its index in `codes`.
    pub by_function: Vec<Option<u32>>,
    /// Where shared variables lie.
    pub shared: Arc<SharedLayout>,
    /// The argument buffer, padded with zeros.
    pub arguments: Vec<u8>,
}

impl Program {
    /// The parameters of the kernel.
    pub fn parameters(&self) -> &[Parameter] {
        match &self.module.functions[self.codes[0].function].kind {
            FunctionKind::Kernel(kernel) => &kernel.parameters,
            FunctionKind::Device { .. } => &[],
        }
    }
}

/// An executable function or kernel.
pub(crate) struct Code {
    /// The function it was made of.
    pub function: FunctionId,
    /// Its type; empty for the kernel.
    pub signature: Signature,
    /// Slots of its registers; those of the parameters come first, in order.
    pub slots: u32,
    /// The steps of each block, in the order of the text. The last block is empty: going there returns.
    pub blocks: Vec<Range<u32>>,
    /// All steps; step `i` is instruction `i` of the body.
    pub steps: Vec<Step>,
    /// Its private variables.
    pub private: Vec<PrivateVariable>,
    /// Bytes of private memory of one activation.
    pub private_size: u64,
}
