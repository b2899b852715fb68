//! Samples run without a finding, and to the same end on any number of threads and when linked of their parts. What
//! they change is found written.

mod support;

use std::sync::Arc;

use campanile_core::analysis::access_facts;
use campanile_core::diagnostic::Sink;
use campanile_core::link::link;
use campanile_core::module::Module;
use campanile_engine::{Argument, Check, Checks, Device, Launch, Report, run};
use campanile_smith::{Options, Sample};

/// Every check, save the one that wants fences around barriers.
const CHECKS: Checks = Checks::ALL.without(Check::Fence);

/// What is wrong with a sample, if anything.
fn judge(sample: &Sample, checks: Checks) -> Result<(), String> {
    let module = Arc::new(support::load(sample)?);
    let (report, alone) = launch(&module, sample, checks, 1);
    if let Some(finding) = report.findings.first() {
        return Err(format!("{}\n{finding:#?}", sample.text));
    }
    check_written(&module, sample, &alone)?;
    let (_, together) = launch(&module, sample, checks, 2);
    check_same(sample, "with 2 threads", &alone, &together)?;
    let parts = sample.parts.iter().map(|part| support::load_text(part)).collect::<Result<_, _>>()?;
    let mut sink = Sink::new();
    let linked = link(parts, Default::default(), &mut sink);
    let linked = linked.ok_or_else(|| format!("{:#?}\n{}", sink.into_sorted(), sample.parts.join("\n")))?;
    let (_, linked) = launch(&Arc::new(linked), sample, checks, 2);
    check_same(sample, "when linked of its parts", &alone, &linked)
}

/// Buffers that a run changes must be ones that the analysis takes to be written.
fn check_written(module: &Module, sample: &Sample, buffers: &[Vec<u8>]) -> Result<(), String> {
    let facts = access_facts(module, module.kernel(&sample.kernel).expect("the kernel"));
    for (number, (before, after)) in sample.buffers.iter().zip(buffers).enumerate() {
        let passed = campanile_smith::Argument::Buffer(number);
        let positions = (0..sample.arguments.len()).filter(|position| sample.arguments[*position] == passed);
        let found = positions.clone().any(|position| facts.parameter(position).written.is_some());
        if before != after && !found && positions.count() > 0 {
            return Err(format!("{}\nbuffer {number} changes, but is not found written", sample.text));
        }
    }
    Ok(())
}

fn check_same(sample: &Sample, when: &str, one: &[Vec<u8>], other: &[Vec<u8>]) -> Result<(), String> {
    match one.iter().zip(other).position(|(one, other)| one != other) {
        Some(buffer) => Err(format!("{}\nbuffer {buffer} differs {when}", sample.text)),
        None => Ok(()),
    }
}

/// Runs a sample on so many threads. Returns what happened, and what the buffers hold in the end.
fn launch(module: &Arc<Module>, sample: &Sample, checks: Checks, threads: usize) -> (Report, Vec<Vec<u8>>) {
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
    (report, contents)
}

#[test]
fn seeds_run_without_findings() {
    for seed in 0..100 {
        let (options, checks) =
            if seed % 2 == 0 { (Options::default(), CHECKS) } else { (Options::REPRODUCIBLE, Checks::ALL) };
        let sample = campanile_smith::from_seed(seed, options);
        judge(&sample, checks).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 40, ..Default::default() })]

    #[test]
    fn any_bytes_make_a_sample_without_findings(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..6000)) {
        let sample = campanile_smith::sample(&mut arbitrary::Unstructured::new(&bytes)).expect("a sample");
        if let Err(fault) = judge(&sample, CHECKS) {
            return Err(proptest::test_runner::TestCaseError::fail(fault));
        }
    }
}
