//! What every engine does for a case, and the copy that bounds what memory allows.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

/// A kernel that an engine has ready, with its buffers in place.
pub trait Runner {
    /// Launches it and waits for its end; how long that took.
    fn launch(&mut self) -> Result<Duration>;

    /// What its outputs hold, in the order of the arguments.
    fn outputs(&mut self) -> Result<Vec<Vec<u8>>>;
}

/// Copies memory on all threads, as a bound for kernels that do no more.
pub struct Copying {
    from: Vec<u8>,
    to: Vec<u8>,
    threads: usize,
}

impl Copying {
    /// A copy that reads and writes so many bytes together.
    pub fn new(traffic: u64, threads: usize) -> Self {
        let half = traffic as usize / 2;
        Copying { from: vec![1; half], to: vec![0; half], threads }
    }
}

impl Runner for Copying {
    fn launch(&mut self) -> Result<Duration> {
        let start = Instant::now();
        let part = self.from.len().div_ceil(self.threads);
        thread::scope(|scope| {
            for (to, from) in self.to.chunks_mut(part).zip(self.from.chunks(part)) {
                scope.spawn(|| to.copy_from_slice(from));
            }
        });
        Ok(start.elapsed())
    }

    fn outputs(&mut self) -> Result<Vec<Vec<u8>>> {
        Ok(Vec::new())
    }
}
