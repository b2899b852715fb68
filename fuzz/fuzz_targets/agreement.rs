//! The fast engine leaves in memory what the checked one leaves there, bit for bit, whatever the sample.

#![no_main]

use campanile_fuzz::agree;
use campanile_llvm::JitOptions;
use campanile_smith::{Options, sample_with};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut bytes = arbitrary::Unstructured::new(bytes);
    let Ok(sample) = sample_with(&mut bytes, Options::REPRODUCIBLE) else { return };
    let options = JitOptions { threads: Some(2), cache: None, ..JitOptions::default() };
    if let Err(fault) = agree::compare(&sample, options) {
        panic!("{}\n{:?}\n{fault}", sample.text, sample.shape);
    }
});
