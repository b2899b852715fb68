//! Running a program and measuring what it used.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use wait4::Wait4;

/// What a program used.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Processor time in seconds, which other programs on the machine disturb less than the time that passes.
    pub seconds: f64,
    /// Most memory at one time, in bytes.
    pub peak: u64,
}

/// Runs a program to its end, without output.
///
/// # Errors
/// When it cannot be started or does not succeed.
pub fn measure(command: &mut Command) -> Result<Usage> {
    let name = format!("{command:?}");
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let result = child.and_then(|child| child.wait4()).with_context(|| format!("cannot run {name}"))?;
    ensure!(result.status.success(), "{name} ends with {}", result.status);
    let usage = result.rusage;
    Ok(Usage { seconds: (usage.utime + usage.stime).as_secs_f64(), peak: usage.maxrss })
}

/// The middle one of some numbers.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Median times of two programs that take turns, and the median of the ratio within each turn.
pub struct Pair {
    /// Of the first program, in seconds.
    pub ours: f64,
    /// Of the second program, in seconds.
    pub theirs: f64,
    /// How many times faster the first one is.
    pub ratio: f64,
}

/// Runs two programs in turn, so that both meet the same state of the machine.
pub fn compare(
    runs: usize,
    mut ours: impl FnMut() -> Result<Usage>,
    mut theirs: impl FnMut() -> Result<Usage>,
) -> Result<Pair> {
    let mut pairs = Vec::new();
    for _ in 0..runs {
        pairs.push((ours()?.seconds, theirs()?.seconds));
    }
    Ok(Pair {
        ours: median(pairs.iter().map(|pair| pair.0).collect()),
        theirs: median(pairs.iter().map(|pair| pair.1).collect()),
        ratio: median(pairs.iter().map(|pair| pair.1 / pair.0).collect()),
    })
}
