//! Sub-group operations whose results depend on where lanes that have parted come together again.
//!
//! PISA says where that is. Compilers for devices decide it themselves: lanes that have parted at a branch and follow it to an
//! operation are the same everywhere, but where ways come together before all lanes do, it is open who is there.

use cranelift_entity::EntityRef;

use super::{BodyDivergence, ControlFlowGraph};
use crate::isa::{Opcode, SpecialRegister};
use crate::module::{BlockId, Body, Instruction, Operand, keys};

/// Whether an instruction depends on which other lanes are active. A lane's own number does not.
pub fn asks_others(instruction: &Instruction, operands: &[Operand]) -> bool {
    matches!(instruction.op.opcode(), Opcode::CrossLane(_))
        || operands.iter().any(|operand| operand.reads(&[SpecialRegister::ActiveMask]))
}

/// The instructions of a body that ask other lanes behind a place where some, but not all, have come together.
pub fn rejoined<'b>(
    body: &'b Body,
    graph: &ControlFlowGraph,
    facts: &BodyDivergence,
) -> Vec<&'b Instruction> {
    let asks = |instruction: &&Instruction| asks_others(instruction, body.operands(instruction));
    let blocks = partly_joined(body, graph, facts).into_iter();
    blocks.flat_map(|block| body.block_instructions(block).iter().filter(asks)).collect()
}

/// The blocks that some lanes may execute without the others, after ways have come together.
fn partly_joined(body: &Body, graph: &ControlFlowGraph, facts: &BodyDivergence) -> Vec<BlockId> {
    let is_partial = |block: BlockId| facts.has_given_up() || !facts.is_full(block);
    let mut joins = vec![false; body.blocks.len()];
    let mut open: Vec<BlockId> = graph
        .reverse_post_order()
        .iter()
        .copied()
        .filter(|block| is_partial(*block) && graph.predecessors(*block).len() > 1)
        .collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut joins[block.index()], true) {
            open.extend(graph.successors(block).iter().filter(|next| is_partial(**next)));
        }
    }
    keys(&body.blocks).filter(|block| joins[block.index()]).collect()
}
