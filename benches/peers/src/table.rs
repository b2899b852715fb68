//! Tables for people, JSON for programs.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::measure::Measured;
use crate::statistics::geometric_mean;

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

/// What stands above the rows.
pub fn head() -> String {
    format!(
        "{:<22}{:>12}{:>10}{:>10}{:>10}{:>10}{:>8}{:>8}{:>8}",
        "kernel", "size", "pisa ms", "Intel ms", "pocl ms", "copy ms", "Intel", "pocl", "copy"
    )
}

/// A row, and below it what went wrong.
pub fn row(name: &str, size: &str, measured: &Measured) -> String {
    let Measured { pisa, intel, pocl, copy, ratios, remarks } = measured;
    // Where there is nothing to compare with, the place of the copy stays empty.
    let bound = |value: Option<f64>| value.map_or_else(String::new, |value| number(Some(value)));
    let mut row = format!(
        "{name:<22}{size:>12}{:>10}{:>10}{:>10}{:>10}{:>8}{:>8}{:>8}",
        number(*pisa),
        number(*intel),
        number(*pocl),
        bound(*copy),
        number(ratios.intel),
        number(ratios.pocl),
        bound(ratios.copy)
    );
    row.truncate(row.trim_end().len());
    for remark in remarks {
        let _ = write!(row, "\n    ! {remark}");
    }
    row
}

/// The geometric means of the ratios to each peer and to the better of both.
pub fn means<'a>(all: impl Iterator<Item = &'a Measured>) -> String {
    let (mut intel, mut pocl, mut better) = (Vec::new(), Vec::new(), Vec::new());
    for Measured { ratios, .. } in all {
        intel.extend(ratios.intel);
        pocl.extend(ratios.pocl);
        better.extend(ratios.better());
    }
    let mean = |ratios: &[f64]| number(geometric_mean(ratios));
    format!(
        "geometric mean of the ratios: Intel {}, pocl {}, the better of both {}",
        mean(&intel),
        mean(&pocl),
        mean(&better)
    )
}

/// A number in a column; a dash where there is none.
pub fn number(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Ratios;

    fn measured(intel: Option<f64>, pocl: Option<f64>) -> Measured {
        Measured { pisa: Some(2.0), ratios: Ratios { intel, pocl, copy: None }, ..Measured::default() }
    }

    #[test]
    fn columns_stand_below_their_heads() {
        let measured = Measured { intel: Some(3.5), copy: Some(1.0), ..measured(Some(1.75), None) };
        let (head, row) = (head(), row("scan", "2^24", &measured));
        assert_eq!(head.chars().count(), 98);
        assert_eq!(
            row,
            format!(
                "scan{:>30}{:>10}{:>10}{:>10}{:>10}{:>8}{:>8}",
                "2^24", "2.00", "3.50", "–", "1.00", "1.75", "–"
            )
        );
    }

    #[test]
    fn what_went_wrong_stands_below_the_row() {
        let measured = Measured { remarks: vec!["pocl: no".to_owned()], ..Measured::default() };
        assert!(row("scan", "2^24", &measured).ends_with("\n    ! pocl: no"));
    }

    #[test]
    fn the_better_of_both_has_the_lesser_ratio() {
        let all = [measured(Some(2.0), Some(8.0)), measured(Some(2.0), Some(0.5)), measured(Some(1.0), None)];
        let means = means(all.iter());
        assert_eq!(means, "geometric mean of the ratios: Intel 1.59, pocl 2.00, the better of both 1.00");
    }

    #[test]
    fn json_has_null_where_there_is_no_figure() {
        let results = Results::from([("scan", Times::from(&measured(None, None)))]);
        let text = serde_json::to_string(&results).expect("numbers and text");
        assert_eq!(text, r#"{"scan":{"pisa_ms":2.0,"intel_ms":null,"pocl_ms":null}}"#);
    }
}
