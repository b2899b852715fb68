//! The checked engine as hosts see it.

use std::sync::Arc;

use campanile_core::module::Module;

use crate::claims::Claim;
use crate::device::{BufferId, Device, DeviceError};
use crate::engine::{Engine, EngineError, EngineLaunch, MemoryClaim, MemoryId};
use crate::launch::{Launch, Options, Report, run};

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
        let address = |memory| {
            let buffer = Self::buffer(memory);
            self.device.has(buffer).then(|| self.device.buffer_address(buffer))
        };
        let resolved = launch.resolve(self.device.module(), address)?;
        let printf_buffer = launch.printf_buffer.map(Self::buffer);
        let launch = Launch { printf_buffer, claims: launch.claims.iter().map(claim).collect(), ..resolved };
        Ok(run(&mut self.device, &launch, &self.options)?)
    }

    fn read_variable(&mut self, name: &str) -> Result<Vec<u8>, EngineError> {
        Ok(self.device.read_variable(name)?)
    }

    fn write_variable(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        Ok(self.device.write_variable(name, bytes)?)
    }
}
