//! What OpenCL refuses.

use std::fmt;

use campanile_engine::EngineError;
use opencl3::error_codes::{ClError, error_text};

/// A call of OpenCL that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("OpenCL cannot {action}: {} ({code})", error_text(*.code))]
pub struct CallError {
    /// What was asked for, as it follows "cannot".
    pub action: &'static str,
    /// OpenCL's error code.
    pub code: i32,
}

impl CallError {
    /// What was asked for, and what came of it.
    pub(crate) fn new(action: &'static str, ClError(code): ClError) -> Self {
        CallError { action, code }
    }
}

impl From<CallError> for EngineError {
    fn from(error: CallError) -> Self {
        EngineError::Other(error.to_string())
    }
}

/// Why a module cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The device does not take it.
    #[error("device `{device}` does not build the module:\n{}", if .log.is_empty() { "(it does not say why)" } else { .log })]
    Refused {
        /// Name of the device.
        device: String,
        /// What it says of the reasons.
        log: String,
    },
    /// OpenCL failed.
    #[error(transparent)]
    Failed(#[from] CallError),
}

impl From<BuildError> for EngineError {
    fn from(error: BuildError) -> Self {
        EngineError::Other(error.to_string())
    }
}

/// Says what was asked for where OpenCL tells a number only.
pub(crate) trait Asked<T> {
    /// The result; its error says what OpenCL could not do.
    fn asked_to(self, action: &'static str) -> Result<T, CallError>;
}

impl<T> Asked<T> for Result<T, ClError> {
    fn asked_to(self, action: &'static str) -> Result<T, CallError> {
        self.map_err(|error| CallError::new(action, error))
    }
}

impl<T> Asked<T> for Result<T, i32> {
    fn asked_to(self, action: &'static str) -> Result<T, CallError> {
        self.map_err(|code| CallError { action, code })
    }
}

/// Why no device can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceUnavailable {
    /// There is no loader.
    #[error("there is no OpenCL: {looked_for} cannot be loaded")]
    NoLoader {
        /// The library, and what may name another one.
        looked_for: String,
    },
    /// The loader knows of no runtime.
    #[error("OpenCL has no devices: no runtime is registered with its loader")]
    NoDevice,
    /// There are devices, but not of this name.
    #[error("there is no OpenCL device `{name}`; the devices are {}", Listed(.devices))]
    Unknown {
        /// As asked for.
        name: String,
        /// The devices that there are.
        devices: Vec<String>,
    },
    /// The devices cannot run what is made for them.
    #[error("no OpenCL device can be used: {}", .reasons.join("; "))]
    Unsuitable {
        /// For each of the devices what it lacks.
        reasons: Vec<String>,
    },
    /// OpenCL failed.
    #[error(transparent)]
    Failed(#[from] CallError),
}

/// Names in backticks.
struct Listed<'a>(&'a [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(|name| format!("`{name}`")).collect();
        formatter.write_str(&names.join(", "))
    }
}
