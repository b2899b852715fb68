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
use campanile_spirv::{EmittedKernel, LaunchShape};
use opencl3::kernel::Kernel;

use crate::arguments::Arguments;
use crate::crash;
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
    /// Whether a crash of the device's runtime ends the program with a message on standard error, instead of a signal. It takes
    /// the process's handlers of SIGABRT, SIGSEGV, SIGBUS, SIGFPE and SIGILL, for good.
    pub report_crashes: bool,
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
        if options.report_crashes {
            crash::report(&device.name);
        }
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

    /// The work-items that a launch has on this device.
    ///
    /// # Errors
    /// When only this device refuses the shape.
    fn range(&self, range: &NdRange, emitted: &EmittedKernel) -> Result<Range, EngineError> {
        let (device, ragged) = (&self.session.device, ragged_dimension(range));
        let refused =
            |what: String| Err(EngineError::Unsupported(format!("device `{}` {what}", device.name)));
        if let Some(dimension) = ragged {
            let (local, grid) = (range.local[dimension], range.grid[dimension]);
            if !device.non_uniform_groups {
                return refused(format!(
                    "has no work-groups of different sizes, and the local size {local} does not divide the global size {grid} \
                     in dimension {dimension}"
                ));
            }
            if emitted.meets_lanes && range.local.iter().filter(|size| **size > 1).count() > 1 {
                return refused(format!(
                    "cannot be told which work-items make a sub-group where work-groups have different sizes in several \
                     dimensions, which kernel `@{}` depends on",
                    emitted.name
                ));
            }
        }
        let range = match self.programs.is_linear && ragged.is_none() {
            true => Range::linear(range),
            false => Range::of(range),
        };
        let range = range.ok_or(LaunchError::Shape(ShapeError::TooLarge(0)))?;
        let sizes = range.local.into_iter().zip(device.dimension_items).enumerate();
        match sizes.into_iter().find(|(_, (size, limit))| *size as u64 > *limit) {
            Some((dimension, (size, limit))) => refused(format!(
                "has work-groups of at most {limit} work-items in dimension {dimension}, not {size}"
            )),
            None => Ok(range),
        }
    }

    /// Refuses work-groups that are too large for a kernel, as it is on this device.
    fn check_group_size(&self, range: &Range, kernel: &Kernel) -> Result<(), EngineError> {
        let limit = kernel.get_work_group_size(self.session.device.device.id());
        let limit = limit.asked_to("tell how large work-groups may be")?;
        let size = range.local.iter().product::<usize>();
        match size > limit {
            true => {
                let (size, limit) = (size as u64, limit as u32);
                Err(LaunchError::Shape(ShapeError::GroupSize { size, limit }).into())
            }
            false => Ok(()),
        }
    }
}

/// A dimension in which some work-groups are smaller than others.
fn ragged_dimension(range: &NdRange) -> Option<usize> {
    range.grid.iter().zip(range.local).position(|(grid, local)| grid % u64::from(local) != 0)
}

/// A shape as kernels are told it that run in one dimension.
fn told(range: &NdRange) -> LaunchShape {
    let &NdRange { local, groups, offset, dimensions, .. } = range;
    LaunchShape { local, groups: groups.map(u64::from), offset, dimensions }
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
        let (emitted, program) = self.programs.of_launch(&self.session, ragged_dimension(range).is_some())?;
        let emitted = emitted.kernels.iter().find(|one| one.name == *name);
        let emitted = emitted.cloned().ok_or_else(|| LaunchError::NotAKernel(name.clone()))?;
        let kernel = program.kernel(name)?;
        let device_range = self.range(range, &emitted)?;
        self.check_group_size(&device_range, &kernel)?;
        let (memory, device) = (&self.memory, self.session.device.name.as_str());
        let arguments = Arguments { kernel: declared, launch, shape: told(range), bytes, memory, device };
        let passed = emitted.arguments.iter().map(|one| arguments.passed(*one));
        let passed = passed.collect::<Result<Vec<_>, _>>()?;
        let duration = dispatch(&self.session, &kernel, &passed, memory, &device_range)?;
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
