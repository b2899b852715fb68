//! The AMDGPU ABI, computed by our own code: where arguments and results of functions lie, which registers survive a
//! call, and what a kernel finds at its start.
//!
//! [`Target`] says what code is for: a processor and the LLVM that generates it. [`Type`] has the types of LLVM as far as
//! the ABI tells them apart, and [`Placement`] places the arguments and the result of a [`Signature`]:
//!
//! ```
//! use campanile_amdgpu::{Parameter, Placement, Signature, Type};
//!
//! let parameters = [Type::integer(32), Type::integer(64), Type::integer(16).vector(3)];
//! let signature = Signature { parameters: parameters.map(Parameter::direct).into(), result: Some(Type::integer(64)) };
//! let placement = Placement::of(&signature);
//! let slots: Vec<String> = placement.arguments[2].slots().map(|slot| slot.to_string()).collect();
//! assert_eq!(slots, ["v3", "v4"]);
//! ```
//!
//! [`Target::callee_saved`] says which registers survive a call, [`HiddenInput`] what functions get besides their
//! arguments, [`KernargSegment`] and [`kernel_entry`] what kernels find, and [`spill_plan`] what is held over each call.
//! [`ModuleAbi`] is all of it for a module, in the form that `pisa abi` saves.
//!
//! Nothing here calls LLVM. That LLVM really does what is computed here is shown by the tests of `campanile-llvm`.

mod abi;
pub mod c;
mod entry;
mod inputs;
mod kernarg;
mod needs;
mod placement;
mod registers;
mod spills;
mod system_v;
mod target;
mod types;

pub use abi::{ArgumentAbi, CallAbi, FixedRegisters, FunctionAbi, InputAbi, KernelAbi, ModuleAbi};
pub use entry::{EntryRegister, KernelFacts, kernel_entry};
pub use inputs::{HiddenInput, HiddenInputs};
pub use kernarg::{ArgumentKind, HiddenArgument, KernargSegment, KernelArgument};
pub use needs::{Callee, Needs, needs};
pub use placement::{Extension, Parameter, Passing, Place, Placement, ResultPlace, Run, Signature, Slot};
pub use registers::{
    BASE_POINTER, FRAME_POINTER, RETURN_ADDRESS, RegisterFile, RegisterRange, SCRATCH_DESCRIPTOR,
    STACK_POINTER,
};
pub use spills::{CallPlan, spill_plan};
pub use system_v::{SystemVPlace, SystemVPlacement};
pub use target::{CodeObject, Generation, LlvmVersion, Processor, Target, TargetError};
pub use types::{Scalar, Type};
