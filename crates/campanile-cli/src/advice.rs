//! Errors with advice: what was wrong with a command, and what to do about it.

use campanile::amdgpu::{Processor, TargetError};
use campanile::contract::ElementType;
use campanile::engine::ndrange::ShapeError;
use campanile::engine::{EngineError, LaunchError as Refused};
use campanile::llvm::JitUnavailable;
use campanile::opencl::{DeviceUnavailable, OpenClUnavailable};
use campanile::{ArgumentError, LaunchError};
use thiserror::Error;

use crate::arrays::{FileError, LoadError};

/// An error of the command line itself.
#[derive(Debug, Error)]
#[error("{message}")]
struct Advised {
    message: String,
    help: String,
}

/// An error with advice.
pub fn advised(message: impl Into<String>, help: impl Into<String>) -> anyhow::Error {
    Advised { message: message.into(), help: help.into() }.into()
}

/// What is told of an error.
pub struct Message {
    /// A stable code, where it is about a launch.
    pub code: Option<&'static str>,
    /// One sentence.
    pub text: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// The messages of an error: arguments that do not fit are told one by one.
pub fn messages(error: &anyhow::Error) -> Vec<Message> {
    let launch = error.chain().find_map(|cause| cause.downcast_ref::<LaunchError>());
    let Some(LaunchError::Arguments(faults)) = launch else {
        let code = launch.map(LaunchError::code);
        return vec![Message { code, text: format!("{error:#}"), help: help(error) }];
    };
    let context = error.chain().take_while(|cause| !cause.is::<LaunchError>());
    let context: String = context.map(|cause| format!("{cause}: ")).collect();
    let message = |fault: &ArgumentError| Message {
        code: Some(fault.code()),
        text: format!("{context}{fault}"),
        help: argument(fault),
    };
    faults.iter().map(message).collect()
}

/// The advice that an error or one of its causes has.
fn help(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| {
        if let Some(Advised { help, .. }) = cause.downcast_ref() {
            Some(help.clone())
        } else if let Some(error) = cause.downcast_ref::<LoadError>() {
            error.hint().map(str::to_owned)
        } else if let Some(error) = cause.downcast_ref::<FileError>() {
            error.hint().map(str::to_owned)
        } else if cause.is::<JitUnavailable>() {
            Some("`pisa doctor` tells how LLVM is found; `--engine checked` needs none".to_owned())
        } else if let Some(error) = cause.downcast_ref::<TargetError>() {
            Some(target(error))
        } else if let Some(OpenClUnavailable::Device(error)) = cause.downcast_ref() {
            Some(device(error))
        } else if cause.is::<campanile::llvm::LoadError>() {
            Some("`pisa doctor` tells how LLVM is found".to_owned())
        } else {
            cause.downcast_ref().and_then(launch)
        }
    })
}

/// What to do where there is no such AMD GPU.
fn target(error: &TargetError) -> String {
    match error {
        TargetError::Unknown { nearest, .. } if nearest.is_empty() => {
            let known: Vec<&str> = Processor::ALL.iter().map(|processor| processor.name).collect();
            format!("choose one of {}", known.join(", "))
        }
        TargetError::Unknown { nearest, .. } => format!("did you mean `{}`?", nearest.join("` or `")),
        TargetError::Newer { .. } => "add `--llvm 22`".to_owned(),
        TargetError::CodeObject { oldest, .. } => format!("leave out `--code-object`, or give {oldest}"),
    }
}

/// What to do where there is no OpenCL device.
fn device(error: &DeviceUnavailable) -> String {
    let help = match error {
        DeviceUnavailable::NoLoader { .. } => {
            "install a loader, such as Debian's `ocl-icd-libopencl1`, and the runtime of a device"
        }
        DeviceUnavailable::NoDevice => {
            "install the runtime of a device, or name its folder in OCL_ICD_VENDORS"
        }
        DeviceUnavailable::Unknown { .. } => "give part of the name of one of these",
        DeviceUnavailable::Unsuitable { .. } | DeviceUnavailable::Failed(_) => {
            "`pisa doctor` tells what the devices have; `--engine jit` and `--engine checked` need none"
        }
    };
    help.to_owned()
}

/// What to do about a launch that cannot begin.
fn launch(error: &LaunchError) -> Option<String> {
    let LaunchError::Engine(EngineError::Launch(error)) = error else { return None };
    match error {
        Refused::RequiredSize { required: [x, y, z], .. } => {
            Some(format!("give `--local {x},{y},{z}` (`local = [{x}, {y}, {z}]` in a plan), or leave it out"))
        }
        Refused::Shape(ShapeError::Ragged { .. }) => {
            Some("choose a local size that divides the grid, or add `--non-uniform` (`non_uniform = true` in a plan)"
                .to_owned())
        }
        _ => None,
    }
}

/// What to do about an argument that does not fit.
fn argument(fault: &ArgumentError) -> Option<String> {
    match fault {
        ArgumentError::Missing(name) => {
            Some(format!("add `--arg {name}=VALUE`, or `{name}` to the plan's `args`"))
        }
        ArgumentError::Size { expected, .. } => Some(value(*expected)),
        ArgumentError::ElementType { expected: ElementType::Bytes(bytes), .. } => {
            Some(format!("give an array of u8 whose last size is {bytes}, such as `zeros:u8[16x{bytes}]`"))
        }
        ArgumentError::Kind { expected: "shared memory", .. } => {
            Some("give `local:BYTES` for a pointer to shared memory".to_owned())
        }
        ArgumentError::Kind { expected: "an array", .. } => Some(
            "give an array, such as a file or `zeros:f32[1024]`, for a pointer to global memory".to_owned(),
        ),
        ArgumentError::Kind { expected: "a number", .. } => {
            Some("give a number with its type, such as `7u32` or `1.5f32`, or `bytes:HEX`".to_owned())
        }
        _ => None,
    }
}

/// What fits a parameter of this size.
fn value(bytes: u32) -> String {
    match bytes {
        1 | 2 => format!("give a number of {bytes} bytes, such as `7u{}`", bytes * 8),
        4 => "give a number of 4 bytes, such as `7u32` or `1.5f32`, or `local:BYTES` for shared memory"
            .to_owned(),
        8 => "give an array, or a number of 8 bytes, such as `7u64` or `1.5f64`".to_owned(),
        _ => format!("give `bytes:` and {} hexadecimal digits", 2 * u64::from(bytes)),
    }
}
