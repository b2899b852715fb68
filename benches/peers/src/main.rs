//! Measures kernels on the fast engine against OpenCL runtimes on the same processor. See README.md beside this crate.

mod cases;
mod jit;
mod measure;
mod opencl;
mod runner;
mod table;

use std::fs;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result, ensure};
use clap::Parser;

use cases::CASES;
use table::Results;

/// Measure kernels on the fast engine against OpenCL runtimes on the same processor
#[derive(Debug, Parser)]
struct Arguments {
    /// Only this kernel; may be repeated
    #[arg(long = "kernel", value_name = "NAME", value_parser = names())]
    kernels: Vec<String>,
    /// Number of turns, of which the median counts
    #[arg(long, default_value_t = 9)]
    runs: usize,
    /// Small sizes: only to see that everything works
    #[arg(long)]
    quick: bool,
    /// Write median times to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn names() -> clap::builder::PossibleValuesParser {
    CASES.iter().map(|(name, _)| *name).collect::<Vec<_>>().into()
}

fn main() -> Result<()> {
    let Arguments { kernels, runs, quick, json } = Arguments::parse();
    let threads = thread::available_parallelism()?.get();
    let (ours, peers, theirs) = measure::cold(threads)?;
    for (name, peer) in [("Intel's runtime", &peers.intel), ("pocl", &peers.pocl)] {
        match peer {
            Some(platform) => println!("{name}: {}", platform.version),
            None => println!("{name} is missing: its column stays empty"),
        }
    }
    let time = |time: Option<f64>| time.map_or("–".to_owned(), |time| format!("{time:.0} ms"));
    println!(
        "saxpy from text to its first launch: pisa {}, Intel {}, pocl {}",
        time(Some(ours)),
        time(theirs[0]),
        time(theirs[1])
    );

    table::head();
    let mut results = Results::new();
    let mut faults = 0;
    for (name, make) in CASES {
        if !kernels.is_empty() && !kernels.iter().any(|kernel| kernel == name) {
            continue;
        }
        let case = make(quick);
        let measured = measure::measure(&case, &peers, threads, runs.max(1))?;
        table::row(&case, &measured);
        faults += measured.remarks.len();
        results.insert(name, (&measured).into());
    }
    if kernels.is_empty() {
        println!();
        for (name, make) in CASES.iter().filter(|(name, _)| ["nbody", "mandelbrot"].contains(name)) {
            if let Some(ratio) = measure::scaling(&make(quick), threads, runs.max(1))? {
                println!("{name} on {threads} threads: {ratio:.2} times as fast as on one");
            }
        }
    }
    if let Some(file) = json {
        let text = serde_json::to_string_pretty(&results)?;
        fs::write(&file, text + "\n").with_context(|| format!("cannot write {}", file.display()))?;
    }
    ensure!(faults == 0, "{faults} faults: see the lines marked with !");
    Ok(())
}
