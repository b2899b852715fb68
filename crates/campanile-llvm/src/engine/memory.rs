//! Global and constant memory of a module instance: the host's buffers and the module's variables.

use std::sync::Arc;

use campanile_core::module::{Module, VariableId};
use campanile_engine::{
    DeviceError, EngineError, LaunchError, MemoryId, host_variable, initial_bytes, resident_bytes,
};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

use super::block::Block;
use super::guard::{Object, variable_name};

/// Alignment that a buffer promises.
const BUFFER_ALIGNMENT: usize = 1 << 12;

/// Bytes around objects where accesses are guarded. Nobody touches them, so that they take addresses only.
const ROOM: usize = 16 << 20;

/// The memory of a module instance.
pub(super) struct DeviceMemory {
    buffers: FxHashMap<MemoryId, Block>,
    next: u64,
    /// Bytes around each object that belong to no other.
    room: usize,
    /// For each variable of the module its memory, if it is global or constant.
    variables: Vec<Option<Block>>,
    /// For each variable of the module its address; zero for others.
    addresses: Vec<u64>,
}

impl DeviceMemory {
    /// Lays out the variables of a module and fills in their initial contents.
    ///
    /// Where accesses are guarded, objects lie far apart, so that those which miss one do not hit the next.
    pub fn new(module: &Module, guarded: bool) -> Result<Self, DeviceError> {
        let room = if guarded { ROOM } else { 0 };
        // A vector load may be as wide as where the checked engine has the variable.
        let least = if guarded { BUFFER_ALIGNMENT } else { 1 };
        let alignment = |declared: u32| least.max(declared as usize);
        let mut variables = Vec::new();
        for variable in module.variables.values() {
            let too_large = || DeviceError::TooLarge { name: variable.name.clone(), size: variable.size };
            let block = resident_bytes(variable)
                .map(|size| Block::apart(size, alignment(variable.alignment), room).ok_or_else(too_large));
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
        Ok(DeviceMemory { buffers: FxHashMap::default(), next: 0, room, variables, addresses })
    }

    /// The addresses of the module's variables, by their numbers.
    pub fn variable_addresses(&self) -> &[u64] {
        &self.addresses
    }

    /// Adds a buffer.
    pub fn allocate(&mut self, bytes: u64) -> Result<MemoryId, EngineError> {
        let block = Block::apart(bytes, BUFFER_ALIGNMENT, self.room);
        let block = block.ok_or(EngineError::OutOfMemory { bytes })?;
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

    /// All objects: variables, then buffers, some of which have names.
    pub fn objects(&self, module: &Module, names: &[(MemoryId, String)]) -> Vec<Object> {
        let object = |block: &Block, name: Arc<str>, number: u32| Object {
            start: block.address(),
            size: block.size(),
            name,
            number: Some(number),
            lasts: true,
        };
        let variables = module.variables.keys().zip(&self.variables);
        let resident = variables.filter_map(|(id, block)| Some((id, block.as_ref()?)));
        let mut objects: Vec<Object> = resident
            .zip(0..)
            .map(|((id, block), number)| object(block, variable_name(module, id), number))
            .collect();
        let first = objects.len() as u32;
        objects.extend(self.buffers.iter().map(|(memory, block)| {
            let name = names.iter().find(|(named, _)| named == memory).map(|(_, name)| name.as_str().into());
            let name = name.unwrap_or_else(|| format!("buffer {}", memory.0).into());
            object(block, name, first + memory.0 as u32)
        }));
        objects
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
