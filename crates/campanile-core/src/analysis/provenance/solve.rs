//! Which sources reach which value: constraints between cells, solved up to the least fixed point.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_entity::{PrimaryMap, entity_impl};

use super::Effect;
use super::source::{Force, Root, Roots, Source, Sources, sum};
use crate::analysis::Witness;
use crate::isa::Space;
use crate::module::{InitializerItem, Linkage, VariableId};

/// Something that holds a value: an element of a register, the contents of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Cell(u32);
entity_impl!(Cell, "cell");

/// What a cell contains at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rule {
    /// The sources of another.
    Copy(Cell),
    /// The same, as something that is hardly an address any more.
    Doubtful(Cell),
    /// The same, loaded in pieces of at most 32 bits.
    Narrow(Cell),
    /// The sum of two.
    Sum(Cell, Cell),
}

/// An access to memory: where, and what it reads into or writes from.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The instruction.
    pub witness: Witness,
    /// The space that it names.
    pub space: Space,
    /// Its address.
    pub address: Cell,
    /// What it does there.
    pub effect: Effect,
    /// Width of what it reads, in bits.
    pub bits: u32,
    /// What it reads into.
    pub loads: Vec<Cell>,
    /// What it writes.
    pub stores: Vec<Cell>,
    /// Whether the address may lead anywhere in its space.
    pub wild: bool,
}

/// The cells with their constraints.
pub(super) struct Solver<'module> {
    pub roots: Roots<'module>,
    pub sites: Vec<Site>,
    cells: PrimaryMap<Cell, CellState>,
    rules: BTreeSet<(Cell, Rule)>,
    contents: BTreeMap<VariableId, Cell>,
    changed: Vec<Cell>,
}

#[derive(Default)]
struct CellState {
    sources: Sources,
    /// Rules that read it, each with the cell it speaks of.
    users: Vec<(Cell, Rule)>,
    /// Accesses whose address it is.
    addresses: Vec<usize>,
    /// Whether some rule may fill it.
    target: bool,
}

impl<'module> Solver<'module> {
    pub fn new(roots: Roots<'module>) -> Self {
        Solver {
            roots,
            sites: Vec::new(),
            cells: PrimaryMap::new(),
            rules: BTreeSet::new(),
            contents: BTreeMap::new(),
            changed: Vec::new(),
        }
    }

    /// A new cell, which nothing reaches yet.
    pub fn cell(&mut self) -> Cell {
        self.cells.push(CellState::default())
    }

    /// The sources of a cell.
    pub fn sources(&self, cell: Cell) -> &Sources {
        &self.cells[cell].sources
    }

    pub fn seed(&mut self, cell: Cell, source: Source) {
        self.cells[cell].target = true;
        if self.cells[cell].sources.insert(source) {
            self.changed.push(cell);
        }
    }

    pub fn rule(&mut self, target: Cell, rule: Rule) {
        if !self.rules.insert((target, rule)) {
            return;
        }
        self.cells[target].target = true;
        let (first, second) = match rule {
            Rule::Copy(from) | Rule::Doubtful(from) | Rule::Narrow(from) => (from, None),
            Rule::Sum(left, right) => (left, Some(right)),
        };
        for from in std::iter::once(first).chain(second) {
            self.cells[from].users.push((target, rule));
        }
        self.apply(target, rule);
    }

    pub fn site(&mut self, site: Site) {
        let index = self.sites.len();
        for cell in &site.loads {
            self.cells[*cell].target = true;
        }
        self.cells[site.address].addresses.push(index);
        self.sites.push(site);
        self.access(index);
    }

    fn apply(&mut self, target: Cell, rule: Rule) {
        let new: Vec<Source> = match rule {
            Rule::Copy(from) => self.cells[from].sources.iter().copied().collect(),
            Rule::Doubtful(from) => self.cells[from].sources.iter().map(|source| source.doubtful()).collect(),
            Rule::Narrow(from) => {
                let narrow = |source: &Source| match self.roots.fits_32_bits(source.root) {
                    true => *source,
                    false => source.doubtful(),
                };
                self.cells[from].sources.iter().map(narrow).collect()
            }
            Rule::Sum(left, right) => {
                sum(&self.cells[left].sources, &self.cells[right].sources).into_iter().collect()
            }
        };
        for source in new {
            self.seed(target, source);
        }
    }

