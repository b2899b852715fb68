//! Launches of samples on the checked engine.

use std::sync::Arc;

use campanile_core::module::Module;
use campanile_engine::{Argument, Checks, Device, Launch, Report, run};
use campanile_smith::Sample;

/// Runs a sample on so many threads. Returns what happened, what the buffers hold in the end, and the device.
pub fn launch(
    module: &Arc<Module>,
    sample: &Sample,
    checks: Checks,
    threads: usize,
) -> (Report, Vec<Vec<u8>>, Device) {
    let mut device = Device::new(module.clone()).expect("small variables");
    let buffers: Vec<_> = sample.buffers.iter().map(|bytes| device.add_buffer(bytes.clone())).collect();
    let shape = &sample.shape;
    let kernel = module.kernel(&sample.kernel).expect("the kernel");
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
    let options = campanile_engine::Options { checks, threads: Some(threads), ..Default::default() };
    let report = run(&mut device, &launch, &options).expect("a launch that suits the kernel");
    let contents = buffers.iter().map(|buffer| device.read_buffer(*buffer)).collect();
    (report, contents, device)
}
