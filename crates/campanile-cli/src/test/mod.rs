//! `pisa test`: self-checking PISA files.

mod compare;
mod expectation;
mod isolated;
mod runner;
mod value;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};
use campanile::engine::{Check, Checks};
use clap::{Args, ValueEnum};
use rayon::prelude::*;
use serde_json::json;

use crate::advice::advised;
use crate::console::{self, Console};
use crate::engines::{CheckList, Choice, DeviceChoice, Engine, Watching};
use crate::progress::Progress;
use crate::{Outcome, input, number};
use runner::{Method, Tested};

/// Run self-checking files
///
/// Comment lines of a .pisa file say what is expected of it; folders are searched for such files.
#[derive(Debug, Args)]
#[command(after_help = "\
Expectations, as comment lines anywhere in a file:
  // expect: accept | reject [text that a diagnostic must contain] | run
  // kernel: NAME        begins a run; the only kernel if left out
  // grid: X [Y [Z]]     work-items in all
  // local: X [Y [Z]]    work-items of a work-group
  // arg N: TYPE buffer COUNT zeros | TYPE buffer V0 V1 … | TYPE scalar V | bytes HEX…
  // out N: TYPE V0 V1 …             expected contents of buffer N
  // out N ulp K: TYPE V0 V1 …       within K units in the last place
N is the position of the parameter. TYPE is one of u8 i8 u16 i16 u32 i32 u64 i64 f32 f64. Values are decimal or
hexadecimal; `nan`, `inf`, `nan16h nan16b nan32 nan64` (any NaN, in integer buffers) and `*` (anything). Lines of
one prefix append. A file may hold several runs.

Examples:
  pisa test kernel.pisa
  pisa test tests/cases --filter memory
  pisa test tests/cases --engine all

Exit status: 0 all pass, 1 some fail, 2 wrong usage, unreadable files, or nothing to test.")]
pub struct Test {
    /// Files, or folders to search for .pisa files
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// Only files whose path contains this text
    #[arg(short, long, value_name = "TEXT")]
    filter: Option<String>,
    /// Engine to run on, perhaps several; each run is made on every one
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    engine: Vec<Engines>,
    /// Run on an OpenCL device: `opencl`, or `opencl:NAME` with part of the name of the device or its platform. Files that ask
    /// for more than it has are left out
    #[arg(long, value_name = "opencl[:NAME]")]
    device: Option<DeviceChoice>,
    /// Checks that are made, as for `pisa run`. Data races are not looked for unless asked, as results
    /// tell enough
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    check: Option<CheckList>,
    /// Processor to compile kernels for, such as `x86-64-v3`; this machine's if left out. What it has must be here too
    #[arg(long, value_name = "NAME")]
    cpu: Option<String>,
    /// Compile kernels anew, and do not keep what they become
    #[arg(long)]
    no_cache: bool,
    /// Number of files tested at a time; as many as the machine has processors if left out
    #[arg(short, long, value_name = "N", value_parser = number::positive::<NonZeroUsize>)]
    jobs: Option<NonZeroUsize>,
    /// Also name the files that pass
    #[arg(short, long)]
    verbose: bool,
    /// Run kernels on OpenCL devices in this process, not in one for each file
    #[arg(long, hide = true)]
    in_process: bool,
}

/// What `--engine` selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engines {
    /// The fastest there is here, or the checked engine where its options are given
    Auto,
    /// Kernels are compiled for this machine; nothing is watched
    Jit,
    /// Every rule of the machine is watched
    Checked,
    /// Kernels run on an OpenCL device; nothing is watched
    Opencl,
    /// Compiled as for AMD GPUs, but for this machine and one work-item at a time
    Scalar,
    /// All that can be had here
    All,
}

/// What became of a file.
enum Verdict {
    Passed,
    Failed(String),
    /// No engine can run it; says what is missing.
    LeftOut(String),
    /// It has no expectations.
    Skipped,
}

