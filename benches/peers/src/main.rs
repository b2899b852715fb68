//! Measures kernels on the fast engine against OpenCL runtimes on the same processor. See README.md beside this crate.

mod cases;
mod compile;
mod jit;
mod measure;
mod opencl;
mod overlap;
mod runner;
mod statistics;
mod table;

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Parser;

use cases::{CASES, Make};
use measure::{Clock, Measured, Turns};
use opencl::Peers;
use table::Results;

/// Measure kernels on the fast engine against OpenCL runtimes on the same processor
#[derive(Debug, Parser)]
struct Arguments {
    /// Only kernels whose names contain one of these
    #[arg(value_name = "KERNEL")]
    kernels: Vec<String>,
    /// Least number of turns, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 7)]
    runs: usize,
    /// Small sizes, few turns: only to see that everything works
    #[arg(long)]
    quick: bool,
    /// Write median times to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure processor time of all threads, for a machine that is busy with other things
    #[arg(long)]
    processor_time: bool,
    /// Only the fast engine: buffers that share no bytes against buffers that overlap
    #[arg(long)]
    overlap: bool,
    /// Only compile times
    #[arg(long)]
    compile: bool,
    /// Print how long a first launch takes on a platform, in this process
    #[arg(long, hide = true)]
    first_launch: Option<String>,
}

impl Arguments {
    fn turns(&self) -> Turns {
        let clock = if self.processor_time { Clock::Processor } else { Clock::Elapsed };
        match self.quick {
            true => Turns { least: 1, time: Duration::ZERO, clock },
            false => Turns { least: self.runs.max(1), time: Duration::from_secs(1), clock },
        }
    }

    /// The cases that are asked for.
    fn cases(&self) -> impl Iterator<Item = &'static (&'static str, Make)> {
        let asked =
            |name: &str| self.kernels.is_empty() || self.kernels.iter().any(|part| name.contains(part));
        CASES.iter().filter(move |(name, _)| asked(name))
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(name) = &arguments.first_launch {
        return compile::print_first_launch(name);
    }
    if arguments.overlap {
        return overlaps(&arguments);
    }
    let peers = Peers::find()?;
    println!("{peers}");
    if arguments.compile {
        return compile::run(&peers, arguments.turns().least);
    }
    let threads = thread::available_parallelism()?.get();
    let all = kernels(&arguments, &peers, threads)?;
    if arguments.kernels.is_empty() && !arguments.quick {
        scaling(&arguments, threads)?;
        compile::run(&peers, arguments.turns().least)?;
    }
    if let Some(file) = &arguments.json {
        let results: Results = all.iter().map(|(name, measured)| (*name, measured.into())).collect();
        let text = serde_json::to_string_pretty(&results)?;
        fs::write(file, text + "\n").with_context(|| format!("cannot write {}", file.display()))?;
    }
    let faults: usize = all.iter().map(|(_, measured)| measured.remarks.len()).sum();
    ensure!(faults == 0, "{faults} faults: see the lines marked with !");
    Ok(())
}

/// Measures kernels and prints the table.
fn kernels(arguments: &Arguments, peers: &Peers, threads: usize) -> Result<Vec<(&'static str, Measured)>> {
    println!("\n{}", table::head());
    let mut all = Vec::new();
    for (name, make) in arguments.cases() {
        let case = make(arguments.quick);
        let measured = measure::measure(&case, peers, threads, arguments.turns())?;
        println!("{}", table::row(name, &case.size, &measured));
        all.push((*name, measured));
    }
    ensure!(!all.is_empty(), "no kernel has such a name");
    println!("{}\n", table::means(all.iter().map(|(_, measured)| measured)));
    Ok(all)
}

/// Measures kernels with buffers that overlap.
fn overlaps(arguments: &Arguments) -> Result<()> {
    let threads = thread::available_parallelism()?.get();
    println!("{}", overlap::head());
    for (_, make) in arguments.cases() {
        if let Some(row) = overlap::row(&make(arguments.quick), threads, arguments.turns())? {
            println!("{row}");
        }
    }
    Ok(())
}

/// Measures kernels that arithmetic bounds on one thread and on all.
fn scaling(arguments: &Arguments, threads: usize) -> Result<()> {
    for (name, make) in CASES.iter().filter(|(name, _)| ["nbody", "mandelbrot", "hash"].contains(name)) {
        let ratio = measure::scaling(&make(arguments.quick), threads, arguments.turns())?;
        println!("{name} on {threads} threads: {} times as fast as on one", table::number(ratio));
    }
    Ok(())
}
