//! What a run tells at its end: its launches, and what was copied for them.

use campanile::Device;
use campanile::engine::Report;
use serde_json::json;

use crate::console::{self, Console, Tally};

/// Launches added up.
#[derive(Default)]
pub struct Summary {
    launches: u64,
    /// The kernel of the last launch.
    kernel: String,
    work_items: u64,
    work_groups: u64,
    /// As far as they are counted.
    instructions: Option<u64>,
    seconds: f64,
    findings: usize,
    given_up: bool,
}

impl Summary {
    /// Adds a launch.
    pub fn add(&mut self, kernel: &str, report: &Report) {
        kernel.clone_into(&mut self.kernel);
        self.launches += 1;
        self.work_items += report.work_items;
        self.work_groups += report.work_groups;
        if let Some(instructions) = report.instructions {
            *self.instructions.get_or_insert_default() += instructions;
        }
        self.seconds += report.duration.as_secs_f64();
        self.findings += report.findings.len();
        self.given_up |= report.given_up;
    }

    /// How many launches there were.
    pub fn launches(&self) -> u64 {
        self.launches
    }

    /// Tells how many work-items ran, how long, and on which engine.
    pub fn tell(&self, console: &Console, engine: &str, tally: Tally) {
        let &Summary { launches, work_items, work_groups, instructions, seconds, findings, given_up, .. } =
            self;
        let kernel = (launches == 1).then_some(&self.kernel);
        if console.is_json() {
            let launch = json!({
                "kernel": kernel, "launches": launches, "engine": engine, "work_items": work_items,
                "work_groups": work_groups, "instructions": instructions, "seconds": seconds,
                "findings": findings, "given_up": given_up,
            });
            console.summary("run", tally, launch);
            return;
        }
        let name = kernel.cloned().unwrap_or_else(|| format!("{launches} launches"));
        let rate = |instructions| instructions as f64 / seconds.max(1e-9) / 1e6;
        let rate =
            instructions.map(|count: u64| format!(" ({:.0} million instructions a second)", rate(count)));
        let rate = rate.unwrap_or_default();
        let given_up = if given_up { ", given up after the findings" } else { "" };
        console.note(&format!(
            "{name}: {work_items} work-items in {work_groups} work-groups, {seconds:.3} s, {engine} \
             engine{rate}{given_up}",
        ));
    }
}

/// Tells what is copied between host and device, launch by launch as they are made, and what is not: on standard
/// output, as somebody has asked for it.
pub struct Transfers {
    asked: bool,
    /// The launch that was told of last; none for the host.
    last: Option<Option<u64>>,
}

impl Transfers {
    /// Tells if somebody asked.
    pub fn new(asked: bool) -> Self {
        Transfers { asked, last: None }
    }

    /// Tells what has been decided since the last time.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn tell(&mut self, console: &Console, device: &mut Device) -> std::io::Result<()> {
        let mut text = String::new();
        for transfer in device.take_transfers() {
            let kernel = transfer.kernel.as_deref();
            if console.is_json() {
                let transfer = json!({
                    "type": "transfer", "launch": transfer.launch, "kernel": kernel, "array": transfer.array,
                    "action": transfer.action.name(), "bytes": transfer.bytes,
                    "reason": transfer.reason.to_string(),
                });
                text += &format!("{transfer}\n");
                continue;
            }
            if self.last != Some(transfer.launch) {
                self.last = Some(transfer.launch);
                text += &match (transfer.launch, kernel) {
                    (Some(launch), Some(kernel)) => format!("launch {launch}, {kernel}:\n"),
                    _ => "the host:\n".to_owned(),
                };
            }
            text += &format!("  {transfer}\n");
        }
        console::print(&text)
    }

    /// Tells how much was copied in all.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn total(&self, console: &Console, device: &Device) -> std::io::Result<()> {
        if !self.asked || console.is_json() {
            return Ok(());
        }
        let (up, down) = (device.uploaded(), device.downloaded());
        console::print(&format!("{up} bytes to the device, {down} bytes to the host\n"))
    }
}
