//! The fast engine does what the checked one does: random modules and launches leave the same bits on both.
//!
//! `CAMPANILE_SAMPLES` says how many samples are tried, `CAMPANILE_FIRST` which seed comes first, `CAMPANILE_CPU` for
//! which processor the fast engine compiles.

mod agree;
mod found;

use campanile_smith::Options;

/// Samples tried in a run of all tests.
const SAMPLES: u64 = 40;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn engines_agree_on_samples() {
    if found::llvm().is_none() {
        return;
    }
    let first = number("CAMPANILE_FIRST").unwrap_or(0);
    let cpu = std::env::var("CAMPANILE_CPU").ok();
    for seed in first..first + number("CAMPANILE_SAMPLES").unwrap_or(SAMPLES) {
        let sample = campanile_smith::from_seed(seed, Options::REPRODUCIBLE);
        let threads = 1 + seed as usize % 2;
        if let Err(fault) = agree::compare(&sample, threads, cpu.clone()) {
            panic!("{}\n{:?}\nseed {seed}: {fault}", sample.text, sample.shape);
        }
    }
}
