//! Errors with advice: what was wrong with a command, and what to do about it.

use campanile::engine::LaunchError;
use campanile::engine::ndrange::ShapeError;
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

/// The advice that an error or one of its causes has.
pub fn help(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| {
        if let Some(Advised { help, .. }) = cause.downcast_ref() {
            Some(help.clone())
        } else if let Some(error) = cause.downcast_ref::<LoadError>() {
            error.hint().map(str::to_owned)
        } else if let Some(error) = cause.downcast_ref::<FileError>() {
            error.hint().map(str::to_owned)
        } else {
            cause.downcast_ref().and_then(launch)
        }
    })
}

/// What to do about a launch that cannot begin.
fn launch(error: &LaunchError) -> Option<String> {
    match error {
        LaunchError::ArgumentSize { expected, .. } => Some(argument(*expected)),
        LaunchError::ArgumentSpace { expected, .. } if expected.address_bits() == 32 => {
            Some("give `local:BYTES` for a pointer to shared memory".to_owned())
        }
        LaunchError::ArgumentSpace { .. } => Some(
            "give an array, such as a file or `zeros:f32[1024]`, for a pointer to global memory".to_owned(),
        ),
        LaunchError::RequiredSize { required: [x, y, z], .. } => {
            Some(format!("give `--local {x},{y},{z}`, or leave it out"))
        }
        LaunchError::UnresolvedImport { .. } => Some("name the file that exports it as well".to_owned()),
        LaunchError::Shape(ShapeError::Ragged { .. }) => {
            Some("choose a local size that divides the grid, or add `--non-uniform`".to_owned())
        }
        _ => None,
    }
}

/// What fits a parameter of this size.
fn argument(bytes: u32) -> String {
    match bytes {
        1 | 2 => format!("give a number of {bytes} bytes, such as `7u{}`", bytes * 8),
        4 => "give a number of 4 bytes, such as `7u32` or `1.5f32`, or `local:BYTES` for shared memory"
            .to_owned(),
        8 => "give an array, or a number of 8 bytes, such as `7u64` or `1.5f64`".to_owned(),
        _ => format!("give `bytes:` and {} hexadecimal digits", 2 * u64::from(bytes)),
    }
}
