//! A module instance: its global memory, which outlives launches.

use std::ops::Range;
use std::sync::Arc;

use campanile_core::isa::Space;
use campanile_core::module::{Module, VariableId};

use crate::memory::{GlobalMemory, Owner};
use crate::variables::{host_variable, initial_bytes, resident_bytes};

/// A buffer of a [`Device`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub(crate) u32);

/// The global memory of one module instance: the module's variables, and the buffers of the host.
pub struct Device {
    module: Arc<Module>,
    memory: GlobalMemory,
    /// For each variable of the module its object, if it is global or constant.
    variables: Vec<Option<u32>>,
    /// For each buffer its object.
    buffers: Vec<u32>,
}

/// What cannot be done with a [`Device`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A variable that does not fit into memory.
    #[error("variable `@{name}` of {size} bytes does not fit into memory")]
    TooLarge {
        /// Its name.
        name: String,
        /// Its size.
        size: u64,
    },
    /// No such variable.
    #[error("the module has no global or constant variable `{0}` that the host can reach")]
    UnknownVariable(String),
    /// More bytes than the variable has.
    #[error("{given} bytes written to variable `{name}` of {size} bytes")]
    TooLong {
        /// Its name.
        name: String,
        /// Its size.
        size: u64,
        /// Bytes given.
        given: u64,
    },
}

impl Device {
    /// Lays out the variables of a module and fills in their initial contents (spec 2.5.1).
    ///
    /// A global variable without initializer is undefined, and reads as zero. An imported variable that is left
    /// unresolved has an address at which there is nothing.
    pub fn new(module: Arc<Module>) -> Result<Self, DeviceError> {
        let mut memory = GlobalMemory::new();
        let mut variables = vec![None; module.variables.len()];
        for (slot, (id, variable)) in variables.iter_mut().zip(module.variables.iter()) {
            let Some(size) = resident_bytes(variable) else { continue };
            let constant = variable.space == Space::Const;
            let initial = variable.initializer.as_ref().map(|_| [].as_slice());
            let object = memory.add(size, initial, variable.alignment, constant, Owner::Variable(id));
            let too_large = || DeviceError::TooLarge { name: variable.name.clone(), size: variable.size };
            *slot = Some(object.ok_or_else(too_large)?);
        }
        let mut device = Device { module, memory, variables, buffers: Vec::new() };
        for (id, variable) in device.module.clone().variables.iter() {
            if let (Some(object), Some(_)) = (device.variables[index(id)], &variable.initializer) {
                let too_large =
                    |_| DeviceError::TooLarge { name: variable.name.clone(), size: variable.size };
                let bytes = initial_bytes(variable, |one| device.variable_address(one)).map_err(too_large)?;
                device.memory.write_bytes(object, 0, &bytes);
            }
        }
        Ok(device)
    }

    /// The module.
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// Adds a buffer that holds these bytes.
    ///
    /// # Panics
    ///
    /// When memory is exhausted, or with more than 32 GiB.
    pub fn add_buffer(&mut self, bytes: Vec<u8>) -> BufferId {
        self.add(bytes.len() as u64, Some(&bytes)).expect("a buffer that fits into memory")
    }

    /// Adds a buffer of undefined contents: reading it before it is written is a finding.
    ///
    /// # Panics
    ///
    /// When memory is exhausted, or with more than 32 GiB.
    pub fn add_undefined_buffer(&mut self, size: u64) -> BufferId {
        self.try_add_undefined_buffer(size).expect("a buffer that fits into memory")
    }

    /// Adds a buffer of undefined contents; none if there is not enough memory, or with more than 32 GiB.
    pub fn try_add_undefined_buffer(&mut self, size: u64) -> Option<BufferId> {
        self.add(size, None)
    }

