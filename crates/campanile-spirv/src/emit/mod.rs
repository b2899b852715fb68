//! PISA to SPIR-V: a module for the OpenCL environment.
//!
//! A [`plan`](Plan) decides first where everything lies; then each function is written, instruction by instruction, by
//! a file for each chapter of the instruction set. What a module needs of a device is collected on the way and held
//! against the target in the end.

mod arithmetic;
mod assembly;
mod code;
mod comparison;
mod control_flow;
mod conversion;
mod cross_lane;
mod data_movement;
mod exposure;
mod float;
mod floating_point;
mod function;
mod instruction;
mod kernel;
mod logical;
mod memory;
mod plan;
mod special;
mod synchronization;
mod undecided;
mod value;
mod variables;

use campanile_core::analysis::waits;
use campanile_core::diagnostic::{Code, Diagnostic, Severity};
use campanile_core::module::{FunctionKind, Linkage, Module, Place};
use rustc_hash::FxHashMap;

use assembly::Assembly;
use function::Shared;
use plan::Plan;
use special::BuiltIns;

use crate::emitted::Emitted;
use crate::feature::Feature;
use crate::options::{Options, Target};

/// Translates a module.
///
/// # Errors
/// What the target has no way to do, each with the place that asks for it.
pub fn emit(module: &Module, options: &Options) -> Result<Emitted, Vec<Diagnostic>> {
    let plan = Plan::new(module, options);
    let recursion = recursion(&plan);
    if !recursion.is_empty() {
        return Err(recursion);
    }
    let undecided = undecided::undecided(&plan);
    let mut warnings: Vec<Diagnostic> = undecided.iter().map(|one| one.warning(module)).collect();
    warnings.extend(unexported(&plan));
    let mut assembly = Assembly::new(options.addresses);
    let functions: FxHashMap<_, _> =
        plan.functions.iter().map(|function| (*function, assembly.id())).collect();
    let files = match options.lines {
        true => module.sources.values().map(|source| assembly.string(source.name())).collect(),
        false => Vec::new(),
    };
    let has_dot_product =
        options.device.is_some() && Feature::DotProduct.is_available(options.target, options.device.as_ref());
    let mut shared = Shared {
        plan: &plan,
        built_ins: BuiltIns::default(),
        functions,
        variables: FxHashMap::default(),
        files,
        // Before OpenCL 2.0 there are no others.
        uniform_groups: options.uniform_groups || options.target == Target::OpenCl12,
        has_dot_product,
        diagnostics: Vec::new(),
    };
    variables::write_variables(&mut assembly, &mut shared);
    let mut kernels = Vec::new();
    for function in &plan.functions {
        kernel::write_function(&mut assembly, &mut shared, *function);
        kernels.extend(kernel::write_kernel(&mut assembly, &mut shared, *function, options));
    }
    for function in module.kernels() {
        let name = &module.functions[function].name;
        assembly.entry_point(shared.functions[&function], name, shared.built_ins.interface());
    }
    need_progress(&mut assembly, &plan);
    for one in &undecided {
        assembly.need(one.feature, Some(one.place));
    }
    let exposed = match options.expose_variables {
        true => exposure::write_kernels(&mut assembly, &shared),
        false => Vec::new(),
    };
    let mut faults = std::mem::take(&mut shared.diagnostics);
    faults.extend(missing(module, &assembly, options));
    if !faults.is_empty() {
        return Err(faults);
    }
    debug_assert!(warnings.iter().all(|warning| warning.severity == Severity::Warning));
    Ok(Emitted { words: assembly.finish(), kernels, variables: exposed, warnings })
}

/// Functions that call themselves, which OpenCL forbids.
fn recursion(plan: &Plan<'_>) -> Vec<Diagnostic> {
    let module = plan.module;
    let fault = |(place, callee): &(Place, _)| {
        let name = &module.functions[*callee].name;
        let message =
            format!("this call lets `@{name}` be called while it runs, and OpenCL has no recursion");
        Diagnostic::new(Code::DeviceRecursion, &module.sources[place.source], place.span, message)
            .help("turn the recursion into a loop with a stack of its own in private memory")
    };
    plan.recursion.iter().map(fault).collect()
}

/// Exported functions that no other module can call.
fn unexported(plan: &Plan<'_>) -> Vec<Diagnostic> {
    let module = plan.module;
    let is_exported =
        |kind: &FunctionKind| matches!(kind, FunctionKind::Device { linkage: Linkage::Exported, .. });
    let functions = module.functions.iter().filter(|(_, function)| is_exported(&function.kind));
    let hidden = functions.filter(|(function, _)| plan.hidden(*function).any());
    let warning = |function: &campanile_core::module::Function| {
        let message = format!(
            "`@{}` is not exported from the SPIR-V module, as it needs private or shared memory of its kernel",
            function.name
        );
        Diagnostic::new(
            Code::NotExported,
            &module.sources[function.place.source],
            function.place.span,
            message,
        )
        .help("link the modules with `pisa link` before")
    };
    hidden.map(|(_, function)| warning(function)).collect()
}

/// Loops that wait need a device on which others go on meanwhile.
fn need_progress(assembly: &mut Assembly, plan: &Plan<'_>) {
    for id in &plan.functions {
        let function = &plan.module.functions[*id];
        let waits = function.body.iter().flat_map(|body| waits(body, plan.control_flow(*id)));
        for access in waits {
            let place = Place { source: function.place.source, span: access.span };
            assembly.need(Feature::Progress, Some(place));
        }
    }
}

/// What the target does not have, with the first place that needs it.
fn missing(module: &Module, assembly: &Assembly, options: &Options) -> Vec<Diagnostic> {
    let device = options.device.as_ref();
    let lacking = assembly.needs().filter(|(feature, _)| !feature.is_available(options.target, device));
    lacking
        .filter_map(|(feature, place)| {
            let place = place.or_else(|| module.functions.values().next().map(|function| function.place))?;
            let of = match device {
                Some(_) => "the device".to_owned(),
                None => options.target.to_string(),
            };
            let capabilities: Vec<String> =
                feature.capabilities().iter().map(|capability| format!("`{capability:?}`")).collect();
            let capabilities = match &capabilities[..] {
                [] => String::new(),
                [one] => format!(" (the capability {one})"),
                several => format!(" (the capabilities {})", several.join(" and ")),
            };
            let message = format!("this needs {}{capabilities}, which {of} does not have", feature.title());
            let names = feature.names().join("` or `");
            let help = format!("devices that have it list `{names}`");
            let source = &module.sources[place.source];
            Some(Diagnostic::new(Code::TargetLacks, source, place.span, message).help(help))
        })
        .collect()
}
