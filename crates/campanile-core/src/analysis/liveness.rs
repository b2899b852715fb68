//! Liveness: which registers a lane may still read.
//!
//! Registers are looked at as wholes: one of which only some elements are written stays live. What is said to be dead
//! is never read; what is said to be live need not be. This is liveness along the way of one lane. Where lanes share
//! the place of a register, the registers of those that wait count too: see [`Divergence::waiting`].
//!
//! [`Divergence::waiting`]: super::Divergence::waiting

use cranelift_entity::{PrimaryMap, SecondaryMap};

use super::ControlFlowGraph;
use super::touches::{Touch, touches, writes_surely};
use crate::isa::{ControlFlow, Opcode};
use crate::module::{BlockId, Body, Instruction, RegisterId, keys};

/// The live registers of a body.
#[derive(Clone, Debug)]
pub struct Liveness {
    ins: SecondaryMap<BlockId, Vec<RegisterId>>,
    outs: SecondaryMap<BlockId, Vec<RegisterId>>,
}

impl Liveness {
    /// The live registers of a body, by walks from each read back to the writes: the cost is that of the answer.
    pub fn new(body: &Body, graph: &ControlFlowGraph) -> Self {
        let uses = Uses::new(body, graph);
        let (mut ins, mut outs) = (SecondaryMap::new(), SecondaryMap::new());
        let mut walk = Walk { graph, entered: SecondaryMap::new(), left: SecondaryMap::new(), open: vec![] };
        for register in keys(&body.registers) {
            walk.run(register, &uses, &mut ins, &mut outs);
        }
        Liveness { ins, outs }
    }

    /// The registers that may be read before they are written, from the start of a block on, in ascending order.
    pub fn live_in(&self, block: BlockId) -> &[RegisterId] {
        &self.ins[block]
    }

    /// The registers that may be read after the end of a block, in ascending order.
    pub fn live_out(&self, block: BlockId) -> &[RegisterId] {
        &self.outs[block]
    }

    /// The registers that may be read after the instruction of a block with this index, in ascending order.
    pub fn live_after(&self, body: &Body, block: BlockId, index: usize) -> Vec<RegisterId> {
        let mut live = self.outs[block].clone();
        for instruction in body.block_instructions(block).iter().skip(index + 1).rev() {
            live_before(body, instruction, &mut live);
        }
        live
    }

    /// Each call of a block, by the index of its instruction, with the registers whose values have to survive it: those
    /// live after it, without the one it surely writes. In ascending order of registers; the last call comes first.
    pub fn across_calls(&self, body: &Body, block: BlockId) -> Vec<(u32, Vec<RegisterId>)> {
        let mut live: Vec<RegisterId> = self.outs[block].clone();
        let mut found = Vec::new();
        for (index, instruction) in body.block_instructions(block).iter().enumerate().rev() {
            if instruction.op.opcode() == Opcode::ControlFlow(ControlFlow::Call) {
                let mut survivors = live.clone();
                kill(body, instruction, &mut survivors);
                found.push((body.blocks[block].first + index as u32, survivors));
            }
            live_before(body, instruction, &mut live);
        }
        found
    }
}

/// Makes of what is live after an instruction what is live before it.
fn live_before(body: &Body, instruction: &Instruction, live: &mut Vec<RegisterId>) {
    kill(body, instruction, live);
    for read in touches(body, instruction).iter().filter(|touch| !touch.written) {
        if let Err(place) = live.binary_search(&read.register) {
            live.insert(place, read.register);
        }
    }
}

/// Takes out what an instruction surely writes.
fn kill(body: &Body, instruction: &Instruction, live: &mut Vec<RegisterId>) {
    for killed in touches(body, instruction).iter().filter(|touch| kills(body, instruction, touch)) {
        if let Ok(place) = live.binary_search(&killed.register) {
            live.remove(place);
        }
    }
}

/// Whether a write leaves nothing of what the register held.
fn kills(body: &Body, instruction: &Instruction, touch: &Touch) -> bool {
    touch.written && touch.is_whole(body) && writes_surely(body, instruction)
}

/// Where each register is read and written.
struct Uses {
    /// Blocks that read a register before they write it.
    exposed: PrimaryMap<RegisterId, Vec<BlockId>>,
    /// Blocks that write all of a register.
    killed: PrimaryMap<RegisterId, Vec<BlockId>>,
}

impl Uses {
    fn new(body: &Body, graph: &ControlFlowGraph) -> Self {
        let none = || keys(&body.registers).map(|_| Vec::new()).collect();
        let mut uses = Uses { exposed: none(), killed: none() };
        for block in keys(&body.blocks).filter(|block| graph.is_reachable(*block)) {
            for instruction in body.block_instructions(block) {
                let touches = touches(body, instruction);
                for read in touches.iter().filter(|touch| !touch.written) {
                    if uses.killed[read.register].last() != Some(&block) {
                        push_new(&mut uses.exposed[read.register], block);
                    }
                }
                for write in touches.iter().filter(|touch| kills(body, instruction, touch)) {
                    push_new(&mut uses.killed[write.register], block);
                }
            }
        }
        uses
    }
}

fn push_new(blocks: &mut Vec<BlockId>, block: BlockId) {
    if blocks.last() != Some(&block) {
        blocks.push(block);
    }
}

/// A walk for one register after another; blocks carry the mark of the last one that came by.
struct Walk<'graph> {
    graph: &'graph ControlFlowGraph,
    entered: SecondaryMap<BlockId, Option<RegisterId>>,
    left: SecondaryMap<BlockId, Option<RegisterId>>,
    open: Vec<BlockId>,
}

impl Walk<'_> {
    fn run(
        &mut self,
        register: RegisterId,
        uses: &Uses,
        ins: &mut SecondaryMap<BlockId, Vec<RegisterId>>,
        outs: &mut SecondaryMap<BlockId, Vec<RegisterId>>,
    ) {
        let killed = &uses.killed[register];
        self.open.extend(&uses.exposed[register]);
        while let Some(block) = self.open.pop() {
            if self.entered[block].replace(register) == Some(register) {
                continue;
            }
            ins[block].push(register);
            for before in self.graph.predecessors(block) {
                if self.left[*before].replace(register) != Some(register) {
                    outs[*before].push(register);
                    if killed.binary_search(before).is_err() {
                        self.open.push(*before);
                    }
                }
            }
        }
    }
}
