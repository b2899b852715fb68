//! What it buys that the buffers of a launch are known to share no bytes: kernels with such buffers, and with an output that
//! ends where an input begins, by one element more than it has. The kernel that is compiled for those trusts in nothing.

use anyhow::Result;

use crate::cases::Case;
use crate::jit::{Jit, Placement};
use crate::measure::{Turns, measure_turns};
use crate::statistics::{median, ratio};
use crate::table::number;

/// Measures a case with both kinds of buffers, and gives a row of a table; none if no buffers of it can overlap.
///
/// # Errors
/// When the kernel does not run.
pub fn row(case: &Case, threads: usize, turns: Turns) -> Result<Option<String>> {
    let Some(mut overlapping) = Jit::new(case, threads, Placement::Overlapping)? else { return Ok(None) };
    let Some(mut apart) = Jit::new(case, threads, Placement::Apart)? else { return Ok(None) };
    let [apart, overlapping] = measure_turns([&mut apart, &mut overlapping], turns)?;
    let gain = ratio(&overlapping, &apart);
    Ok(Some(format!(
        "{:<22}{:>12}{:>10}{:>13}{:>8}",
        case.name,
        case.size,
        number(median(apart)),
        number(median(overlapping)),
        number(gain)
    )))
}

/// What stands above the rows.
pub fn head() -> String {
    format!("{:<22}{:>12}{:>10}{:>13}{:>8}", "kernel", "size", "apart ms", "overlapping", "ratio")
}
