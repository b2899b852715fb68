//! Launches on the checked engine.

use std::sync::Arc;

use campanile_core::isa::Space;
use campanile_core::module::{FunctionId, FunctionKind, Module, Parameter};
use campanile_engine::{Argument, Check, Checks, Device, Launch, Options, Report, run};
use campanile_smith::Sample;

/// Most bytes of the variables of a module that is launched.
const VARIABLE_BYTES: u64 = 1 << 20;
/// Bytes of buffers that nobody has said anything about.
const BUFFER_BYTES: usize = 4096;

/// Launches a sample. Returns what happened, and what the buffers hold in the end.
pub fn launch_sample(module: Module, sample: &Sample, threads: usize) -> (Report, Vec<Vec<u8>>) {
    let module = Arc::new(module);
    let mut device = Device::new(module.clone()).expect("small variables");
    let buffers: Vec<_> = sample.buffers.iter().map(|bytes| device.add_buffer(bytes.clone())).collect();
    let kernel = module.kernel(&sample.kernel).expect("the kernel");
    let shape = &sample.shape;
    let mut launch = Launch::new(kernel, shape.dimensions, shape.grid, shape.local);
    launch.offset = shape.offset;
    launch.non_uniform = shape.non_uniform;
    launch.printf_buffer = sample.printf_buffer.map(|buffer| buffers[buffer]);
    launch.arguments = sample
        .arguments
        .iter()
        .map(|argument| match argument {
            campanile_smith::Argument::Buffer(buffer) => Argument::Buffer(buffers[*buffer]),
            campanile_smith::Argument::Bytes(bytes) => Argument::Bytes(bytes.clone()),
            campanile_smith::Argument::Shared(bytes) => Argument::Local(*bytes),
        })
        .collect();
    let checks = Checks::ALL.without(Check::Fence);
    let options = Options { checks, threads: Some(threads), ..Options::default() };
    let report = run(&mut device, &launch, &options).expect("a launch that suits the kernel");
    let contents = buffers.iter().map(|buffer| device.read_buffer(*buffer)).collect();
    (report, contents)
}

/// Launches every kernel of a module on small buffers, for a few steps. What it finds does not matter.
pub fn launch_any(module: Module, checks: Checks) {
    let bytes = module.variables.values().try_fold(0u64, |sum, variable| sum.checked_add(variable.size));
    if bytes.is_none_or(|bytes| bytes > VARIABLE_BYTES) {
        return;
    }
    let module = Arc::new(module);
    let kernels: Vec<FunctionId> = module.kernels().collect();
    for kernel in kernels.into_iter().take(4) {
        let FunctionKind::Kernel(about) = &module.functions[kernel].kind else { continue };
        let local = about.required_work_group_size.unwrap_or([40, 1, 1]);
        let Ok(mut device) = Device::new(module.clone()) else { continue };
        let grid = [2 * u64::from(local[0]), u64::from(local[1]), u64::from(local[2])];
        let mut launch = Launch::new(kernel, 3, grid, local);
        launch.arguments =
            about.parameters.iter().map(|parameter| argument(&mut device, parameter)).collect();
        let options = Options {
            checks,
            threads: Some(1),
            step_budget: Some(4000),
            findings_limit: 10,
            ..Options::default()
        };
        // A launch may well be refused: the local size may be too large, or an import be missing.
        let _ = run(&mut device, &launch, &options);
    }
}

fn argument(device: &mut Device, parameter: &Parameter) -> Argument {
    match (parameter.space, parameter.size) {
        (Some(Space::Shared), _) => Argument::Local(1024),
        (Some(_), _) | (None, 8) => Argument::Buffer(device.add_buffer(vec![1; BUFFER_BYTES])),
        (None, size) => Argument::Bytes(vec![1; size as usize]),
    }
}
