//! What every engine offers a host: memory of its own, and launches as a layout lays them out.
//!
//! A host never touches an engine's memory: it uploads and downloads bytes, and names pieces of memory by
//! [`MemoryId`]. A launch brings the argument buffer with the places of addresses in it, so that an engine whose
//! addresses only it knows, such as an OpenCL device, fills them in itself.

use std::ops::Range;

use campanile_contract::KernelLayout;
use campanile_core::module::{FunctionKind, Module, Parameter};

use crate::device::DeviceError;
use crate::launch::{Argument, Launch, LaunchError, Report};

/// A piece of an engine's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId(pub u64);

/// A kernel launch, laid out.
#[derive(Clone, Debug)]
pub struct EngineLaunch<'a> {
    /// The layout that the arguments follow.
    pub layout: &'a KernelLayout,
    /// Work-items in each dimension, x first; 1 in dimensions that are not in use.
    pub grid: [u64; 3],
    /// Work-items of a work-group in each dimension.
    pub local: [u32; 3],
    /// Offset of the global ids.
    pub offset: [u64; 3],
    /// Dimensions in use, 1 to 3.
    pub dimensions: u32,
    /// Whether the local size need not divide the grid.
    pub non_uniform: bool,
    /// The argument buffer; addresses in it are zero.
    pub arguments: &'a [u8],
    /// The addresses that belong into the argument buffer.
    pub addresses: &'a [AddressArgument],
    /// What the layout says of memory that is passed.
    pub claims: &'a [MemoryClaim],
    /// The shared memory whose addresses belong there.
    pub shared: &'a [SharedMemoryArgument],
    /// What `%printfbuffer` points to.
    pub printf_buffer: Option<MemoryId>,
}

impl EngineLaunch<'_> {
    /// The launch of a module's kernel with its arguments as the engine's addresses complete them; without printf buffer
    /// and claims.
    ///
    /// # Errors
    /// When the module has no such kernel, or the engine no such memory.
    pub fn resolve(
        &self,
        module: &Module,
        address: impl Fn(MemoryId) -> Option<u64>,
    ) -> Result<Launch, LaunchError> {
        let name = &self.layout.kernel;
        let id = module.kernel(name).ok_or_else(|| LaunchError::NotAKernel(name.clone()))?;
        let FunctionKind::Kernel(kernel) = &module.functions[id].kind else {
            return Err(LaunchError::NotAKernel(name.clone()));
        };
        let parameters = kernel.parameters.iter().enumerate();
        let arguments = parameters.map(|(position, parameter)| self.argument(position, parameter, &address));
        let arguments = arguments.collect::<Result<_, _>>()?;
        let EngineLaunch { offset, non_uniform, .. } = *self;
        let launch = Launch::new(id, self.dimensions, self.grid, self.local);
        Ok(Launch { offset, non_uniform, arguments, ..launch })
    }

    /// The value of a parameter: its bytes of the argument buffer, with addresses filled in.
    fn argument(
        &self,
        position: usize,
        parameter: &Parameter,
        address: impl Fn(MemoryId) -> Option<u64>,
    ) -> Result<Argument, LaunchError> {
        if let Some(shared) = self.shared.iter().find(|one| one.parameter as usize == position) {
            return Ok(Argument::Local(shared.bytes));
        }
        let (start, end) = (parameter.offset as usize, (parameter.offset + parameter.size) as usize);
        let mut bytes = self.arguments.get(start..end).unwrap_or_default().to_vec();
        for one in self.addresses.iter().filter(|one| one.parameter as usize == position) {
            let value = address(one.memory).ok_or(LaunchError::UnknownBuffer)? + one.start;
            let place = one.place as usize - start;
            if let Some(target) = bytes.get_mut(place..place + 8) {
                target.copy_from_slice(&value.to_le_bytes());
            }
        }
        Ok(Argument::Bytes(bytes))
    }
}

/// An address in the argument buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressArgument {
    /// Its place in the argument buffer, in bytes.
    pub place: u32,
    /// The parameter that holds it.
    pub parameter: u32,
    /// The memory that it points into.
    pub memory: MemoryId,
    /// The byte of that memory that it points to.
    pub start: u64,
}

/// What the layout says of memory that is passed for a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryClaim {
    /// Name of the argument, with the component if it is of one.
    pub name: String,
    /// The parameter that holds its address.
    pub parameter: u32,
    /// The memory.
    pub memory: MemoryId,
    /// The bytes of it that the buffer has.
    pub bytes: Range<u64>,
    /// Whether the kernel may write it.
    pub written: bool,
    /// Whether it shares no bytes with another one of which either is written.
    pub noalias: bool,
}

/// Shared memory of every work-group whose address is an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedMemoryArgument {
    /// The parameter that holds its address.
    pub parameter: u32,
    /// Its size in bytes.
    pub bytes: u32,
}

/// An engine with the module that it was made for.
pub trait Engine {
    /// Its name, as `--engine` has it.
    fn name(&self) -> &'static str;

    /// Whether it finds out by itself where a kernel or launch denies what the layout claims, or has been told not to
    /// care.
    fn watches_claims(&self) -> bool {
        false
    }

    /// Allocates memory of undefined contents, aligned for every argument. No bytes have an address of their own too; an
    /// engine that cannot have empty memory takes more.
    ///
    /// # Errors
    /// When there is not enough.
    fn allocate(&mut self, bytes: u64) -> Result<MemoryId, EngineError>;

    /// Gives memory back.
    fn free(&mut self, memory: MemoryId);

    /// Copies bytes of the host into memory, from byte `start` of it on.
    ///
    /// # Errors
    /// When the device fails.
    fn upload(&mut self, memory: MemoryId, start: u64, bytes: &[u8]) -> Result<(), EngineError>;

    /// Copies bytes of memory, from byte `start` on, to the host.
    ///
    /// # Errors
    /// When the device fails.
    fn download(&mut self, memory: MemoryId, start: u64, bytes: &mut [u8]) -> Result<(), EngineError>;

    /// Copies bytes from one memory to another.
    ///
    /// # Errors
    /// When the device fails.
    fn copy(&mut self, from: (MemoryId, u64), to: (MemoryId, u64), bytes: u64) -> Result<(), EngineError>;

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// When the launch is not possible. What the kernel does wrong is in the report.
    fn run(&mut self, launch: &EngineLaunch<'_>) -> Result<Report, EngineError>;

    /// The contents of a global or constant variable, by its `.host_access` name or else its symbol.
    ///
    /// # Errors
    /// When there is none.
    fn read_variable(&mut self, name: &str) -> Result<Vec<u8>, EngineError>;

    /// Overwrites the first bytes of such a variable.
    ///
    /// # Errors
    /// When there is none, or it is shorter.
    fn write_variable(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError>;
}

/// What an engine cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// There is not so much memory.
    #[error("no memory for {bytes} bytes")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
    },
    /// Memory that the engine does not have.
    #[error("the memory is not of this engine, or has been freed")]
    UnknownMemory,
    /// Bytes past the end of memory.
    #[error("bytes {start} to {end} are not all in memory of {size} bytes")]
    OutOfRange {
        /// The first byte.
        start: u64,
        /// Behind the last one.
        end: u64,
        /// Bytes there are.
        size: u64,
    },
    /// A launch that the engine refuses.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A variable that is not there, or too short.
    #[error(transparent)]
    Variable(#[from] DeviceError),
    /// Something that the device of this engine cannot do, though others can.
    #[error("{0}")]
    Unsupported(String),
    /// Something that only this engine knows.
    #[error("{0}")]
    Other(String),
}
