//! What the tests of the host library share: devices on two engines, and kernels.

#![allow(dead_code)]

pub mod kernels;
pub mod separate;

use campanile::contract::layout::Limits;
use campanile::contract::{KernelInterface, finalize, stub};
use campanile::llvm::JitOptions;
use campanile::{Device, Kernel, Launch, Module};
pub use separate::separate;

/// A device on every engine there is: what holds on one must hold on the others. Accesses out of bounds are found on all.
pub fn devices(module: &Module) -> Vec<Device> {
    let checked = Device::checked(module).expect("the variables are small");
    let mut devices = vec![checked, separate(module).0];
    let options = JitOptions { bounds: true, cache: None, ..JitOptions::default() };
    devices.extend(Device::jit_with(module, options).ok());
    devices.iter_mut().for_each(Device::explain_transfers);
    devices
}

/// A module of these lines, without the header.
pub fn module(text: &str) -> Module {
    let text = format!(".version 0.1;\n.target 100;\n{text}\n");
    Module::from_text("test.pisa", text.clone()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The kernel of an interface, made of its stub and a body.
pub fn kernel(interface: &KernelInterface, body: &str) -> Kernel {
    kernel_within(interface, Limits::default(), body)
}

/// The same for a target with limits.
pub fn kernel_within(interface: &KernelInterface, limits: Limits, body: &str) -> Kernel {
    let layout = finalize(interface, limits).unwrap_or_else(|faults| panic!("{faults:?}"));
    let text = stub::stub(&layout).replace(stub::BODY, body);
    let module =
        Module::from_text("stub.pisa", text.clone()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    module.kernel_of(interface, limits).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs a launch that must do nothing wrong.
pub fn run(launch: Launch<'_>, device: &mut Device) {
    let report = launch.run(device).unwrap_or_else(|error| panic!("{error}"));
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}
