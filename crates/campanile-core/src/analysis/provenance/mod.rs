//! Where the addresses come from that a kernel and the functions it calls use.
//!
//! `flow` says what each instruction passes on, `follow` turns bodies into constraints between values, `solve`
//! solves them, `contents` is what variables hold, `source` what a value can be, `sources` how such values combine, `way` how
//! one came to be. Registers are followed by element, variables by the bytes that an access at a known distance from their start
//! touches, without regard to the order of instructions. What is stored in buffers and in global memory is followed no
//! further: the address escapes, and what is loaded from there is unknown.

mod contents;
mod flow;
mod follow;
mod solve;
mod source;
mod sources;
mod way;

use std::collections::{BTreeMap, BTreeSet};

use super::{CallGraph, Witness};
use crate::isa::Space;
use crate::module::{FunctionId, Module};
pub use source::{Packing, Root};
pub(super) use source::{Roots, reaches};

use follow::Follower;
use solve::{Site, Solver};

/// What an instruction may do to the object that a root points to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// It may read it.
    pub reads: bool,
    /// It may write it.
    pub writes: bool,
    /// It does so atomically.
    pub atomic: bool,
    /// It may store the address where it is not followed.
    pub escapes: bool,
}

impl Effect {
    fn join(&mut self, other: Effect) {
        self.reads |= other.reads;
        self.writes |= other.writes;
        self.atomic |= other.atomic;
        self.escapes |= other.escapes;
    }
}

/// An access of an instruction to what a root points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The instruction.
    pub site: Witness,
    /// What it may reach; with [`Root::Unknown`], any object of the space.
    pub root: Root,
    /// The space that the instruction names.
    pub space: Space,
    /// What it does there.
    pub effect: Effect,
}

/// The instructions on a shortest way by which the address in a parameter comes to an instruction that uses it, in
/// order: the first one loads the parameter, calls pass it on, variables may hold it meanwhile. Empty if no way is
/// known, as for an address of unknown origin, which may lead anywhere.
pub fn way_from_parameter(
    module: &Module,
    kernel: FunctionId,
    position: usize,
    site: Witness,
) -> Vec<Witness> {
    let graph = CallGraph::new(module, kernel);
    solved(module, &graph, None).way(position as u32, site)
}

fn solved<'module>(
    module: &'module Module,
    graph: &'module CallGraph,
    packing: Option<Packing<'module>>,
) -> Solver<'module> {
    let mut solver = Solver::new(Roots::new(module, graph.kernel, packing));
    Follower::follow(module, graph, &mut solver);
    solver.solve();
    solver
}

/// The origins of all addresses of a kernel.
#[derive(Clone, Debug)]
pub struct Provenance {
    accesses: BTreeMap<(Witness, Root), (Space, Effect)>,
    /// What the roots of used addresses have been added to that is as likely the base; none where there was nothing, and
    /// for what is marked as an address.
    beside: BTreeMap<Root, BTreeSet<Option<Root>>>,
}

impl Provenance {
    /// Follows the addresses of a kernel, whose buffers may be packed in one allocation.
    pub fn new(module: &Module, graph: &CallGraph, packing: Option<Packing>) -> Self {
        let solver = solved(module, graph, packing);
        let mut provenance = Provenance { accesses: BTreeMap::new(), beside: BTreeMap::new() };
        for site in &solver.sites {
            provenance.add(&solver, site);
        }
        provenance
    }

    /// What the instructions may access, in the order of functions and instructions.
    pub fn accesses(&self) -> impl Iterator<Item = Access> {
        self.accesses.iter().map(|((site, root), (space, effect))| Access {
            site: *site,
            root: *root,
            space: *space,
            effect: *effect,
        })
    }

    /// What an instruction may access.
    pub fn of(&self, site: Witness) -> impl Iterator<Item = Access> {
        self.accesses().filter(move |access| access.site == site)
    }

    /// Whether some bytes of a parameter move addresses on, but are none: whatever they are added to is an address by
    /// itself elsewhere, or if neither is, comes earlier among the parameters.
    pub(super) fn is_offset(&self, root: Root) -> bool {
        let beside = |root: Root| self.beside.get(&root).into_iter().flatten();
        let is_alone = |root: Root| beside(root).any(Option::is_none);
        let gives_way = |other: &Option<Root>| other.is_some_and(|other| is_alone(other) || other < root);
        !is_alone(root) && beside(root).next().is_some() && beside(root).all(gives_way)
    }

    fn add(&mut self, solver: &Solver, site: &Site) {
        let sources = solver.sources(site.address).iter();
        let reached = sources.filter(|source| solver.roots.may_reach(source.root, site.space));
        for source in reached.clone() {
            let beside = source.beside.filter(|_| !solver.roots.is_marked(source.root));
            self.beside.entry(source.root).or_default().insert(beside);
        }
        let mut reached: Vec<Root> = reached.map(|source| source.root).collect();
        if site.wild {
            reached.push(Root::Unknown);
        }
        let mut escapes = false;
        for root in reached {
            escapes |= solver.roots.outlives(root);
            self.join(site, root, site.effect);
        }
        for stored in site.stores.iter().filter(|_| escapes) {
            for source in solver.sources(*stored).iter() {
                if matches!(source.root, Root::Parameter { .. } | Root::Variable(_)) {
                    self.join(site, source.root, Effect { escapes: true, ..Effect::default() });
                }
            }
        }
    }

    fn join(&mut self, site: &Site, root: Root, effect: Effect) {
        let entry = self.accesses.entry((site.witness, root)).or_insert((site.space, Effect::default()));
        entry.1.join(effect);
    }
}
