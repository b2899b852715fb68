//! Activations of functions, and the rule by which diverged lanes meet again.
//!
//! Blocks have the order of the text. The lanes of an activation each have a next block; those whose next block is the
//! earliest go on, all together, and the others wait. Lanes thus meet at the earliest common point.

use smallvec::SmallVec;

/// Lanes that wait, by the block they wait to enter.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// Blocks with their lanes, the latest block first.
    blocks: SmallVec<[(u32, u32); 4]>,
}

impl Waiting {
    /// Adds lanes that wait for a block.
    pub fn add(&mut self, block: u32, lanes: u32) {
        if lanes == 0 {
            return;
        }
        let later = self.blocks.partition_point(|(other, _)| *other > block);
        match self.blocks.get_mut(later) {
            Some((other, waiting)) if *other == block => *waiting |= lanes,
            _ => self.blocks.insert(later, (block, lanes)),
        }
    }

    /// Takes the lanes that wait for the earliest block.
    pub fn take_earliest(&mut self) -> Option<(u32, u32)> {
        self.blocks.pop()
    }

    /// The earliest block that lanes wait for.
    pub fn earliest(&self) -> Option<u32> {
        self.blocks.last().map(|(block, _)| *block)
    }

    /// Whether none wait.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// All lanes that wait.
    pub fn lanes(&self) -> u32 {
        self.blocks.iter().fold(0, |all, (_, lanes)| all | lanes)
    }
}

/// An activation of a function or of the kernel, by some lanes together.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The code, by index.
    pub code: u32,
    /// Its first slot among the registers.
    pub base: usize,
    /// Where its private variables begin.
    pub private: u64,
    /// The lanes that entered it.
    pub lanes: u32,
    /// The lanes that execute now.
    pub active: u32,
    /// The block that they execute.
    pub block: u32,
    /// The step in it that is next; a call in progress stands at its own.
    pub step: u32,
    /// The other lanes that have not returned.
    pub waiting: Waiting,
    /// In a call: the lanes that have not made it, or not come back from it.
    pub calling: u32,
    /// Where the caller wants the value: its first slot.
    pub result: Option<usize>,
    /// Lanes that wait at a barrier for other lanes of the sub-group.
    pub parked: u32,
    /// The barrier's step.
    pub parked_step: u32,
    /// The block that the barrier stands in.
    pub parked_block: u32,
    /// Whether it goes on with the waiting lanes of the kernel's own activation, while others wait at a barrier.
    pub continues_kernel: bool,
}

impl Frame {
    /// An activation at the start of a function.
    pub fn new(code: u32, base: usize, private: u64, lanes: u32) -> Self {
        Frame {
            code,
            base,
            private,
            lanes,
            active: lanes,
            block: 0,
            step: 0,
            waiting: Waiting::default(),
            calling: 0,
            result: None,
            parked: 0,
            parked_step: 0,
            parked_block: 0,
            continues_kernel: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_block_goes_first() {
        let mut waiting = Waiting::default();
        waiting.add(5, 0b0001);
        waiting.add(2, 0b0010);
        waiting.add(5, 0b0100);
        waiting.add(9, 0b1000);
        waiting.add(1, 0);
        assert_eq!(waiting.lanes(), 0b1111);
        assert_eq!(waiting.take_earliest(), Some((2, 0b0010)));
        assert_eq!(waiting.take_earliest(), Some((5, 0b0101)));
        assert_eq!(waiting.take_earliest(), Some((9, 0b1000)));
        assert!(waiting.is_empty());
    }
}
