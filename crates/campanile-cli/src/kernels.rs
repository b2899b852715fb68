//! Kernels with their layouts: from the module alone, an interface file, a saved layout, or a launch plan.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use campanile::contract::layout::Limits;
use campanile::contract::{
    FinalizeFault, FormFault, InterfaceFile, InvariantFault, KernelInterface, KernelLayout, LoadFault, Plan,
    PlanFault, Policy, ProofFault, finalize_for, infer,
};
use campanile::language::diagnostic::Sink;
use campanile::language::module::Module;
use campanile::language::source::{SourceFile, Span};

use crate::arrays::beside;
use crate::console::{Console, Tally};
use crate::input;
use crate::render::ContractFault;

/// What layouts are made from, besides the module.
#[derive(Default)]
pub struct Descriptions {
    /// What kernels take.
    pub interface: Option<InterfaceFile>,
    /// Every launch there is.
    pub plan: Option<Plan>,
    /// What a target allows.
    pub limits: Limits,
    /// Work-items that share an iteration, instead of what the interface says.
    pub lanes: Option<u32>,
}

/// Reads an interface file. What is wrong with it is reported.
///
/// # Errors
/// When there is no such file or it cannot be read.
pub fn read_interface(path: &Path, console: &Console, tally: &mut Tally) -> Result<Option<InterfaceFile>> {
    let Some(source) = read(path, console, tally)? else { return Ok(None) };
    match InterfaceFile::parse(source.text()) {
        Ok(file) => Ok(Some(file)),
        Err(fault) => {
            let fault = description_fault(&source, fault.form(), "interface", &fault.to_string());
            console.contract_faults([fault], tally);
            Ok(None)
        }
    }
}

/// Reads a launch plan. What is wrong with it is reported.
///
/// # Errors
/// When there is no such file or it cannot be read.
pub fn read_plan(path: &Path, console: &Console, tally: &mut Tally) -> Result<Option<Plan>> {
    let Some(source) = read(path, console, tally)? else { return Ok(None) };
    match Plan::parse(source.text()) {
        Ok(plan) => Ok(Some(plan)),
        Err(faults) => {
            let faults = faults.iter().map(|fault: &PlanFault| {
                description_fault(&source, fault.form(), "plan", &fault.to_string())
            });
            console.contract_faults(faults, tally);
            Ok(None)
        }
    }
}

fn read(path: &Path, console: &Console, tally: &mut Tally) -> Result<Option<Arc<SourceFile>>> {
    let mut sink = Sink::new();
    let source = input::read(path, &mut sink)?;
    console.diagnostics(sink, tally);
    tally.files += 1;
    Ok(source)
}

/// A fault of an interface or plan, at the place that the reader of TOML names, if it names one.
fn description_fault<'a>(
    source: &'a Arc<SourceFile>,
    form: Option<&FormFault>,
    code: &str,
    message: &str,
) -> ContractFault<'a> {
    let Some(form) = form else {
        let message = format!("{}: {message}", source.name());
        return ContractFault { code: code.to_owned(), message, place: None, help: None };
    };
    let end = source.text().len();
    let bytes = form.bytes().filter(|bytes| bytes.end <= end);
    let place = bytes.map(|bytes| (source, Span::new(bytes.start, bytes.end)));
    let message = match place {
        Some(_) => form.message().to_owned(),
        None => format!("{}: {}", source.name(), form.message()),
    };
    ContractFault { code: form.code().to_owned(), message, place, help: None }
}