    fn add(&mut self, size: u64, bytes: Option<&[u8]>) -> Option<BufferId> {
        let id = BufferId(self.buffers.len() as u32);
        let object = self.memory.add(size, bytes, BUFFER_ALIGNMENT, false, Owner::Buffer(id.0))?;
        self.buffers.push(object);
        Some(id)
    }

    /// The contents of a buffer.
    pub fn read_buffer(&self, buffer: BufferId) -> Vec<u8> {
        self.memory.read_bytes(self.buffers[buffer.0 as usize])
    }

    /// Copies bytes of a buffer, from `start` on.
    ///
    /// # Panics
    ///
    /// When they reach past its end.
    pub fn copy_buffer(&self, buffer: BufferId, start: usize, bytes: &mut [u8]) {
        self.memory.copy_bytes(self.buffers[buffer.0 as usize], start, bytes);
    }

    /// Copies bytes from one buffer to another; what is undefined stays so.
    ///
    /// # Panics
    ///
    /// When they reach past the end of either.
    pub(crate) fn copy_within(&mut self, from: (BufferId, u64), to: (BufferId, u64), bytes: u64) {
        let object = |(buffer, start): (BufferId, u64)| (self.buffers[buffer.0 as usize], start as usize);
        self.memory.copy_within(object(from), object(to), bytes as usize);
    }

    /// Overwrites the bytes of a buffer from `start` on.
    ///
    /// # Panics
    ///
    /// When they reach past its end.
    pub fn write_buffer(&mut self, buffer: BufferId, start: usize, bytes: &[u8]) {
        self.memory.write_bytes(self.buffers[buffer.0 as usize], start, bytes);
    }

    /// Gives the memory of a buffer back; its address is not used again, and nothing can be read or written there.
    pub fn free_buffer(&mut self, buffer: BufferId) {
        self.memory.free(self.buffers[buffer.0 as usize]);
    }

    /// Says which bytes of a buffer a kernel must not write.
    pub(crate) fn protect(&mut self, buffer: BufferId, bytes: Vec<Range<u64>>) {
        self.memory.protect(self.buffers[buffer.0 as usize], bytes);
    }

    /// The global address of a buffer's first byte.
    pub fn buffer_address(&self, buffer: BufferId) -> u64 {
        self.memory.address(self.buffers[buffer.0 as usize])
    }

    /// Whether a buffer belongs to this device.
    pub(crate) fn has(&self, buffer: BufferId) -> bool {
        (buffer.0 as usize) < self.buffers.len()
    }

    /// The contents of a global or constant variable, by its `.host_access` name or else its symbol.
    pub fn read_variable(&self, name: &str) -> Result<Vec<u8>, DeviceError> {
        self.find_variable(name).map(|object| self.memory.read_bytes(object))
    }

    /// Overwrites the first bytes of a global or constant variable, by its `.host_access` name or else its symbol.
    pub fn write_variable(&mut self, name: &str, bytes: &[u8]) -> Result<(), DeviceError> {
        let object = self.find_variable(name)?;
        let (size, given) = (self.memory.size(object), bytes.len() as u64);
        if given > size {
            return Err(DeviceError::TooLong { name: name.to_owned(), size, given });
        }
        self.memory.write_bytes(object, 0, bytes);
        Ok(())
    }

    fn find_variable(&self, name: &str) -> Result<u32, DeviceError> {
        let object = self.variables[index(host_variable(&self.module, name)?)];
        object.ok_or_else(|| DeviceError::UnknownVariable(name.to_owned()))
    }

    /// The address of a global or constant variable.
    pub(crate) fn variable_address(&self, variable: VariableId) -> Option<u64> {
        self.variables[index(variable)].map(|object| self.memory.address(object))
    }

    /// The memory, for a launch.
    pub(crate) fn memory(&self) -> &GlobalMemory {
        &self.memory
    }
}

/// Alignment that a buffer promises.
const BUFFER_ALIGNMENT: u32 = 1 << 12;

fn index(variable: VariableId) -> usize {
    cranelift_entity::EntityRef::index(variable)
}
