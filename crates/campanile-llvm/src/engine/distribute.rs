//! Work-groups on all threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use campanile_engine::{Collector, EngineError, Progress};
use rayon::ThreadPool;

use super::worker::{Job, Worker};
use crate::frame::BlockCount;

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
    /// What has been counted, by the numbers of blocks.
    counts: Mutex<Vec<BlockCount>>,
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
        let counts = Mutex::new(vec![BlockCount::default(); job.compiled.counted.len()]);
        let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
        Distribution { job, collector, progress, share, next, done, counts }
    }

    /// Whether there is work for several threads.
    pub fn is_wide(&self) -> bool {
        self.share < self.job.range.work_groups()
    }

    /// Runs everything on all threads of a pool.
    pub fn run_on(&self, pool: &ThreadPool) -> Result<(), EngineError> {
        pool.broadcast(|_| self.run()).into_iter().collect()
    }

    /// What all threads have counted, by the numbers of blocks.
    pub fn into_counts(self) -> Vec<BlockCount> {
        self.counts.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs shares until none is left; what every thread does.
    pub fn run(&self) -> Result<(), EngineError> {
        let mut worker = None;
        self.run_shares(&mut worker)?;
        let counted = worker.iter().flat_map(Worker::counts);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (count, more) in counts.iter_mut().zip(counted) {
            count.executions += more.executions;
            count.lanes += more.lanes;
        }
        Ok(())
    }

    fn run_shares(&self, worker: &mut Option<Worker<'a>>) -> Result<(), EngineError> {
        let total = self.job.range.work_groups();
        loop {
            let first = self.next.fetch_add(self.share, Ordering::Relaxed);
            if first >= total || self.collector.stopped() {
                return Ok(());
            }
            let worker = match worker.as_mut() {
                Some(worker) => worker,
                None => worker.insert(Worker::new(self.job)?),
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
