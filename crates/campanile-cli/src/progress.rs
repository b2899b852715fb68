//! A progress bar for what takes longer than two seconds.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::console::Console;

/// How long to wait before a bar appears.
const PATIENCE: Duration = Duration::from_secs(2);

/// A bar that appears when its work takes long; silent where nobody would see it.
pub struct Progress {
    started: Instant,
    what: Mutex<String>,
    bar: Mutex<Option<ProgressBar>>,
    visible: bool,
}

impl Progress {
    /// A bar for the named work.
    pub fn new(console: &Console, what: impl Into<String>) -> Self {
        Progress {
            started: Instant::now(),
            what: Mutex::new(what.into()),
            bar: Mutex::new(None),
            visible: console.shows_progress(),
        }
    }

    /// Tells that the next piece of the work begins, which has a name of its own.
    pub fn begin(&self, what: String) {
        if let Ok(Some(bar)) = self.bar.lock().as_deref() {
            bar.set_position(0);
            bar.set_message(what.clone());
        }
        if let Ok(mut current) = self.what.lock() {
            *current = what;
        }
    }

    /// Tells how far the work is; from any thread.
    pub fn update(&self, done: u64, total: u64) {
        if !self.visible || self.started.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut bar) = self.bar.lock() else { return };
        let what = self.what.lock().map_or(String::new(), |what| what.clone());
        let bar = bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {eta} left");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(total).with_style(style.progress_chars("=> ")).with_message(what)
        });
        bar.set_length(total);
        bar.set_position(bar.position().max(done));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Ok(Some(bar)) = self.bar.get_mut().map(Option::take) {
            bar.finish_and_clear();
        }
    }
}