    /// The cell of a variable's contents, which holds its initial contents from the start.
    fn contents(&mut self, variable: VariableId) -> Cell {
        if let Some(cell) = self.contents.get(&variable) {
            return *cell;
        }
        let cell = self.cell();
        self.contents.insert(variable, cell);
        let declared = &self.roots.module.variables[variable];
        for item in declared.initializer.iter().flat_map(|initializer| &initializer.items) {
            self.seed(
                cell,
                match *item {
                    InitializerItem::Value { .. } | InitializerItem::Zero(_) => Source::INTEGER,
                    InitializerItem::Variable { variable, .. } => Source::certain(Root::Variable(variable)),
                    InitializerItem::Function { function, .. } => Source::certain(Root::Function(function)),
                },
            );
        }
        // What outlives the launch can have been written by another one, or by the host.
        if declared.space == Space::Global || declared.linkage == Linkage::Imported {
            self.seed(cell, Source::UNKNOWN);
        }
        let wild = |site: &Site| site.wild && site.effect.writes;
        let spaces: Vec<Space> = self.sites.iter().filter(|site| wild(site)).map(|site| site.space).collect();
        if spaces.into_iter().any(|space| self.roots.may_reach(Root::Variable(variable), space)) {
            self.seed(cell, Source::UNKNOWN);
        }
        cell
    }

    /// Draws the consequences of what the address of an access is known to be.
    fn access(&mut self, index: usize) {
        let Site { space, address, bits, .. } = self.sites[index];
        for source in self.cells[address].sources.clone() {
            if !self.roots.may_reach(source.root, space) {
                continue;
            }
            match source.root {
                Root::Variable(variable) => {
                    let contents = self.contents(variable);
                    for target in self.sites[index].loads.clone() {
                        let rule = if bits > 32 { Rule::Copy(contents) } else { Rule::Narrow(contents) };
                        self.rule(target, rule);
                    }
                    for stored in self.sites[index].stores.clone() {
                        self.rule(contents, Rule::Copy(stored));
                    }
                }
                Root::Unknown => self.make_wild(index),
                Root::Parameter { .. } | Root::PrintfBuffer => self.load_unknown(index),
                Root::Integer | Root::Function(_) => {}
            }
        }
    }

    fn load_unknown(&mut self, index: usize) {
        for target in self.sites[index].loads.clone() {
            self.seed(target, Source::UNKNOWN);
        }
    }

    /// The access may lead anywhere in its space.
    fn make_wild(&mut self, index: usize) {
        let site = &mut self.sites[index];
        if std::mem::replace(&mut site.wild, true) {
            return;
        }
        let (space, writes) = (site.space, site.effect.writes);
        self.load_unknown(index);
        let known: Vec<(VariableId, Cell)> = self.contents.iter().map(|(id, cell)| (*id, *cell)).collect();
        for (variable, contents) in known {
            if writes && self.roots.may_reach(Root::Variable(variable), space) {
                self.seed(contents, Source::UNKNOWN);
            }
        }
    }

    /// Solves all constraints.
    pub fn solve(&mut self) {
        loop {
            self.propagate();
            if !(self.fill_empty() || self.find_wild()) {
                return;
            }
        }
    }

    fn propagate(&mut self) {
        while let Some(cell) = self.changed.pop() {
            for (target, rule) in self.cells[cell].users.clone() {
                self.apply(target, rule);
            }
            for site in self.cells[cell].addresses.clone() {
                self.access(site);
            }
        }
    }

    /// Values that nothing ever defines are numbers: first those without any definition and contents that are
    /// never written, then those that wait for one another in a circle.
    fn fill_empty(&mut self) -> bool {
        let empty: Vec<(Cell, bool)> = self
            .cells
            .iter()
            .filter(|(_, state)| state.sources.is_empty())
            .map(|(cell, state)| (cell, state.target))
            .collect();
        let undefined = empty.iter().any(|(_, target)| !target);
        for (cell, target) in &empty {
            if !(undefined && *target) {
                self.seed(*cell, Source::INTEGER);
            }
        }
        !empty.is_empty()
    }

    /// An access that no known object explains leads anywhere. One to a certain object of another space never runs:
    /// LLVM leaves such branches behind a test of the space.
    fn find_wild(&mut self) -> bool {
        let explained = |site: &Site| {
            let explains = |source: &Source| {
                source.force == Force::Certain || self.roots.may_reach(source.root, site.space)
            };
            self.sources(site.address).iter().any(explains)
        };
        let wild = |site: &Site| !site.wild && !explained(site);
        let found: Vec<usize> = (0..self.sites.len()).filter(|index| wild(&self.sites[*index])).collect();
        for index in &found {
            self.make_wild(*index);
        }
        !found.is_empty()
    }
}
