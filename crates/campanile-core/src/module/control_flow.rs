//! Where control goes between the blocks of a body.

use super::body::{BlockId, Body};
use super::keys;
use super::operand::Operand;
use crate::isa::{ControlFlow, Opcode};

impl Body {
    /// The blocks that control can go to from the end of `block`: the target of a `goto`, then the next block in
    /// the text if control can fall through. A `return` goes nowhere.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        let last = self.block_instructions(block).last();
        let is = |opcode| last.is_some_and(|last| last.op.opcode() == Opcode::ControlFlow(opcode));
        let conditional = last.is_some_and(|last| last.op.has("cond"));
        let target = last.filter(|_| is(ControlFlow::Goto)).and_then(|last| {
            self.operands(last).iter().find_map(|operand| match operand {
                Operand::Block(target) => Some(*target),
                _ => None,
            })
        });
        let falls = conditional || !(is(ControlFlow::Goto) || is(ControlFlow::Return));
        let next = BlockId::from_u32(block.as_u32() + 1);
        let next = (falls && self.blocks.is_valid(next)).then_some(next);
        target.into_iter().chain(next)
    }

    /// For each block, whether control can reach it from the start.
    pub fn reachable_blocks(&self) -> Vec<bool> {
        let mut reached = vec![false; self.blocks.len()];
        let mut open: Vec<BlockId> = keys(&self.blocks).take(1).collect();
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut reached[block.as_u32() as usize], true) {
                open.extend(self.successors(block));
            }
        }
        reached
    }
}
