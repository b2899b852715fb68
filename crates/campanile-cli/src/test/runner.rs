//! Tests of one file.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use campanile_core::diagnostic::{Diagnostic, Severity, Sink};
use campanile_core::module::{FunctionId, FunctionKind, Module};
use campanile_core::{syntax, verify};
use campanile_engine::{self as engine, BufferId, Checks, Device, Launch, Options};

use super::compare::compare;
use super::expectation::{self, Argument, Run, Size, Verdict};
use crate::run::suitable_local_size;
use crate::{input, render};

/// Tests a file; false if it has no expectations.
///
/// # Errors
/// Says what differs from the expectations.
pub fn test(path: &Path, checks: Checks) -> Result<bool> {
    let mut sink = Sink::new();
    let source = input::read(path, &mut sink)?;
    let Some(source) = source else { bail!("{}", first_error(sink)) };
    let expectations = expectation::parse(source.text())?;
    let verdict = match expectations.verdict {
        Some(verdict) => verdict,
        None if expectations.runs.is_empty() => return Ok(false),
        None => Verdict::Run,
    };
    let tree = syntax::parse(&source, &mut sink);
    let module = verify::verify(&source, tree, verify::Options::default(), &mut sink);
    match (verdict, module) {
        (Verdict::Reject(text), None) => rejected(&text, sink)?,
        (Verdict::Reject(_), Some(_)) => bail!("accepted, although it should be rejected"),
        (_, None) => bail!("rejected: {}", first_error(sink)),
        (Verdict::Accept, Some(_)) => {}
        (Verdict::Run, Some(module)) => run_all(&Arc::new(module), &expectations.runs, checks)?,
    }
    Ok(true)
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

fn run_all(module: &Arc<Module>, runs: &[Run], checks: Checks) -> Result<()> {
    let only = Run::default();
    let runs = if runs.is_empty() { std::slice::from_ref(&only) } else { runs };
    for (index, run) in runs.iter().enumerate() {
        let name = run.kernel.as_deref().unwrap_or("the only kernel");
        run_one(module, run, checks).with_context(|| match runs.len() {
            1 => format!("run of {name}"),
            _ => format!("run {} of {name}", index + 1),
        })?;
    }
    Ok(())
}

fn run_one(module: &Arc<Module>, run: &Run, checks: Checks) -> Result<()> {
    let kernel = find_kernel(module, run.kernel.as_deref())?;
    let mut device = Device::new(module.clone())?;
    let (launch, buffers) = prepare(module, kernel, run, &mut device)?;
    let options = Options { checks, threads: Some(1), ..Options::default() };
    let report = engine::run(&mut device, &launch, &options)?;
    if let Some(finding) = report.findings.first() {
        let source = &module.sources[finding.place.source];
        let (line, column) = source.position(finding.place.span.start);
        let item = finding.work_item.map_or(String::new(), |item| format!(" ({item})"));
        bail!("{line}:{column}: C{:04}: {}{item}", finding.kind.code(), finding.kind);
    }
    for (position, outputs) in &run.outputs {
        let buffer = buffers.get(*position).copied().flatten();
        let buffer =
            buffer.with_context(|| format!("`out {position}:`, but parameter {position} is no buffer"))?;
        compare(&device.read_buffer(buffer), outputs)
            .map_err(|difference| anyhow!("out {position}: {difference}"))?;
    }
    Ok(())
}

fn find_kernel(module: &Module, name: Option<&str>) -> Result<FunctionId> {
    match name {
        Some(name) => module.kernel(name).with_context(|| format!("there is no kernel `{name}`")),
        None => {
            let mut kernels = module.kernels();
            match (kernels.next(), kernels.next()) {
                (Some(only), None) => Ok(only),
                (None, _) => bail!("there is no kernel"),
                _ => bail!("there are several kernels; name one with `// kernel:`"),
            }
        }
    }
}

/// The launch of a run, and for each parameter the buffer passed, if it is one.
fn prepare(
    module: &Module,
    kernel: FunctionId,
    run: &Run,
    device: &mut Device,
) -> Result<(Launch, Vec<Option<BufferId>>)> {
    let FunctionKind::Kernel(attributes) = &module.functions[kernel].kind else { bail!("not a kernel") };
    let one = Size { values: [1; 3], dimensions: 1 };
    let grid = run.grid.unwrap_or(one);
    let local = match run.local {
        Some(local) => local.values.map(|size| u32::try_from(size).unwrap_or(u32::MAX)),
        None => suitable_local_size(grid.values, attributes.required_work_group_size),
    };
    let dimensions = grid.dimensions.max(run.local.map_or(1, |local| local.dimensions));
    let mut launch = Launch::new(kernel, dimensions, grid.values, local);
    let mut buffers = Vec::new();
    for position in 0..attributes.parameters.len() {
        let argument = run.arguments.get(&position);
        let argument =
            argument.with_context(|| format!("parameter {position} has no `arg {position}:` line"))?;
        let (argument, buffer) = match argument {
            Argument::Buffer(bytes) => {
                let buffer = device.add_buffer(bytes.clone());
                (engine::Argument::Buffer(buffer), Some(buffer))
            }
            Argument::Bytes(bytes) => (engine::Argument::Bytes(bytes.clone()), None),
            Argument::Local(bytes) => (engine::Argument::Local(*bytes), None),
        };
        launch.arguments.push(argument);
        buffers.push(buffer);
    }
    if let Some(position) = run.arguments.keys().find(|position| **position >= attributes.parameters.len()) {
        bail!("`arg {position}:`, but the kernel has {} parameters", attributes.parameters.len());
    }
    Ok((launch, buffers))
}
