//! The fast engine does what the checked one does: random modules and launches leave the same bits on both.
//!
//! `CAMPANILE_SAMPLES` says how many samples are tried, `CAMPANILE_FIRST` which seed comes first, `CAMPANILE_CPU` for
//! which processor the fast engine compiles.

mod agree;
mod found;

use std::ops::Range;

use arbitrary::Unstructured;
use campanile_llvm::{JitEngine, JitOptions};
use campanile_smith::{Options, Sample, noise, sample_with};

/// Samples tried in a run of all tests.
const SAMPLES: u64 = 40;
/// Of these, for a processor that takes longer to compile for.
const FEW_SAMPLES: u64 = 12;

/// Bytes that samples are made of: most are small, so that there can be many.
const BYTES: [usize; 4] = [2000, 1000, 4000, 16000];

fn sample(seed: u64) -> Sample {
    let bytes = noise(seed, BYTES[seed as usize % BYTES.len()]);
    sample_with(&mut Unstructured::new(&bytes), Options::REPRODUCIBLE).expect("bytes that end, end a sample")
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn engines_agree_on_samples() {
    let first = number("CAMPANILE_FIRST").unwrap_or(0);
    agree_on(first..first + number("CAMPANILE_SAMPLES").unwrap_or(SAMPLES), |seed| {
        usual(seed, std::env::var("CAMPANILE_CPU").ok())
    });
}

#[cfg(target_arch = "x86_64")]
#[test]
fn engines_agree_without_more_than_all_processors_have() {
    agree_on(1000..1000 + FEW_SAMPLES, |seed| usual(seed, Some("x86-64".to_owned())));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn engines_agree_with_avx2_only() {
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        agree_on(2000..2000 + FEW_SAMPLES, |seed| usual(seed, Some("x86-64-v3".to_owned())));
    }
}

#[test]
fn guarded_and_counted_kernels_do_the_same() {
    agree_on(3000..3000 + FEW_SAMPLES, |seed| JitOptions {
        bounds: true,
        profile: true,
        ..usual(seed, None)
    });
}

/// The code that AMD GPUs run, but for this machine: it meets the rule by which the earliest block goes first as the others do.
#[cfg(target_arch = "x86_64")]
#[test]
fn lanes_that_run_one_by_one_do_the_same() {
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        let first = number("CAMPANILE_FIRST").unwrap_or(4000);
        let samples = number("CAMPANILE_SAMPLES").unwrap_or(FEW_SAMPLES);
        agree_on(first..first + samples, |seed| JitOptions { scalar: true, ..usual(seed, None) });
    }
}

fn usual(seed: u64, cpu: Option<String>) -> JitOptions {
    let threads = Some(1 + seed as usize % 2);
    JitOptions { threads, cache: None, cpu, ..JitOptions::default() }
}

fn agree_on(seeds: Range<u64>, options: impl Fn(u64) -> JitOptions) {
    if found::llvm().is_none() {
        return;
    }
    for seed in seeds {
        let sample = sample(seed);
        let options = options(seed);
        let profile = options.profile;
        let make = |module| JitEngine::new(module, options).map_err(|error| error.to_string());
        if let Err(fault) = agree::compare(&sample, profile, make) {
            panic!("{}\n{:?}\nseed {seed}: {fault}", sample.text, sample.shape);
        }
    }
}
