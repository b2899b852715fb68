//! Where lanes that have parted may be, by the rule that the earliest block goes first.
//!
//! Two lanes are looked at: the others do not change which of the two goes first. The lane whose next block is the
//! earlier one goes on while the other one waits, until both stand before the same block; from there on they are
//! together again. A state is such a pair of blocks. A lane that has returned waits at the exit for ever.

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::analysis::ControlFlowGraph;
use crate::module::BlockId;

/// The states that parted lanes may come to.
#[derive(Clone, Debug)]
pub(super) struct Apart {
    states: FxHashSet<(BlockId, BlockId)>,
    /// More states than this are not looked for.
    limit: usize,
    /// For each block, where lanes may wait while it executes.
    pub waiting: SecondaryMap<BlockId, SmallVec<[BlockId; 2]>>,
    /// For each block where a lane waits, those where the other one may wait when it goes on.
    pub followers: SecondaryMap<BlockId, SmallVec<[BlockId; 2]>>,
    /// States not yet taken note of: the block that executes, and the one where lanes wait.
    pub found: Vec<(BlockId, BlockId)>,
    /// Pairs of blocks where lanes wait after one another, not yet taken note of.
    pub followed: Vec<(BlockId, BlockId)>,
}

impl Apart {
    pub fn new(limit: usize) -> Self {
        Apart {
            states: FxHashSet::default(),
            limit,
            waiting: SecondaryMap::new(),
            followers: SecondaryMap::new(),
            found: vec![],
            followed: vec![],
        }
    }

    /// Some lanes go to one block, others to another one.
    pub fn part(&mut self, graph: &ControlFlowGraph, one: BlockId, other: BlockId) {
        let mut open = vec![(one.min(other), one.max(other))];
        while let Some((block, wait)) = open.pop().filter(|_| !self.is_exceeded()) {
            if block == wait || !self.states.insert((block, wait)) {
                continue;
            }
            self.waiting[block].push(wait);
            self.found.push((block, wait));
            for next in graph.successors(block) {
                if *next <= wait {
                    open.push((*next, wait));
                    continue;
                }
                open.push((wait, *next));
                if !self.followers[wait].contains(next) {
                    self.followers[wait].push(*next);
                    self.followed.push((wait, *next));
                }
            }
        }
    }

    /// Whether there are more states than are looked for, so that those found are not all.
    pub fn is_exceeded(&self) -> bool {
        self.states.len() > self.limit
    }
}
