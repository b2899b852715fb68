//! The machine: executes a [`Program`] over an ND-range, 32 lanes at a time, and watches the rules.
//!
//! [`machine`] goes from step to step; what a step does is in the file of its kind. [`frame`] holds the reconvergence
//! rule, [`work_group`] the turns of the sub-groups. Nothing blocks: a sub-group that has to wait says so and keeps
//! its place.

mod access;
mod atomic;
mod barrier;
mod call;
mod compute;
mod count;
mod cross_lane;
mod frame;
mod load_store;
mod machine;
mod movement;
mod parameter;
mod registers;
mod sources;
mod sub_group;
mod work_group;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::checks::Check;
use crate::device::Device;
use crate::finding::{Collector, Reporter};
use crate::launch::{Options, Report};
use crate::ndrange::NdRange;
use crate::observe::{Observer, RaceDetector, Unobserved};
use crate::program::Program;
use count::Counts;
use work_group::WorkGroup;

/// What all threads of a launch share.
struct Shared<'a, O> {
    device: &'a Device,
    program: &'a Program,
    range: &'a NdRange,
    printf_buffer: u64,
    options: &'a Options,
    observer: &'a O,
    collector: &'a Collector<'a>,
    /// The next work-group to run.
    next: AtomicU64,
    /// Work-groups that have been run.
    done: AtomicU64,
    /// Instructions executed, for each active lane.
    instructions: AtomicU64,
    /// Executions of blocks, if they are counted.
    counts: Mutex<Counts>,
}

/// Runs all work-groups of a launch.
pub(crate) fn execute(
    device: &Device,
    program: &Program,
    range: &NdRange,
    printf_buffer: u64,
    options: &Options,
) -> Report {
    if options.checks.has(Check::Race) {
        let needs_fences = options.checks.has(Check::Fence);
        let detector = RaceDetector::new(&program.module, device.memory(), needs_fences);
        execute_observed(device, program, range, printf_buffer, options, &detector)
    } else {
        execute_observed(device, program, range, printf_buffer, options, &Unobserved)
    }
}

fn execute_observed<O: Observer>(
    device: &Device,
    program: &Program,
    range: &NdRange,
    printf_buffer: u64,
    options: &Options,
    observer: &O,
) -> Report {
    let start = Instant::now();
    let kernel = program.codes[0].function;
    let collector = Collector::new(&program.module, kernel, options.findings_limit);
    let shared = Shared {
        device,
        program,
        range,
        printf_buffer,
        options,
        observer,
        collector: &collector,
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
        instructions: AtomicU64::new(0),
        counts: Mutex::new(Counts::new(program, options)),
    };
    let available = || thread::available_parallelism().map_or(1, usize::from);
    let threads = options.threads.unwrap_or_else(available) as u64;
    thread::scope(|scope| {
        for _ in 1..threads.min(range.work_groups()) {
            // Where no more threads can be had, fewer do the work.
            let _ = thread::Builder::new().spawn_scoped(scope, || run_work_groups(&shared));
        }
        run_work_groups(&shared);
    });
    let instructions = Some(shared.instructions.into_inner());
    let given_up = collector.stopped();
    let counts = shared.counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    Report {
        findings: collector.into_findings(),
        given_up,
        work_items: range.work_items(),
        work_groups: range.work_groups(),
        instructions,
        duration: start.elapsed(),
        profile: options.profile.then(|| counts.into_profile(program)),
    }
}

/// Runs work-groups until none is left; what every thread does.
fn run_work_groups<O: Observer>(shared: &Shared<'_, O>) {
    let total = shared.range.work_groups();
    let mut work_group = WorkGroup::new(shared, Reporter::new(shared.collector));
    loop {
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        if number >= total || shared.collector.stopped() {
            break;
        }
        work_group.run(shared.range.group(number));
        let done = shared.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = &shared.options.progress {
            progress(done, total);
        }
    }
    shared.instructions.fetch_add(work_group.instructions(), Ordering::Relaxed);
    shared.counts.lock().unwrap_or_else(PoisonError::into_inner).add(work_group.counts());
}
