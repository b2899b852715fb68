//! What a kernel reaches, and where its variables lie.

use std::collections::{BTreeMap, BTreeSet};

use campanile_core::analysis::{CallGraph, Callees};
use campanile_core::isa::Space;
use campanile_core::module::{FunctionId, Module, VariableId};
use campanile_engine::{VariablePlace, private_places, shared_places};

/// Least alignment of private variables, so that aligned accesses of all widths have whole words.
const PRIVATE_ALIGNMENT: u64 = 16;

/// Private memory that an activation of a recursive function takes at least, so that endless recursion ends.
const RECURSIVE_FRAME: u64 = 1 << 10;

/// A kernel's functions and variables in the memory of this machine.
pub(super) struct Places {
    pub calls: CallGraph,
    /// The functions with a body, callees first.
    pub functions: Vec<FunctionId>,
    /// Functions that may be active several times in one sub-group.
    pub recursive: BTreeSet<FunctionId>,
    /// Shared addresses of variables.
    pub shared: BTreeMap<VariableId, u64>,
    /// Bytes of shared memory of all variables.
    pub shared_bytes: u64,
    /// Places of private variables in the activation of their function.
    pub private: BTreeMap<VariableId, u64>,
    /// Bytes of private memory of an activation.
    pub frames: BTreeMap<FunctionId, u64>,
    /// Bytes of private memory that a work-item may need; none if that depends on the depth of recursion.
    pub private_bytes: Option<u64>,
}

impl Places {
    /// The places for a kernel; `apart` with room between variables, where the checked engine has them.
    pub fn of(module: &Module, kernel: FunctionId, apart: bool) -> Self {
        let calls = CallGraph::new(module, kernel);
        let all = calls.components.iter().flatten().copied();
        let functions = all.filter(|function| module.functions[*function].body.is_some()).collect();
        let recursive = recursive_functions(&calls);
        let mut places = Places {
            calls,
            functions,
            recursive,
            shared: BTreeMap::new(),
            shared_bytes: 0,
            private: BTreeMap::new(),
            frames: BTreeMap::new(),
            private_bytes: None,
        };
        match apart {
            true => places.place_apart(module),
            false => places.place(module),
        }
        places.private_bytes = places.most_private_bytes();
        places
    }

    fn place(&mut self, module: &Module) {
        let mut shared_end = 0;
        for function in self.functions.clone() {
            let Some(body) = &module.functions[function].body else { continue };
            let mut private_end = 0;
            for id in &body.variables {
                let variable = &module.variables[*id];
                let alignment = PRIVATE_ALIGNMENT.max(u64::from(variable.alignment));
                match variable.space {
                    Space::Shared => place(&mut self.shared, *id, &mut shared_end, variable.size, alignment),
                    Space::Private => {
                        place(&mut self.private, *id, &mut private_end, variable.size, alignment)
                    }
                    Space::Global | Space::Const | Space::Generic => {}
                }
            }
            self.frame(function, private_end.next_multiple_of(PRIVATE_ALIGNMENT));
        }
        self.shared_bytes = shared_end;
    }

    fn place_apart(&mut self, module: &Module) {
        let starts = |places: Vec<VariablePlace>| places.into_iter().map(|one| (one.variable, one.start));
        let (shared, end) = shared_places(module, &self.functions);
        self.shared.extend(starts(shared));
        self.shared_bytes = end;
        for function in self.functions.clone() {
            let Some(body) = &module.functions[function].body else { continue };
            let (private, bytes) = private_places(module, body);
            self.private.extend(starts(private));
            self.frame(function, bytes);
        }
    }

    fn frame(&mut self, function: FunctionId, bytes: u64) {
        let least = if self.recursive.contains(&function) { RECURSIVE_FRAME } else { 0 };
        self.frames.insert(function, bytes.max(least));
    }

    fn most_private_bytes(&self) -> Option<u64> {
        if !self.recursive.is_empty() {
            return None;
        }
        let mut needed: BTreeMap<FunctionId, u64> = BTreeMap::new();
        for function in &self.functions {
            let calls = self.calls.calls.iter().filter(|call| call.site.function == *function);
            let callees = calls.flat_map(|call| call.callees.functions());
            let below = callees.filter_map(|callee| needed.get(callee)).max().copied().unwrap_or(0);
            needed.insert(*function, self.frames[function] + below);
        }
        needed.get(&self.calls.kernel).copied()
    }

    /// The functions that a call may reach.
    pub fn callees(&self, function: FunctionId, instruction: u32) -> Vec<FunctionId> {
        let mut calls = self.calls.calls.iter();
        let call = calls.find(|call| call.site.function == function && call.site.instruction == instruction);
        match call.map(|call| &call.callees) {
            Some(Callees::Direct(callee)) => vec![*callee],
            Some(Callees::Indirect(callees)) => callees.clone(),
            None => vec![],
        }
    }
}

fn recursive_functions(calls: &CallGraph) -> BTreeSet<FunctionId> {
    let calls_itself = |function: FunctionId| {
        let own = calls.calls.iter().filter(|call| call.site.function == function);
        own.flat_map(|call| call.callees.functions()).any(|callee| *callee == function)
    };
    let components = calls.components.iter();
    let recursive =
        components.filter(|members| members.len() > 1 || members.iter().any(|one| calls_itself(*one)));
    recursive.flatten().copied().collect()
}

fn place(places: &mut BTreeMap<VariableId, u64>, id: VariableId, end: &mut u64, size: u64, alignment: u64) {
    let start = end.next_multiple_of(alignment);
    places.insert(id, start);
    *end = start + size;
}
