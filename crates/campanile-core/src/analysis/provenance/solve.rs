//! Which sources reach which value: constraints between cells, solved up to the least fixed point.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Effect;
use super::contents::{Contents, Place};
use super::source::{Force, Root, Roots, Source};
use super::sources::{Sources, difference, indexed, mixed, sum};
use crate::analysis::Witness;
use crate::isa::Space;
use crate::module::VariableId;

/// Offsets of one variable that a cell tells apart: in a loop there is no end of them.
const OFFSETS: usize = 16;

/// Something that holds a value: an element of a register, the contents of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Cell(u32);
entity_impl!(Cell, "cell");

/// The cells of an operand, one for each element.
pub(super) type Cells = SmallVec<[Cell; 4]>;

/// What a cell contains at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Rule {
    /// The sources of another.
    Copy(Cell),
    /// The same, so many bytes further.
    Shift(Cell, i64),
    /// The same at unknown distances.
    Somewhere(Cell),
    /// The same as parts of a whole, or a whole of which they are parts.
    Joined(Cell),
    /// The same, as something that is hardly an address any more.
    Doubtful(Cell),
    /// The same, loaded in pieces of at most 32 bits.
    Narrow(Cell),
    /// The sum of two.
    Sum(Cell, Cell),
    /// The sum of two, of which the first one stands in the place of the base.
    Index(Cell, Cell),
    /// The difference of two.
    Difference(Cell, Cell),
    /// Bits of two.
    Mix(Cell, Cell),
}

impl Rule {
    /// The cells that it reads.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        let (first, second) = match self {
            Rule::Copy(from)
            | Rule::Shift(from, _)
            | Rule::Somewhere(from)
            | Rule::Joined(from)
            | Rule::Doubtful(from)
            | Rule::Narrow(from) => (from, None),
            Rule::Sum(left, right)
            | Rule::Index(left, right)
            | Rule::Difference(left, right)
            | Rule::Mix(left, right) => (left, Some(right)),
        };
        std::iter::once(first).chain(second)
    }
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
    /// Size of each element that it reads or writes; none if it may reach all of the object.
    pub bytes: Option<u32>,
    /// What it reads into.
    pub loads: Cells,
    /// What it writes.
    pub stores: Cells,
    /// Whether the address may lead anywhere in its space.
    pub wild: bool,
}

impl Site {
    /// Whether what it writes depends on what was there.
    fn modifies(&self) -> bool {
        self.effect.reads && self.effect.writes
    }

    /// The bytes of an element that it touches at an offset of a variable of a size; none if it may touch any.
    fn place(&self, offset: Option<i64>, element: usize, size: u64) -> Option<Place> {
        let bytes = u64::from(self.bytes?);
        // The operands of an atomic concern one element.
        let before = if self.modifies() { 0 } else { bytes * element as u64 };
        let start = u64::try_from(offset?).ok()?.checked_add(before)?;
        let end = start.checked_add(bytes).filter(|end| *end <= size)?;
        Some(Place { start, end })
    }
}

/// The cells with their constraints.
pub(super) struct Solver<'module> {
    pub roots: Roots<'module>,
    pub sites: Vec<Site>,
    cells: PrimaryMap<Cell, CellState>,
    /// Each with the instruction that it was first drawn from.
    pub(super) rules: FxHashMap<(Cell, Rule), Option<Witness>>,
    /// The instructions that load parameters, by position.
    pub(super) loaded: BTreeMap<(Cell, u32), Witness>,
    /// The instruction that constraints are drawn from.
    pub at: Option<Witness>,
    pub(super) contents: BTreeMap<VariableId, Contents>,
    changed: Vec<Cell>,
}

#[derive(Default)]
struct CellState {
    sources: Sources,
    /// Rules that read it, each with the cell it speaks of.
    users: SmallVec<[(Cell, Rule); 1]>,
    /// Accesses whose address it is.
    addresses: SmallVec<[usize; 1]>,
    /// Whether some rule may fill it.
    target: bool,
}

