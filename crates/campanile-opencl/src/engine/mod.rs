//! The engine on an OpenCL device, as hosts see it.
//!
//! Nothing is watched here: a kernel that breaks a rule of the machine may do anything, as the spec allows. The checked engine
//! tells which rule that was.

mod programs;
mod variables;

use std::rc::Rc;
use std::sync::Arc;

use campanile_core::diagnostic::Diagnostic;
use campanile_core::module::{FunctionKind, Module};
use campanile_engine::ndrange::{NdRange, ShapeError};
use campanile_engine::{Accepted, Engine, EngineError, EngineLaunch, LaunchError, Limits, MemoryId, Report};
use opencl3::kernel::Kernel;

use crate::arguments::Arguments;
use crate::description::DeviceDescription;
use crate::dispatch::{Range, dispatch};
use crate::error::{Asked, DeviceUnavailable};
use crate::memory::DeviceMemory;
use crate::selection::find;
use crate::session::Session;
use programs::Programs;

/// An OpenCL device with the memory of one module instance.
pub struct OpenClEngine {
    module: Arc<Module>,
    session: Rc<Session>,
    programs: Programs,
    memory: DeviceMemory,
    /// Those of the module's variables, once somebody has asked for one.
    addresses: Vec<u64>,
}

/// How kernels run on OpenCL devices.
#[derive(Clone, Debug, Default)]
pub struct OpenClOptions {
    /// Part of the name of the device or its platform; any device that can be used without.
    pub device: Option<String>,
    /// Whether memory is buffers even where the device shares addresses with the host: as it is on devices that cannot.
    pub buffers: bool,
}

/// Why there is no engine on an OpenCL device.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OpenClUnavailable {
    /// There is no such device, or it cannot be used.
    #[error(transparent)]
    Device(#[from] DeviceUnavailable),
    /// The module asks for what the device does not have, or SPIR-V cannot express.
    #[error("the module cannot run on OpenCL device `{device}`: {}", .diagnostics.iter().map(|one| one.message.as_str()).collect::<Vec<_>>().join("; "))]
    Module {
        /// Name of the device.
        device: String,
        /// What is missing, and where the module asks for it.
        diagnostics: Vec<Diagnostic>,
    },
}

impl OpenClEngine {
    /// An instance of a module.
    ///
    /// # Errors
    /// When there is no such device, or it cannot run the module.
    pub fn new(module: Arc<Module>, options: &OpenClOptions) -> Result<Self, OpenClUnavailable> {
        let mut device = find(options.device.as_deref())?;
        device.shared_virtual_memory &= !options.buffers;
        let programs = Programs::new(&module, &device).map_err(|diagnostics| {
            let device = device.name.clone();
            OpenClUnavailable::Module { device, diagnostics }
        })?;
        let session = Rc::new(Session::new(device).map_err(DeviceUnavailable::from)?);
        let memory = DeviceMemory::new(&session);
        Ok(OpenClEngine { module, session, programs, memory, addresses: Vec::new() })
    }

    /// Whether there is a device that can be used.
    ///
    /// # Errors
    /// Why there is none.
    pub fn available() -> Result<(), DeviceUnavailable> {
        find(None).map(drop)
    }

    /// The device that it runs on.
    pub fn device(&self) -> &DeviceDescription {
        &self.session.device
    }

    /// The sizes that launches must not exceed.
    fn limits(&self) -> Limits {
        let DeviceDescription { work_group_items, shared_bytes, .. } = self.session.device;
        let work_group = u32::try_from(work_group_items).unwrap_or(u32::MAX);
        Limits { work_group, shared: shared_bytes, ..Limits::default() }
    }

