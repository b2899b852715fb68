//! Kernels with their layouts: from the module alone, an interface file, a saved layout, or a launch plan.

mod faults;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use campanile::contract::layout::Limits;
use campanile::contract::{
    InterfaceFile, KernelInterface, KernelLayout, Plan, PlanFault, Policy, finalize_for, infer,
};
use campanile::language::diagnostic::Sink;
use campanile::language::module::Module;
use campanile::language::source::SourceFile;

use crate::arrays::beside;
use crate::console::{Console, Tally};
use crate::input;
use crate::render::Fault;
pub use faults::finalize_faults;
use faults::{description_fault, load_faults, proof_fault};

/// What layouts are made from, besides the module.
#[derive(Default)]
pub struct Descriptions {
    /// What kernels take.
    pub interface: Option<InterfaceFile>,
    /// The name of its file, as faults say it.
    interface_name: String,
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
        Ok(file) => {
            let unused = file.unused_faults();
            finalize_faults(source.name(), None, &unused, console, tally);
            Ok(unused.is_empty().then_some(file))
        }
        Err(fault) => {
            let fault = description_fault(&source, fault.form(), "interface", &fault.to_string());
            console.faults([fault], tally);
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
            console.faults(faults, tally);
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
            read.interface_name = input::name(&path);
            read.interface = read_interface(&path, console, tally)?;
            if read.interface.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(read))
    }

    /// Tells which kernels of the interface a module lacks: one file may describe those of several modules. False if
    /// it lacks all of them, which is an error.
    pub fn are_of(&self, module: &Module, console: &Console, tally: &mut Tally) -> bool {
        let described: Vec<&str> = self.interface.iter().flat_map(InterfaceFile::kernels).collect();
        let missing: Vec<&str> =
            described.iter().copied().filter(|name| module.kernel(name).is_none()).collect();
        if missing.is_empty() || missing.len() < described.len() {
            for kernel in missing {
                console.note(&format!("kernel `{kernel}` of the interface is not in the module\n"));
            }
            return true;
        }
        let message = format!("{}: the module has no kernel {}", self.interface_name, quoted(&missing));
        let kernels = names(module, None);
        let help = (!kernels.is_empty()).then(|| format!("the kernels are {}", kernels.join(", ")));
        console.faults([Fault { help, ..Fault::error("unknown_kernel", message) }], tally);
        false
    }

    fn describes(&self, kernel: &str) -> bool {
        self.interface.as_ref().is_some_and(|file| file.kernels().any(|name| name == kernel))
    }

    /// A kernel as faults without a place name it.
    pub fn subject(&self, kernel: &str) -> String {
        match self.describes(kernel) {
            true => format!("{}: kernel `{kernel}`", self.interface_name),
            false => format!("kernel `{kernel}`"),
        }
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
        let made = match self.describes(kernel) {
            true => match self.interface_of(kernel, console, tally) {
                Some(interface) => finalize_for(&interface, module, self.limits, policy),
                None => return None,
            },
            false => {
                if self.interface.is_some() && module.kernel(kernel).is_some() {
                    console.note(&format!(
                        "kernel `{kernel}` is not in the interface; its module shows what it takes\n"
                    ));
                }
                infer(module, kernel, policy)
            }
        };
        let mut layout = match made {
            Ok(layout) => layout,
            Err(faults) => {
                finalize_faults(&self.subject(kernel), Some(module), &faults, console, tally);
                return None;
            }
        };
        let closed = self.plan.as_ref().map_or(Ok(()), |plan| plan.close(&mut layout));
        if let Err(faults) = closed {
            let faults =
                faults.iter().map(|fault| Fault::error("launch", format!("kernel `{kernel}`: {fault}")));
            console.faults(faults, tally);
            return None;
        }
        Some(layout)
    }

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
            Err(faults) => {
                let faults = faults
                    .iter()
                    .map(|fault| Fault::error("interface", format!("{}: {fault}", self.subject(kernel))));
                console.faults(faults, tally);
                None
            }
        }
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`@{name}`")).collect::<Vec<_>>().join(", ")
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
            console.faults(load_faults(&source, &fault), tally);
            return Ok(None);
        }
    };
    match layout.prove(module, policy) {
        Ok(()) => Ok(Some(layout)),
        Err(faults) => {
            console.faults(faults.iter().map(|fault| proof_fault(name, module, fault)), tally);
            Ok(None)
        }
    }
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
