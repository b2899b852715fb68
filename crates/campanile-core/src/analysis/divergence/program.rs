//! From function to function: what calls pass and what they give back, until nothing changes any more.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::shape::Shape;
use super::solve::Solver;
use super::storage::storage;
use super::transfer::Transfer;
use super::values::{Elements, Known, join};
use super::{Cursor, Divergence, Entry, LaunchShape, Scope};
use crate::analysis::call_graph::{CallGraph, Callees};
use crate::isa::{Opcode, Space, Synchronization};
use crate::module::{Body, FunctionId, Module};

impl Divergence {
    /// Looks at a kernel, launched as the shape says, and at all functions that it calls.
    pub fn new(module: &Module, kernel: FunctionId, launch: LaunchShape) -> Self {
        let entry = Entry { arguments: vec![], whole: launch.whole_subgroups };
        Program::new(module, kernel, launch, Scope::Subgroup).run(kernel, entry)
    }

    /// Looks at all work-items of a work-group together, not only those of a sub-group: what is uniform here is the same
    /// in all of them, each time that they come to a block which is [full](super::BodyDivergence::is_full); they all come there,
    /// and equally often. Only what follows from arguments, ids and constants is found to be uniform. All other values
    /// are varying.
    pub fn of_work_group(module: &Module, kernel: FunctionId, launch: LaunchShape) -> Self {
        let entry = Entry { arguments: vec![], whole: launch.whole_subgroups };
        Program::new(module, kernel, launch, Scope::WorkGroup).run(kernel, entry)
    }

    /// Looks at a function that is called with arguments of these shapes, element by element, and at all that it calls.
    /// `whole` says whether 32 lanes call it together.
    pub fn of_call(
        module: &Module,
        function: FunctionId,
        launch: LaunchShape,
        arguments: &[Shape],
        whole: bool,
    ) -> Self {
        let entry = Entry { arguments: arguments.iter().copied().map(Some).collect(), whole };
        Program::new(module, function, launch, Scope::Subgroup).run(function, entry)
    }

    /// A cursor over the blocks of a function that has been looked at.
    pub fn cursor<'a>(&'a self, module: &'a Module, function: FunctionId) -> Option<Cursor<'a>> {
        let found = self.bodies.get(&function)?;
        let body = module.functions[function].body.as_ref()?;
        let transfer = self.transfer(module, body, &found.elements);
        Some(Cursor::new(found, transfer))
    }

    fn transfer<'a>(&'a self, module: &'a Module, body: &'a Body, elements: &'a Elements) -> Transfer<'a> {
        Transfer {
            module,
            body,
            elements,
            launch: self.launch,
            scope: self.scope,
            whole: false,
            has_private: self.has_private,
            results: &self.results,
            synchronizing: &self.synchronizing,
        }
    }
}

/// The functions under way.
struct Program<'a> {
    module: &'a Module,
    graph: CallGraph,
    entries: BTreeMap<FunctionId, Entry>,
    open: BTreeSet<FunctionId>,
    found: Divergence,
}

impl<'a> Program<'a> {
    fn new(module: &'a Module, first: FunctionId, launch: LaunchShape, scope: Scope) -> Self {
        let graph = CallGraph::new(module, first);
        let has_private = module.variables.values().any(|variable| variable.space == Space::Private);
        let synchronizing = synchronizing(module, &graph);
        let (results, bodies) = (FxHashMap::default(), BTreeMap::new());
        let found = Divergence { launch, scope, has_private, synchronizing, results, bodies };
        Program { module, graph, entries: BTreeMap::new(), open: BTreeSet::new(), found }
    }

