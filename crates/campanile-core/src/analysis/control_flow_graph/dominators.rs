//! Dominators, by the semi-NCA method: no recursion, and in practice linear even for long chains with many ways out.

use cranelift_entity::SecondaryMap;

use super::Neighbours;
use crate::module::BlockId;

/// Dominators of a graph from a root, or post-dominators if its edges are taken backwards.
#[derive(Clone, Debug)]
pub struct Dominators {
    parents: SecondaryMap<BlockId, Option<BlockId>>,
    /// The numbers of the blocks that each dominates, itself first; numbers begin with one.
    ranges: SecondaryMap<BlockId, (u32, u32)>,
}

impl Dominators {
    pub(super) fn new(
        root: BlockId,
        successors: &SecondaryMap<BlockId, Neighbours>,
        predecessors: &SecondaryMap<BlockId, Neighbours>,
    ) -> Self {
        let tree = SearchTree::new(root, successors);
        let parents = tree.immediate_dominators(predecessors);
        Dominators::of_tree(&tree.blocks, &parents)
    }

    /// Numbers the blocks so that those below one another are adjacent. A parent has a lower index than its children.
    fn of_tree(blocks: &[BlockId], parents: &[u32]) -> Self {
        let mut sizes = vec![1; blocks.len()];
        for index in (1..blocks.len()).rev() {
            sizes[parents[index] as usize] += sizes[index];
        }
        let mut next = vec![1; blocks.len()];
        let mut dominators = Dominators { parents: SecondaryMap::new(), ranges: SecondaryMap::new() };
        for (index, block) in blocks.iter().enumerate() {
            let parent = parents[index] as usize;
            let number = next[parent];
            if index > 0 {
                dominators.parents[*block] = Some(blocks[parent]);
                next[parent] += sizes[index];
            }
            next[index] = number + 1;
            dominators.ranges[*block] = (number, number + sizes[index]);
        }
        dominators
    }

    /// The nearest other block that dominates a block; none for the root and for what it does not reach.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.parents[block]
    }

    /// Whether every way from the root to `below` goes through `above`, which may be the same block. False for blocks
    /// that the root does not reach.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        let ((first, end), (number, _)) = (self.ranges[above], self.ranges[below]);
        (first..end).contains(&number) && number > 0
    }
}

/// A depth-first search from the root: blocks by the order of their discovery.
struct SearchTree {
    blocks: Vec<BlockId>,
    indices: SecondaryMap<BlockId, Option<u32>>,
    parents: Vec<u32>,
}

impl SearchTree {
    fn new(root: BlockId, successors: &SecondaryMap<BlockId, Neighbours>) -> Self {
        let mut tree = SearchTree { blocks: vec![], indices: SecondaryMap::new(), parents: vec![] };
        let mut open = vec![(root, 0)];
        while let Some((block, parent)) = open.pop() {
            if tree.indices[block].is_some() {
                continue;
            }
            let index = tree.blocks.len() as u32;
            tree.indices[block] = Some(index);
            tree.blocks.push(block);
            tree.parents.push(parent);
            open.extend(successors[block].iter().map(|next| (*next, index)));
        }
        tree
    }

    fn immediate_dominators(&self, predecessors: &SecondaryMap<BlockId, Neighbours>) -> Vec<u32> {
        let count = self.blocks.len();
        let mut forest = Forest {
            ancestors: self.parents.clone(),
            labels: (0..count as u32).collect(),
            semi: (0..count as u32).collect(),
            path: vec![],
        };
        for index in (1..count as u32).rev() {
            let mut least = index;
            for before in &predecessors[self.blocks[index as usize]] {
                let Some(before) = self.indices[*before] else { continue };
                let label = forest.best(before, index + 1);
                least = least.min(forest.semi[label as usize]);
            }
            forest.semi[index as usize] = least;
        }
        let mut dominators = self.parents.clone();
        for index in 1..count {
            let mut above = dominators[index];
            while above > forest.semi[index] {
                above = dominators[above as usize];
            }
            dominators[index] = above;
        }
        dominators
    }
}

/// The part of the search tree that has been worked through, with shortened paths.
struct Forest {
    ancestors: Vec<u32>,
    labels: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The block with the least semi-dominator from `index` up to the last one that is not below `linked`.
    fn best(&mut self, index: u32, linked: u32) -> u32 {
        if index < linked {
            return index;
        }
        let mut top = index;
        while self.ancestors[top as usize] >= linked {
            self.path.push(top);
            top = self.ancestors[top as usize];
        }
        let mut above = top;
        while let Some(below) = self.path.pop() {
            let (candidate, own) = (self.labels[above as usize], self.labels[below as usize]);
            if self.semi[candidate as usize] < self.semi[own as usize] {
                self.labels[below as usize] = candidate;
            }
            self.ancestors[below as usize] = self.ancestors[top as usize];
            above = below;
        }
        self.labels[index as usize]
    }
}
