//! Runs a case on all engines in turn.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::cases::{CASES, Case};
use crate::jit::Jit;
use crate::opencl::{OpenCl, Platform};
use crate::runner::{Copying, Runner};

/// The platforms to compare with, as far as they are there.
pub struct Peers {
    /// Intel's runtime.
    pub intel: Option<Platform>,
    /// pocl.
    pub pocl: Option<Platform>,
}

/// What was measured of a case: median milliseconds, and how many times as long the others take.
#[derive(Debug, Default)]
pub struct Measured {
    /// Of the fast engine.
    pub pisa: Option<f64>,
    /// Of Intel's runtime.
    pub intel: Option<f64>,
    /// Of pocl.
    pub pocl: Option<f64>,
    /// Of a copy that moves as much memory.
    pub copy: Option<f64>,
    /// Intel's time in each turn, divided by ours.
    pub intel_ratio: Option<f64>,
    /// pocl's time in each turn, divided by ours.
    pub pocl_ratio: Option<f64>,
    /// What went wrong, results that differ included.
    pub remarks: Vec<String>,
}

/// An engine in a table's column, with its times so far.
struct Column<'a> {
    name: &'static str,
    runner: Option<Box<dyn Runner + 'a>>,
    times: Vec<f64>,
}

impl<'a> Column<'a> {
    fn new(
        name: &'static str,
        runner: Option<Result<Box<dyn Runner + 'a>>>,
        remarks: &mut Vec<String>,
    ) -> Self {
        let runner = runner.transpose().unwrap_or_else(|error| {
            remarks.push(format!("{name}: {error:#}"));
            None
        });
        Column { name, runner, times: Vec::new() }
    }

    /// A launch; an engine that fails takes no further part.
    fn launch(&mut self, remarks: &mut Vec<String>) -> Option<f64> {
        match self.runner.as_mut()?.launch() {
            Ok(duration) => Some(milliseconds(duration)),
            Err(error) => {
                remarks.push(format!("{}: {error:#}", self.name));
                (self.runner, self.times) = (None, Vec::new());
                None
            }
        }
    }
}

/// Runs a case on all engines in turn, after one launch of each whose results are compared.
///
/// # Errors
/// When results cannot be read.
pub fn measure(case: &Case, peers: &Peers, threads: usize, runs: usize) -> Result<Measured> {
    let mut measured = Measured::default();
    let remarks = &mut measured.remarks;
    let mut columns = [
        Column::new("pisa", Some(Jit::new(case, threads).map(|runner| Box::new(runner) as _)), remarks),
        Column::new("intel", opencl(case, &peers.intel), remarks),
        Column::new("pocl", opencl(case, &peers.pocl), remarks),
        Column::new(
            "copy",
            case.traffic.map(|bytes| Ok(Box::new(Copying::new(bytes, threads)) as _)),
            remarks,
        ),
    ];
    for column in &mut columns {
        column.launch(remarks);
    }
    compare(case, &mut columns, remarks)?;
    for _ in 0..runs {
        for column in &mut columns {
            // Threads of the engine before may still be going to sleep.
            thread::sleep(Duration::from_millis(5));
            if let Some(time) = column.launch(remarks) {
                column.times.push(time);
            }
        }
    }
    let [pisa, intel, pocl, copy] = columns.map(|column| column.times);
    measured.intel_ratio = ratio(&intel, &pisa);
    measured.pocl_ratio = ratio(&pocl, &pisa);
    (measured.pisa, measured.intel) = (median(pisa), median(intel));
    (measured.pocl, measured.copy) = (median(pocl), median(copy));
    Ok(measured)
}

/// A case on a platform, if that is there and has what the kernel needs.
fn opencl<'a>(case: &'a Case, platform: &'a Option<Platform>) -> Option<Result<Box<dyn Runner + 'a>>> {
    let needs_subgroups = case.opencl.contains("sub_group");
    let platform = platform.as_ref().filter(|platform| platform.subgroups || !needs_subgroups)?;
    Some(OpenCl::new(case, platform).map(|runner| Box::new(runner) as _))
}

/// Compares the results of every engine with those of the first that has any.
fn compare(case: &Case, columns: &mut [Column<'_>], remarks: &mut Vec<String>) -> Result<()> {
    let mut reference: Option<(&str, Vec<Vec<u8>>)> = None;
    for column in columns.iter_mut().filter(|column| column.name != "copy") {
        let Some(runner) = &mut column.runner else { continue };
        let outputs = runner.outputs()?;
        let Some((name, expected)) = &reference else {
            reference = Some((column.name, outputs));
            continue;
        };
        for (index, (expected, output)) in expected.iter().zip(&outputs).enumerate() {
            if let Some(difference) = case.agreement.difference(expected, output) {
                remarks.push(format!("output {index} of {name} and {}: {difference}", column.name));
            }
        }
    }
    Ok(())
}

/// Milliseconds from text to the end of the first launch, which is small: ours, Intel's, pocl's. Nothing of them may
/// have been used before.
///
/// # Errors
/// When a kernel does not build.
pub fn cold(threads: usize) -> Result<(f64, Peers, [Option<f64>; 2])> {
    let make = CASES.first().context("there are no cases")?.1;
    let case = make(true);
    let start = Instant::now();
    Jit::new(&case, threads)?.launch()?;
    let ours = milliseconds(start.elapsed());
    let peers = Peers {
        intel: Platform::find("Intel(R) OpenCL")?,
        pocl: Platform::find("Portable Computing Language")?,
    };
    let mut times = [None; 2];
    for (time, platform) in times.iter_mut().zip([&peers.intel, &peers.pocl]) {
        if let Some(platform) = platform {
            let start = Instant::now();
            OpenCl::new(&case, platform)?.launch()?;
            *time = Some(milliseconds(start.elapsed()));
        }
    }
    Ok((ours, peers, times))
}

/// How many times as fast a case is on all threads as on one.
///
/// # Errors
/// When the kernel does not run.
pub fn scaling(case: &Case, threads: usize, runs: usize) -> Result<Option<f64>> {
    let (mut one, mut all) = (Jit::new(case, 1)?, Jit::new(case, threads)?);
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    (one.launch()?, all.launch()?);
    for _ in 0..runs {
        alone.push(milliseconds(one.launch()?));
        together.push(milliseconds(all.launch()?));
    }
    Ok(ratio(&alone, &together))
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// The middle one of some numbers.
fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// The middle one of the ratios of each turn.
fn ratio(of: &[f64], to: &[f64]) -> Option<f64> {
    median(of.iter().zip(to).map(|(of, to)| of / to).collect())
}
