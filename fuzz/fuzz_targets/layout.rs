//! Any saved layout is read without a panic; one that holds is saved, shown and given lanes.

#![no_main]

use campanile_contract::KernelLayout;
use campanile_fuzz::check_layout;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    campanile_fuzz::mutate(data, size, max_size, seed)
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(layout) = KernelLayout::from_json(text) {
        check_layout(&layout);
    }
});
