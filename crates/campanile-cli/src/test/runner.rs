//! Tests of one file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use campanile::contract::Number;
use campanile::contract::layout::Access;
use campanile::engine::{Checks, EngineError};
use campanile::language;
use campanile::language::diagnostic::{Diagnostic, Severity, Sink};
use campanile::opencl::OpenClUnavailable;
use campanile::{AnyBuffer, Device, Kernel, Launch, LaunchError, Module, Value};

use super::compare::compare;
use super::expectation::{self, Argument, Run, Verdict};
use super::isolated;
use crate::engines::{Engine, Setting};
use crate::run::Size;
use crate::{input, render};

/// How runs are made.
pub struct Method {
    /// On which engines, and what each of them watches.
    pub engines: Vec<(Engine, Checks)>,
    /// Whether compiled kernels are kept.
    pub cache: bool,
    /// The processor that kernels are compiled for; this machine's without.
    pub cpu: Option<String>,
    /// Part of the name of the OpenCL device; any without.
    pub device: Option<String>,
    /// Which files have a process of their own.
    pub isolation: Isolation,
    /// The options that such a process is given for all of this, but for the engines.
    pub options: Vec<String>,
    /// Whether crashes end this process by their signals.
    pub leaves_signals: bool,
}

/// Which files have a process of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// None have.
    None,
    /// Those that run on an OpenCL device.
    OfDevices,
    /// All have.
    OfAll,
}

impl Method {
    /// Whether a file that is run on this engine has a process of its own for it.
    pub fn isolates(&self, engine: Engine) -> bool {
        match self.isolation {
            Isolation::None => false,
            Isolation::OfDevices => engine == Engine::OpenCl,
            Isolation::OfAll => true,
        }
    }
}

/// What became of a file without a fault.
pub enum Tested {
    /// It is as expected.
    Passed,
    /// It has no expectations.
    Nothing,
    /// It asks for what no engine here has; says what that is.
    LeftOut(String),
}

/// Tests a file.
///
/// # Errors
/// Says what differs from the expectations.
pub fn test(path: &Path, method: &Method) -> Result<Tested> {
    let mut sink = Sink::new();
    let source = input::read(path, &mut sink)?;
    let Some(source) = source else { bail!("{}", first_error(sink)) };
    let expectations = expectation::parse(source.text())?;
    let verdict = match expectations.verdict {
        Some(verdict) => verdict,
        None if expectations.runs.is_empty() => return Ok(Tested::Nothing),
        None => Verdict::Run,
    };
    let module = language::load(&source, &mut sink);
    match (verdict, module) {
        (Verdict::Reject(text), None) => rejected(&text, sink)?,
        (Verdict::Reject(_), Some(_)) => bail!("accepted, although it should be rejected"),
        (_, None) => bail!("rejected: {}", first_error(sink)),
        (Verdict::Accept, Some(module)) => check_all(&module.into(), &expectations.runs, check_layout)?,
        (Verdict::Run, Some(module)) => {
            let only = [Run::default()];
            let runs = if expectations.runs.is_empty() { &only } else { &expectations.runs[..] };
            let mut missing = BTreeSet::new();
            check_all(&module.into(), runs, |module, run| run_on_all(module, run, method, &mut missing))?;
            if method.engines.iter().any(|(engine, _)| method.isolates(*engine)) {
                return isolated::test(path, method);
            }
            if !missing.is_empty() {
                return Ok(Tested::LeftOut(missing.into_iter().collect::<Vec<_>>().join("; ")));
            }
        }
    }
    Ok(Tested::Passed)
}

fn first_error(sink: Sink) -> String {
    let diagnostics = sink.into_sorted();
    let first = diagnostics.iter().find(|one| one.severity == Severity::Error);
    first.map_or(String::new(), |one| {
        let (line, column) = one.source.position(one.span().start);
        format!("{line}:{column}: {}: {}", one.code, one.message)
    })
}

/// Checks that a diagnostic contains the text.
fn rejected(text: &str, sink: Sink) -> Result<()> {
    let contains = |one: &Diagnostic| {
        let shown = render::diagnostic(one);
        one.message.contains(text) || anstream::adapter::strip_str(&shown).to_string().contains(text)
    };
    let diagnostics = sink.into_sorted();
    if diagnostics.iter().any(contains) {
        return Ok(());
    }
    let messages: Vec<&str> = diagnostics.iter().map(|one| one.message.as_str()).collect();
    bail!("no diagnostic contains \"{text}\": {}", messages.join("; "))
}

fn check_all(
    module: &Module,
    runs: &[Run],
    mut check: impl FnMut(&Module, &Run) -> Result<()>,
) -> Result<()> {
    for (index, run) in runs.iter().enumerate() {
        let name = run.kernel.as_deref().unwrap_or("the only kernel");
        check(module, run).with_context(|| match runs.len() {
            1 => format!("run of {name}"),
            _ => format!("run {} of {name}", index + 1),
        })?;
    }
    Ok(())
}

