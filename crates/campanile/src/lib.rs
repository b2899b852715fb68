//! Campanile for programs: load PISA modules, launch their kernels on devices, read the results.
//!
//! A [`Module`] is verified text, a [`Kernel`] one of its kernels with the layout of its arguments, a [`Device`] an
//! engine that runs the kernels of a module and keeps arrays, a [`Buffer`] such an array. [`Kernel::launch`] begins a
//! launch, [`Launch::run`] makes it; nothing but the layout says what is passed where.
//!
//! ```
//! use campanile::{Device, Module};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let module = Module::from_text(
//!     "double.pisa",
//!     ".version 0.1;
//! .target 100;
//! .kernel @double (.param[8] .addrspace(global) .ptr_align(4) %numbers) {
//!   .reg .64b %address, %place;
//!   .reg .32b %number;
//!   ld.param.64b %address, [%numbers];
//!   mov.32b %number, %localid.x;
//!   shl.32b %number, %number, 2;
//!   zext.64b.32b %place, %number;
//!   iadd.64b %address, %address, %place;
//!   ld.global.32b %number, [%address];
//!   fadd.f %number, %number, %number;
//!   st.global.32b [%address], %number;
//!   return;
//! }
//! ",
//! )?;
//! let mut device = Device::checked(&module)?;
//! let numbers = device.buffer(&[1.0f32, 2.5, -3.0, 0.0]);
//! let report = module.kernel("double")?.launch().set("numbers", &numbers).grid([4]).run(&mut device)?;
//! assert!(report.findings.is_empty());
//! assert_eq!(device.read(&numbers)?, [2.0, 5.0, -6.0, 0.0]);
//! # Ok(())
//! # }
//! ```
//!
//! What tools need beyond that is here too: the language ([`language`]), the launch contract ([`contract`]), the
//! engines ([`engine`]), LLVM ([`llvm`]), the ABI of AMD GPUs ([`amdgpu`]), OpenCL ([`opencl`]) and SPIR-V ([`spirv`]).

mod buffer;
mod device;
mod element;
mod kernel;
mod launch;
mod module;
pub mod profile;
mod records;

pub use buffer::{AnyBuffer, Buffer, BufferError};
pub use campanile_amdgpu as amdgpu;
pub use campanile_contract as contract;
pub use campanile_core as language;
pub use campanile_engine as engine;
pub use campanile_llvm as llvm;
pub use campanile_opencl as opencl;
pub use campanile_spirv as spirv;
pub use device::{AccessError, Action, Device, Reason, Transfer};
pub use element::Element;
pub use kernel::Kernel;
pub use launch::{ArgumentError, Launch, LaunchError, Name, Value, suitable_local_size};
pub use module::{KernelError, Module, ModuleError};
pub use records::{Records, RecordsBuilder, RecordsError};
