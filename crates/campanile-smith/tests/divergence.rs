//! What the divergence analysis claims holds when samples run: each claim becomes instructions that check it.
//!
//! `CAMPANILE_SAMPLES` says how many samples are tried, `CAMPANILE_FIRST` which seed comes first.

mod claims;
#[path = "support/launch.rs"]
mod launch;
mod support;

use std::sync::Arc;

use campanile_core::analysis::{Divergence, LaunchShape};
use campanile_core::module::print;
use campanile_engine::Checks;
use campanile_smith::{Options, Sample, Shape};
use launch::launch;

/// What is known of the launch of a sample: all that its shape says, or nothing.
fn launch_shape(shape: &Shape, known: bool) -> LaunchShape {
    match (known, shape.non_uniform) {
        (false, _) => LaunchShape::default(),
        (true, true) => LaunchShape { dimensions: Some(shape.dimensions), ..Default::default() },
        (true, false) => LaunchShape::with_local_size(shape.dimensions, shape.local),
    }
}

/// Runs a sample with its claims as checks. Returns how many there are, or the text with those that do not hold.
fn judge(sample: &Sample, seed: u64) -> Result<usize, String> {
    // The canonical text has one name for each register.
    let module = support::load_text(&print(&support::load(sample)?))?;
    let kernel = module.kernel(&sample.kernel).expect("the kernel");
    let divergence = Divergence::new(&module, kernel, launch_shape(&sample.shape, !seed.is_multiple_of(4)));
    let checked = claims::write(&module, &divergence, seed, 100);
    let module = Arc::new(support::load_text(&checked.text)?);
    let (report, _, device) = launch(&module, sample, Checks::NONE, 1);
    if !report.findings.is_empty() {
        return Err(format!("{}\n{:#?}", checked.text, report.findings));
    }
    let marks = device.read_variable("checks").expect("the marks");
    let failed = marks.chunks(4).zip(&checked.claims).filter(|(mark, _)| **mark != [0; 4]);
    let failed: Vec<_> = failed.map(|(_, claim)| claim.as_str()).collect();
    if failed.is_empty() { Ok(checked.claims.len()) } else { Err(format!("{}\n{failed:#?}", checked.text)) }
}

#[test]
fn claims_hold_in_samples() {
    let number = |name| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let (first, count) = (number("CAMPANILE_FIRST").unwrap_or(0), number("CAMPANILE_SAMPLES").unwrap_or(200));
    let mut claims = 0;
    for seed in first..first + count {
        let sample = campanile_smith::from_seed(seed, Options::default());
        claims += judge(&sample, seed).unwrap_or_else(|fault| panic!("{fault}\nseed {seed}"));
    }
    assert!(claims > 20 * count as usize, "only {claims} claims");
}
