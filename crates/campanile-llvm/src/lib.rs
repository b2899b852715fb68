//! LLVM without a build dependency: `libLLVM`, 18 or newer, is found and loaded when it is first asked for.
//!
//! [`Llvm::load`] finds it. A [`Module`] is IR text that has been read and verified, a [`TargetMachine`] what optimizes
//! it and emits assembly or an object file, a [`Jit`] links object files into this process, and an [`Entry`] is a
//! function in them. [`Host`] tells what this machine is.
//!
//! ```
//! use campanile_llvm::{Jit, Llvm, Module, TargetMachine};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # if Llvm::load().is_err() { return Ok(()); }
//! let llvm = Llvm::load()?;
//! let machine = TargetMachine::host(llvm)?;
//! let module = Module::parse(llvm, "define i32 @twice(i32 %x) {\n  %r = add i32 %x, %x\n  ret i32 %r\n}\n")?;
//! let module = machine.optimize(module, "default<O3>")?;
//! let jit = Jit::new(llvm)?;
//! jit.add(&machine.object(module)?)?;
//! let twice = jit.entry::<unsafe extern "C" fn(i32) -> i32>("twice")?;
//! // SAFETY: the function has this type and reads nothing but its argument.
//! assert_eq!(unsafe { twice.call((21,)) }, 42);
//! # Ok(())
//! # }
//! ```
//!
//! What LLVM calls a fatal error, such as an operation that a processor does not have, ends the work and not the
//! process: modules are therefore given to the machine and come back.

mod amdgpu;
mod cpus;
mod engine;
mod error;
mod ffi;
pub mod frame;
mod host;
mod jit;
mod linker;
mod llvm;
pub mod lower;
mod machine;
mod module;
mod search;

pub use amdgpu::{AmdgpuCompiler, AmdgpuError};
pub use engine::{CacheContents, JitEngine, JitOptions, JitUnavailable, ObjectCache, PASSES};
pub use error::{Attempt, CompileError, Fault, JitError, LoadError, MachineError};
pub use ffi::entry::{Entry, Signature};
pub use ffi::object::Object;
pub use host::{Cache, CacheKind, Cpu, Host, VectorClass};
pub use jit::Jit;
pub use linker::{LinkError, Linker};
pub use llvm::Llvm;
pub use machine::{CodeLevel, Description, TargetMachine};
pub use module::Module;
