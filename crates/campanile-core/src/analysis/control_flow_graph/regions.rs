//! Loops: strongly connected regions, and those that remain inside when the edges to their entries are cut.

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};

use super::ControlFlowGraph;
use crate::module::BlockId;

/// A loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(u32);
entity_impl!(RegionId, "region");

/// Blocks each of which can reach all others.
#[derive(Clone, Debug)]
pub struct Region {
    /// The region around it.
    pub parent: Option<RegionId>,
    /// How many regions it lies in, itself included.
    pub depth: u32,
    /// The blocks where control enters it, in the order of the text.
    pub entries: Vec<BlockId>,
    /// All its blocks, those of inner regions too, in the order of the text.
    pub blocks: Vec<BlockId>,
}

impl Region {
    /// Whether control enters it at several blocks; otherwise it is a natural loop.
    pub fn is_irreducible(&self) -> bool {
        self.entries.len() > 1
    }
}

/// The loops of a body, outer ones before inner ones.
#[derive(Clone, Debug)]
pub struct Regions {
    /// The loops.
    pub all: PrimaryMap<RegionId, Region>,
    innermost: SecondaryMap<BlockId, Option<RegionId>>,
}

impl Regions {
    pub(super) fn new(graph: &ControlFlowGraph) -> Self {
        let mut regions = Regions { all: PrimaryMap::new(), innermost: SecondaryMap::new() };
        let mut search = Search::new(graph);
        let mut open = vec![(graph.reverse_post_order().to_vec(), None)];
        while let Some((blocks, parent)) = open.pop() {
            for mut blocks in search.components(&blocks) {
                blocks.sort_unstable();
                let entries = search.entries(&blocks);
                let depth = parent.map_or(0, |parent: RegionId| regions.all[parent].depth) + 1;
                for block in &blocks {
                    regions.innermost[*block] = Some(regions.all.next_key());
                }
                for entry in &entries {
                    search.cut[*entry] = true;
                }
                let inner = blocks.clone();
                let region = regions.all.push(Region { parent, depth, entries, blocks });
                open.push((inner, Some(region)));
            }
        }
        regions
    }

    /// The innermost loop around a block.
    pub fn innermost(&self, block: BlockId) -> Option<RegionId> {
        self.innermost[block]
    }

    /// How many loops a block lies in.
    pub fn depth(&self, block: BlockId) -> u32 {
        self.innermost(block).map_or(0, |region| self.all[region].depth)
    }

    /// Whether a block lies in a loop, or one inside it.
    pub fn contains(&self, region: RegionId, block: BlockId) -> bool {
        let mut around = self.innermost(block);
        while let Some(inner) = around.filter(|inner| *inner != region) {
            around = self.all[inner].parent;
        }
        around.is_some()
    }
}

/// Tarjan's algorithm on parts of the graph, with a stack of its own.
struct Search<'graph> {
    graph: &'graph ControlFlowGraph,
    /// Blocks whose incoming edges are cut.
    cut: SecondaryMap<BlockId, bool>,
    /// The part that each block is in, as far as the search has come.
    parts: SecondaryMap<BlockId, u32>,
    part: u32,
    /// The least number reached from each block; numbers grow from search to search.
    low: SecondaryMap<BlockId, u32>,
    number: u32,
}

impl<'graph> Search<'graph> {
    fn new(graph: &'graph ControlFlowGraph) -> Self {
        let (parts, low) = (SecondaryMap::new(), SecondaryMap::new());
        Search { graph, cut: SecondaryMap::new(), parts, part: 0, low, number: 0 }
    }

    /// The edges of a block that are not cut and stay in the part under search.
    fn edges(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        let next = self.graph.successors(block).iter().copied();
        next.filter(|next| !self.cut[*next] && self.parts[*next] == self.part)
    }

    /// The strongly connected components of some blocks that hold an edge.
    fn components(&mut self, blocks: &[BlockId]) -> Vec<Vec<BlockId>> {
        self.part += 1;
        for block in blocks {
            self.parts[*block] = self.part;
            self.low[*block] = 0;
        }
        let mut found = Vec::new();
        for block in blocks {
            if self.low[*block] == 0 {
                self.visit(*block, &mut found);
            }
        }
        found
    }

    fn visit(&mut self, first: BlockId, found: &mut Vec<Vec<BlockId>>) {
        let mut stack = Vec::new();
        let mut frames: Vec<(BlockId, u32, usize)> = vec![self.enter(first, &mut stack)];
        while let Some((block, number, looked_at)) = frames.last_mut() {
            let (block, number) = (*block, *number);
            let next = self.edges(block).nth(*looked_at);
            if let Some(next) = next {
                match self.low[next] {
                    0 => {
                        let frame = self.enter(next, &mut stack);
                        frames.push(frame);
                        continue;
                    }
                    low => self.low[block] = self.low[block].min(low),
                }
                *looked_at += 1;
                continue;
            }
            if self.low[block] == number {
                let start = stack.iter().rposition(|open| *open == block).unwrap_or_default();
                let component = stack.split_off(start);
                if component.len() > 1 || self.edges(block).any(|next| next == block) {
                    found.push(component.clone());
                }
                for closed in component {
                    self.low[closed] = u32::MAX;
                }
            }
            frames.pop();
        }
    }

    fn enter(&mut self, block: BlockId, stack: &mut Vec<BlockId>) -> (BlockId, u32, usize) {
        self.number += 1;
        self.low[block] = self.number;
        stack.push(block);
        (block, self.number, 0)
    }

    /// The blocks of a component where control comes in from outside it.
    fn entries(&mut self, component: &[BlockId]) -> Vec<BlockId> {
        self.part += 1;
        for block in component {
            self.parts[*block] = self.part;
        }
        let enters = |block: &BlockId| {
            let mut before = self.graph.predecessors(*block).iter();
            *block == BlockId::new(0) || before.any(|before| self.parts[*before] != self.part)
        };
        component.iter().copied().filter(enters).collect()
    }
}
