//! The checked engine as hosts see it.

use std::sync::Arc;

use campanile_core::module::{FunctionKind, Module, Parameter};

use crate::claims::Claim;
use crate::device::{BufferId, Device, DeviceError};
use crate::engine::{Engine, EngineError, EngineLaunch, MemoryClaim, MemoryId};
use crate::launch::{Argument, Launch, LaunchError, Options, Report, run};

/// The checked engine with the memory of one module instance.
pub struct CheckedEngine {
    device: Device,
    options: Options,
}

impl CheckedEngine {
    /// An instance of a module, whose launches run as the options say.
    ///
    /// # Errors
    /// When the module's variables do not fit into memory.
    pub fn new(module: Arc<Module>, options: Options) -> Result<Self, DeviceError> {
        Ok(CheckedEngine { device: Device::new(module)?, options })
    }

    fn buffer(memory: MemoryId) -> BufferId {
        BufferId(memory.0 as u32)
    }

    /// The value of a parameter: its bytes of the argument buffer, with addresses filled in.
    fn argument(&self, launch: &EngineLaunch<'_>, position: usize, parameter: &Parameter) -> Argument {
        if let Some(shared) = launch.shared.iter().find(|one| one.parameter as usize == position) {
            return Argument::Local(shared.bytes);
        }
        let (start, end) = (parameter.offset as usize, (parameter.offset + parameter.size) as usize);
        let mut bytes = launch.arguments.get(start..end).unwrap_or_default().to_vec();
        for address in launch.addresses.iter().filter(|one| one.parameter as usize == position) {
            let value = self.device.buffer_address(Self::buffer(address.memory)) + address.start;
            let place = address.place as usize - start;
            if let Some(target) = bytes.get_mut(place..place + 8) {
                target.copy_from_slice(&value.to_le_bytes());
            }
        }
        Argument::Bytes(bytes)
    }
}

fn claim(claim: &MemoryClaim) -> Claim {
    Claim {
        buffer: CheckedEngine::buffer(claim.memory),
        bytes: claim.bytes.clone(),
        name: claim.name.clone(),
        parameter: claim.parameter,
        written: claim.written,
        noalias: claim.noalias,
    }
}

impl Engine for CheckedEngine {
    fn name(&self) -> &'static str {
        "checked"
    }

    fn watches_claims(&self) -> bool {
        true
    }

    fn allocate(&mut self, bytes: u64) -> Result<MemoryId, EngineError> {
        let buffer = self.device.try_add_undefined_buffer(bytes);
        buffer.map(|buffer| MemoryId(u64::from(buffer.0))).ok_or(EngineError::OutOfMemory { bytes })
    }

    fn free(&mut self, memory: MemoryId) {
        self.device.free_buffer(Self::buffer(memory));
    }

    fn upload(&mut self, memory: MemoryId, start: u64, bytes: &[u8]) -> Result<(), EngineError> {
        self.device.write_buffer(Self::buffer(memory), start as usize, bytes);
        Ok(())
    }

    fn download(&mut self, memory: MemoryId, start: u64, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.device.copy_buffer(Self::buffer(memory), start as usize, bytes);
        Ok(())
    }

    fn copy(&mut self, from: (MemoryId, u64), to: (MemoryId, u64), bytes: u64) -> Result<(), EngineError> {
        self.device.copy_within((Self::buffer(from.0), from.1), (Self::buffer(to.0), to.1), bytes);
        Ok(())
    }

    fn run(&mut self, launch: &EngineLaunch<'_>) -> Result<Report, EngineError> {
        let module = self.device.module().clone();
        let name = &launch.layout.kernel;
        let not_a_kernel = || LaunchError::NotAKernel(name.clone());
        let id = module.kernel(name).ok_or_else(not_a_kernel)?;
        let FunctionKind::Kernel(kernel) = &module.functions[id].kind else {
            return Err(not_a_kernel().into());
        };
        let parameters = kernel.parameters.iter().enumerate();
        let arguments = parameters.map(|(position, parameter)| self.argument(launch, position, parameter));
        let launch = Launch {
            kernel: id,
            grid: launch.grid,
            local: launch.local,
            offset: launch.offset,
            dimensions: launch.dimensions,
            non_uniform: launch.non_uniform,
            arguments: arguments.collect(),
            printf_buffer: launch.printf_buffer.map(Self::buffer),
            claims: launch.claims.iter().map(claim).collect(),
        };
        Ok(run(&mut self.device, &launch, &self.options)?)
    }

    fn read_variable(&mut self, name: &str) -> Result<Vec<u8>, EngineError> {
        Ok(self.device.read_variable(name)?)
    }

    fn write_variable(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        Ok(self.device.write_variable(name, bytes)?)
    }
}
