//! Tables for people, JSON for programs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cases::Case;
use crate::measure::Measured;

/// Median times of one kernel, as JSON has them.
#[derive(Serialize)]
pub struct Times {
    pisa_ms: Option<f64>,
    intel_ms: Option<f64>,
    pocl_ms: Option<f64>,
}

/// The times of all kernels by name.
pub type Results = BTreeMap<&'static str, Times>;

impl From<&Measured> for Times {
    fn from(measured: &Measured) -> Self {
        Times { pisa_ms: measured.pisa, intel_ms: measured.intel, pocl_ms: measured.pocl }
    }
}

/// Prints what stands above the rows.
pub fn head() {
    println!(
        "\n{:<22}{:>14}{:>10}{:>10}{:>10}{:>10}{:>12}{:>12}",
        "kernel", "size", "pisa ms", "Intel ms", "pocl ms", "copy ms", "Intel/pisa", "pocl/pisa"
    );
}

/// Prints a row, and below it what went wrong.
pub fn row(case: &Case, measured: &Measured) {
    let time = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2}"));
    println!(
        "{:<22}{:>14}{:>10}{:>10}{:>10}{:>10}{:>12}{:>12}",
        case.name,
        case.size,
        time(measured.pisa),
        time(measured.intel),
        time(measured.pocl),
        measured.copy.map_or_else(String::new, |value| time(Some(value))),
        time(measured.intel_ratio),
        time(measured.pocl_ratio)
    );
    for remark in &measured.remarks {
        println!("    ! {remark}");
    }
}
