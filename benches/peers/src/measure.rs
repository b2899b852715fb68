//! Runs a case on all engines in turn.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use rustix::time::{ClockId, clock_gettime};

use crate::cases::Case;
use crate::jit::{Jit, Placement};
use crate::opencl::{OpenCl, Peers, Platform};
use crate::runner::{Copying, Runner};
use crate::statistics::{median, ratio};

/// How a case is measured: so many turns, and more until so much time has passed.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// Least number.
    pub least: usize,
    /// Time that is measured at least, so that short kernels have more turns.
    pub time: Duration,
    /// What counts.
    pub clock: Clock,
}

/// What is measured of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The time that passes.
    Elapsed,
    /// Processor time of all threads, which other programs disturb less. It does not show where threads wait.
    Processor,
}

impl Clock {
    fn measure(self, runner: &mut dyn Runner) -> Result<f64> {
        let start = processor_time();
        let elapsed = runner.launch()?;
        Ok(milliseconds(match self {
            Clock::Elapsed => elapsed,
            Clock::Processor => processor_time() - start,
        }))
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What was measured of a case: median milliseconds.
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
    /// The times of others divided by ours.
    pub ratios: Ratios,
    /// What went wrong, wrong results included.
    pub remarks: Vec<String>,
}

/// How many times as long as the fast engine others take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ratios {
    /// Intel's runtime.
    pub intel: Option<f64>,
    /// pocl.
    pub pocl: Option<f64>,
    /// The copy.
    pub copy: Option<f64>,
}

impl Ratios {
    /// That to the faster of the two peers.
    pub fn better(self) -> Option<f64> {
        [self.intel, self.pocl].into_iter().flatten().min_by(f64::total_cmp)
    }
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
    fn launch(&mut self, clock: Clock, remarks: &mut Vec<String>) -> Option<f64> {
        match clock.measure(self.runner.as_mut()?.as_mut()) {
            Ok(time) => Some(time),
            Err(error) => {
                remarks.push(format!("{}: {error:#}", self.name));
                (self.runner, self.times) = (None, Vec::new());
                None
            }
        }
    }

    /// Compares what a launch has left with what is right.
    fn check(&mut self, case: &Case, expected: &[Vec<u8>], remarks: &mut Vec<String>) -> Result<()> {
        let Some(runner) = &mut self.runner else { return Ok(()) };
        for (index, (output, expected)) in runner.outputs()?.iter().zip(expected).enumerate() {
            if let Some(difference) = case.agreement.difference(output, expected) {
                remarks.push(format!("{}: output {index}: {difference}", self.name));
            }
        }
        Ok(())
    }
}

/// Runs a case on all engines in turn, after one launch of each whose results are checked.
///
/// # Errors
/// When results cannot be read.
pub fn measure(case: &Case, peers: &Peers, threads: usize, turns: Turns) -> Result<Measured> {
    let mut measured = Measured::default();
    let remarks = &mut measured.remarks;
    let mut columns = [
        Column::new("pisa", jit(case, threads), remarks),
        Column::new("intel", opencl(case, peers.intel.as_ref()), remarks),
        Column::new("pocl", opencl(case, peers.pocl.as_ref()), remarks),
        Column::new(
            "copy",
            case.traffic.map(|bytes| Ok(Box::new(Copying::new(bytes, threads)) as _)),
            remarks,
        ),
    ];
    let expected = case.expected();
    for column in &mut columns {
        column.launch(turns.clock, remarks);
        column.check(case, &expected, remarks)?;
    }
    drop(expected);
    take_turns(&mut columns, turns, remarks);
    let [pisa, intel, pocl, copy] = columns.map(|column| column.times);
    measured.ratios =
        Ratios { intel: ratio(&intel, &pisa), pocl: ratio(&pocl, &pisa), copy: ratio(&copy, &pisa) };
    (measured.pisa, measured.intel) = (median(pisa), median(intel));
    (measured.pocl, measured.copy) = (median(pocl), median(copy));
    Ok(measured)
}

fn take_turns(columns: &mut [Column<'_>], turns: Turns, remarks: &mut Vec<String>) {
    let start = Instant::now();
    let mut turn = 0;
    while turn < turns.least || start.elapsed() < turns.time {
        // Another one begins each turn, so that none always follows the same other.
        let count = columns.len();
        for place in 0..count {
            let column = &mut columns[(turn + place) % count];
            // Threads of the engine before may still be going to sleep.
            thread::sleep(Duration::from_millis(2));
            if let Some(time) = column.launch(turns.clock, remarks) {
                column.times.push(time);
            }
        }
        turn += 1;
    }
}

/// A case on the fast engine.
fn jit(case: &Case, threads: usize) -> Option<Result<Box<dyn Runner + '_>>> {
    let runner = Jit::new(case, threads, Placement::Apart).transpose()?;
    Some(runner.map(|runner| Box::new(runner) as _))
}

/// A case on a platform, if that is there and has what the kernel needs.
fn opencl<'a>(case: &'a Case, platform: Option<&'a Platform>) -> Option<Result<Box<dyn Runner + 'a>>> {
    let needs_subgroups = case.opencl.contains("sub_group");
    let platform = platform.filter(|platform| platform.subgroups || !needs_subgroups)?;
    Some(OpenCl::new(case, platform).map(|runner| Box::new(runner) as _))
}

/// How many times as fast a case is on all threads as on one.
///
/// # Errors
/// When the kernel does not run.
pub fn scaling(case: &Case, threads: usize, turns: Turns) -> Result<Option<f64>> {
    let ready = |threads| Jit::new(case, threads, Placement::Apart);
    let (Some(mut one), Some(mut all)) = (ready(1)?, ready(threads)?) else { return Ok(None) };
    let elapsed = Turns { clock: Clock::Elapsed, ..turns };
    let [alone, together] = measure_turns([&mut one, &mut all], elapsed)?;
    Ok(ratio(&alone, &together))
}

/// Runs two kernels in turn, after one launch of each; their times.
///
/// # Errors
/// When one of them does not run.
pub fn measure_turns(mut runners: [&mut Jit<'_>; 2], turns: Turns) -> Result<[Vec<f64>; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for runner in &mut runners {
        runner.launch()?;
    }
    for _ in 0..turns.least {
        for (runner, times) in runners.iter_mut().zip(&mut times) {
            times.push(turns.clock.measure(*runner)?);
        }
    }
    Ok(times)
}

/// A duration in milliseconds.
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
