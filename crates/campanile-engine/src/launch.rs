//! Launching kernels on the checked engine.

use std::fmt;
use std::time::Duration;

use campanile_core::isa::Space;
use campanile_core::module::FunctionId;

use crate::checks::{Check, Checks};
use crate::claims::{self, Claim};
use crate::device::{BufferId, Device};
use crate::execute;
use crate::finding::Finding;
use crate::ndrange::{NdRange, ShapeError};
use crate::profile::Profile;
use crate::program::Program;
use crate::translate;

/// What is passed for a kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The global address of a buffer.
    Buffer(BufferId),
    /// The bytes themselves, as many as the parameter has.
    Bytes(Vec<u8>),
    /// The address of so many bytes of shared memory, allocated for each work-group (spec 2.1.3).
    Local(u32),
}

/// A kernel with its ND-range and arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The kernel.
    pub kernel: FunctionId,
    /// Work-items in each dimension, x first; 1 in dimensions that are not in use.
    pub grid: [u64; 3],
    /// Work-items of a work-group in each dimension.
    pub local: [u32; 3],
    /// What `%globaloffset` says.
    pub offset: [u64; 3],
    /// Dimensions in use, 1 to 3: what `%workdim` says.
    pub dimensions: u32,
    /// Whether the local size need not divide the grid; work-groups at the far edges are smaller then.
    pub non_uniform: bool,
    /// One for each parameter, in order.
    pub arguments: Vec<Argument>,
    /// What `%printfbuffer` points to; null without.
    pub printf_buffer: Option<BufferId>,
    /// What the layout says of the buffers; what denies it is a finding.
    pub claims: Vec<Claim>,
}

impl Launch {
    /// A launch without arguments and offset.
    pub fn new(kernel: FunctionId, dimensions: u32, grid: [u64; 3], local: [u32; 3]) -> Self {
        Launch {
            kernel,
            grid,
            local,
            offset: [0; 3],
            dimensions,
            non_uniform: false,
            arguments: Vec::new(),
            printf_buffer: None,
            claims: Vec::new(),
        }
    }
}

/// Sizes that a launch must not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Work-items of a work-group; more than 65536 are never allowed.
    pub work_group: u32,
    /// Bytes of shared memory.
    pub shared: u64,
    /// Bytes of private memory of a work-item, all nested calls together.
    pub private: u64,
    /// Calls within one another.
    pub call_depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { work_group: 1024, shared: 128 << 10, private: 256 << 10, call_depth: 256 }
    }
}

/// Called with the number of work-groups that are done and of all.
pub type Progress = Box<dyn Fn(u64, u64) + Send + Sync>;

/// How to run.
pub struct Options {
    /// The rules to watch.
    pub checks: Checks,
    /// Number of threads; as many as the machine has without.
    pub threads: Option<usize>,
    /// Most instructions of one sub-group; no limit without. An endless loop ends there, but only while
    /// [`Check::Progress`](crate::Check::Progress) is among the checks.
    pub step_budget: Option<u64>,
    /// Number of findings at which the launch is given up.
    pub findings_limit: usize,
    /// Sizes that must not be exceeded.
    pub limits: Limits,
    /// Told about progress, from any thread.
    pub progress: Option<Progress>,
    /// Whether executions are counted.
    pub profile: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            checks: Checks::default(),
            threads: None,
            step_budget: Some(1 << 30),
            findings_limit: 20,
            limits: Limits::default(),
            progress: None,
            profile: false,
        }
    }
}

/// What a launch did.
#[derive(Clone, Debug)]
pub struct Report {
    /// What is wrong with the kernel, in the order of the text.
    pub findings: Vec<Finding>,
    /// Whether the launch was given up before its end, because of the findings.
    pub given_up: bool,
    /// Work-items of the ND-range.
    pub work_items: u64,
    /// Work-groups of the ND-range.
    pub work_groups: u64,
    /// Instructions executed, counted once for each active lane, by an engine that counts them.
    pub instructions: Option<u64>,
    /// Time taken, that for compilation not included.
    pub duration: Duration,
    /// How it was executed, if that was asked for.
    pub profile: Option<Profile>,
}

