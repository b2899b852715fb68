//! The fast engine leaves in memory what the checked one leaves there, bit for bit, whatever the sample.

#![no_main]

use campanile_fuzz::agree;
use campanile_llvm::{JitEngine, JitOptions};
use campanile_smith::{Options, sample_with};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut bytes = arbitrary::Unstructured::new(bytes);
    let Ok(sample) = sample_with(&mut bytes, Options::REPRODUCIBLE) else { return };
    let options = JitOptions { threads: Some(2), cache: None, ..JitOptions::default() };
    let make = |module| JitEngine::new(module, options).map_err(|error| error.to_string());
    if let Err(fault) = agree::compare(&sample, false, make) {
        panic!("{}\n{:?}\n{fault}", sample.text, sample.shape);
    }
});
