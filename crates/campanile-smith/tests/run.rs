//! Samples run without a finding, and to the same end on any number of threads and when linked of their parts. What
//! they change is found written.

#[path = "support/launch.rs"]
mod launch;
mod support;

use std::sync::Arc;

use campanile_core::analysis::access_facts;
use campanile_core::diagnostic::Sink;
use campanile_core::link::link;
use campanile_core::module::Module;
use campanile_engine::{Check, Checks};
use campanile_smith::{Options, Sample};
use launch::launch;

/// Every check, save the one that wants fences around barriers.
const CHECKS: Checks = Checks::ALL.without(Check::Fence);

/// What is wrong with a sample, if anything.
fn judge(sample: &Sample, checks: Checks) -> Result<(), String> {
    let module = Arc::new(support::load(sample)?);
    let (report, alone, _) = launch(&module, sample, checks, 1);
    if let Some(finding) = report.findings.first() {
        return Err(format!("{}\n{finding:#?}", sample.text));
    }
    check_written(&module, sample, &alone)?;
    let (_, together, _) = launch(&module, sample, checks, 2);
    check_same(sample, "with 2 threads", &alone, &together)?;
    let parts = sample.parts.iter().map(|part| support::load_text(part)).collect::<Result<_, _>>()?;
    let mut sink = Sink::new();
    let linked = link(parts, Default::default(), &mut sink);
    let linked = linked.ok_or_else(|| format!("{:#?}\n{}", sink.into_sorted(), sample.parts.join("\n")))?;
    let (_, linked, _) = launch(&Arc::new(linked), sample, checks, 2);
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
