//! Whatever verifies can be run without a panic, watched or not.

#![no_main]

use campanile_engine::{Check, Checks};
use campanile_fuzz::{launch_any, read};

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    campanile_fuzz::mutate(data, size, max_size, seed)
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Some(module) = read(text).module else { return };
    launch_any(module.clone(), Checks::ALL);
    // The step budget belongs to the check for progress; an endless loop needs it.
    launch_any(module, Checks::NONE.with(Check::Progress));
});
