//! Liveness: which registers a lane may still read.
//!
//! Registers are looked at as wholes: one of which only some elements are written stays live. What is said to be dead
//! is never read; what is said to be live need not be. This is liveness along the way of one lane. Where lanes share
//! the place of a register, the registers of those that wait count too: see [`Divergence::waiting`].
//!
//! [`Divergence::waiting`]: super::Divergence::waiting

use std::ops::Range;

use cranelift_entity::{EntityRef, SecondaryMap};
use smallvec::SmallVec;

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
        let uses = Uses::new(body, graph, body.registers.len(), |touch| {
            let register = touch.register.index();
            (register..register + 1, touch.is_whole(body))
        });
        let (ins, outs) = uses.live(graph);
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

/// Where each of some things is read and written: registers, or the elements of them.
pub(super) struct Uses<Thing: EntityRef> {
    /// Blocks that read it before they write it.
    exposed: SecondaryMap<Thing, Blocks>,
    /// Blocks that write all of it.
    killed: SecondaryMap<Thing, Blocks>,
    count: usize,
}

type Blocks = SmallVec<[BlockId; 4]>;

impl<Thing: EntityRef> Uses<Thing> {
    /// The uses of so many things. `touched` says which of them a touch concerns, and whether it is all of them.
    pub fn new(
        body: &Body,
        graph: &ControlFlowGraph,
        count: usize,
        touched: impl Fn(&Touch) -> (Range<usize>, bool),
    ) -> Self {
        let mut uses = Uses { exposed: SecondaryMap::new(), killed: SecondaryMap::new(), count };
        for block in keys(&body.blocks).filter(|block| graph.is_reachable(*block)) {
            for instruction in body.block_instructions(block) {
                let touches = touches(body, instruction);
                for read in touches.iter().filter(|touch| !touch.written) {
                    for thing in touched(read).0.map(Thing::new) {
                        if uses.killed[thing].last() != Some(&block) {
                            push_new(&mut uses.exposed[thing], block);
                        }
                    }
                }
                let surely = writes_surely(body, instruction);
                for write in touches.iter().filter(|touch| touch.written && surely) {
                    let (things, is_whole) = touched(write);
                    for thing in things.filter(|_| is_whole).map(Thing::new) {
                        push_new(&mut uses.killed[thing], block);
                    }
                }
            }
        }
        uses
    }

    /// What is live at the start and at the end of each block, in ascending order.
    pub fn live(&self, graph: &ControlFlowGraph) -> (LiveAt<Thing>, LiveAt<Thing>) {
        let mut walk = Walk { graph, ins: SecondaryMap::new(), outs: SecondaryMap::new(), open: vec![] };
        for thing in (0..self.count).map(Thing::new) {
            walk.run(thing, &self.exposed[thing], &self.killed[thing]);
        }
        (walk.ins, walk.outs)
    }
}

/// What is live at some place of each block.
pub(super) type LiveAt<Thing> = SecondaryMap<BlockId, Vec<Thing>>;

fn push_new(blocks: &mut Blocks, block: BlockId) {
    if blocks.last() != Some(&block) {
        blocks.push(block);
    }
}

/// A walk for one thing after another, so that what has come by a block last is the last that is live there.
struct Walk<'graph, Thing: EntityRef> {
    graph: &'graph ControlFlowGraph,
    ins: LiveAt<Thing>,
    outs: LiveAt<Thing>,
    open: Vec<BlockId>,
}

impl<Thing: EntityRef> Walk<'_, Thing> {
    fn run(&mut self, thing: Thing, exposed: &[BlockId], killed: &[BlockId]) {
        self.open.extend(exposed);
        while let Some(block) = self.open.pop() {
            if self.ins[block].last() == Some(&thing) {
                continue;
            }
            self.ins[block].push(thing);
            for before in self.graph.predecessors(block) {
                if self.outs[*before].last() != Some(&thing) {
                    self.outs[*before].push(thing);
                    if killed.binary_search(before).is_err() {
                        self.open.push(*before);
                    }
                }
            }
        }
    }
}