impl Descriptions {
    /// Reads the files that are given; none if one of them is at fault, which has been reported. A plan names its
    /// interface itself, unless one is given.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read(
        interface: Option<&Path>,
        plan: Option<&Path>,
        limits: Limits,
        console: &Console,
        tally: &mut Tally,
    ) -> Result<Option<Descriptions>> {
        let mut read = Descriptions { limits, ..Descriptions::default() };
        if let Some(path) = plan {
            read.plan = read_plan(path, console, tally)?;
            if read.plan.is_none() {
                return Ok(None);
            }
        }
        let named = read.plan.as_ref().and_then(|plan| plan.interface.as_ref());
        let named = named.zip(plan).map(|(file, plan)| beside(plan, Path::new(file)));
        if let Some(path) = interface.map(Path::to_path_buf).or(named) {
            read.interface = read_interface(&path, console, tally)?;
            if read.interface.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(read))
    }

    /// The layout of a kernel; none if it has none, or the launches of the plan do not fit it, which has been reported.
    pub fn layout(
        &self,
        module: &Module,
        kernel: &str,
        policy: Policy,
        console: &Console,
        tally: &mut Tally,
    ) -> Option<KernelLayout> {
        let described = self.interface.as_ref().is_some_and(|file| file.kernels().any(|name| name == kernel));
        let made = match described {
            true => match self.interface_of(kernel, console, tally) {
                Some(interface) => finalize_for(&interface, module, self.limits, policy),
                None => return None,
            },
            false => infer(module, kernel, policy),
        };
        let mut layout = match made {
            Ok(layout) => layout,
            Err(faults) => {
                finalize_faults(kernel, Some(module), &faults, console, tally);
                return None;
            }
        };
        let closed = self.plan.as_ref().map_or(Ok(()), |plan| plan.close(&mut layout));
        if let Err(fault) = closed {
            let (code, message) = ("launch".to_owned(), format!("kernel `{kernel}`: {fault}"));
            console.contract_faults([ContractFault { code, message, place: None, help: None }], tally);
            return None;
        }
        Some(layout)
    }
}

impl Descriptions {
    /// What the interface says of a kernel; none if it says nothing, or nothing that can be used, which has been
    /// reported.
    pub fn interface_of(
        &self,
        kernel: &str,
        console: &Console,
        tally: &mut Tally,
    ) -> Option<KernelInterface> {
        match self.interface.as_ref()?.kernel(kernel)? {
            Ok(mut interface) => {
                interface.lanes = self.lanes.or(interface.lanes);
                Some(interface)
            }
            Err(fault) => {
                let message = format!("kernel `{kernel}`: {fault}");
                let code = "interface".to_owned();
                console.contract_faults([ContractFault { code, message, place: None, help: None }], tally);
                None
            }
        }
    }
}

/// Tells why a kernel has no layout. Where only the interface is known, there is no module.
pub fn finalize_faults(
    kernel: &str,
    module: Option<&Module>,
    faults: &[FinalizeFault],
    console: &Console,
    tally: &mut Tally,
) {
    let faults = faults.iter().map(|fault| {
        let place =
            module.zip(fault.place()).map(|(module, place)| (&module.sources[place.source], place.span));
        let message = without_code(&fault.to_string(), &fault.code());
        let message = match fault {
            FinalizeFault::UnknownKernel { .. } => message,
            _ if place.is_some() => message,
            _ => format!("kernel `{kernel}`: {message}"),
        };
        ContractFault { code: fault.code(), message, place, help: fault.hint() }
    });
    console.contract_faults(faults, tally);
}

/// Reads a saved layout and proves it; none if it does not hold, which has been reported.
///
/// # Errors
/// When there is no such file or it cannot be read.
pub fn read_layout(
    path: &Path,
    module: &Module,
    policy: Policy,
    console: &Console,
    tally: &mut Tally,
) -> Result<Option<KernelLayout>> {
    let Some(source) = read(path, console, tally)? else { return Ok(None) };
    let name = source.name();
    let layout = match KernelLayout::from_json(source.text()) {
        Ok(layout) => layout,
        Err(fault) => {
            console.contract_faults(load_faults(&source, &fault), tally);
            return Ok(None);
        }
    };
    match layout.prove(module, policy) {
        Ok(()) => Ok(Some(layout)),
        Err(faults) => {
            console.contract_faults(faults.iter().map(|fault| proof_fault(name, module, fault)), tally);
            Ok(None)
        }
    }
}

