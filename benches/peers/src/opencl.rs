//! Kernels on an OpenCL platform.
#![allow(unsafe_code)]

use std::fmt;
use std::ptr;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_CPU, Device};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::CL_BLOCKING;

use crate::cases::{Argument, Case};
use crate::runner::Runner;

/// The processor as one OpenCL platform has it.
pub struct Platform {
    context: Context,
    queue: CommandQueue,
    /// What the driver calls itself.
    pub version: String,
    /// Whether kernels may use sub-groups.
    pub subgroups: bool,
}

impl Platform {
    /// Intel's runtime; none if it is not installed.
    ///
    /// # Errors
    /// When it is there but does not work.
    pub fn intel() -> Result<Option<Self>> {
        Self::find("Intel(R) OpenCL")
    }

    /// pocl; none if it is not installed.
    ///
    /// # Errors
    /// When it is there but does not work.
    pub fn pocl() -> Result<Option<Self>> {
        Self::find("Portable Computing Language")
    }

    /// The platform whose name begins so; none if there is no OpenCL or no such platform.
    fn find(name: &str) -> Result<Option<Self>> {
        for platform in get_platforms().unwrap_or_default() {
            if !platform.name()?.starts_with(name) {
                continue;
            }
            let Some(id) = platform.get_devices(CL_DEVICE_TYPE_CPU)?.first().copied() else { continue };
            let device = Device::new(id);
            let version = format!("{}, {}", platform.name()?, device.driver_version()?);
            let subgroups = device.extensions()?.contains("cl_intel_required_subgroup_size");
            let context = Context::from_device(&device)?;
            let queue = CommandQueue::create_default_with_properties(&context, 0, 0)?;
            return Ok(Some(Platform { context, queue, version, subgroups }));
        }
        Ok(None)
    }
}

/// The platforms to compare with, as far as they are there.
pub struct Peers {
    /// Intel's runtime.
    pub intel: Option<Platform>,
    /// pocl.
    pub pocl: Option<Platform>,
}

impl Peers {
    /// Looks for both.
    ///
    /// # Errors
    /// When one is there but does not work.
    pub fn find() -> Result<Self> {
        Ok(Peers { intel: Platform::intel()?, pocl: Platform::pocl()? })
    }
}

impl fmt::Display for Peers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = |peer: &Option<Platform>| match peer {
            Some(platform) => platform.version.clone(),
            None => "missing, its column stays empty".to_owned(),
        };
        write!(f, "Intel's runtime: {}\npocl: {}", version(&self.intel), version(&self.pocl))
    }
}

/// A case on an OpenCL platform.
pub struct OpenCl<'a> {
    case: &'a Case,
    platform: &'a Platform,
    kernel: Kernel,
    /// For each argument its buffer, unless it is a number.
    buffers: Vec<Option<Buffer<u8>>>,
}

impl<'a> OpenCl<'a> {
    /// Builds the kernel and puts its buffers in place.
    ///
    /// # Errors
    /// When the platform does not build it, or has no memory.
    pub fn new(case: &'a Case, platform: &'a Platform) -> Result<Self> {
        let program = Program::create_and_build_from_source(&platform.context, case.opencl, "-cl-std=CL3.0")
            .map_err(|log| anyhow!(log))?;
        let kernel = Kernel::create(&program, case.kernel)?;
        let mut buffers = Vec::new();
        for argument in &case.arguments {
            buffers.push(match argument {
                Argument::Input(_, bytes) | Argument::Output(_, bytes) => Some(platform.buffer(bytes)?),
                Argument::Scalar(..) => None,
            });
        }
        Ok(OpenCl { case, platform, kernel, buffers })
    }
}

impl Platform {
    /// A buffer with these contents.
    fn buffer(&self, bytes: &[u8]) -> Result<Buffer<u8>> {
        let (context, flags) = (&self.context, CL_MEM_READ_WRITE);
        // SAFETY: no host memory is passed, and the copy into the buffer ends before its source does.
        unsafe {
            let mut buffer = Buffer::create(context, flags, bytes.len(), ptr::null_mut())?;
            self.queue.enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, bytes, &[])?;
            Ok(buffer)
        }
    }
}

impl Runner for OpenCl<'_> {
    fn launch(&mut self) -> Result<Duration> {
        let mut execute = ExecuteKernel::new(&self.kernel);
        for (argument, buffer) in self.case.arguments.iter().zip(&self.buffers) {
            // SAFETY: both texts of a case declare their parameters alike, as the arguments have it.
            unsafe {
                match (argument, buffer) {
                    (_, Some(buffer)) => execute.set_arg(buffer),
                    (Argument::Scalar(_, bytes), None) => match <[u8; 4]>::try_from(&bytes[..]) {
                        Ok(bytes) => execute.set_arg(&bytes),
                        Err(_) => return Err(anyhow!("only numbers of four bytes are passed")),
                    },
                    (_, None) => return Err(anyhow!("a buffer is missing")),
                };
            }
        }
        let grid: Vec<usize> = self.case.grid.iter().map(|size| *size as usize).collect();
        let local: Vec<usize> = self.case.local.iter().map(|size| *size as usize).collect();
        execute.set_global_work_sizes(&grid).set_local_work_sizes(&local);
        let start = Instant::now();
        // SAFETY: the kernels of the cases stay within their buffers.
        let _event = unsafe { execute.enqueue_nd_range(&self.platform.queue)? };
        self.platform.queue.finish()?;
        Ok(start.elapsed())
    }

    fn outputs(&mut self) -> Result<Vec<Vec<u8>>> {
        let mut outputs = Vec::new();
        for (argument, buffer) in self.case.arguments.iter().zip(&self.buffers) {
            if let (Argument::Output(_, bytes), Some(buffer)) = (argument, buffer) {
                let mut output = vec![0; bytes.len()];
                // SAFETY: the buffer has as many bytes, and the copy has ended when the call returns.
                unsafe { self.platform.queue.enqueue_read_buffer(buffer, CL_BLOCKING, 0, &mut output, &[])? };
                outputs.push(output);
            }
        }
        Ok(outputs)
    }
}
