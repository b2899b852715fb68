//! Engines: which one `--engine` means, and devices on it.

use std::str::FromStr;

use anyhow::Result;
use campanile::engine::{Check, Checks, Options, Progress, UnknownCheck};
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
    /// Kernels are compiled for this machine; nothing is watched, save bounds when asked
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

/// What `--check` says: a list that changes what an engine checks.
#[derive(Clone, Debug)]
pub struct CheckList(String);

impl FromStr for CheckList {
    type Err = UnknownCheck;

    fn from_str(list: &str) -> Result<Self, UnknownCheck> {
        Checks::NONE.changed_by(list).map(|_| CheckList(list.to_owned()))
    }
}

impl CheckList {
    /// What is checked by an engine that checks these by default.
    pub fn on(&self, default: Checks) -> Checks {
        // Its names have been looked at.
        default.changed_by(&self.0).unwrap_or(default)
    }
}

/// Options that speak of findings.
#[derive(Clone, Copy)]
pub struct Watching<'a> {
    /// What `--check` says.
    pub check: Option<&'a CheckList>,
    /// What the checked engine checks by default.
    pub default: Checks,
    /// Options that are given which only the checked engine has.
    pub checked_only: &'a [&'a str],
}

impl Watching<'_> {
    /// What an engine checks.
    pub fn checks(&self, engine: Engine) -> Checks {
        let default = if engine == Engine::Checked { self.default } else { Checks::NONE };
        self.check.map_or(default, |list| list.on(default))
    }

    /// Whether nothing is checked that compiled code does not check itself.
    fn suits_compiled(&self) -> bool {
        let checks = self.check.map_or(Checks::NONE, |list| list.on(self.default));
        self.checked_only.is_empty() && checks.without(Check::Bounds) == Checks::NONE
    }
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

    /// The engine that is meant, where these options are given. People are told where it is not the one that is preferred.
    ///
    /// # Errors
    /// When another engine is asked for, which has no such options.
    pub fn engine(self, watching: &Watching<'_>, console: &Console) -> Result<Engine> {
        match self {
            Choice::Checked => Ok(Engine::Checked),
            Choice::Auto if watching.suits_compiled() => Ok(available(console)),
            Choice::Auto => Ok(Engine::Checked),
            Choice::Jit => {
                let refused =
                    |message: String| Err(advised(message, "leave it out, or choose `--engine checked`"));
                if let Some(check) = watching.checks(Engine::Jit).without(Check::Bounds).iter().next() {
                    let name = check.name();
                    return refused(format!(
                        "compiled kernels cannot be checked for `{name}`, only for `bounds`"
                    ));
                }
                match watching.checked_only.first() {
                    Some(option) => refused(format!("`{option}` is an option of the checked engine")),
                    None => Ok(Engine::Jit),
                }
            }
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
    /// The rules that are watched.
    pub checks: Checks,
    /// Most instructions of one sub-group, which the checked engine counts.
    pub step_budget: Option<u64>,
    /// Number of findings at which a launch is given up; as many as usual without.
    pub findings_limit: Option<usize>,
    /// Number of threads; as many as the machine has without.
    pub threads: Option<usize>,
    /// Whether compiled kernels are kept for the next time.
    pub cache: bool,
    /// The processor to compile for; this machine's without.
    pub cpu: Option<String>,
    /// Whether executions are counted.
    pub profile: bool,
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
        let Setting { checks, step_budget, findings_limit, threads, cache, cpu, profile, progress } = setting;
        match self {
            Engine::Jit => {
                let cache = if cache { ObjectCache::of_user() } else { None };
                let usual = JitOptions::default();
                let findings_limit = findings_limit.unwrap_or(usual.findings_limit);
                let bounds = checks.has(Check::Bounds);
                let options = JitOptions {
                    threads,
                    cache,
                    progress,
                    findings_limit,
                    bounds,
                    cpu,
                    profile,
                    report_crashes: true,
                    ..usual
                };
                Ok(Device::jit_with(module, options)?)
            }
            Engine::Checked => {
                let usual = Options::default();
                let step_budget = step_budget.or(usual.step_budget);
                let findings_limit = findings_limit.unwrap_or(usual.findings_limit);
                let options =
                    Options { checks, threads, step_budget, findings_limit, progress, profile, ..usual };
                Ok(Device::checked_with(module, options)?)
            }
        }
    }
}
