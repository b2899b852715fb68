//! Devices: an engine with a module, and the arrays that live there.
//!
//! Every array has a copy on the host and, once a kernel has used it, one on the device. Bytes move only when the side
//! that needs them has no current copy; [`Device::explain_transfers`] tells what moved and why.

mod storage;
mod transfer;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use campanile_contract::Number;
use campanile_engine::{CheckedEngine, DeviceError, Engine, EngineError, Options};
use campanile_llvm::{JitEngine, JitOptions, JitUnavailable};
use campanile_opencl::{OpenClEngine, OpenClOptions, OpenClUnavailable};

pub(crate) use storage::{For, Owner, Place, StorageId, Use};
pub use transfer::{Action, Reason, Transfer};

use crate::buffer::{AnyBuffer, Buffer};
use crate::element::{Element, bytes_of};
use crate::module::Module;
pub(crate) use storage::Storage;

/// Tells devices apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceId(u64);

/// An engine with a module, and the arrays that live there.
///
/// ```
/// use campanile::{Device, Module};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let text = ".version 0.1;\n.target 100;\n.kernel @k () { return; }\n";
/// let module = Module::from_text("empty.pisa", text)?;
/// let mut device = Device::checked(&module)?;
/// let numbers = device.buffer(&[1.0f32, 2.5]);
/// device.write(&numbers, &[3.0, 4.0])?;
/// assert_eq!(device.read(&numbers)?, [3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
pub struct Device {
    id: DeviceId,
    engine: Box<dyn Engine>,
    module: Module,
    storages: BTreeMap<StorageId, Storage>,
    next_storage: usize,
    launches: u64,
    /// What was copied, if somebody wants to know.
    transfers: Option<Vec<Transfer>>,
    uploaded: u64,
    downloaded: u64,
}

