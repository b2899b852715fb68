//! The analysis of a body: shapes flow along its edges, and branches that diverge make lanes part.
//!
//! A shape at the start of a block speaks of lanes that execute it together. They may have come together along one edge;
//! then what held at its start holds. Or they have been apart: then what none of them wrote meanwhile is as it was, and
//! everything else they got at different times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use cranelift_entity::{EntityRef, SecondaryMap};

use super::apart::Apart;
use super::shape::Shape;
use super::transfer::Transfer;
use super::values::{Values, join};
use super::{BodyDivergence, Entry};
use crate::analysis::touches::touches;
use crate::analysis::{ControlFlowGraph, Liveness};
use crate::isa::{ControlFlow, Opcode};
use crate::module::{BlockId, Body, Instruction, RegisterId, keys};

/// More states than this, and as many for each block, are not looked at: all lanes count as parted then.
const STATES: (usize, usize) = (1 << 20, 64);

/// An analysis under way.
pub(super) struct Solver<'a> {
    transfer: Transfer<'a>,
    body: &'a Body,
    entry: &'a Entry,
    graph: ControlFlowGraph,
    liveness: Liveness,
    /// The registers that each block writes, in ascending order.
    written: SecondaryMap<BlockId, Vec<RegisterId>>,
    synchronizing: SecondaryMap<BlockId, bool>,
    apart: Apart,
    values: Values,
    queue: BinaryHeap<Reverse<(usize, BlockId)>>,
    queued: SecondaryMap<BlockId, bool>,
    found: BodyDivergence,
}

impl<'a> Solver<'a> {
    /// Prepares the analysis.
    pub fn new(transfer: Transfer<'a>, entry: &'a Entry) -> Self {
        let body = transfer.body;
        let graph = ControlFlowGraph::new(body);
        let liveness = Liveness::new(body, &graph);
        let mut found = BodyDivergence::new(transfer.elements.clone(), entry.whole);
        let (mut written, mut synchronizing) = (SecondaryMap::new(), SecondaryMap::new());
        for block in keys(&body.blocks).filter(|block| graph.is_reachable(*block)) {
            let instructions = body.block_instructions(block);
            written[block] = written_registers(body, instructions);
            synchronizing[block] = instructions.iter().any(|instruction| transfer.synchronizes(instruction));
            let live = liveness.live_in(block).iter();
            let count = live.map(|register| usize::from(body.registers[*register].ty.elements)).sum();
            found.blocks[block].live = liveness.live_in(block).into();
            found.blocks[block].entry = vec![None; count];
        }
        Solver {
            values: Values::new(transfer.elements),
            transfer,
            body,
            entry,
            graph,
            liveness,
            written,
            synchronizing,
            apart: Apart::new(STATES.0 + STATES.1 * body.blocks.len()),
            queue: BinaryHeap::new(),
            queued: SecondaryMap::new(),
            found,
        }
    }

    /// Works until nothing changes any more.
    pub fn run(mut self, result_elements: usize) -> BodyDivergence {
        self.found.result = vec![None; result_elements];
        self.values.clear();
        for (index, shape) in self.entry.arguments.iter().enumerate() {
            self.values.set(index, *shape);
        }
        self.flow(BlockId::new(0));
        while let Some(Reverse((_, block))) = self.queue.pop() {
            self.queued[block] = false;
            self.block(block);
            self.note_parted();
        }
        if !self.found.given_up {
            for block in self.graph.reverse_post_order() {
                self.found.blocks[*block].waiting = std::mem::take(&mut self.apart.waiting[*block]);
            }
        }
        self.found
    }

    fn queue(&mut self, block: BlockId) {
        let place = self.graph.place(block).filter(|_| self.found.blocks[block].reached);
        if let Some(place) = place
            && !std::mem::replace(&mut self.queued[block], true)
        {
            self.queue.push(Reverse((place, block)));
        }
    }

    /// Follows the shapes through a block and to those after it.
    fn block(&mut self, block: BlockId) {
        let whole = self.entry.whole && !self.found.blocks[block].partial;
        let transfer = Transfer { whole, ..self.transfer };
        self.found.load(block, self.body, &mut self.values);
        for instruction in self.body.block_instructions(block) {
            transfer.step(&mut self.values, instruction);
            if self.found.blocks[block].scattered && transfer.synchronizes(instruction) {
                self.values.scatter();
            }
        }
        if let Some(last) = self.body.block_instructions(block).last() {
            self.end(block, &transfer, last);
        }
        for index in 0..self.graph.successors(block).len() {
            self.flow(self.graph.successors(block)[index]);
        }
    }

