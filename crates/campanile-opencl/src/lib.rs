//! Kernels on OpenCL devices: the system's loader is found at run time, so that nothing is needed to build this.

mod arguments;
mod crash;
mod description;
mod dispatch;
mod emission;
mod engine;
mod error;
mod memory;
mod program;
mod selection;
mod session;

pub use arguments::ArgumentError;
pub use description::{DeviceDescription, DeviceKind, PlatformDescription, Version, platforms};
pub use engine::{OpenClEngine, OpenClOptions, OpenClUnavailable};
pub use error::{BuildError, CallError, DeviceUnavailable};
pub use selection::find;
