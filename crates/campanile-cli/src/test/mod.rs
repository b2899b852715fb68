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
use runner::{Isolation, Method, Tested};

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
    /// What this process is there for, as `pisa test` starts processes of its own
    #[arg(long, hide = true)]
    process: Option<Process>,
}

/// What a process that tests files is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Process {
    /// To test all files. One waits for it that goes on when a kernel crashes.
    All,
    /// To test one file, which may end it.
    One,
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
        let mut isolation = Isolation::OfDevices;
        if self.process == Some(Process::One) || self.reads_standard_input() {
            isolation = Isolation::None;
        } else if self.process.is_none() && self.compiles() {
            match isolated::test_all()? {
                Some(outcome) => return Ok(outcome),
                None => isolation = Isolation::OfAll,
            }
            console.note("a kernel crashed, so each file is tested once more, in a process of its own");
        }
        let method = self.method(isolation, console)?;
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
    fn method(&self, isolation: Isolation, console: &Console) -> Result<Method> {
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
        let engines = engines.into_iter().map(|engine| (engine, checks(engine))).collect();
        let device = self.device.as_ref().and_then(|device| device.name.clone());
        let leaves_signals = self.process == Some(Process::All);
        let (cache, cpu) = (!self.no_cache, self.cpu.clone());
        Ok(Method {
            engines,
            cache,
            cpu,
            device,
            isolation,
            options: self.options(isolation),
            leaves_signals,
        })
    }

    /// The options that say how runs are made, but for the engines, for another process.
    fn options(&self, isolation: Isolation) -> Vec<String> {
        let device = self.device.as_ref().map(|device| format!("--device={device}"));
        // Only the checked engine makes checks if there are several, and it may not be used there.
        let check = self.check.as_ref().filter(|_| isolation == Isolation::OfAll);
        let check = check.map(|list| format!("--check={list}"));
        let cpu = self.cpu.as_ref().map(|name| format!("--cpu={name}"));
        let no_cache = self.no_cache.then(|| "--no-cache".to_owned());
        [device, check, cpu, no_cache].into_iter().flatten().collect()
    }

    /// Whether an engine may be used that runs compiled code in this process.
    fn compiles(&self) -> bool {
        self.engine.iter().any(|engine| !matches!(engine, Engines::Checked | Engines::Opencl))
    }

    /// Whether a file is standard input, which can be read once only.
    fn reads_standard_input(&self) -> bool {
        self.paths.iter().any(|path| path == Path::new("-"))
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
