//! Executes PISA modules: ND-ranges, address spaces, and the checked engine.
//!
//! The checked engine is the meaning of the language: it executes a verified module 32 lanes at a time, without code
//! generation, and watches every rule of the machine. A [`Device`] holds the global memory of a module instance,
//! [`run`] launches a kernel on it, and the [`Report`] tells what was wrong with the kernel.

mod accept;
mod checked;
mod checks;
mod claims;
mod device;
mod engine;
mod execute;
mod finding;
pub mod float;
mod launch;
mod mask;
pub mod meaning;
mod memory;
pub mod ndrange;
mod observe;
mod places;
mod profile;
mod program;
mod translate;
mod variables;

pub use accept::Accepted;
pub use checked::CheckedEngine;
pub use checks::{Check, Checks, UnknownCheck};
pub use claims::{Claim, memory_names};
pub use device::{BufferId, Device, DeviceError};
pub use engine::{
    AddressArgument, Engine, EngineError, EngineLaunch, MemoryClaim, MemoryId, SharedMemoryArgument,
};
pub use finding::{
    Access, Collector, EXPLANATIONS, Explanation, Finding, FindingKind, Nearest, Other, Role, Where,
};
pub use launch::{Argument, Launch, LaunchError, Limits, Options, Progress, Report, run};
pub use memory::{function_address, is_null, is_widened};
pub use places::{VariablePlace, near_global_address, private_places, shared_places};
pub use profile::{BlockProfile, Profile};
pub use variables::{host_variable, initial_bytes, resident_bytes};
