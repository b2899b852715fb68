//! What variables hold: a cell for each run of bytes that is stored at a known offset, and one for what is stored at
//! unknown ones.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::solve::{Cell, Rule, Site, Solver};
use super::source::{Root, Source};
use crate::isa::Space;
use crate::module::{InitializerItem, Linkage, Variable, VariableId};

/// Runs of bytes of a variable that are told apart.
const FIELDS: usize = 64;

/// Bytes of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub start: u64,
    /// One past the last.
    pub end: u64,
}

impl Place {
    fn meets(self, other: Place) -> bool {
        self.start < other.end && other.start < self.end
    }

    fn bytes(self) -> u64 {
        self.end - self.start
    }
}

/// What a variable holds.
#[derive(Default)]
pub(super) struct Contents {
    /// What is stored at each place, and what is stored at unknown ones. Those that meet are read together.
    fields: BTreeMap<Option<Place>, Cell>,
    loads: BTreeSet<Load>,
    /// Whether an address kept here may have been changed in part, so that its offset is not known.
    is_loose: bool,
}

/// Something that reads a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Load {
    /// What it reads; none if that is unknown.
    place: Option<Place>,
    /// The size of what it reads; none if that is unknown.
    bytes: Option<u32>,
    target: Cell,
}

impl Load {
    /// How it takes what is stored at a place; nothing if it does not touch it.
    fn rule(self, stored: Option<Place>, from: Cell) -> Option<Rule> {
        let bytes = self.bytes.map_or(8, u64::from);
        let is_whole = match (self.place, stored) {
            (Some(read), Some(stored)) if !read.meets(stored) => return None,
            (Some(read), Some(stored)) => read == stored,
            (None, Some(stored)) => stored.bytes() == bytes,
            (_, None) => bytes <= 4,
        };
        Some(match is_whole {
            true if bytes > 4 => Rule::Copy(from),
            true => Rule::Narrow(from),
            false => Rule::Joined(from),
        })
    }
}

impl Solver<'_> {
    /// Reads from a variable.
    pub fn load(&mut self, variable: VariableId, place: Option<Place>, bytes: Option<u32>, target: Cell) {
        let load = Load { place, bytes, target };
        let contents = self.contents(variable);
        if contents.loads.insert(load) {
            for (stored, cell) in contents.fields.clone() {
                self.link(load, stored, cell);
            }
        }
    }

    fn link(&mut self, load: Load, stored: Option<Place>, from: Cell) {
        if let Some(rule) = load.rule(stored, from) {
            self.rule(load.target, rule);
        }
    }

    /// Writes to a variable.
    pub fn store(&mut self, variable: VariableId, place: Option<Place>, stored: Cell) {
        let field = self.field(variable, place);
        self.rule(field, Rule::Copy(stored));
    }

    /// Something unknown may be written anywhere in a variable.
    pub fn store_unknown(&mut self, variable: VariableId) {
        let elsewhere = self.field(variable, None);
        self.seed(elsewhere, Source::UNKNOWN);
    }

    /// Forgets the offsets of the addresses that a variable holds.
    pub fn loosen(&mut self, variable: VariableId) {
        let contents = self.contents(variable);
        if std::mem::replace(&mut contents.is_loose, true) {
            return;
        }
        for cell in contents.fields.values().copied().collect::<Vec<_>>() {
            self.rule(cell, Rule::Somewhere(cell));
        }
    }

    /// The cell of what is stored at a place, or with others at unknown places if there are too many to tell apart.
    fn field(&mut self, variable: VariableId, mut place: Option<Place>) -> Cell {
        let contents = self.contents(variable);
        if contents.fields.len() >= FIELDS && !contents.fields.contains_key(&place) {
            place = None;
        }
        if let Some(cell) = contents.fields.get(&place) {
            return *cell;
        }
        let meets = |other: &Option<Place>| match (*other, place) {
            (Some(other), Some(place)) => other.meets(place),
            _ => true,
        };
        let in_part = place.is_none() || contents.fields.keys().any(meets);
        let (loads, is_loose) = (contents.loads.clone(), contents.is_loose);
        let cell = self.cell();
        self.contents(variable).fields.insert(place, cell);
        if is_loose {
            self.rule(cell, Rule::Somewhere(cell));
        } else if in_part {
            self.loosen(variable);
        }
        for load in loads {
            self.link(load, place, cell);
        }
        cell
    }

    /// What a variable holds, from the start its initial contents.
    fn contents(&mut self, variable: VariableId) -> &mut Contents {
        if let Entry::Vacant(vacant) = self.contents.entry(variable) {
            vacant.insert(Contents::default());
            self.initialize(variable);
        }
        self.contents.get_mut(&variable).expect("it has been inserted")
    }

    fn initialize(&mut self, variable: VariableId) {
        let declared = &self.roots.module.variables[variable];
        for (place, source) in initial_fields(declared) {
            let stored = self.cell();
            self.seed(stored, source);
            self.store(variable, Some(place), stored);
        }
        // What outlives the launch can have been written by another one, or by the host.
        let outlives = declared.space == Space::Global || declared.linkage == Linkage::Imported;
        let reached = |site: &Site| {
            let is_wild = site.wild && site.effect.writes;
            is_wild && self.roots.may_reach(Root::Variable(variable), site.space)
        };
        if outlives || self.sites.iter().any(reached) {
            self.store_unknown(variable);
        }
    }
}

/// The addresses and the runs of numbers of an initializer.
fn initial_fields(variable: &Variable) -> Vec<(Place, Source)> {
    let mut fields: Vec<(Place, Source)> = Vec::new();
    let mut start = 0;
    for item in variable.initializer.iter().flat_map(|initializer| &initializer.items) {
        let end = start + item.size();
        let source = match *item {
            InitializerItem::Value { .. } | InitializerItem::Zero(_) => Source::INTEGER,
            InitializerItem::Variable { variable, offset } => Source::variable(variable, offset),
            InitializerItem::Function { function, .. } => Source::certain(Root::Function(function)),
        };
        match fields.last_mut() {
            Some((run, Source::INTEGER)) if source == Source::INTEGER => run.end = end,
            _ => fields.push((Place { start, end }, source)),
        }
        start = end;
    }
    fields
}
