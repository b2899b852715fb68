//! Random PISA modules that verify, with launches that have no undefined behaviour.
//!
//! The generator reads the instruction table of [`campanile_core::isa`]: a new form needs nothing here unless it has
//! a precondition that the table does not state, such as a divisor that must not be zero. These preconditions are
//! kept as follows.
//!
//! - *Registers* are set at the start of the function, or of the scope that declares them.
//! - *Memory* is divided into regions: each says who may do what there, and dynamic offsets are masked to
//!   its size. A work-item writes its own part only, sees that of others only behind a barrier, and counts together
//!   with others only where the order of counting does not matter.
//! - *Addresses* never become data, as engines differ in them.
//! - *Control flow* comes to an end: loops have few rounds, arbitrary graphs of `goto` and recursion use up fuel.
//! - *Barriers* stand where all work-items of a work-group come by.
//!
//! In the end each work-item stores all its registers to its own part of a buffer, so that two engines, or two runs,
//! can be compared.

mod access;
mod address;
mod atomic;
mod body;
mod calls;
mod choices;
mod control_flow;
mod function;
mod immediate;
mod initialization;
mod instruction;
mod kernel;
mod launch;
mod module;
mod operand;
mod operation;
mod parameters;
mod phases;
mod planes;
mod prologue;
mod region;
mod registers;
mod scopes;
mod state;
mod variables;

pub use choices::noise;
pub use launch::{Argument, Shape};

/// What samples may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Functions of which only an error bound is specified (`fsin`, `.fast` …): engines need not agree on them.
    pub approximate: bool,
    /// Whether every NaN that an instruction makes is replaced by the positive quiet one, as engines need not agree
    /// on its sign and payload.
    pub canonical_nans: bool,
    /// Forms that LLVM prints but the specification lacks.
    pub extensions: bool,
    /// Whether fences stand around every barrier, for readers of the specification who hold that barriers alone order
    /// no memory.
    pub fences: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { approximate: true, canonical_nans: false, extensions: true, fences: false }
    }
}

impl Options {
    /// Only what all engines must agree on to the last bit.
    pub const REPRODUCIBLE: Options =
        Options { approximate: false, canonical_nans: true, extensions: true, fences: true };
}

/// A random module that verifies, as text, with a launch that has no undefined behaviour.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The module.
    pub text: String,
    /// The same program as two modules, to be linked.
    pub parts: [String; 2],
    /// Name of the kernel to launch, without `@`.
    pub kernel: String,
    /// The ND-range.
    pub shape: Shape,
    /// What is passed for each parameter of the kernel, in order.
    pub arguments: Vec<Argument>,
    /// Initial contents of the buffers that [`Argument::Buffer`] speaks of.
    pub buffers: Vec<Vec<u8>>,
    /// The buffer that `%printfbuffer` points to.
    pub printf_buffer: Option<usize>,
}

/// Makes a sample of the bytes of a fuzzer.
///
/// # Errors
/// None so far: when the bytes come to an end, so does the sample.
pub fn sample(bytes: &mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Sample> {
    sample_with(bytes, Options::default())
}

/// As [`sample`], with a say in what it contains.
///
/// # Errors
/// None so far: when the bytes come to an end, so does the sample.
pub fn sample_with(bytes: &mut arbitrary::Unstructured<'_>, options: Options) -> arbitrary::Result<Sample> {
    let rest = bytes.bytes(bytes.len())?;
    Ok(module::write(&mut choices::Choices::new(rest), options))
}

/// The sample of a seed: always the same for the same version of this crate.
pub fn from_seed(seed: u64, options: Options) -> Sample {
    let bytes = noise(seed, SEED_BYTES);
    module::write(&mut choices::Choices::new(&bytes), options)
}

/// Bytes that a sample of a seed is made of; most samples end before these do.
const SEED_BYTES: usize = 1 << 14;
