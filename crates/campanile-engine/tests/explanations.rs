//! Every finding: its wrong example has that fault and no other, its right one has none.

mod support;

use std::sync::Arc;

use campanile_engine::{Argument, Checks, Device, EXPLANATIONS, Explanation, Launch, Options, run};
use support::load;

/// The codes found in an example on 64 work-items, with every check.
fn found(example: &str) -> Vec<u32> {
    let text = Explanation::example_module(example);
    let module: Arc<_> = load("example", &text).unwrap_or_else(|message| panic!("{message}\n{text}"));
    let kernel = module.kernels().next().expect("a kernel");
    let mut device = Device::new(module).expect("small variables");
    let numbers = device.add_buffer(vec![0; 256]);
    let mut launch = Launch::new(kernel, 1, [64, 1, 1], [64, 1, 1]);
    launch.arguments.push(Argument::Buffer(numbers));
    let options = Options { checks: Checks::ALL, step_budget: Some(10_000), ..Options::default() };
    let report = run(&mut device, &launch, &options).expect("a valid launch");
    report.findings.iter().map(|finding| finding.kind.code()).collect()
}

#[test]
fn codes_ascend() {
    assert!(EXPLANATIONS.is_sorted_by(|one, next| one.code < next.code));
}

#[test]
fn wrong_examples_have_the_fault_and_no_other() {
    for one in EXPLANATIONS.iter().filter(|one| !one.wrong.is_empty()) {
        assert_eq!(found(one.wrong), [one.code], "{}: {}", one.code, one.wrong);
    }
}

#[test]
fn right_examples_have_no_fault() {
    for one in EXPLANATIONS {
        assert_eq!(found(one.right), [0; 0], "{}: {}", one.code, one.right);
    }
}
