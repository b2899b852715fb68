//! The line that tells what a launch did.

use campanile_engine::Report;
use serde_json::json;

use crate::console::{Console, Tally};

/// Tells how many work-items ran, how long, and on which engine.
pub fn tell(console: &Console, tally: Tally, kernel: &str, report: &Report) {
    let seconds = report.duration.as_secs_f64();
    if console.is_json() {
        let launch = json!({
            "kernel": kernel, "engine": "checked", "work_items": report.work_items,
            "work_groups": report.work_groups, "instructions": report.instructions, "seconds": seconds,
            "findings": report.findings.len(), "given_up": report.given_up,
        });
        console.summary("run", tally, launch);
        return;
    }
    let rate = report.instructions as f64 / seconds.max(1e-9) / 1e6;
    let given_up = if report.given_up { ", given up after the findings" } else { "" };
    console.note(&format!(
        "{kernel}: {} work-items in {} work-groups, {seconds:.3} s, checked engine ({rate:.0} million instructions a \
         second){given_up}",
        report.work_items, report.work_groups
    ));
}
