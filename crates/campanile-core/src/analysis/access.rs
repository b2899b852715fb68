//! What a kernel may do to the memory behind each of its parameters and to each variable.

use std::collections::BTreeMap;
use std::ops::Range;

use super::provenance::{Roots, reaches};
use super::{Access, CallGraph, Effect, Packing, Provenance, Root, Witness};
use crate::isa::Space;
use crate::module::{FunctionId, Module, VariableId};

/// What a kernel and the functions it calls may do to memory.
#[derive(Clone, Debug, Default)]
pub struct AccessFacts {
    parameters: Vec<ParameterFacts>,
    pointers: Vec<PointerFacts>,
    variables: BTreeMap<VariableId, ParameterFacts>,
    /// A read of global memory through an address of unknown origin: it may read every object there.
    pub wild_read: Option<Witness>,
    /// A write to global memory through an address of unknown origin: it may write every object there.
    pub wild_write: Option<Witness>,
}

/// What may happen to the memory behind a parameter, or to a variable. Each fact names the first instruction that
/// may do it; none means that it is proven not to happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParameterFacts {
    /// It may be read.
    pub read: Option<Witness>,
    /// It may be written.
    pub written: Option<Witness>,
    /// It may be read or written atomically.
    pub atomic: Option<Witness>,
    /// The address may be stored where it is not followed: in a buffer, in global memory, by unknown code.
    pub escaped: Option<Witness>,
}

/// What may happen to the memory behind an address that some bytes of a parameter hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerFacts {
    /// Position of the parameter.
    pub position: usize,
    /// The bytes of the parameter, as they are loaded: overlapping loads are one, and so are two halves.
    pub bytes: Range<u32>,
    /// The facts.
    pub facts: ParameterFacts,
    /// Whether it only ever moves on what looks more like an address. It may be one all the same, so that it has facts.
    pub is_offset: bool,
}

impl PointerFacts {
    fn overlaps(&self, position: usize, bytes: &Range<u32>) -> bool {
        self.position == position && self.bytes.start < bytes.end && bytes.start < self.bytes.end
    }
}

impl AccessFacts {
    /// The facts of a parameter; of one that holds several addresses, of all of them together.
    pub fn parameter(&self, position: usize) -> ParameterFacts {
        self.parameters.get(position).copied().unwrap_or_default()
    }

    /// Whether the memory behind a parameter may be written, by the kernel or by whoever is left its address.
    pub fn may_write(&self, position: usize) -> bool {
        let facts = self.parameter(position);
        facts.written.is_some() || facts.escaped.is_some() || self.wild_write.is_some()
    }

    /// The addresses held by parameters, by position and place. A scalar is none: nothing is read or written through
    /// it.
    pub fn pointers(&self) -> &[PointerFacts] {
        &self.pointers
    }

    /// The facts of a variable.
    pub fn variable(&self, variable: VariableId) -> ParameterFacts {
        self.variables.get(&variable).copied().unwrap_or_default()
    }
}

impl ParameterFacts {
    /// Adds what another part of the same object suffers: the earlier witness stays.
    pub fn join(&mut self, other: ParameterFacts) {
        for (own, other) in [
            (&mut self.read, other.read),
            (&mut self.written, other.written),
            (&mut self.atomic, other.atomic),
            (&mut self.escaped, other.escaped),
        ] {
            *own = match (*own, other) {
                (Some(own), Some(other)) => Some(own.min(other)),
                (own, other) => own.or(other),
            };
        }
    }

    fn of(effect: Effect, site: Witness) -> Self {
        let when = |holds: bool| holds.then_some(site);
        ParameterFacts {
            read: when(effect.reads),
            written: when(effect.writes),
            atomic: when(effect.atomic),
            escaped: when(effect.escapes),
        }
    }
}

/// What a kernel may do to memory.
pub fn access_facts(module: &Module, kernel: FunctionId) -> AccessFacts {
    access_facts_of(module, &CallGraph::new(module, kernel))
}

/// What a kernel whose call graph is known may do to memory.
pub fn access_facts_of(module: &Module, graph: &CallGraph) -> AccessFacts {
    facts(module, graph, None)
}

