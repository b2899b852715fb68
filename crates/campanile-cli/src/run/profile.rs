//! Profiles: the time of each kernel, what its work-items asked for, and its text with how often each line was executed.

use std::fmt::Write;
use std::time::Duration;

use campanile::engine::{BlockProfile, Profile, Report};
use campanile::language::module::{FunctionId, Module};
use campanile::profile::{LineCount, Lines, Work, lines, work};
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::console::{self, Console};

/// What `--profile` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Detail {
    /// Times, and executions by lines
    Lines,
    /// Bytes and floating-point operations too, as work-items ask for them
    Work,
}

/// The launches of a kernel, added up.
#[derive(Default)]
struct KernelProfile {
    name: String,
    launches: u64,
    duration: Duration,
    /// None if nothing was compiled.
    compilation: Option<Duration>,
    profile: Profile,
}

/// The launches of a run, by kernels.
pub struct Profiles {
    detail: Option<Detail>,
    kernels: Vec<KernelProfile>,
}

impl Profiles {
    /// Nothing yet, and nothing ever if nobody asked.
    pub fn new(detail: Option<Detail>) -> Self {
        Profiles { detail, kernels: Vec::new() }
    }

    /// Adds a launch.
    pub fn add(&mut self, kernel: &str, report: &Report) {
        let Some(profile) = &report.profile else { return };
        let index = self.kernels.iter().position(|one| one.name == kernel).unwrap_or_else(|| {
            self.kernels.push(KernelProfile { name: kernel.to_owned(), ..KernelProfile::default() });
            self.kernels.len() - 1
        });
        let known = &mut self.kernels[index];
        known.launches += 1;
        known.duration += report.duration;
        if let Some(time) = profile.compilation {
            *known.compilation.get_or_insert_default() += time;
        }
        profile.blocks.iter().for_each(|block| known.add(block));
    }

    /// Tells of all launches, on standard output, as somebody has asked for it.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn tell(&self, console: &Console, program: &Module) -> std::io::Result<()> {
        let Some(detail) = self.detail else { return Ok(()) };
        let mut text = String::new();
        for kernel in &self.kernels {
            let work = (detail == Detail::Work).then(|| work(program, &kernel.profile));
            text += &match console.is_json() {
                true => format!("{}\n", kernel.json(program, work)),
                false => kernel.text(program, work),
            };
        }
        console::print(&text)
    }
}

impl KernelProfile {
    fn add(&mut self, block: &BlockProfile) {
        let blocks = &mut self.profile.blocks;
        match blocks.iter_mut().find(|one| (one.function, one.block) == (block.function, block.block)) {
            Some(known) => {
                known.executions += block.executions;
                known.lanes += block.lanes;
            }
            None => blocks.push(*block),
        }
    }

    fn text(&self, program: &Module, work: Option<Work>) -> String {
        let KernelProfile { name, launches, duration, .. } = self;
        let seconds = duration.as_secs_f64();
        let plural = if *launches == 1 { "" } else { "es" };
        let mut text = format!("kernel `{name}`: {launches} launch{plural}, {seconds:.6} s");
        if let Some(time) = self.compilation {
            let _ = write!(text, ", compiled in {:.6} s", time.as_secs_f64());
        }
        text.push('\n');
        if let Some(Work { loaded, stored, operations }) = work {
            let rate = |amount: u64| amount as f64 / seconds.max(1e-9) / 1e9;
            let _ = writeln!(
                text,
                "  {loaded} bytes loaded and {stored} stored ({:.3} GB/s), {operations} floating-point operations \
                 ({:.3} GFLOP/s)",
                rate(loaded + stored),
                rate(operations)
            );
        }
        for (function, lines) in lines(program, &self.profile) {
            text += &listing(program, function, &lines);
        }
        text
    }

    fn json(&self, program: &Module, work: Option<Work>) -> Value {
        let work = work.map(|Work { loaded, stored, operations }| {
            json!({ "bytes_loaded": loaded, "bytes_stored": stored, "floating_point_operations": operations })
        });
        let counts = lines(program, &self.profile).into_iter().flat_map(|(function, lines)| {
            let (function, file) = (&program.functions[function].name, file(program, function).to_owned());
            lines.into_iter().map(move |(line, LineCount { executions, lanes })| {
                json!({
                    "function": function, "file": file, "line": line, "executions": executions, "lanes": lanes,
                })
            })
        });
        json!({
            "type": "profile",
            "kernel": self.name,
            "launches": self.launches,
            "seconds": self.duration.as_secs_f64(),
            "compile_seconds": self.compilation.map(|time| time.as_secs_f64()),
            "work": work,
            "lines": counts.collect::<Vec<_>>(),
        })
    }
}

/// The name of the file that a function stands in.
fn file(program: &Module, function: FunctionId) -> &str {
    program.sources[program.functions[function].place.source].name()
}

/// The text of a function, each line with its executions by sub-groups, by work-items, and the part of the lanes that were
/// active.
fn listing(program: &Module, function: FunctionId, lines: &Lines) -> String {
    let place = program.functions[function].place;
    let source = &program.sources[place.source];
    let (name, first) = (&program.functions[function].name, source.position(place.span.start).0);
    let last = lines.keys().next_back().map_or(first, |line| *line as usize);
    let mut text = format!("\n`@{name}` in {}\n", source.name());
    let _ = writeln!(text, "{:>12} {:>14} {:>7}", "sub-groups", "work-items", "active");
    for line in first..=last {
        let shown = source.slice(source.line(line));
        let counts = match lines.get(&(line as u32)) {
            None => format!("{:>12} {:>14} {:>7}", "", "", ""),
            Some(count) => {
                let active = format!("{:.1} %", 100.0 * count.active());
                format!("{:>12} {:>14} {active:>7}", count.executions, count.lanes)
            }
        };
        let _ = writeln!(text, "{}", format!("{counts}  {line:>4} | {shown}").trim_end());
    }
    text
}
