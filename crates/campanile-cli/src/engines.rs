//! Engines: which one `--engine` means, and devices on it.

use anyhow::Result;
use campanile::engine::{Checks, Options, Progress};
use campanile::llvm::{JitEngine, JitOptions, ObjectCache};
use campanile::{Device, Module};
use clap::ValueEnum;

use crate::advice::advised;
use crate::console::Console;

/// What `--engine` selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// The fastest there is here, or the checked engine where its options are given
    Auto,
    /// Kernels are compiled for this machine; nothing is watched
    Jit,
    /// Every rule of the machine is watched
    Checked,
}

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// Watches every rule.
    Checked,
    /// Compiles kernels.
    Jit,
}

impl Choice {
    /// This choice where a processor to compile for is given, or none.
    ///
    /// # Errors
    /// When the engine that is asked for compiles nothing.
    pub fn for_cpu(self, cpu: Option<&str>) -> Result<Choice> {
        match (self, cpu) {
            (Choice::Auto, Some(_)) => Ok(Choice::Jit),
            (Choice::Checked, Some(_)) => Err(advised(
                "`--cpu` is an option of the jit engine, and `--engine checked` compiles nothing",
                "leave `--cpu` out, or choose `--engine jit`",
            )),
            _ => Ok(self),
        }
    }

    /// The engine that is meant, where these options of the checked engine are given. People are told where it is not
    /// the one that is preferred.
    ///
    /// # Errors
    /// When another engine is asked for, which has no such options.
    pub fn engine(self, checked_options: &[&str], console: &Console) -> Result<Engine> {
        match (self, checked_options) {
            (Choice::Checked, _) => Ok(Engine::Checked),
            (Choice::Jit, []) => Ok(Engine::Jit),
            (Choice::Jit, [option, ..]) => Err(advised(
                format!("`{option}` is an option of the checked engine, and `--engine jit` watches nothing"),
                format!("leave `{option}` out, or choose `--engine checked`"),
            )),
            (Choice::Auto, [_, ..]) => Ok(Engine::Checked),
            (Choice::Auto, []) if !JitEngine::PREFERRED => Ok(Engine::Checked),
            (Choice::Auto, []) => Ok(available(console)),
        }
    }
}

/// The compiling engine, or the checked one where it cannot be had, which people are told.
fn available(console: &Console) -> Engine {
    match JitEngine::available() {
        Ok(()) => Engine::Jit,
        Err(_) => {
            console.note(
                "no LLVM for this machine was found, so kernels run on the checked engine (see `pisa doctor`)",
            );
            Engine::Checked
        }
    }
}

/// How devices run, whatever their engine.
#[derive(Default)]
pub struct Setting {
    /// The rules that the checked engine watches.
    pub checks: Checks,
    /// Most instructions of one sub-group, which the checked engine counts.
    pub step_budget: Option<u64>,
    /// Number of findings at which a launch is given up; as many as usual without.
    pub findings_limit: Option<usize>,
    /// Number of threads; as many as the machine has without.
    pub threads: Option<usize>,
    /// Whether compiled kernels are kept for the next time.
    pub cache: bool,
    /// The processor that kernels are compiled for; this machine's without.
    pub cpu: Option<String>,
    /// Told about progress.
    pub progress: Option<Progress>,
}

impl Engine {
    /// Every engine that can be had here.
    pub fn all(console: &Console) -> Vec<Engine> {
        match available(console) {
            Engine::Jit => vec![Engine::Checked, Engine::Jit],
            Engine::Checked => vec![Engine::Checked],
        }
    }

    /// Its name, as `--engine` has it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Jit => "jit",
            Engine::Checked => "checked",
        }
    }

    /// A device on this engine for a module.
    ///
    /// # Errors
    /// When there is no such engine here, or the module's variables do not fit into memory.
    pub fn device(self, module: &Module, setting: Setting) -> Result<Device> {
        let Setting { checks, step_budget, findings_limit, threads, cache, cpu, progress } = setting;
        match self {
            Engine::Jit => {
                let cache = if cache { ObjectCache::of_user() } else { None };
                let options = JitOptions { threads, cache, cpu, progress, ..JitOptions::default() };
                Ok(Device::jit_with(module, options)?)
            }
            Engine::Checked => {
                let usual = Options::default();
                let step_budget = step_budget.or(usual.step_budget);
                let findings_limit = findings_limit.unwrap_or(usual.findings_limit);
                let options = Options { checks, threads, step_budget, findings_limit, progress, ..usual };
                Ok(Device::checked_with(module, options)?)
            }
        }
    }
}