fn load_faults<'a>(source: &'a Arc<SourceFile>, fault: &LoadFault) -> Vec<ContractFault<'a>> {
    match fault {
        LoadFault::Form(form) => vec![json_fault(source, form)],
        LoadFault::Invariants(faults) => {
            let described = |one: &InvariantFault| ContractFault {
                code: format!("invariant.{}", one.invariant.name()),
                message: format!("{}: {}", source.name(), one.message),
                place: None,
                help: None,
            };
            faults.iter().map(described).collect()
        }
    }
}

/// A fault of the form of a saved layout, at the word or sign that the reader of JSON had come to.
fn json_fault<'a>(source: &'a Arc<SourceFile>, fault: &serde_json::Error) -> ContractFault<'a> {
    let (text, whole) = (source.text(), fault.to_string());
    let message = whole.rsplit_once(" at line ").map_or(&whole[..], |(message, _)| message).to_owned();
    let code = match &message {
        text if text.starts_with("unknown field") => "unknown_field",
        text if text.contains("campanile.layout/") => "schema_version",
        _ => "form",
    };
    let lines = text.split_inclusive('\n').take(fault.line().saturating_sub(1));
    let end = (lines.map(str::len).sum::<usize>() + fault.column()).min(text.len());
    let apart = |byte: &u8| byte.is_ascii_whitespace() || b",:[]{}".contains(byte);
    let word = text.as_bytes()[..end].iter().rev().take_while(|byte| !apart(byte)).count();
    let start = end - word.max(1).min(end);
    let place = text.get(start..end).map(|_| (source, Span::new(start, end)));
    ContractFault { code: code.to_owned(), message, place, help: None }
}

fn proof_fault<'a>(name: &str, module: &'a Module, fault: &ProofFault) -> ContractFault<'a> {
    let (code, place, help) = match fault {
        ProofFault::Stale { .. } => {
            let help = "make it again: `pisa layout`".to_owned();
            ("stale_layout".to_owned(), None, Some(help))
        }
        ProofFault::Unbound => {
            let help = "make it with the module: `pisa layout FILE --interface …`".to_owned();
            ("unbound_layout".to_owned(), None, Some(help))
        }
        ProofFault::Kernel(fault) => (fault.code(), fault.place(), fault.hint()),
        ProofFault::Claim { fault, place } => (format!("invariant.{}", fault.invariant.name()), *place, None),
    };
    let place = place.map(|place| (&module.sources[place.source], place.span));
    let message = format!("{name}: {}", without_code(&fault.to_string(), &code));
    ContractFault { code, message, place, help }
}

/// A message that does not begin with its own code.
fn without_code(message: &str, code: &str) -> String {
    message.strip_prefix(&format!("{code}: ")).unwrap_or(message).to_owned()
}

/// The kernels of a module, then those that a plan launches though they are none.
pub fn names(module: &Module, plan: Option<&Plan>) -> Vec<String> {
    let mut names: Vec<String> =
        module.kernels().map(|kernel| module.functions[kernel].name.clone()).collect();
    for launch in plan.into_iter().flat_map(Plan::launches) {
        if module.kernel(&launch.launch).is_none() && !names.contains(&launch.launch) {
            names.push(launch.launch.clone());
        }
    }
    names
}

/// The kernel of a module, by name or because there is only one.
///
/// # Errors
/// When there is none of this name, or the name is left out and there are several.
pub fn find(module: &Module, name: Option<&str>) -> Result<String> {
    let kernels: Vec<&str> = module.kernels().map(|kernel| module.functions[kernel].name.as_str()).collect();
    let names = || format!("the kernels are {}", kernels.join(", "));
    match (name, &kernels[..]) {
        (_, []) => Err(anyhow!("the module has no kernel")),
        (None, [only]) => Ok((*only).to_owned()),
        (None, _) => {
            Err(crate::advice::advised("the module has several kernels; name one with `--kernel`", names()))
        }
        (Some(name), _) if kernels.contains(&name) => Ok(name.to_owned()),
        (Some(name), _) => Err(crate::advice::advised(format!("there is no kernel `{name}`"), names())),
    }
}