    /// Looks at where the last instruction of a block sends the lanes, and at what they return.
    fn end(&mut self, block: BlockId, transfer: &Transfer<'_>, last: &Instruction) {
        let (condition, operands) = self.body.conditional(last);
        let is_return = last.op.opcode() == Opcode::ControlFlow(ControlFlow::Return);
        if is_return && let Some(value) = operands.first() {
            let partial = self.found.blocks[block].partial;
            for element in 0..self.found.result.len() {
                let value = transfer.returned(&self.values, value, element as u32);
                let all = join(self.found.result[element], value);
                self.found.result[element] = if partial { all.map(Shape::at_different_times) } else { all };
            }
        }
        let is_branch = is_return || last.op.opcode() == Opcode::ControlFlow(ControlFlow::Goto);
        let condition = condition.filter(|_| is_branch);
        let condition = condition.and_then(|condition| transfer.operand(&self.values, condition));
        let differs = condition.is_some_and(|condition| !condition.is_uniform());
        if let [one, other] = self.graph.successors(block)
            && differs
        {
            self.found.blocks[block].divergent = true;
            self.apart.part(&self.graph, *one, *other);
        }
    }

    /// Lets the shapes at hand flow into a block.
    fn flow(&mut self, block: BlockId) {
        let state = &mut self.found.blocks[block];
        let mut changed = !std::mem::replace(&mut state.reached, true);
        let mut place = 0;
        for register in &state.live {
            let forced = state.parted.contains(register);
            for element in 0..u32::from(self.body.registers[*register].ty.elements) {
                let new = self.values.get(self.transfer.elements.index(*register, element));
                let all = join(state.entry[place], new);
                let all = if forced { all.map(Shape::at_different_times) } else { all };
                changed |= all != state.entry[place];
                state.entry[place] = all;
                place += 1;
            }
        }
        if changed {
            self.queue(block);
        }
    }

    /// Takes note of what newly found states of parted lanes mean.
    fn note_parted(&mut self) {
        if self.apart.is_exceeded() {
            return self.give_up();
        }
        while let Some((block, wait)) = self.apart.found.pop() {
            if !std::mem::replace(&mut self.found.blocks[block].partial, true) {
                self.queue(block);
            }
            for index in 0..self.written[block].len() {
                self.force(wait, self.written[block][index]);
            }
            if self.synchronizing[block] && wait != self.graph.exit() {
                self.scatter(block, wait);
            }
        }
        while let Some((before, after)) = self.apart.followed.pop() {
            for register in self.found.blocks[before].parted.clone() {
                self.force(after, register);
            }
        }
    }

    /// Lanes that wait for a block may hold other values of a register than those that write it meanwhile.
    fn force(&mut self, wait: BlockId, register: RegisterId) {
        let mut open = vec![wait];
        while let Some(wait) = open.pop() {
            let state = &mut self.found.blocks[wait];
            if self.liveness.live_in(wait).binary_search(&register).is_err() || !state.parted.insert(register)
            {
                continue;
            }
            open.extend(&self.apart.followers[wait]);
            self.separate(wait, register);
        }
    }

    /// Makes of a register at the start of a block what it is to lanes that got it at different times.
    fn separate(&mut self, block: BlockId, register: RegisterId) {
        let state = &mut self.found.blocks[block];
        let (mut place, mut changed) = (0, false);
        for live in &state.live {
            let count = usize::from(self.body.registers[*live].ty.elements);
            if *live == register {
                for shape in &mut state.entry[place..place + count] {
                    let apart = shape.map(Shape::at_different_times);
                    changed |= *shape != apart;
                    *shape = apart;
                }
                break;
            }
            place += count;
        }
        if changed {
            self.queue(block);
        }
    }

    /// Lanes that come to a barrier while others are elsewhere wait there, whatever the order of the blocks, until the
    /// others come to it too or have returned.
    fn scatter(&mut self, block: BlockId, wait: BlockId) {
        if !std::mem::replace(&mut self.found.blocks[block].scattered, true) {
            self.queue(block);
        }
        let exit = self.graph.exit();
        self.apart.part(&self.graph, wait, exit);
        for next in self.graph.successors(block) {
            self.apart.part(&self.graph, *next, exit);
        }
    }

    /// Takes it that lanes are apart everywhere.
    fn give_up(&mut self) {
        if std::mem::replace(&mut self.found.given_up, true) {
            return;
        }
        for index in 0..self.graph.reverse_post_order().len() {
            let block = self.graph.reverse_post_order()[index];
            self.found.blocks[block].partial = true;
            self.found.blocks[block].scattered = self.synchronizing[block];
            for register in self.liveness.live_in(block) {
                self.found.blocks[block].parted.insert(*register);
            }
            for shape in &mut self.found.blocks[block].entry {
                *shape = shape.map(Shape::at_different_times);
            }
            self.queue(block);
        }
    }
}

fn written_registers(body: &Body, instructions: &[Instruction]) -> Vec<RegisterId> {
    let touches = instructions.iter().flat_map(|instruction| touches(body, instruction));
    let mut written: Vec<_> = touches.filter(|touch| touch.written).map(|touch| touch.register).collect();
    written.sort_unstable();
    written.dedup();
    written
}
