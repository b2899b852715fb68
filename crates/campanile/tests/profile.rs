//! Profiles of a kernel whose lanes part, against counts worked out by hand.

use campanile::engine::{Options, Report};
use campanile::llvm::{JitEngine, JitOptions};
use campanile::profile::{LineCount, Lines, Work, lines, work};
use campanile::{Device, Module};

/// Of the work-items of two sub-groups, 32 and 8 of them, the even ones call a function and the odd ones go as often through a
/// loop as their number says.
const TEXT: &str = include_str!("../../../docs/tour/diverge.pisa");

fn devices(module: &Module) -> Vec<Device> {
    let checked = Device::checked_with(module, Options { profile: true, ..Options::default() });
    let mut devices = vec![checked.unwrap()];
    if JitEngine::available().is_ok() {
        for threads in [1, 2] {
            let options =
                JitOptions { profile: true, threads: Some(threads), cache: None, ..JitOptions::default() };
            devices.push(Device::jit_with(module, options).unwrap());
        }
    }
    devices
}

fn launch(module: &Module, device: &mut Device, grid: u64) -> Report {
    let out = device.buffer(&[0u32; 40]);
    let kernel = module.kernel("diverge").unwrap();
    kernel.launch().set("out", &out).grid([grid]).local([40]).run(device).unwrap()
}

/// The same count for some lines.
fn counted(from: u32, to: u32, executions: u64, lanes: u64) -> impl Iterator<Item = (u32, LineCount)> {
    (from..=to).map(move |line| (line, LineCount { executions, lanes }))
}

#[test]
fn lines_are_counted_by_subgroups_and_lanes() {
    let module = Module::from_text("diverge.pisa", TEXT.to_owned()).unwrap();
    let program = module.program();
    // The loop ends for all lanes of a sub-group with that of its greatest odd number, 31 or 39.
    let looped = (31 + 39, (1..40).step_by(2).sum::<u64>());
    for mut device in devices(&module) {
        for groups in [1, 3] {
            let report = launch(&module, &mut device, 40 * groups);
            let profile = report.profile.unwrap();
            let found = lines(program, &profile);
            let of = |name: &str| {
                let mut functions = found.iter();
                functions.find(|(id, _)| program.functions[**id].name == name).unwrap().1.clone()
            };
            let engine = device.engine_name();
            let kernel: Lines = counted(15, 19, 2 * groups, 40 * groups)
                .chain(counted(20, 21, 2 * groups, 20 * groups))
                .chain(counted(23, 25, looped.0 * groups, looped.1 * groups))
                .chain(counted(27, 31, 2 * groups, 40 * groups))
                .collect();
            assert_eq!(of("diverge"), kernel, "{engine}");
            let called: Lines = counted(7, 8, 2 * groups, 20 * groups).collect();
            assert_eq!(of("twice"), called, "{engine}");
            let expected = Work { loaded: 0, stored: 160 * groups, operations: 80 * groups };
            assert_eq!(work(program, &profile), expected, "{engine}");
            let is_new = groups == 1 && engine == "jit";
            assert_eq!(
                profile.compilation.is_some(),
                is_new,
                "a kernel is compiled once, and only to run fast"
            );
        }
    }
}