/// What a kernel may do to memory whose buffers are all in one allocation, at offsets passed beside its address.
///
/// `base` is the position of the parameter with the address, `offsets` the parameters, by position, and the bytes in
/// them that hold a 64-bit offset each. What is accessed at the address plus an offset counts as what these bytes
/// point to; [`AccessFacts::pointers`] lists them if they are used. What is accessed at the address alone, or with an
/// offset that is not recognized, counts as the memory behind the address: it may be any of the buffers.
pub fn access_facts_packed(
    module: &Module,
    kernel: FunctionId,
    base: usize,
    offsets: &[(usize, Range<u32>)],
) -> AccessFacts {
    facts(module, &CallGraph::new(module, kernel), Some(Packing { base, offsets }))
}

fn facts(module: &Module, graph: &CallGraph, packing: Option<Packing>) -> AccessFacts {
    let provenance = Provenance::new(module, graph, packing);
    let roots = Roots::new(module, graph.kernel, packing);
    let mut facts = AccessFacts::default();
    let (mut pointers, mut stored) = (Vec::new(), Vec::new());
    for access in provenance.accesses() {
        let added = ParameterFacts::of(access.effect, access.site);
        match access.root {
            Root::Parameter { position, start, end } => {
                let used = access.effect.reads || access.effect.writes;
                let kept = if used { &mut pointers } else { &mut stored };
                let is_offset = provenance.is_offset(access.root);
                let (position, bytes) = (position as usize, start..end);
                kept.push(PointerFacts { position, bytes, facts: added, is_offset });
            }
            Root::Variable(variable) => facts.variables.entry(variable).or_default().join(added),
            Root::Unknown | Root::Integer | Root::Function(_) | Root::PrintfBuffer => {}
        }
    }
    facts.pointers = merged(pointers);
    for pointer in &mut facts.pointers {
        let (position, bytes) = (pointer.position, pointer.bytes.clone());
        let overlapping = stored.iter().filter(|one| one.overlaps(position, &bytes));
        overlapping.for_each(|one| pointer.facts.join(one.facts));
    }
    facts.parameters.resize(roots.parameters.len(), ParameterFacts::default());
    for pointer in facts.pointers.iter().chain(&stored) {
        facts.parameters[pointer.position].join(pointer.facts);
    }
    for access in provenance.accesses().filter(|access| access.root == Root::Unknown) {
        facts.add_wild(&roots, graph, access);
    }
    facts
}

impl AccessFacts {
    /// Adds an access that may reach every object of its space. Constants are never written by a defined program.
    fn add_wild(&mut self, roots: &Roots, graph: &CallGraph, access: Access) {
        let added = ParameterFacts::of(access.effect, access.site);
        let for_space =
            |constant: bool| ParameterFacts { written: added.written.filter(|_| !constant), ..added };
        if reaches(Space::Global, access.space) {
            self.wild_read = self.wild_read.or(added.read);
            self.wild_write = self.wild_write.or(added.written);
        }
        let reached = |position: usize| roots.parameter_may_reach(position, access.space);
        let constant = |position: usize| roots.parameters[position].space == Some(Space::Const);
        for (position, facts) in self.parameters.iter_mut().enumerate().filter(|(index, _)| reached(*index)) {
            facts.join(for_space(constant(position)));
        }
        for pointer in self.pointers.iter_mut().filter(|pointer| reached(pointer.position)) {
            pointer.facts.join(for_space(constant(pointer.position)));
        }
        for variable in &graph.variables {
            let space = roots.module.variables[*variable].space;
            if reaches(space, access.space) {
                self.variables.entry(*variable).or_default().join(for_space(space == Space::Const));
            }
        }
    }
}

/// One entry for each group of overlapping loads, and for two halves that follow one another.
fn merged(mut pointers: Vec<PointerFacts>) -> Vec<PointerFacts> {
    pointers.sort_by_key(|pointer| (pointer.position, pointer.bytes.start, pointer.bytes.end));
    let mut merged: Vec<PointerFacts> = Vec::new();
    for pointer in pointers {
        match merged.last_mut() {
            Some(last)
                if last.position == pointer.position && belong_together(&last.bytes, &pointer.bytes) =>
            {
                last.bytes.end = last.bytes.end.max(pointer.bytes.end);
                last.facts.join(pointer.facts);
                last.is_offset &= pointer.is_offset;
            }
            _ => merged.push(pointer),
        }
    }
    merged
}

fn belong_together(first: &Range<u32>, second: &Range<u32>) -> bool {
    let are_halves = first.len() <= 4 && second.len() <= 4 && second.start == first.end;
    second.start < first.end || are_halves
}