/// Checks what the layout of a kernel says of its arguments.
fn check_layout(module: &Module, run: &Run) -> Result<()> {
    if run.written.is_none() && run.reads.is_none() {
        return Ok(());
    }
    let kernel = find_kernel(module, run.kernel.as_deref())?;
    let layout = kernel.layout();
    let named = |holds: fn(Access) -> bool| {
        let buffers = layout.buffers.iter().map(|buffer| (&buffer.variable, buffer.access));
        let shared = layout.shared.iter().map(|shared| (&shared.variable, shared.access));
        let found = buffers.chain(shared).filter(|(_, access)| holds(*access));
        found.map(|(name, _)| name.clone()).collect::<BTreeSet<_>>()
    };
    for (what, expected, found) in
        [("written", &run.written, named(Access::writes)), ("read", &run.reads, named(Access::reads))]
    {
        let Some(expected) = expected else { continue };
        if *expected != found {
            let list = |names: &BTreeSet<String>| match names.is_empty() {
                true => "none".to_owned(),
                false => names.iter().cloned().collect::<Vec<_>>().join(" "),
            };
            bail!("{what} should be {}, but the layout says {}", list(expected), list(&found));
        }
    }
    Ok(())
}

/// Makes a run on every engine; adds what one of them misses for it.
fn run_on_all(module: &Module, run: &Run, method: &Method, missing: &mut BTreeSet<String>) -> Result<()> {
    check_layout(module, run)?;
    let usual = matches!(method.engines[..], [(Engine::Checked, _)]);
    for (engine, checks) in method.engines.iter().filter(|(engine, _)| !method.isolates(*engine)) {
        let setting = Setting {
            checks: *checks,
            cache: method.cache,
            cpu: method.cpu.clone(),
            device: method.device.clone(),
            threads: Some(1),
            leaves_signals: method.leaves_signals,
            ..Setting::default()
        };
        let result = run_one(module, run, *engine, setting);
        if let Some(lacking) = result.as_ref().err().and_then(lacking) {
            missing.extend(lacking);
            continue;
        }
        if usual {
            result?;
        } else {
            result.with_context(|| format!("{} engine", engine.name()))?;
        }
    }
    Ok(())
}

/// What a device lacks, if that is the error.
fn lacking(error: &anyhow::Error) -> Option<Vec<String>> {
    if let Some(OpenClUnavailable::Module { diagnostics, .. }) = error.downcast_ref() {
        return Some(diagnostics.iter().map(|one| one.message.clone()).collect());
    }
    match error.downcast_ref() {
        Some(LaunchError::Engine(EngineError::Unsupported(message))) => Some(vec![message.clone()]),
        _ => None,
    }
}

fn run_one(module: &Module, run: &Run, engine: Engine, setting: Setting) -> Result<()> {
    let kernel = find_kernel(module, run.kernel.as_deref())?;
    let mut device = engine.device(module, setting)?;
    let (launch, buffers) = prepare(&kernel, run, &mut device)?;
    let report = launch.run(&mut device)?;
    if let Some(finding) = report.findings.first() {
        let source = &module.program().sources[finding.place.source];
        let (line, column) = source.position(finding.place.span.start);
        let item = finding.work_item.map_or(String::new(), |item| format!(" ({item})"));
        bail!("{line}:{column}: C{:04}: {}{item}", finding.kind.code(), finding.kind);
    }
    for (position, outputs) in &run.outputs {
        let buffer = buffers
            .get(position)
            .with_context(|| format!("`out {position}:`, but parameter {position} is no buffer"))?;
        compare(device.read_bytes(buffer)?, outputs)
            .map_err(|difference| anyhow!("out {position}: {difference}"))?;
    }
    Ok(())
}

fn find_kernel(module: &Module, name: Option<&str>) -> Result<Kernel> {
    let mut kernels = module.kernels();
    let name = match (name, kernels.next(), kernels.next()) {
        (Some(name), ..) => name,
        (None, Some(only), None) => only,
        (None, None, _) => bail!("there is no kernel"),
        (None, ..) => bail!("there are several kernels; name one with `// kernel:`"),
    };
    Ok(module.kernel(name)?)
}

/// The launch of a run, and the arrays passed, by position.
fn prepare<'k>(
    kernel: &'k Kernel,
    run: &Run,
    device: &mut Device,
) -> Result<(Launch<'k>, BTreeMap<usize, AnyBuffer>)> {
    let grid = run.grid.unwrap_or(Size { values: [1; 3], dimensions: 1 });
    let local = run.local.map(|local| local.values.map(|size| u32::try_from(size).unwrap_or(u32::MAX)));
    let dimensions = grid.dimensions.max(run.local.map_or(1, |local| local.dimensions));
    let mut launch = kernel.launch().shape(dimensions, grid.values, local);
    let (mut buffers, parameters) = (BTreeMap::new(), kernel.layout().parameters.len());
    for (position, argument) in &run.arguments {
        if *position >= parameters {
            bail!("`arg {position}:`, but the kernel has {parameters} parameters");
        }
        let value = match argument {
            Argument::Buffer(bytes) => {
                let size = [bytes.len() as u64];
                let buffer = device.array(&format!("buffer {position}"), Number::U8, &size, bytes.clone())?;
                buffers.insert(*position, buffer.clone());
                (&buffer).into()
            }
            Argument::Bytes(bytes) => Value::bytes(bytes.clone()),
            Argument::Local(bytes) => Value::shared(*bytes),
        };
        launch = launch.set(*position, value);
    }
    if let Some(missing) = (0..parameters).find(|position| !run.arguments.contains_key(position)) {
        bail!("parameter {missing} has no `arg {missing}:` line");
    }
    Ok((launch, buffers))
}
