//! Variables of a module on the device. The host cannot reach them, so kernels of the module do: one tells their addresses, one
//! copies.

use campanile_core::module::VariableId;
use campanile_engine::{DeviceError, EngineError, MemoryId, host_variable, resident_bytes};

use super::OpenClEngine;
use crate::arguments::Passed;
use crate::dispatch::{Range, dispatch};

/// The kernel that writes all addresses to the address that it is passed.
const TELL: &str = "__pisa_variables";

/// The kernel that is passed a target, a source and a number of bytes.
const COPY: &str = "__pisa_copy";

impl OpenClEngine {
    pub(super) fn read(&mut self, name: &str) -> Result<Vec<u8>, EngineError> {
        let id = host_variable(&self.module, name)?;
        let size = resident_bytes(&self.module.variables[id]).unwrap_or(0);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size as usize).map_err(|_| EngineError::OutOfMemory { bytes: size })?;
        bytes.resize(size as usize, 0);
        if let Some(address) = self.address_of(id, size)? {
            self.through_memory(size, |engine, memory, own| {
                engine.copy_bytes(own, address, size)?;
                engine.memory.read(memory, 0, &mut bytes)
            })?;
        }
        Ok(bytes)
    }

    pub(super) fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        let id = host_variable(&self.module, name)?;
        let size = resident_bytes(&self.module.variables[id]).unwrap_or(0);
        let given = bytes.len() as u64;
        if given > size {
            return Err(DeviceError::TooLong { name: name.to_owned(), size, given }.into());
        }
        match self.address_of(id, given)? {
            None => Ok(()),
            Some(address) => self.through_memory(given, |engine, memory, own| {
                engine.memory.write(memory, 0, bytes)?;
                engine.copy_bytes(address, own, given)
            }),
        }
    }

    /// Where a variable is whose bytes are to be copied; none if they are none.
    fn address_of(&mut self, id: VariableId, bytes: u64) -> Result<Option<u64>, EngineError> {
        if bytes == 0 {
            return Ok(None);
        }
        if !self.memory.has_addresses() {
            return Err(EngineError::Unsupported(format!(
                "variables cannot be reached on device `{}`: it lacks shared virtual memory",
                self.session.device.name
            )));
        }
        if self.addresses.is_empty() {
            self.addresses = self.tell_addresses()?;
        }
        let position = self.programs.variables().iter().position(|one| *one == id);
        let address = position.and_then(|position| self.addresses.get(position));
        address.copied().map(Some).ok_or_else(|| {
            EngineError::Other(format!("the device has no variable `@{}`", self.module.variables[id].name))
        })
    }

    fn tell_addresses(&mut self) -> Result<Vec<u64>, EngineError> {
        let count = self.programs.variables().len();
        let mut bytes = vec![0; count * size_of::<u64>()];
        self.through_memory(bytes.len() as u64, |engine, memory, own| {
            engine.run_own(TELL, &[own])?;
            engine.memory.read(memory, 0, &mut bytes)
        })?;
        let (addresses, _) = bytes.as_chunks();
        Ok(addresses.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
    }

    fn copy_bytes(&mut self, to: u64, from: u64, bytes: u64) -> Result<(), EngineError> {
        self.run_own(COPY, &[to, from, bytes])
    }

    /// Does some work with memory that both sides reach, which is told its number and address.
    fn through_memory(
        &mut self,
        bytes: u64,
        work: impl FnOnce(&mut Self, MemoryId, u64) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let memory = self.memory.allocate(bytes)?;
        let address = self.memory.address(memory).ok_or(EngineError::UnknownMemory)?;
        let result = work(self, memory, address);
        self.memory.free(memory);
        result
    }

    /// Runs a kernel that the module has for its host.
    fn run_own(&mut self, name: &str, arguments: &[u64]) -> Result<(), EngineError> {
        let (_, program) = self.programs.of_variables(&self.session)?;
        let kernel = program.kernel(name)?;
        let passed: Vec<Passed<'_>> =
            arguments.iter().map(|one| Passed::Value(one.to_le_bytes().to_vec())).collect();
        dispatch(&self.session, &kernel, &passed, &self.memory, &Range::ONE)?;
        Ok(())
    }
}