impl<'module> Solver<'module> {
    pub fn new(roots: Roots<'module>) -> Self {
        Solver {
            roots,
            sites: Vec::new(),
            cells: PrimaryMap::new(),
            rules: FxHashMap::default(),
            loaded: BTreeMap::new(),
            at: None,
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
        let state = &mut self.cells[cell];
        state.target = true;
        if state.sources.insert(bounded(&state.sources, source)) {
            self.changed.push(cell);
        }
    }

    pub fn rule(&mut self, target: Cell, rule: Rule) {
        match self.rules.entry((target, rule)) {
            Entry::Occupied(_) => return,
            Entry::Vacant(vacant) => vacant.insert(self.at),
        };
        self.cells[target].target = true;
        for from in rule.cells() {
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
        // Whatever is done to numbers, it is a number that comes of it.
        if rule.cells().all(|from| self.cells[from].sources.is_number()) {
            return self.seed(target, Source::INTEGER);
        }
        let sources = |from: Cell| &self.cells[from].sources;
        match rule {
            Rule::Copy(from) => self.seed_each(target, from, |_, source| source),
            Rule::Shift(from, bytes) => self.seed_each(target, from, |_, source| source.shifted(bytes)),
            Rule::Somewhere(from) => self.seed_each(target, from, |_, source| source.somewhere()),
            Rule::Joined(from) => self.seed_each(target, from, |_, source| source.joined()),
            Rule::Doubtful(from) => self.seed_each(target, from, Roots::doubtful),
            Rule::Narrow(from) => self.seed_each(target, from, Roots::narrow),
            Rule::Sum(left, right) => self.seed_all(target, sum(sources(left), sources(right))),
            Rule::Index(base, offset) => self.seed_all(target, indexed(sources(base), sources(offset))),
            Rule::Difference(left, right) => self.seed_all(target, difference(sources(left), sources(right))),
            Rule::Mix(left, right) => self.seed_all(target, mixed(sources(left), sources(right))),
        }
    }

    fn seed_each(&mut self, target: Cell, from: Cell, change: impl Fn(&Roots<'module>, Source) -> Source) {
        for source in self.cells[from].sources.clone().iter() {
            self.seed(target, change(&self.roots, *source));
        }
    }

    fn seed_all(&mut self, target: Cell, sources: Sources) {
        sources.iter().for_each(|source| self.seed(target, *source));
    }

    /// Draws the consequences of what the address of an access is known to be.
    fn access(&mut self, index: usize) {
        let Site { witness, space, address, .. } = self.sites[index];
        self.at = Some(witness);
        for source in self.cells[address].sources.clone().iter() {
            if !self.roots.may_reach(source.root, space) {
                continue;
            }
            match source.root {
                Root::Variable(variable) => self.access_variable(index, variable, source.offset),
                Root::Unknown => self.make_wild(index),
                Root::Parameter { .. } | Root::PrintfBuffer => self.load_unknown(index),
                Root::Integer | Root::Function(_) => {}
            }
        }
    }

    fn access_variable(&mut self, index: usize, variable: VariableId, offset: Option<i64>) {
        let site = self.sites[index].clone();
        let whole = self.roots.module.variables[variable].size;
        for (element, target) in site.loads.iter().enumerate() {
            self.load(variable, site.place(offset, element, whole), site.bytes, *target);
        }
        for (element, stored) in site.stores.iter().enumerate() {
            self.store(variable, site.place(offset, element, whole), *stored);
        }
        if site.modifies() {
            self.loosen(variable);
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
        let known: Vec<VariableId> = self.contents.keys().copied().collect();
        for variable in known {
            if writes && self.roots.may_reach(Root::Variable(variable), space) {
                self.store_unknown(variable);
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
            // Those that come meanwhile are followed when they come.
            for index in 0..self.cells[cell].users.len() {
                let (target, rule) = self.cells[cell].users[index];
                self.apply(target, rule);
            }
            for index in 0..self.cells[cell].addresses.len() {
                self.access(self.cells[cell].addresses[index]);
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

/// A source as a cell with these takes it: beyond so many offsets of a variable, it may lie anywhere there.
fn bounded(sources: &Sources, source: Source) -> Source {
    let somewhere = source.somewhere();
    if source == somewhere || sources.contains(&source) {
        return source;
    }
    let known = sources.between(&somewhere, &Source { offset: Some(i64::MAX), ..source });
    if sources.contains(&somewhere) || known.len() >= OFFSETS { somewhere } else { source }
}
