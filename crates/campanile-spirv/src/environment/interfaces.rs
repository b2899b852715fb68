//! Interfaces of entry points: the built-in variables that a kernel uses, itself or through what it calls.

use rspirv::spirv::StorageClass;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Code;
use super::finding::{Finding, Place};
use super::functions::{EntryPoint, Functions};
use super::module::{Module, id};

/// Steps from function to function, and variables found on the way, in one module. Compilers stay far below.
const MOST_STEPS: usize = 10_000_000;

/// Checks the interface of each entry point.
pub(super) fn check(module: &Module, functions: &Functions, findings: &mut Vec<Finding>) {
    let built_ins: FxHashSet<u32> = module.decorations.built_ins.iter().map(|one| one.id).collect();
    let built_ins = built_ins.into_iter().filter(|id| is_listed(module, *id)).collect();
    let mut walk = Walk { module, functions, built_ins, used: FxHashMap::default(), steps: 0 };
    for entry in module.entry_points() {
        let Some(used) = walk.reached(entry.function) else {
            let message =
                "the calls of the module are too many to follow; interfaces from here on are not checked";
            findings.push(Finding::new(Code::TooLarge, Place::Instruction(entry.index), message));
            return;
        };
        let listed: FxHashSet<u32> = entry.interface.iter().filter_map(id).collect();
        for variable in used.into_iter().filter(|variable| !listed.contains(variable)) {
            findings.push(missing(module, &entry, variable));
        }
    }
}

/// Whether a built-in variable is one that interfaces list: before SPIR-V 1.4 they list Input and Output only.
fn is_listed(module: &Module, id: u32) -> bool {
    module.variable(id).is_some_and(|variable| {
        module.version >= (1, 4) || matches!(variable.storage, StorageClass::Input | StorageClass::Output)
    })
}

fn missing(module: &Module, entry: &EntryPoint<'_>, variable: u32) -> Finding {
    let name = module.show(variable);
    let message =
        format!("kernel `{}` uses {name}, which its interface does not list", entry.name.escape_debug());
    let finding = Finding::at(Code::BuiltInInterface, entry.index, message);
    let finding = match module.definition(variable) {
        Some((index, _)) => finding.and(index, "the variable"),
        None => finding,
    };
    finding.help(format!("add {name} at the end of `OpEntryPoint`"))
}

/// Follows calls.
struct Walk<'m> {
    module: &'m Module,
    functions: &'m Functions,
    built_ins: FxHashSet<u32>,
    /// The built-in variables that the function at each position uses itself.
    used: FxHashMap<usize, Vec<u32>>,
    steps: usize,
}

impl Walk<'_> {
    /// The built-in variables that a function uses, itself or through calls; `None` when that takes too long.
    fn reached(&mut self, function: u32) -> Option<Vec<u32>> {
        let (module, functions) = (self.module, self.functions);
        let mut open: Vec<usize> = functions.position(function).into_iter().collect();
        let mut seen: FxHashSet<usize> = open.iter().copied().collect();
        let mut found = Vec::new();
        while let Some(position) = open.pop() {
            let function = &functions.all[position];
            let built_ins = &self.built_ins;
            let used = self.used.entry(position).or_insert_with(|| {
                let used: FxHashSet<u32> =
                    module.uses(function).filter(|id| built_ins.contains(id)).collect();
                used.into_iter().collect()
            });
            found.extend_from_slice(used);
            self.steps += 1 + used.len() + function.calls.len();
            if self.steps > MOST_STEPS {
                return None;
            }
            let callees = function.calls.iter().filter_map(|(callee, _)| functions.position(*callee));
            open.extend(callees.filter(|callee| seen.insert(*callee)));
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }
}