impl Test {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        let method = self.method(console)?;
        let files = self.files()?;
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(self.jobs.map_or(0, NonZeroUsize::get)).build()?;
        let progress = Progress::new(console, "tests");
        let done = AtomicU64::new(0);
        let verdicts: Vec<Verdict> = pool.install(|| {
            let verdict = |path: &PathBuf| {
                let verdict = test_file(path, &method);
                progress.update(done.fetch_add(1, Ordering::Relaxed) + 1, files.len() as u64);
                verdict
            };
            files.par_iter().map(verdict).collect()
        });
        drop(progress);
        let (mut passed, mut failed, mut skipped, mut left_out) = (0, 0, 0, 0);
        for (path, verdict) in files.iter().zip(&verdicts) {
            let (count, word, detail) = match verdict {
                Verdict::Passed => (&mut passed, "passed", None),
                Verdict::Failed(detail) => (&mut failed, "failed", Some(detail.as_str())),
                Verdict::Skipped => (&mut skipped, "skipped", None),
                Verdict::LeftOut(missing) => (&mut left_out, "left out", Some(missing.as_str())),
            };
            *count += 1;
            let path = input::name(path);
            if console.is_json() {
                let object = json!({ "type": "test", "file": path, "result": word, "detail": detail });
                console::print(&format!("{object}\n"))?;
            } else if let Some(detail) = detail {
                let word = if matches!(verdict, Verdict::LeftOut(_)) { "left out: " } else { "" };
                console::print(&format!("{path}: {word}{detail}\n"))?;
            } else if self.verbose {
                console::print(&format!("{path}: {word}\n"))?;
            }
        }
        if console.is_json() {
            let object = json!({
                "type": "summary", "command": "test", "files": files.len(), "passed": passed, "failed": failed,
                "skipped": skipped, "left_out": left_out,
            });
            console::print(&format!("{object}\n"))?;
        } else {
            let left_out = if left_out > 0 { format!(", {left_out} left out") } else { String::new() };
            console::print(&format!("{passed} passed, {failed} failed, {skipped} skipped{left_out}\n"))?;
        }
        if passed + failed + left_out == 0 {
            return Err(advised(
                "no file says what is expected of it, so nothing was tested",
                "expectations are comment lines such as `// expect: accept`; see `pisa test --help`",
            ));
        }
        Ok(if failed > 0 { Outcome::Faulty } else { Outcome::Fine })
    }

    /// How runs are made.
    fn method(&self, console: &Console) -> Result<Method> {
        let default = Checks::default().without(Check::Race);
        let watching = Watching { check: self.check.as_ref(), default, checked_only: &[], host_only: &[] };
        // Of several engines, the checked one makes the checks.
        let several = [Engines::Checked, Engines::All].iter().any(|one| self.engine.contains(one));
        let of_compiled = if several { Watching { check: None, ..watching } } else { watching };
        let mut engines = Vec::new();
        for selected in &self.engine {
            let choice = match selected {
                Engines::Auto => Choice::Auto,
                Engines::Jit => Choice::Jit,
                Engines::Checked => Choice::Checked,
                Engines::Opencl => Choice::Opencl,
                Engines::Scalar => Choice::Scalar,
                Engines::All => {
                    engines.extend(Engine::all(console));
                    continue;
                }
            };
            let choice =
                if *selected == Engines::Auto { choice.for_device(self.device.as_ref())? } else { choice };
            engines.push(choice.for_cpu(self.cpu.as_deref())?.engine(&of_compiled, console)?);
        }
        engines.sort_unstable();
        engines.dedup();
        let checks = |engine| match engine {
            Engine::Checked => watching.checks(engine),
            Engine::Jit | Engine::Scalar | Engine::OpenCl => of_compiled.checks(engine),
        };
        let device = self.device.as_ref().and_then(|device| device.name.clone());
        let engines = engines.into_iter().map(|engine| (engine, checks(engine))).collect();
        // Standard input can be read once only.
        let isolates = !self.in_process && self.paths.iter().all(|path| path != Path::new("-"));
        Ok(Method { engines, cache: !self.no_cache, cpu: self.cpu.clone(), device, isolates })
    }

    /// The files to test, in order.
    fn files(&self) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for path in &self.paths {
            collect(path, true, &mut files).with_context(|| format!("cannot read `{}`", path.display()))?;
        }
        if let Some(filter) = &self.filter {
            files.retain(|path| path.to_string_lossy().contains(filter.as_str()));
        }
        if files.is_empty() {
            let help = match &self.filter {
                Some(_) => "leave `--filter` out, or shorten its text",
                None => "name files, or folders with .pisa files in them",
            };
            return Err(advised("there are no files to test", help));
        }
        Ok(files)
    }
}

/// Collects .pisa files below a folder in order; a path that is named is taken whatever it is called.
fn collect(path: &Path, named: bool, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(path)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        entries.sort();
        return entries.iter().try_for_each(|entry| collect(entry, false, files));
    }
    if named || path.extension().is_some_and(|extension| extension == "pisa") {
        std::fs::metadata(path)
            .map(|_| ())
            .or_else(|error| if path == Path::new("-") { Ok(()) } else { Err(error) })?;
        files.push(path.to_owned());
    }
    Ok(())
}

fn test_file(path: &Path, method: &Method) -> Verdict {
    match runner::test(path, method) {
        Ok(Tested::Passed) => Verdict::Passed,
        Ok(Tested::Nothing) => Verdict::Skipped,
        Ok(Tested::LeftOut(missing)) => Verdict::LeftOut(missing),
        Err(error) => Verdict::Failed(format!("{error:#}")),
    }
}
