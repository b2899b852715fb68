//! The control-flow graph of a body: edges both ways, an order, dominators, loops.
//!
//! The last block of a body has no instructions: it is the exit, and every `return` leads there. Blocks that control
//! cannot reach from the start are no part of the graph.

mod dominators;
mod regions;

use cranelift_entity::{EntityRef, SecondaryMap};
use smallvec::SmallVec;

pub use dominators::Dominators;
pub use regions::{Region, RegionId, Regions};

use crate::isa::{ControlFlow, Opcode};
use crate::module::{BlockId, Body, keys};

/// Blocks that follow, or go before, a block.
type Neighbours = SmallVec<[BlockId; 2]>;

/// The edges between the blocks of a body that control can reach.
#[derive(Clone, Debug)]
pub struct ControlFlowGraph {
    successors: SecondaryMap<BlockId, Neighbours>,
    predecessors: SecondaryMap<BlockId, Neighbours>,
    order: Vec<BlockId>,
    /// The place of each block in the order.
    places: SecondaryMap<BlockId, Option<u32>>,
    exit: BlockId,
}

impl ControlFlowGraph {
    /// The graph of a body.
    pub fn new(body: &Body) -> Self {
        let exit = BlockId::new(body.blocks.len().saturating_sub(1));
        let mut successors: SecondaryMap<BlockId, Neighbours> = SecondaryMap::new();
        for block in keys(&body.blocks) {
            let last = body.block_instructions(block).last();
            let returns = last.filter(|last| last.op.opcode() == Opcode::ControlFlow(ControlFlow::Return));
            for next in body.successors(block).chain(returns.map(|_| exit)) {
                if !successors[block].contains(&next) {
                    successors[block].push(next);
                }
            }
        }
        let order = reverse_post_order(&successors);
        let mut predecessors: SecondaryMap<BlockId, Neighbours> = SecondaryMap::new();
        let mut places = SecondaryMap::new();
        for (place, block) in order.iter().enumerate() {
            places[*block] = Some(place as u32);
            for next in &successors[*block] {
                predecessors[*next].push(*block);
            }
        }
        ControlFlowGraph { successors, predecessors, order, places, exit }
    }

    /// Where control goes from a block: the target of its `goto` first, then the next block of the text, then the exit.
    /// No block stands there twice.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block]
    }

    /// The reachable blocks that control comes from.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block]
    }

    /// The reachable blocks, each before all it leads to, save by edges back in a depth-first search.
    pub fn reverse_post_order(&self) -> &[BlockId] {
        &self.order
    }

    /// The place of a block in the reverse post-order; none for a block that control cannot reach.
    pub fn place(&self, block: BlockId) -> Option<usize> {
        self.places[block].map(|place| place as usize)
    }

    /// Whether control can reach a block.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.places[block].is_some()
    }

    /// The last block, which stands for the end of the function.
    pub fn exit(&self) -> BlockId {
        self.exit
    }

    /// Which blocks every way from the start to a block goes through.
    pub fn dominators(&self) -> Dominators {
        let start = BlockId::new(0);
        Dominators::new(start, &self.successors, &self.predecessors)
    }

    /// Which blocks every way from a block to the exit goes through. Blocks that never get there have none.
    pub fn post_dominators(&self) -> Dominators {
        Dominators::new(self.exit, &self.predecessors, &self.successors)
    }

    /// The loops.
    pub fn regions(&self) -> Regions {
        Regions::new(self)
    }
}

fn reverse_post_order(successors: &SecondaryMap<BlockId, Neighbours>) -> Vec<BlockId> {
    let start = BlockId::new(0);
    let mut seen: SecondaryMap<BlockId, bool> = SecondaryMap::new();
    let mut order = Vec::new();
    // Blocks under way, each with the number of successors that have not been looked at.
    let mut open = vec![(start, successors[start].len())];
    seen[start] = true;
    while let Some((block, left)) = open.last_mut() {
        let block = *block;
        if *left == 0 {
            order.push(block);
            open.pop();
            continue;
        }
        *left -= 1;
        let next = successors[block][*left];
        if !std::mem::replace(&mut seen[next], true) {
            open.push((next, successors[next].len()));
        }
    }
    order.reverse();
    order
}