/// Why a launch cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// Not a kernel of the module.
    #[error("`@{0}` is not a kernel")]
    NotAKernel(String),
    /// A shape that cannot be launched.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Another local size than `.reqd_work_group_size` (spec 4.1.1).
    #[error("kernel `@{kernel}` requires the local size {}, not {}", Size(*.required), Size(*.given))]
    RequiredSize {
        /// The kernel.
        kernel: String,
        /// Its attribute.
        required: [u32; 3],
        /// The local size given.
        given: [u32; 3],
    },
    /// Too few or too many arguments.
    #[error("kernel `@{kernel}` has {expected} parameters, but {given} arguments are given")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Its parameters.
        expected: usize,
        /// Arguments given.
        given: usize,
    },
    /// An argument of another size than its parameter.
    #[error("parameter `%{parameter}` has {expected} bytes, but its argument has {given}")]
    ArgumentSize {
        /// The parameter.
        parameter: String,
        /// Its size.
        expected: u32,
        /// Size of the argument.
        given: usize,
    },
    /// An argument that points into another address space than the parameter says.
    #[error("parameter `%{parameter}` points into {expected} memory, but its argument into {given} memory")]
    ArgumentSpace {
        /// The parameter.
        parameter: String,
        /// The space it names.
        expected: Space,
        /// The space of the argument.
        given: Space,
    },
    /// A buffer that the device does not have.
    #[error("a buffer of another device is passed")]
    UnknownBuffer,
    /// An import that the kernel needs.
    #[error("kernel `@{kernel}` needs `@{import}`, which is imported and has not been linked")]
    UnresolvedImport {
        /// The kernel.
        kernel: String,
        /// The function or variable.
        import: String,
    },
    /// More shared memory than allowed.
    #[error("{needed} bytes of shared memory exceed the limit of {limit}")]
    SharedMemory {
        /// Bytes of all variables and arguments.
        needed: u64,
        /// Most allowed.
        limit: u64,
    },
    /// More private memory than allowed, before any call.
    #[error("{needed} bytes of private memory exceed the limit of {limit}")]
    PrivateMemory {
        /// Bytes of the kernel's variables.
        needed: u64,
        /// Most allowed.
        limit: u64,
    },
}

/// A local size, as `(x, y, z)`.
struct Size([u32; 3]);

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(formatter, "({x}, {y}, {z})")
    }
}

/// Runs a kernel to its end, or until the findings make that pointless.
pub fn run(device: &mut Device, launch: &Launch, options: &Options) -> Result<Report, LaunchError> {
    let address = |buffer| device.has(buffer).then(|| device.buffer_address(buffer));
    let accepted = launch.accept(device.module(), &options.limits, address)?;
    let printf_buffer = launch.printf_buffer.map(|buffer| address(buffer).ok_or(LaunchError::UnknownBuffer));
    let printf_buffer = printf_buffer.transpose()?.unwrap_or(0);
    if launch.claims.iter().any(|claim| !device.has(claim.buffer)) {
        return Err(LaunchError::UnknownBuffer);
    }
    let range = accepted.range.clone();
    let mut program = translate::translate(device, accepted);
    program.buffer_names = claims::names(&launch.claims).map(|(buffer, name)| (buffer.0, name)).collect();
    Ok(execute_claimed(device, &program, launch, &range, printf_buffer, options))
}

/// Executes while the claims of the layout are watched.
fn execute_claimed(
    device: &mut Device,
    program: &Program,
    launch: &Launch,
    range: &NdRange,
    printf_buffer: u64,
    options: &Options,
) -> Report {
    if !options.checks.has(Check::Layout) {
        return execute::execute(device, program, range, printf_buffer, options);
    }
    let protected = claims::protected(&launch.claims);
    for (buffer, bytes) in &protected {
        device.protect(*buffer, bytes.clone());
    }
    let mut report = execute::execute(device, program, range, printf_buffer, options);
    for buffer in protected.keys() {
        device.protect(*buffer, Vec::new());
    }
    report.findings.splice(0..0, claims::overlaps(device, launch.kernel, &launch.claims));
    report
}
