//! The executable form of a kernel and all that it can reach, made once per launch.
//!
//! Registers are numbered slots of a frame; a slot holds one element of 64 bits or less for each of the 32 lanes. A
//! vector takes a slot per element, a 128-bit register two.

mod step;

use std::ops::Range;
use std::sync::Arc;

use campanile_core::module::{FunctionId, FunctionKind, Module, Parameter, Signature};

use rustc_hash::FxHashMap;
pub(crate) use step::*;

use crate::finding::Nearest;
use crate::memory::{Object, Owner, PrivateVariable, SharedLayout};

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
    /// What findings call the buffers that have a name.
    pub buffer_names: FxHashMap<u32, String>,
}

impl Program {
    /// The parameters of the kernel.
    pub fn parameters(&self) -> &[Parameter] {
        match &self.module.functions[self.codes[0].function].kind {
            FunctionKind::Kernel(kernel) => &kernel.parameters,
            FunctionKind::Device { .. } => &[],
        }
    }

    /// An object as part of a finding about an address.
    pub fn describe(&self, object: &Object, address: u64) -> Nearest {
        let name = match object.owner {
            Owner::Variable(variable) => format!("`@{}`", self.module.variables[variable].name),
            Owner::Buffer(number) => match self.buffer_names.get(&number) {
                Some(name) => name.clone(),
                None => format!("buffer {number}"),
            },
            Owner::Argument(position) => format!("the shared memory of argument {position}"),
        };
        Nearest { object: name, size: object.size, offset: address.wrapping_sub(object.start) as i64 }
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
