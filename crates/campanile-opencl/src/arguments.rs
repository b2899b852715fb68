//! What is passed to a kernel of SPIR-V, from the argument buffer of a launch.

use campanile_core::module::{Kernel, Parameter};
use campanile_engine::{EngineError, EngineLaunch, LaunchError};
use opencl3::memory::Buffer;

use crate::error::CallError;
use crate::memory::{DeviceMemory, Piece};
use campanile_spirv::{KernelArgument, LaunchShape};

/// An argument as OpenCL takes it.
pub(crate) enum Passed<'a> {
    /// The bytes themselves.
    Value(Vec<u8>),
    /// An address in shared virtual memory.
    Address(u64),
    /// A buffer.
    Buffer(&'a Buffer<u8>),
    /// A part of a buffer.
    Part(Buffer<u8>),
    /// So many bytes of shared memory.
    Shared(usize),
}

/// What cannot be passed to a kernel on a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// An address, where the device has none that it could tell.
    #[error(
        "the address passed for `%{parameter}` is a number to the kernel, but device `{device}` shares no addresses with \
         the host: it lacks shared virtual memory"
    )]
    NoAddresses {
        /// The parameter.
        parameter: String,
        /// Name of the device.
        device: String,
    },
    /// Shared memory for a parameter that is not said to point there.
    #[error("shared memory is passed for `%{0}`, which is not marked `.addrspace(shared)`")]
    UnmarkedShared(String),
    /// An address of shared memory, which hosts do not know.
    #[error("a number is passed for `%{0}`, which points to shared memory")]
    SharedAddress(String),
    /// OpenCL failed.
    #[error(transparent)]
    Failed(#[from] CallError),
}

impl From<ArgumentError> for EngineError {
    fn from(error: ArgumentError) -> Self {
        match error {
            ArgumentError::Failed(error) => error.into(),
            _ => EngineError::Unsupported(error.to_string()),
        }
    }
}

/// A launch whose arguments are sought.
pub(crate) struct Arguments<'a> {
    /// The kernel's parameters.
    pub kernel: &'a Kernel,
    /// What the host passes.
    pub launch: &'a EngineLaunch<'a>,
    /// Its shape, for kernels that run in one dimension.
    pub shape: LaunchShape,
    /// The argument buffer, with the addresses that are known.
    pub bytes: &'a [u8],
    pub memory: &'a DeviceMemory,
    /// Name of the device.
    pub device: &'a str,
}

impl<'a> Arguments<'a> {
    /// One argument.
    ///
    /// # Errors
    /// When it cannot be passed to this device.
    pub fn passed(&self, argument: KernelArgument) -> Result<Passed<'a>, EngineError> {
        match argument {
            KernelArgument::Pointer { parameter, .. } => self.pointer(parameter),
            KernelArgument::Integer { parameter, .. } | KernelArgument::Structure { parameter, .. } => {
                self.value(parameter)
            }
            KernelArgument::Shared { parameter } => self.shared(parameter),
            KernelArgument::PrintfBuffer => self.printf_buffer(),
            KernelArgument::Shape => Ok(Passed::Value(self.shape.bytes())),
        }
    }

    fn parameter(&self, number: u32) -> Result<&'a Parameter, EngineError> {
        let parameter = self.kernel.parameters.get(number as usize);
        parameter.ok_or_else(|| EngineError::Other(format!("the kernel has no parameter {number}")))
    }

    fn bytes(&self, parameter: &Parameter) -> Vec<u8> {
        let (start, size) = (parameter.offset as usize, parameter.size as usize);
        self.bytes.get(start..start + size).unwrap_or_default().to_vec()
    }

    /// The value of a parameter, which may hold addresses.
    fn value(&self, number: u32) -> Result<Passed<'a>, EngineError> {
        let parameter = self.parameter(number)?;
        let name = || parameter.name.clone();
        if self.launch.shared.iter().any(|one| one.parameter == number) {
            return Err(ArgumentError::UnmarkedShared(name()).into());
        }
        let holds_address = self.launch.addresses.iter().any(|one| one.parameter == number);
        if holds_address && !self.memory.has_addresses() {
            let device = self.device.to_owned();
            return Err(ArgumentError::NoAddresses { parameter: name(), device }.into());
        }
        Ok(Passed::Value(self.bytes(parameter)))
    }

    fn pointer(&self, number: u32) -> Result<Passed<'a>, EngineError> {
        let parameter = self.parameter(number)?;
        if self.memory.has_addresses() {
            let mut address = [0; 8];
            for (to, from) in address.iter_mut().zip(self.bytes(parameter)) {
                *to = from;
            }
            return Ok(Passed::Address(u64::from_le_bytes(address)));
        }
        let Some(address) = self.launch.addresses.iter().find(|one| one.parameter == number) else {
            // The number of an address that the caller made up.
            let (parameter, device) = (parameter.name.clone(), self.device.to_owned());
            return Err(ArgumentError::NoAddresses { parameter, device }.into());
        };
        match self.memory.piece(address.memory)? {
            Piece::Shared(block) => Ok(Passed::Address(block.address() + address.start)),
            Piece::Buffer(buffer) if address.start == 0 => Ok(Passed::Buffer(buffer.handle())),
            Piece::Buffer(buffer) => {
                let part = buffer.part(address.start as usize).map_err(ArgumentError::Failed)?;
                Ok(Passed::Part(part))
            }
        }
    }

    fn shared(&self, number: u32) -> Result<Passed<'a>, EngineError> {
        match self.launch.shared.iter().find(|one| one.parameter == number) {
            Some(one) => Ok(Passed::Shared(one.bytes as usize)),
            None => Err(ArgumentError::SharedAddress(self.parameter(number)?.name.clone()).into()),
        }
    }

    fn printf_buffer(&self) -> Result<Passed<'a>, EngineError> {
        let address = match self.launch.printf_buffer {
            None => 0,
            Some(_) if !self.memory.has_addresses() => {
                let (parameter, device) = ("printfbuffer".to_owned(), self.device.to_owned());
                return Err(ArgumentError::NoAddresses { parameter, device }.into());
            }
            Some(memory) => self.memory.address(memory).ok_or(LaunchError::UnknownBuffer)?,
        };
        Ok(Passed::Value(address.to_le_bytes().to_vec()))
    }
}
