//! What a run tells at its end: its launches, and what was copied for them.

use campanile::Device;
use campanile::engine::Report;
use serde_json::json;

use crate::console::{Console, Tally};

/// Tells how many work-items ran, how long, and on which engine.
pub fn tell(console: &Console, tally: Tally, launches: &[(String, &Report)]) {
    let (mut work_items, mut work_groups, mut instructions) = (0, 0, 0);
    let (mut seconds, mut findings, mut given_up) = (0.0, 0, false);
    for (_, report) in launches {
        work_items += report.work_items;
        work_groups += report.work_groups;
        instructions += report.instructions;
        seconds += report.duration.as_secs_f64();
        findings += report.findings.len();
        given_up |= report.given_up;
    }
    let name = match launches {
        [(name, _)] => name.clone(),
        _ => format!("{} launches", launches.len()),
    };
    if console.is_json() {
        let kernel = if launches.len() == 1 { Some(&name) } else { None };
        let launch = json!({
            "kernel": kernel, "launches": launches.len(), "engine": "checked", "work_items": work_items,
            "work_groups": work_groups, "instructions": instructions, "seconds": seconds,
            "findings": findings, "given_up": given_up,
        });
        console.summary("run", tally, launch);
        return;
    }
    let rate = instructions as f64 / seconds.max(1e-9) / 1e6;
    let given_up = if given_up { ", given up after the findings" } else { "" };
    console.note(&format!(
        "{name}: {work_items} work-items in {work_groups} work-groups, {seconds:.3} s, checked engine ({rate:.0} \
         million instructions a second){given_up}",
    ));
}

/// Tells what was copied between host and device, launch by launch, and what was not.
pub fn transfers(console: &Console, device: &Device) {
    let mut last = None;
    for transfer in device.transfers() {
        let kernel = transfer.kernel.as_deref();
        if console.is_json() {
            console.json(&json!({
                "type": "transfer", "launch": transfer.launch, "kernel": kernel, "array": transfer.array,
                "action": transfer.action.name(), "bytes": transfer.bytes, "reason": transfer.reason.to_string(),
            }));
            continue;
        }
        if last != Some(transfer.launch) {
            last = Some(transfer.launch);
            console.note(&match (transfer.launch, kernel) {
                (Some(launch), Some(kernel)) => format!("launch {launch}, {kernel}:"),
                _ => "the host:".to_owned(),
            });
        }
        console.note(&format!("  {transfer}"));
    }
    let (up, down) = (device.uploaded(), device.downloaded());
    console.note(&format!("{up} bytes to the device, {down} bytes to the host"));
}