/// What cannot be done with an array.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// The array is of another device, or has been freed.
    #[error("the array is not of this device, or has been freed")]
    Foreign,
    /// Another number of elements.
    #[error("{given} elements given for an array of {expected}")]
    Length {
        /// Elements of the array.
        expected: u64,
        /// Elements given.
        given: u64,
    },
    /// Another number of bytes.
    #[error("{given} bytes given for an array of {expected}")]
    Bytes {
        /// Bytes of the array.
        expected: u64,
        /// Bytes given.
        given: u64,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Device {
    /// A device that runs the kernels of a module on the checked engine, with its default checks.
    ///
    /// # Errors
    /// When the module's variables do not fit into memory.
    pub fn checked(module: &Module) -> Result<Device, DeviceError> {
        Device::checked_with(module, Options::default())
    }

    /// A device that runs the kernels of a module on the checked engine as the options say.
    ///
    /// # Errors
    /// When the module's variables do not fit into memory.
    pub fn checked_with(module: &Module, options: Options) -> Result<Device, DeviceError> {
        let engine = CheckedEngine::new(module.program().clone(), options)?;
        Ok(Device::with_engine(module, Box::new(engine)))
    }

    /// A device that runs the kernels of a module compiled for this machine, on all its threads. Nothing is watched.
    ///
    /// # Errors
    /// When there is no LLVM for this machine, or the module's variables do not fit into memory.
    pub fn jit(module: &Module) -> Result<Device, JitUnavailable> {
        Device::jit_with(module, JitOptions::default())
    }

    /// The same as the options say.
    ///
    /// ```
    /// use campanile::llvm::JitOptions;
    /// use campanile::{Device, Module};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let text = ".version 0.1;\n.target 100;\n.kernel @k () { return; }\n";
    /// let module = Module::from_text("empty.pisa", text)?;
    /// let options = JitOptions { threads: Some(2), cache: None, ..JitOptions::default() };
    /// match Device::jit_with(&module, options) {
    ///     Ok(device) => assert_eq!(device.engine_name(), "jit"),
    ///     Err(error) => eprintln!("{error}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`jit`](Self::jit).
    pub fn jit_with(module: &Module, options: JitOptions) -> Result<Device, JitUnavailable> {
        let engine = JitEngine::new(module.program().clone(), options)?;
        Ok(Device::with_engine(module, Box::new(engine)))
    }

    /// An OpenCL device that runs the kernels of a module, translated to SPIR-V. Nothing is watched.
    ///
    /// ```
    /// use campanile::opencl::OpenClOptions;
    /// use campanile::{Device, Module};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let text = ".version 0.1;\n.target 100;\n.kernel @k () { return; }\n";
    /// let module = Module::from_text("empty.pisa", text)?;
    /// let options = OpenClOptions { device: Some("graphics".to_owned()), ..OpenClOptions::default() };
    /// match Device::opencl_with(&module, &options) {
    ///     Ok(device) => assert_eq!(device.engine_name(), "opencl"),
    ///     Err(error) => eprintln!("{error}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When there is no such device, or it cannot run the module.
    pub fn opencl_with(module: &Module, options: &OpenClOptions) -> Result<Device, OpenClUnavailable> {
        let engine = OpenClEngine::new(module.program().clone(), options)?;
        Ok(Device::with_engine(module, Box::new(engine)))
    }

    /// A device that runs the kernels of a module as fast as it can be done here: compiled where there is an LLVM, and on
    /// the checked engine otherwise.
    ///
    /// ```
    /// use campanile::{Device, Module};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let text = ".version 0.1;\n.target 100;\n.kernel @k () { return; }\n";
    /// let module = Module::from_text("empty.pisa", text)?;
    /// let device = Device::auto(&module)?;
    /// assert!(["jit", "checked"].contains(&device.engine_name()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the module's variables do not fit into memory.
    pub fn auto(module: &Module) -> Result<Device, DeviceError> {
        match Device::jit(module) {
            Ok(device) => Ok(device),
            Err(JitUnavailable::Variables(error)) => Err(error),
            Err(_) => Device::checked(module),
        }
    }

    /// A device with an engine of the caller's choice, which was made for this module.
    ///
    /// ```
    /// use campanile::engine::{CheckedEngine, Checks, Options};
    /// use campanile::{Device, Module};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let text = ".version 0.1;\n.target 100;\n.kernel @k () { return; }\n";
    /// let module = Module::from_text("empty.pisa", text)?;
    /// let options = Options { checks: Checks::ALL, threads: Some(1), ..Options::default() };
    /// let engine = CheckedEngine::new(module.program().clone(), options)?;
    /// let device = Device::with_engine(&module, Box::new(engine));
    /// assert_eq!(device.engine_name(), "checked");
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_engine(module: &Module, engine: Box<dyn Engine>) -> Device {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Device {
            id: DeviceId(NEXT.fetch_add(1, Ordering::Relaxed)),
            engine,
            module: module.clone(),
            storages: BTreeMap::new(),
            next_storage: 0,
            launches: 0,
            transfers: None,
            uploaded: 0,
            downloaded: 0,
        }
    }

    /// The name of its engine.
    pub fn engine_name(&self) -> &'static str {
        self.engine.name()
    }

    /// The module whose kernels it runs.
    pub fn module(&self) -> &Module {
        &self.module
    }

    pub(crate) fn engine(&mut self) -> &mut dyn Engine {
        self.engine.as_mut()
    }

    pub(crate) fn id(&self) -> DeviceId {
        self.id
    }

    pub(crate) fn storage(&self, id: StorageId) -> Option<&Storage> {
        self.storages.get(&id)
    }

    pub(crate) fn begin_launch(&mut self, kernel: &str) -> For {
        self.launches += 1;
        For { launch: self.launches, kernel: kernel.to_owned() }
    }

    /// An array of one dimension with these elements.
    pub fn buffer<T: Element>(&mut self, elements: &[T]) -> Buffer<T> {
        let name = self.unnamed();
        let storage = self.add_storage(name, Owner::Device, bytes_of(elements));
        Buffer::new(self.id, storage, elements.len() as u64)
    }

    /// An array of bytes that are elements of some type; its name stands in messages and transfers.
    ///
    /// # Errors
    /// When the shape and the type ask for another number of bytes.
    pub fn array(
        &mut self,
        name: &str,
        number: Number,
        shape: &[u64],
        bytes: Vec<u8>,
    ) -> Result<AnyBuffer, AccessError> {
        let elements = shape.iter().try_fold(1u64, |product, size| product.checked_mul(*size));
        let expected = elements.and_then(|elements| elements.checked_mul(number.size().into()));
        let (expected, given) = (expected.unwrap_or(u64::MAX), bytes.len() as u64);
        if expected != given {
            return Err(AccessError::Bytes { expected, given });
        }
        let storage = self.add_storage(name.to_owned(), Owner::Device, bytes);
        Ok(AnyBuffer::new(self.id, storage, number, shape.to_vec()))
    }

    fn unnamed(&self) -> String {
        format!("array {}", self.next_storage)
    }

    /// Gives an array a name for messages and transfers.
    ///
    /// # Errors
    /// When it is not of this device.
    pub fn name(&mut self, buffer: &AnyBuffer, name: &str) -> Result<(), AccessError> {
        let id = self.check(buffer)?;
        if let Some(storage) = self.storages.get_mut(&id) {
            name.clone_into(&mut storage.name);
        }
        Ok(())
    }

    /// The elements of an array, fetched from the device if a kernel may have written them.
    ///
    /// # Errors
    /// When the array is not of this device, or the engine fails.
    pub fn read<T: Element>(&mut self, buffer: &Buffer<T>) -> Result<Vec<T>, AccessError> {
        Ok(T::read(self.read_bytes(buffer.any())?))
    }

    /// The bytes of an array, fetched from the device if a kernel may have written them.
    ///
    /// # Errors
    /// When the array is not of this device, or the engine fails.
    pub fn read_bytes(&mut self, buffer: &AnyBuffer) -> Result<&[u8], AccessError> {
        let id = self.check(buffer)?;
        self.fetch(id, None)?;
        let (start, end) = (buffer.bytes.start as usize, buffer.bytes.end as usize);
        Ok(&self.storages[&id].host[start..end])
    }

    /// Overwrites the elements of an array. Kernels see them from the next launch on.
    ///
    /// # Errors
    /// When there are not as many, or the array is not of this device.
    pub fn write<T: Element>(&mut self, buffer: &Buffer<T>, elements: &[T]) -> Result<(), AccessError> {
        let (expected, given) = (buffer.len(), elements.len() as u64);
        if expected != given {
            return Err(AccessError::Length { expected, given });
        }
        self.write_bytes(buffer.any(), &bytes_of(elements))
    }

    /// Overwrites the bytes of an array.
    ///
    /// # Errors
    /// When there are not as many, or the array is not of this device.
    pub fn write_bytes(&mut self, buffer: &AnyBuffer, bytes: &[u8]) -> Result<(), AccessError> {
        let id = self.check(buffer)?;
        let (start, end) = (buffer.bytes.start as usize, buffer.bytes.end as usize);
        if bytes.len() != end - start {
            return Err(AccessError::Bytes { expected: (end - start) as u64, given: bytes.len() as u64 });
        }
        let whole = self.storages[&id].host.len() == bytes.len();
        if !whole {
            self.fetch(id, None)?;
        }
        if let Some(storage) = self.storages.get_mut(&id) {
            storage.host[start..end].copy_from_slice(bytes);
            (storage.host_is_current, storage.device_is_current) = (true, false);
        }
        Ok(())
    }

    /// Gives an array back. Its handles name nothing from then on.
    ///
    /// # Errors
    /// When it is not of this device, or has been freed before.
    pub fn free(&mut self, buffer: AnyBuffer) -> Result<(), AccessError> {
        let id = self.check(&buffer)?;
        self.remove_storage(id);
        Ok(())
    }

    /// The contents of a global or constant variable of the module, by its `.host_access` name or else its symbol.
    ///
    /// ```
    /// use campanile::{Device, Module};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let text = ".version 0.1;\n.target 100;\n.global .align 4 @sum[4] = { .32b 7 };\n.kernel @k () { return; }\n";
    /// let mut device = Device::checked(&Module::from_text("sum.pisa", text)?)?;
    /// assert_eq!(device.read_variable("sum")?, 7u32.to_le_bytes());
    /// device.write_variable("sum", &9u32.to_le_bytes())?;
    /// assert_eq!(device.read_variable("sum")?, 9u32.to_le_bytes());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When there is none.
    pub fn read_variable(&mut self, name: &str) -> Result<Vec<u8>, EngineError> {
        self.engine.read_variable(name)
    }

    /// Overwrites the first bytes of such a variable.
    ///
    /// # Errors
    /// When there is none, or it is shorter.
    pub fn write_variable(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        self.engine.write_variable(name, bytes)
    }

    /// From now on remembers what is copied between host and device, and what is not and why.
    ///
    /// ```
    /// use campanile::{Action, Device, Module};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let text = ".version 0.1;\n.target 100;\n.kernel @first (.param[8] .addrspace(global) %u) {
    /// #   .reg .64b %a;\n  .reg .32b %x;\n  ld.param.64b %a, [%u];\n  ld.global.32b %x, [%a];\n  return;\n}\n";
    /// let module = Module::from_text("first.pisa", text)?;
    /// let kernel = module.kernel("first")?;
    /// let mut device = Device::checked(&module)?;
    /// device.explain_transfers();
    /// let numbers = device.buffer(&[1u32, 2, 3]);
    /// kernel.launch().set("u", &numbers).run(&mut device)?;
    /// kernel.launch().set("u", &numbers).run(&mut device)?;
    /// let actions: Vec<_> = device.transfers().iter().map(|one| (one.launch, one.action, one.bytes)).collect();
    /// assert_eq!(actions, [(Some(1), Action::Upload, 12), (Some(2), Action::Nothing, 0)]);
    /// assert_eq!((device.uploaded(), device.downloaded()), (12, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn explain_transfers(&mut self) {
        self.transfers.get_or_insert_default();
    }

    /// What has been copied since [`explain_transfers`](Self::explain_transfers), in order, and what has not and why.
    pub fn transfers(&self) -> &[Transfer] {
        self.transfers.as_deref().unwrap_or_default()
    }

    /// The same, which is forgotten then: for those who tell of long sequences of launches as they go.
    pub fn take_transfers(&mut self) -> Vec<Transfer> {
        self.transfers.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Bytes that went from the host to the device so far.
    pub fn uploaded(&self) -> u64 {
        self.uploaded
    }

    /// Bytes that went from the device to the host so far.
    pub fn downloaded(&self) -> u64 {
        self.downloaded
    }

    fn check(&self, buffer: &AnyBuffer) -> Result<StorageId, AccessError> {
        let known = buffer.device == self.id && self.storages.contains_key(&buffer.storage);
        if known { Ok(buffer.storage) } else { Err(AccessError::Foreign) }
    }
}
