//! Global and constant memory of a module instance: the host's buffers and the module's variables.

use campanile_core::module::{Module, VariableId};
use campanile_engine::{
    DeviceError, EngineError, LaunchError, MemoryId, host_variable, initial_bytes, resident_bytes,
};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

use super::block::Block;

/// Alignment that a buffer promises.
const BUFFER_ALIGNMENT: usize = 1 << 12;

/// The memory of a module instance.
pub(super) struct DeviceMemory {
    buffers: FxHashMap<MemoryId, Block>,
    next: u64,
    /// For each variable of the module its memory, if it is global or constant.
    variables: Vec<Option<Block>>,
    /// For each variable of the module its address; zero for others.
    addresses: Vec<u64>,
}

impl DeviceMemory {
    /// Lays out the variables of a module and fills in their initial contents.
    pub fn new(module: &Module) -> Result<Self, DeviceError> {
        let mut variables = Vec::new();
        for variable in module.variables.values() {
            let too_large = || DeviceError::TooLarge { name: variable.name.clone(), size: variable.size };
            let block = resident_bytes(variable)
                .map(|size| Block::zeroed(size, variable.alignment as usize).ok_or_else(too_large));
            variables.push(block.transpose()?);
        }
        let addresses: Vec<u64> =
            variables.iter().map(|block| block.as_ref().map_or(0, Block::address)).collect();
        for (block, variable) in variables.iter_mut().zip(module.variables.values()) {
            let Some(block) = block else { continue };
            let too_large = || DeviceError::TooLarge { name: variable.name.clone(), size: variable.size };
            let bytes = initial_bytes(variable, |one| Some(addresses[one.index()]));
            let written = bytes.ok().and_then(|bytes| block.write(0, &bytes).ok());
            written.ok_or_else(too_large)?;
        }
        Ok(DeviceMemory { buffers: FxHashMap::default(), next: 0, variables, addresses })
    }

    /// The addresses of the module's variables, by their numbers.
    pub fn variable_addresses(&self) -> &[u64] {
        &self.addresses
    }

    /// Adds a buffer.
    pub fn allocate(&mut self, bytes: u64) -> Result<MemoryId, EngineError> {
        let block = Block::zeroed(bytes, BUFFER_ALIGNMENT).ok_or(EngineError::OutOfMemory { bytes })?;
        let id = MemoryId(self.next);
        self.next += 1;
        self.buffers.insert(id, block);
        Ok(id)
    }

    /// Takes a buffer away.
    pub fn free(&mut self, memory: MemoryId) {
        self.buffers.remove(&memory);
    }

    /// The address of a buffer.
    pub fn address(&self, memory: MemoryId) -> Option<u64> {
        self.buffers.get(&memory).map(Block::address)
    }

    /// The address of `%printfbuffer`, null without one.
    pub fn printf_buffer(&self, memory: Option<MemoryId>) -> Result<u64, LaunchError> {
        memory.map_or(Ok(0), |memory| self.address(memory).ok_or(LaunchError::UnknownBuffer))
    }

    /// A buffer.
    pub fn buffer(&self, memory: MemoryId) -> Result<&Block, EngineError> {
        self.buffers.get(&memory).ok_or(EngineError::UnknownMemory)
    }

    /// A buffer to be written.
    pub fn buffer_mut(&mut self, memory: MemoryId) -> Result<&mut Block, EngineError> {
        self.buffers.get_mut(&memory).ok_or(EngineError::UnknownMemory)
    }

    /// The contents of a variable.
    pub fn read_variable(&self, module: &Module, name: &str) -> Result<Vec<u8>, EngineError> {
        let block = self.variable(host_variable(module, name)?, name)?;
        let mut bytes = vec![0; block.size() as usize];
        block.read(0, &mut bytes)?;
        Ok(bytes)
    }

    /// Overwrites the first bytes of a variable.
    pub fn write_variable(&mut self, module: &Module, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        let id = host_variable(module, name)?;
        let (size, given) = (self.variable(id, name)?.size(), bytes.len() as u64);
        if given > size {
            return Err(DeviceError::TooLong { name: name.to_owned(), size, given }.into());
        }
        match &mut self.variables[id.index()] {
            Some(block) => block.write(0, bytes),
            None => Ok(()),
        }
    }

    fn variable(&self, id: VariableId, name: &str) -> Result<&Block, DeviceError> {
        self.variables[id.index()].as_ref().ok_or_else(|| DeviceError::UnknownVariable(name.to_owned()))
    }
}
