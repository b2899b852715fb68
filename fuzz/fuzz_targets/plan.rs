//! Any launch plan is read without a panic, and the layout of a kernel that it closes holds.

#![no_main]

use campanile_contract::layout::Limits;
use campanile_contract::{KernelInterface, Number, Plan, finalize};
use campanile_fuzz::check_layout;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    campanile_fuzz::mutate(data, size, max_size, seed)
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(plan) = Plan::parse(text) else { return };
    assert!(plan.parts().len() <= plan.arrays.len());
    assert!(plan.steps.iter().filter(|step| step.makes_launches()).count() <= plan.launches().count());
    // The kernel of the example.
    let interface =
        KernelInterface::kernel("diffuse").array("before", Number::F32, 2).array("after", Number::F32, 2);
    let mut layout = finalize(&interface, Limits::default()).expect("two arrays are in order");
    if plan.close(&mut layout).is_ok() {
        check_layout(&layout);
    }
});
