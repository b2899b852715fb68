//! Work-groups on all threads.

use std::sync::atomic::{AtomicU64, Ordering};

use campanile_engine::{Collector, EngineError, Progress};
use rayon::ThreadPool;

use super::worker::{Job, Worker};

/// Shares of a thread, so that one that is done early finds more to do.
const SHARES: u64 = 16;

/// Least work-items of a share, for which it is worth its fetching.
const LEAST_SHARE: u64 = 4096;

/// A launch as its threads share it.
pub(super) struct Distribution<'a> {
    job: &'a Job<'a>,
    collector: &'a Collector<'a>,
    progress: Option<&'a Progress>,
    /// Work-groups of a share.
    share: u64,
    next: AtomicU64,
    done: AtomicU64,
}

impl<'a> Distribution<'a> {
    /// A launch on so many threads.
    pub fn new(
        job: &'a Job<'a>,
        collector: &'a Collector<'a>,
        progress: Option<&'a Progress>,
        threads: usize,
    ) -> Self {
        let local: u64 = job.range.local.iter().map(|size| u64::from(*size)).product();
        let balanced = job.range.work_groups().div_ceil(SHARES * threads as u64);
        let share = balanced.max(LEAST_SHARE.div_ceil(local));
        Distribution { job, collector, progress, share, next: AtomicU64::new(0), done: AtomicU64::new(0) }
    }

    /// Whether there is work for several threads.
    pub fn is_wide(&self) -> bool {
        self.share < self.job.range.work_groups()
    }

    /// Runs everything on all threads of a pool.
    pub fn run_on(&self, pool: &ThreadPool) -> Result<(), EngineError> {
        pool.broadcast(|_| self.run()).into_iter().collect()
    }

    /// Runs shares until none is left; what every thread does.
    pub fn run(&self) -> Result<(), EngineError> {
        let mut worker = None;
        let total = self.job.range.work_groups();
        loop {
            let first = self.next.fetch_add(self.share, Ordering::Relaxed);
            if first >= total || self.collector.stopped() {
                return Ok(());
            }
            let worker = match &mut worker {
                Some(worker) => worker,
                none => none.insert(Worker::new(self.job)?),
            };
            let end = total.min(first + self.share);
            worker.run(first, end)?;
            let done = self.done.fetch_add(end - first, Ordering::Relaxed) + (end - first);
            if let Some(progress) = self.progress {
                progress(done, total);
            }
        }
    }
}
