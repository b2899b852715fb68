//! Rules for kernels: entry points, their results, and calls.

use rspirv::spirv::{Capability, ExecutionModel, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Code;
use super::arguments;
use super::finding::Finding;
use super::functions::{EntryPoint, Functions};
use super::module::Module;

/// Checks all entry points.
pub(super) fn check(module: &Module, functions: &Functions, findings: &mut Vec<Finding>) {
    let mut names = FxHashMap::default();
    let mut kernels = FxHashSet::default();
    let mut seen = FxHashSet::default();
    for entry in module.entry_points() {
        findings.extend(execution_model(module, &entry));
        let first = *names.entry((entry.model, entry.name)).or_insert(entry.index);
        if first != entry.index {
            let message = format!("there are two kernels of the name `{}`", entry.name.escape_debug());
            findings
                .push(Finding::at(Code::KernelName, entry.index, message).and(first, "the first of them"));
        }
        // A function may be several kernels, and is at fault once.
        if entry.model == ExecutionModel::Kernel && kernels.insert(entry.function) {
            function(module, functions, &entry, &mut seen, findings);
        }
    }
    calls(module, functions, &kernels, findings);
}

fn execution_model(module: &Module, entry: &EntryPoint<'_>) -> Option<Finding> {
    let EntryPoint { index, model, name, .. } = entry;
    let name = name.escape_debug();
    if *model != ExecutionModel::Kernel {
        let message = format!("the entry point `{name}` is for {model:?}, in OpenCL it is a Kernel");
        return Some(Finding::at(Code::ExecutionModel, *index, message));
    }
    (!module.has(Capability::Kernel)).then(|| {
        let message =
            format!("the kernel `{name}` needs the capability Kernel, which the module does not declare");
        Finding::at(Code::RequiredCapability, *index, message).help("add `OpCapability Kernel`")
    })
}

/// Checks the function of a kernel; `seen` has the types that were looked into as arguments.
fn function(
    module: &Module,
    functions: &Functions,
    entry: &EntryPoint<'_>,
    seen: &mut FxHashSet<u32>,
    findings: &mut Vec<Finding>,
) {
    let name = entry.name.escape_debug();
    let Some(function) = functions.find(entry.function) else {
        let message = format!("the kernel `{name}` is {}, which is no function", module.show(entry.function));
        let finding = Finding::at(Code::MissingDefinition, entry.index, message);
        return findings.push(match module.definition(entry.function) {
            Some((index, _)) => finding.and(index, "defined here"),
            None => finding.help("no instruction defines this id"),
        });
    };
    if !function.has_body {
        let message = format!("the kernel `{name}` has no body");
        let finding = Finding::at(Code::MissingDefinition, entry.index, message);
        findings.push(finding.and(function.index, "declared here"));
    }
    if module.definition(function.result).is_none_or(|(_, kind)| kind.class.opcode != Op::TypeVoid) {
        let found = module.describe(function.result);
        let message = format!("the kernel `{name}` returns {found}, kernels return nothing");
        let finding = Finding::at(Code::KernelResult, function.index, message);
        let finding = finding.and(entry.index, "a kernel by this");
        findings.push(finding.help("return `OpTypeVoid`, and store results through a pointer"));
    }
    for numbered in function.parameters.iter().copied().enumerate() {
        arguments::check(module, &name.to_string(), numbered, seen, findings);
    }
}

/// Checks that nobody calls a kernel, and that no function that a kernel reaches calls itself.
fn calls(module: &Module, functions: &Functions, kernels: &FxHashSet<u32>, findings: &mut Vec<Finding>) {
    for (callee, index) in functions.all.iter().flat_map(|function| &function.calls) {
        if kernels.contains(callee) {
            let message = format!("{} is called, but a kernel", module.show(*callee));
            let finding = Finding::at(Code::KernelCalled, *index, message);
            findings.push(
                finding.help("call a function that has the kernel's body, and let the kernel call it too"),
            );
        }
    }
    let mut states = vec![State::New; functions.all.len()];
    let roots = module.entry_points().filter_map(|entry| functions.position(entry.function));
    for root in roots {
        for (callee, index) in cycles(functions, root, &mut states) {
            let message = format!("{} calls itself, directly or through others", module.show(callee));
            let finding = Finding::at(Code::Recursion, index, message);
            findings.push(finding.help("use a loop, with a stack in an array where one is needed"));
        }
    }
}

/// How far a function has been looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// The calls that lead back to a function which has not ended, among those that are reached and new.
fn cycles(functions: &Functions, root: usize, states: &mut [State]) -> Vec<(u32, usize)> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    if states[root] == State::New {
        states[root] = State::Open;
        path.push((root, 0));
    }
    while let Some((position, next)) = path.last_mut() {
        let Some((callee, index)) = functions.all[*position].calls.get(*next) else {
            states[*position] = State::Done;
            path.pop();
            continue;
        };
        *next += 1;
        let Some(target) = functions.position(*callee) else { continue };
        match states[target] {
            State::New => {
                states[target] = State::Open;
                path.push((target, 0));
            }
            State::Open => found.push((*callee, *index)),
            State::Done => {}
        }
    }
    found
}
