//! A device does what the checked engine does: random modules and launches leave the same bits on both, where the device
//! can run them.
//!
//! `CAMPANILE_SAMPLES` says how many samples are tried, `CAMPANILE_FIRST` which seed comes first.

#[path = "../../campanile-llvm/tests/agree/mod.rs"]
mod agree;

use campanile_opencl::{OpenClEngine, OpenClOptions, OpenClUnavailable};
use campanile_smith::{Options, from_seed};

/// Samples tried in a run of all tests.
const SAMPLES: u64 = 20;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn a_device_agrees_on_samples() {
    if let Err(reason) = OpenClEngine::available() {
        assert!(std::env::var_os("CI").is_none(), "{reason}");
        return eprintln!("skipped: {reason}");
    }
    let first = number("CAMPANILE_FIRST", 0);
    let mut ran = 0;
    for seed in first..first + number("CAMPANILE_SAMPLES", SAMPLES) {
        let sample = from_seed(seed, Options::REPRODUCIBLE);
        let mut left_out = false;
        let agreed = agree::compare(&sample, false, |module| {
            OpenClEngine::new(module, &OpenClOptions::default()).map_err(|reason| {
                left_out = matches!(reason, OpenClUnavailable::Module { .. });
                reason.to_string()
            })
        });
        match agreed {
            Ok(()) => ran += 1,
            Err(_) if left_out => {}
            Err(fault) => panic!("{}\n{:?}\nseed {seed}: {fault}", sample.text, sample.shape),
        }
    }
    println!("{ran} samples ran on the device");
    assert!(ran > 0, "none could be run");
}
