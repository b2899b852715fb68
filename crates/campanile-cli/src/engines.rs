//! Engines: which one `--engine` means, and devices on it.

use std::fmt;
use std::str::FromStr;

use anyhow::Result;
use campanile::engine::{Check, Checks, Options, Progress, UnknownCheck};
use campanile::language::diagnostic::Sink;
use campanile::llvm::{JitEngine, JitOptions, ObjectCache};
use campanile::opencl::{OpenClEngine, OpenClOptions, OpenClUnavailable};
use campanile::{Device, Module};
use clap::ValueEnum;

use crate::advice::advised;
use crate::console::{Console, Tally};

/// What `--engine` selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// The fastest there is here, or the checked engine where its options are given
    Auto,
    /// Kernels are compiled for this machine; nothing is watched, save bounds when asked
    Jit,
    /// Every rule of the machine is watched
    Checked,
    /// Kernels run on an OpenCL device; nothing is watched
    Opencl,
    /// Compiled as for AMD GPUs, but for this machine and one work-item at a time: slow, to test that code
    Scalar,
}

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// Watches every rule.
    Checked,
    /// Compiles kernels.
    Jit,
    /// Translates kernels to SPIR-V for an OpenCL device.
    OpenCl,
    /// Compiles kernels for one lane at a time.
    Scalar,
}

/// What `--device` says: an OpenCL device, perhaps a certain one.
#[derive(Clone, Debug)]
pub struct DeviceChoice {
    /// Part of its name, or of its platform's.
    pub name: Option<String>,
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.strip_prefix("opencl").ok_or(()).and_then(|rest| match rest.strip_prefix(':') {
            Some(name) if !name.is_empty() => Ok(Some(name.to_owned())),
            None if rest.is_empty() => Ok(None),
            _ => Err(()),
        });
        let name =
            name.map_err(|()| "write `opencl`, or `opencl:` and part of a device's name (see `pisa doctor`)");
        Ok(DeviceChoice { name: name? })
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "opencl:{name}"),
            None => f.write_str("opencl"),
        }
    }
}

/// What `--check` says: a list that changes what an engine checks.
#[derive(Clone, Debug)]
pub struct CheckList(String);

impl fmt::Display for CheckList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

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
    /// Options that are given which say how the host's own processor runs kernels.
    pub host_only: &'a [&'a str],
}

impl Watching<'_> {
    /// What an engine checks.
    pub fn checks(&self, engine: Engine) -> Checks {
        let default = if engine == Engine::Checked { self.default } else { Checks::NONE };
        self.check.map_or(default, |list| list.on(default))
    }

    /// Refuses options that only the checked engine has.
    fn refuse_checked_only(&self) -> Result<()> {
        match self.checked_only.first() {
            Some(option) => Err(refused(format!("`{option}` is an option of the checked engine"))),
            None => Ok(()),
        }
    }

    /// Whether nothing is checked that compiled code does not check itself.
    fn suits_compiled(&self) -> bool {
        let checks = self.check.map_or(Checks::NONE, |list| list.on(self.default));
        self.checked_only.is_empty() && checks.without(Check::Bounds) == Checks::NONE
    }
}

impl Choice {
    /// This choice where a device is given, or none.
    ///
    /// # Errors
    /// When another engine than that of devices is asked for.
    pub fn for_device(self, device: Option<&DeviceChoice>) -> Result<Choice> {
        match (self, device) {
            (Choice::Auto, Some(_)) => Ok(Choice::Opencl),
            (Choice::Jit | Choice::Checked | Choice::Scalar, Some(_)) => Err(advised(
                "`--device` asks for an OpenCL device, and `--engine` for the host's own processor",
                "leave one of the two out",
            )),
            _ => Ok(self),
        }
    }

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
            (Choice::Opencl, Some(_)) => Err(advised(
                "`--cpu` is an option of the jit engine, and OpenCL devices compile for themselves",
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
            Choice::Jit => match watching.checks(Engine::Jit).without(Check::Bounds).iter().next() {
                Some(check) => Err(refused(format!(
                    "compiled kernels cannot be checked for `{}`, only for `bounds`",
                    check.name()
                ))),
                None => watching.refuse_checked_only().map(|()| Engine::Jit),
            },
            Choice::Scalar => {
                if let Some(check) = watching.checks(Engine::Scalar).iter().next() {
                    return Err(refused(format!("the scalar engine cannot check for `{}`", check.name())));
                }
                if watching.host_only.contains(&"--profile") {
                    let message = "`--profile` is an option of the checked and the jit engine";
                    return Err(advised(message, "leave it out, or choose `--engine jit`"));
                }
                watching.refuse_checked_only().map(|()| Engine::Scalar)
            }
            Choice::Opencl => {
                if let Some(check) = watching.checks(Engine::OpenCl).iter().next() {
                    let name = check.name();
                    return Err(refused(format!("kernels on OpenCL devices cannot be checked for `{name}`")));
                }
                watching.refuse_checked_only()?;
                match watching.host_only.first() {
                    Some(option) => Err(advised(
                        format!(
                            "`{option}` is an option of the checked and the jit engine, not of OpenCL devices"
                        ),
                        "leave it out, or choose `--engine jit`",
                    )),
                    None => Ok(Engine::OpenCl),
                }
            }
        }
    }
}

/// The error of an option that does not suit what has been chosen.
fn refused(message: String) -> anyhow::Error {
    advised(message, "leave it out, or choose `--engine checked`")
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

/// Tells what of a module a device cannot run, where that is the error.
///
/// # Errors
/// Any other error.
pub fn tell_diagnostics(error: anyhow::Error, console: &Console, tally: &mut Tally) -> Result<()> {
    match error.downcast()? {
        OpenClUnavailable::Module { device, diagnostics } => {
            let mut sink = Sink::new();
            diagnostics.into_iter().for_each(|one| sink.push(one));
            console.diagnostics(sink, tally);
            console.note(&format!("the module cannot run on OpenCL device `{device}`"));
            Ok(())
        }
        error => Err(error.into()),
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
    /// Part of the name of the OpenCL device; any without.
    pub device: Option<String>,
    /// Whether executions are counted.
    pub profile: bool,
    /// Told about progress.
    pub progress: Option<Progress>,
    /// Whether crashes end this process by their signals, for the one that waits for it; otherwise they are told of.
    pub leaves_signals: bool,
}

impl Engine {
    /// Every engine that can be had here.
    pub fn all(console: &Console) -> Vec<Engine> {
        let mut all = vec![Engine::Checked, available(console)];
        all.dedup();
        all.extend(OpenClEngine::available().is_ok().then_some(Engine::OpenCl));
        all
    }

    /// Its name, as `--engine` has it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Jit => "jit",
            Engine::Checked => "checked",
            Engine::OpenCl => "opencl",
            Engine::Scalar => "scalar",
        }
    }

    /// A device on this engine for a module.
    ///
    /// # Errors
    /// When there is no such engine here, or the module's variables do not fit into memory.
    pub fn device(self, module: &Module, setting: Setting) -> Result<Device> {
        let Setting { checks, step_budget, findings_limit, threads, cache, cpu, device, .. } = setting;
        let Setting { profile, progress, leaves_signals, .. } = setting;
        let report_crashes = !leaves_signals;
        match self {
            Engine::Jit | Engine::Scalar => {
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
                    scalar: self == Engine::Scalar,
                    report_crashes,
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
            Engine::OpenCl => {
                let options = OpenClOptions { device, report_crashes, ..OpenClOptions::default() };
                Ok(Device::opencl_with(module, &options)?)
            }
        }
    }
}