    /// Refuses what only this device refuses of a shape.
    fn check_shape(&self, range: &NdRange, kernel: &Kernel) -> Result<(), EngineError> {
        let device = &self.session.device;
        if let (Some(dimension), false) = (ragged_dimension(range), device.non_uniform_groups) {
            let (name, local, grid) = (&device.name, range.local[dimension], range.grid[dimension]);
            return Err(EngineError::Unsupported(format!(
                "device `{name}` has no work-groups of different sizes, and the local size {local} does not divide the \
                 global size {grid} in dimension {dimension}"
            )));
        }
        let sizes = range.local.into_iter().zip(device.dimension_items).enumerate();
        for (dimension, (size, limit)) in sizes {
            if u64::from(size) > limit {
                let name = &device.name;
                return Err(EngineError::Unsupported(format!(
                    "a work-group of {size} work-items in dimension {dimension} exceeds the limit of {limit} of device \
                     `{name}`"
                )));
            }
        }
        let limit =
            kernel.get_work_group_size(device.device.id()).asked_to("tell how large work-groups may be")?;
        let size = range.local.iter().map(|one| u64::from(*one)).product();
        if size > limit as u64 {
            return Err(LaunchError::Shape(ShapeError::GroupSize { size, limit: limit as u32 }).into());
        }
        Ok(())
    }
}

/// A dimension in which some work-groups are smaller than others.
fn ragged_dimension(range: &NdRange) -> Option<usize> {
    range.grid.iter().zip(range.local).position(|(grid, local)| grid % u64::from(local) != 0)
}

/// A shape in the device's words.
fn range_of(range: &NdRange) -> Result<Range, EngineError> {
    let too_large = |dimension| LaunchError::Shape(ShapeError::TooLarge(dimension));
    let words = |sizes: [u64; 3]| -> Result<[usize; 3], EngineError> {
        let mut words = [0; 3];
        for (dimension, (word, size)) in words.iter_mut().zip(sizes).enumerate() {
            *word = usize::try_from(size).map_err(|_| too_large(dimension))?;
        }
        Ok(words)
    };
    let (grid, offset) = (words(range.grid)?, words(range.offset)?);
    Ok(Range { dimensions: range.dimensions, grid, local: range.local.map(|size| size as usize), offset })
}

impl Engine for OpenClEngine {
    fn name(&self) -> &'static str {
        "opencl"
    }

    fn allocate(&mut self, bytes: u64) -> Result<MemoryId, EngineError> {
        self.memory.allocate(bytes)
    }

    fn free(&mut self, memory: MemoryId) {
        self.memory.free(memory);
    }

    fn upload(&mut self, memory: MemoryId, start: u64, bytes: &[u8]) -> Result<(), EngineError> {
        self.memory.write(memory, start, bytes)
    }

    fn download(&mut self, memory: MemoryId, start: u64, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.memory.read(memory, start, bytes)
    }

    fn copy(&mut self, from: (MemoryId, u64), to: (MemoryId, u64), bytes: u64) -> Result<(), EngineError> {
        self.memory.copy(from, to, bytes)
    }

    fn run(&mut self, launch: &EngineLaunch<'_>) -> Result<Report, EngineError> {
        let module = self.module.clone();
        let resolved = launch.resolve(&module, |memory| self.memory.address(memory))?;
        // All addresses are bytes by now.
        let accepted = resolved.accept(&module, &self.limits(), |_| None)?;
        let Accepted { range, arguments: bytes, .. } = &accepted;
        let name = &module.functions[resolved.kernel].name;
        let FunctionKind::Kernel(declared) = &module.functions[resolved.kernel].kind else {
            return Err(LaunchError::NotAKernel(name.clone()).into());
        };
        let is_ragged = ragged_dimension(range).is_some();
        let program = self.programs.of_launch(&self.session, is_ragged)?;
        let kernel = program.kernel(name)?;
        self.check_shape(range, &kernel)?;
        let emitted = self.programs.emitted().kernels.iter().find(|one| one.name == *name);
        let emitted = emitted.ok_or_else(|| LaunchError::NotAKernel(name.clone()))?;
        let (memory, device) = (&self.memory, self.session.device.name.as_str());
        let arguments = Arguments { kernel: declared, launch, bytes, memory, device };
        let passed = emitted.arguments.iter().map(|one| arguments.passed(*one));
        let passed = passed.collect::<Result<Vec<_>, _>>()?;
        let duration = dispatch(&self.session, &kernel, &passed, memory, &range_of(range)?)?;
        Ok(Report {
            findings: Vec::new(),
            given_up: false,
            work_items: range.work_items(),
            work_groups: range.work_groups(),
            instructions: None,
            duration,
            profile: None,
        })
    }

    fn read_variable(&mut self, name: &str) -> Result<Vec<u8>, EngineError> {
        self.read(name)
    }

    fn write_variable(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        self.write(name, bytes)
    }
}
