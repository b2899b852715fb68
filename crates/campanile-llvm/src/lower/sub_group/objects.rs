//! Which object each access is of, and what LLVM is told of that.
//!
//! Buffers that share no bytes are told apart by the parameters with their addresses. That holds for all work-items and the
//! whole launch, so no access to one is ever an access to another, whoever makes it and when. LLVM's attribute `noalias` of
//! pointers says more than that, and wrongly: that nobody else writes what is written through them. So each access says by
//! itself of which object it is (`!alias.scope`) and of which it is not (`!noalias`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use campanile_core::analysis::{CallGraph, Provenance, Root, Witness};
use campanile_core::isa::Space;
use campanile_core::module::Module;

use super::Specialization;

/// Numbers of metadata: the domain of all scopes, and the first one of the first scope.
const DOMAIN: usize = 7;
const SCOPES: usize = 8;

/// What is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Object {
    /// Shared memory.
    Shared,
    /// The buffer whose address a parameter holds, by the parameter's position.
    Buffer(u32),
}

/// The objects of a kernel's accesses.
#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    /// Those that have scopes.
    told_apart: Vec<Object>,
    /// The parameters of the instructions that access one buffer only.
    buffers: BTreeMap<Witness, u32>,
    /// The parameters whose buffers nobody writes while the kernel runs.
    constant: BTreeSet<u32>,
}

impl Objects {
    /// What is known of a kernel for such launches; nothing if nothing is asked for.
    pub fn of(module: &Module, graph: &CallGraph, specialization: &Specialization) -> Self {
        if !specialization.disjoint && specialization.streamed.is_empty() {
            return Objects::default();
        }
        let mut roots: BTreeMap<Witness, BTreeSet<Root>> = BTreeMap::new();
        let mut written = BTreeSet::new();
        let provenance = Provenance::new(module, graph, None);
        for access in provenance.accesses() {
            roots.entry(access.site).or_default().insert(access.root);
            if access.effect.writes || access.effect.atomic || access.effect.escapes {
                written.insert(access.root);
            }
        }
        let only = |roots: &BTreeSet<Root>| match roots.iter().collect::<Vec<_>>()[..] {
            [Root::Parameter { position, .. }] => Some(*position),
            _ => None,
        };
        let buffers: BTreeMap<Witness, u32> =
            roots.iter().filter_map(|(site, roots)| Some((*site, only(roots)?))).collect();
        let mut objects = Objects { buffers, ..Objects::default() };
        if specialization.disjoint {
            let parameters: BTreeSet<u32> = objects.buffers.values().copied().collect();
            objects.told_apart =
                [Object::Shared].into_iter().chain(parameters.iter().copied().map(Object::Buffer)).collect();
            objects.constant = parameters;
            for root in &written {
                match root {
                    Root::Parameter { position, .. } => _ = objects.constant.remove(position),
                    Root::Unknown => objects.constant.clear(),
                    _ => {}
                }
            }
        }
        objects
    }

    /// The object of an access in a space, if it is known. A generic address in a parameter may be one of shared memory.
    pub fn object(&self, site: Witness, space: Space) -> Option<Object> {
        match space {
            Space::Shared => Some(Object::Shared),
            Space::Global | Space::Const => self.buffers.get(&site).copied().map(Object::Buffer),
            Space::Generic | Space::Private => None,
        }
    }

    /// What an access to an object says of it, as text that follows an instruction.
    pub fn said_of(&self, object: Object) -> String {
        let Some(place) = self.told_apart.iter().position(|other| *other == object) else {
            return String::new();
        };
        let scope = SCOPES + 3 * place;
        format!(", !alias.scope !{}, !noalias !{}", scope + 1, scope + 2)
    }

    /// The same of a load.
    pub fn said_of_load(&self, object: Object) -> String {
        let is_constant = matches!(object, Object::Buffer(parameter) if self.constant.contains(&parameter));
        let constant = if is_constant { ", !invariant.load !0" } else { "" };
        self.said_of(object) + constant
    }

    /// The metadata that accesses refer to.
    pub fn metadata(&self) -> String {
        let mut text = format!("!{DOMAIN} = distinct !{{!{DOMAIN}}}\n");
        let scope = |place: usize| SCOPES + 3 * place;
        for place in 0..self.told_apart.len() {
            let (own, others) = (scope(place), (0..self.told_apart.len()).filter(|other| *other != place));
            let others: Vec<String> = others.map(|other| format!("!{}", scope(other))).collect();
            let _ = writeln!(text, "!{own} = distinct !{{!{own}, !{DOMAIN}}}\n!{} = !{{!{own}}}", own + 1);
            let _ = writeln!(text, "!{} = !{{{}}}", own + 2, others.join(", "));
        }
        text
    }
}
