//! Passing arguments to a kernel, and running it.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;
use std::time::{Duration, Instant};

use campanile_engine::ndrange::NdRange;
use opencl3::kernel::{CL_KERNEL_EXEC_INFO_SVM_PTRS, Kernel, set_kernel_arg, set_kernel_exec_info};
use opencl3::memory::Buffer;

use crate::arguments::Passed;
use crate::crash::{self, Phase};
use crate::error::{Asked, CallError};
use crate::memory::DeviceMemory;
use crate::session::Session;

/// The work-items of a launch.
pub(crate) struct Range {
    /// Dimensions in use.
    pub dimensions: u32,
    /// Work-items in each dimension.
    pub grid: [usize; 3],
    /// Work-items of a work-group in each dimension.
    pub local: [usize; 3],
    /// Offset of the global ids.
    pub offset: [usize; 3],
}

impl Range {
    /// A single work-item.
    pub const ONE: Range = Range { dimensions: 1, grid: [1; 3], local: [1; 3], offset: [0; 3] };

    /// A shape as it is; none if the host cannot count its work-items.
    pub fn of(range: &NdRange) -> Option<Self> {
        let (grid, offset) = (words(range.grid)?, words(range.offset)?);
        Some(Range {
            dimensions: range.dimensions,
            grid,
            local: range.local.map(|size| size as usize),
            offset,
        })
    }

    /// The work-items of a shape one after the other, work-group by work-group; none if the host cannot count them.
    pub fn linear(range: &NdRange) -> Option<Self> {
        let local: usize = range.local.iter().map(|size| *size as usize).product();
        let grid = usize::try_from(range.work_items()).ok()?;
        Some(Range { dimensions: 1, grid: [grid, 1, 1], local: [local, 1, 1], offset: [0; 3] })
    }
}

fn words(sizes: [u64; 3]) -> Option<[usize; 3]> {
    let [x, y, z] = sizes.map(|size| usize::try_from(size).ok());
    Some([x?, y?, z?])
}

/// Runs a kernel to its end, and tells how long it took. It may access all memory that has an address, besides what is passed.
///
/// # Errors
/// When OpenCL refuses an argument or the launch, or the launch fails.
pub(crate) fn dispatch(
    session: &Session,
    kernel: &Kernel,
    arguments: &[Passed<'_>],
    memory: &DeviceMemory,
    range: &Range,
) -> Result<Duration, CallError> {
    for (index, argument) in arguments.iter().enumerate() {
        pass(kernel, index as u32, argument)?;
    }
    allow_access(kernel, memory)?;
    let start = Instant::now();
    let (offset, grid, local) = (range.offset.as_ptr(), range.grid.as_ptr(), range.local.as_ptr());
    // SAFETY: all three have as many sizes as there may be dimensions. What a kernel does to memory is not known; as with every
    // engine that does not watch it, a faulty one may do anything.
    let enqueue = || unsafe {
        session.queue.enqueue_nd_range_kernel(kernel.get(), range.dimensions, offset, grid, local, &[])
    };
    let event = crash::during(Phase::Run, || {
        let event = enqueue().asked_to("launch the kernel")?;
        session.finish("run the kernel to its end").map(|()| event)
    })?;
    // A kernel may fail without its queue failing.
    match event.command_execution_status().asked_to("tell what became of the kernel")?.0 {
        code if code < 0 => Err(CallError { action: "run the kernel to its end", code }),
        _ => Ok(start.elapsed()),
    }
}

fn pass(kernel: &Kernel, index: u32, argument: &Passed<'_>) -> Result<(), CallError> {
    let buffer = |buffer: &Buffer<u8>| {
        // SAFETY: a buffer's handle is what the runtime expects for a pointer; it checks which buffer that is.
        unsafe { kernel.set_arg(index, buffer) }.asked_to("pass a buffer")
    };
    match argument {
        Passed::Value(bytes) => {
            // SAFETY: so many bytes are there, and they are copied at once. The runtime checks their number.
            let passed =
                unsafe { set_kernel_arg(kernel.get(), index, bytes.len(), bytes.as_ptr().cast::<c_void>()) };
            passed.asked_to("pass a value")
        }
        Passed::Address(address) => {
            let pointer = ptr::without_provenance(*address as usize);
            // SAFETY: the host does not follow the pointer, and its memory lives for the launch if it is of the engine.
            unsafe { kernel.set_arg_svm_pointer(index, pointer) }.asked_to("pass an address")
        }
        Passed::Buffer(whole) => buffer(whole),
        Passed::Part(part) => buffer(part),
        Passed::Shared(bytes) => {
            // No bytes at all are refused.
            let bytes = (*bytes).max(1);
            // SAFETY: a size without contents is how shared memory is asked for.
            let passed = unsafe { set_kernel_arg(kernel.get(), index, bytes, ptr::null()) };
            passed.asked_to("pass shared memory")
        }
    }
}

/// Lets a kernel reach memory whose addresses it may find elsewhere.
fn allow_access(kernel: &Kernel, memory: &DeviceMemory) -> Result<(), CallError> {
    let allocations: Vec<*const c_void> = memory.shared().map(|block| block.allocation()).collect();
    if allocations.is_empty() {
        return Ok(());
    }
    let (bytes, list) = (size_of_val(&allocations[..]), allocations.as_ptr().cast::<c_void>());
    // SAFETY: the list has so many bytes, and all that it names are allocations of this context.
    let allowed = unsafe { set_kernel_exec_info(kernel.get(), CL_KERNEL_EXEC_INFO_SVM_PTRS, bytes, list) };
    allowed.asked_to("let the kernel reach memory")
}