    fn run(mut self, first: FunctionId, entry: Entry) -> Divergence {
        self.enter(first, entry);
        let calls = self.graph.calls.iter();
        let indirect = calls.filter(|call| matches!(call.callees, Callees::Indirect(_)));
        let callees: BTreeSet<_> = indirect.flat_map(|call| call.callees.functions()).copied().collect();
        for callee in callees {
            let arguments = vec![Some(Shape::Varying); parameter_elements(self.module, callee)];
            self.enter(callee, Entry { arguments, whole: false });
        }
        while let Some(function) = self.open.pop_first() {
            self.function(function);
        }
        let cursors = self.found.functions().filter_map(|function| {
            Some((function, self.found.cursor(self.module, function)?, &self.entries[&function]))
        });
        let storages: Vec<_> =
            cursors.map(|(function, mut cursor, entry)| (function, storage(&mut cursor, entry))).collect();
        for (function, storage) in storages {
            if let Some(body) = self.found.bodies.get_mut(&function) {
                body.storage = storage;
            }
        }
        self.found
    }

    /// Takes note of a call.
    fn enter(&mut self, function: FunctionId, entry: Entry) {
        let old = self.entries.get(&function);
        let new = match old {
            None => entry,
            Some(old) => Entry {
                arguments: old.arguments.iter().zip(entry.arguments).map(|(a, b)| join(*a, b)).collect(),
                whole: old.whole && entry.whole,
            },
        };
        if old != Some(&new) {
            self.entries.insert(function, new);
            self.open.insert(function);
        }
    }

    /// Looks at a function again; its callers and callees follow if it has changed anything for them.
    fn function(&mut self, function: FunctionId) {
        let count = result_elements(self.module, function);
        let Some(body) = &self.module.functions[function].body else {
            self.found.results.insert(function, vec![Some(Shape::Varying); count]);
            return;
        };
        let elements = Elements::new(body);
        let transfer = self.found.transfer(self.module, body, &elements);
        let found = Solver::new(transfer, &self.entries[&function]).run(count);
        let result: Vec<_> = found.result.iter().copied().map(across).collect();
        let calls = calls(Cursor::new(&found, transfer));
        self.found.bodies.insert(function, found);
        for (callee, entry) in calls {
            self.enter(callee, entry);
        }
        if self.found.results.get(&function) != Some(&result) {
            self.found.results.insert(function, result);
            let direct = Callees::Direct(function);
            let callers = self.graph.calls.iter().filter(|call| call.callees == direct);
            let callers = callers.map(|call| call.site.function);
            self.open.extend(callers.filter(|caller| self.entries.contains_key(caller)));
        }
    }
}

/// What a value is on the other side of a call, where an extension it came through cannot be guarded.
pub(super) fn across(shape: Known) -> Known {
    let may_wrap = shape.and_then(Shape::linear).is_some_and(|linear| linear.may_wrap);
    if may_wrap { Some(Shape::Varying) } else { shape }
}

/// The calls by name of a body, each with what it passes.
fn calls(mut cursor: Cursor<'_>) -> Vec<(FunctionId, Entry)> {
    let mut calls = Vec::new();
    for block in cursor.found.reached_blocks() {
        cursor.enter(block);
        while let Some(instruction) = cursor.next() {
            calls.extend(cursor.call(instruction));
            cursor.advance();
        }
    }
    calls
}

fn parameter_elements(module: &Module, function: FunctionId) -> usize {
    let signature = module.functions[function].signature();
    let parameters = signature.iter().flat_map(|signature| &signature.parameters);
    parameters.map(|ty| usize::from(ty.elements)).sum()
}

fn result_elements(module: &Module, function: FunctionId) -> usize {
    let result = module.functions[function].signature().and_then(|signature| signature.result);
    result.map_or(0, |ty| usize::from(ty.elements))
}

/// The functions that may wait at a barrier, by themselves or in what they call.
fn synchronizing(module: &Module, graph: &CallGraph) -> FxHashSet<FunctionId> {
    let barrier = Opcode::Synchronization(Synchronization::BarrierWorkgroup);
    let mut found = FxHashSet::default();
    for function in graph.components.iter().flatten() {
        let body = module.functions[*function].body.as_ref();
        let mut opcodes = body.iter().flat_map(|body| &body.instructions).map(|one| one.op.opcode());
        if body.is_none() || opcodes.any(|opcode| opcode == barrier) {
            found.insert(*function);
        }
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for call in &graph.calls {
            if call.callees.functions().iter().any(|callee| found.contains(callee)) {
                changed |= found.insert(call.site.function);
            }
        }
    }
    found
}
