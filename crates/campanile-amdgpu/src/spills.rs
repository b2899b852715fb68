//! The spill plan: what a kernel or function holds over each of its calls, and what that costs.
//!
//! A value survives a call in a callee-saved register or in the caller's own memory. A function that takes a callee-saved
//! register for it saves that register first, for its own caller; a kernel has no caller and takes it freely.

use std::collections::BTreeMap;

use campanile_core::analysis::{ControlFlowGraph, Liveness};
use campanile_core::module::{Block, BlockId, Body, FunctionId, Instruction, Module, RegisterId};

use crate::inputs::HiddenInputs;
use crate::needs::{Callee, Needs, callee};
use crate::registers::RegisterFile;
use crate::target::Target;
use crate::types::Type;

/// What has to survive a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPlan {
    /// Index of the call in [`Body::instructions`].
    pub instruction: u32,
    /// What it calls.
    pub callee: Callee,
    /// The registers of the module whose values are read later, in the order of their declaration.
    pub must_survive: Vec<RegisterId>,
    /// The hidden inputs that are read later, or that later calls pass on: all their registers are clobbered.
    pub inputs: HiddenInputs,
    /// How many 32-bit slots of every lane the registers take, without predicates.
    pub slots: u64,
    /// How many predicates there are, each a mask of the lanes in scalar registers.
    pub predicates: u64,
    /// How many of the slots callee-saved vector registers have room for.
    pub saved_registers: u64,
}

impl CallPlan {
    /// Bytes of each lane's memory that the rest of the slots takes.
    pub fn memory_bytes(&self) -> u64 {
        4 * (self.slots - self.saved_registers)
    }
}

/// The plan for every call that control can reach, in the order of the text.
pub fn spill_plan(
    module: &Module,
    function: FunctionId,
    needs: &BTreeMap<FunctionId, Needs>,
    target: &Target,
) -> Vec<CallPlan> {
    let Some(body) = &module.functions[function].body else { return Vec::new() };
    let graph = ControlFlowGraph::new(body);
    let liveness = Liveness::new(body, &graph);
    let reader = InputReader { body, needs, target };
    let room = vector_room(target);
    let later = reader.read_after_blocks(&graph);
    let mut plans = Vec::new();
    for block in graph.reverse_post_order() {
        let mut inputs = reader.read_after_calls(*block, later[block]);
        for (instruction, must_survive) in liveness.across_calls(body, *block) {
            let Some(callee) = callee(body, &body.instructions[instruction as usize]) else { continue };
            let inputs = inputs.remove(&instruction).unwrap_or_default();
            plans.push(plan(body, instruction, callee, must_survive, inputs, room));
        }
    }
    plans.sort_by_key(|plan| plan.instruction);
    plans
}

/// How many callee-saved vector registers there are.
fn vector_room(target: &Target) -> u64 {
    let ranges = target.callee_saved().into_iter().filter(|range| range.file == RegisterFile::Vector);
    ranges.map(|range| u64::from(range.count())).sum()
}

fn plan(
    body: &Body,
    instruction: u32,
    callee: Callee,
    must_survive: Vec<RegisterId>,
    inputs: HiddenInputs,
    room: u64,
) -> CallPlan {
    let types = must_survive.iter().map(|register| body.registers[*register].ty);
    let (predicates, values): (Vec<_>, Vec<_>) = types.partition(|ty| ty.is_predicate());
    let slots: u64 = values.into_iter().map(|ty| Type::from(ty).slots()).sum();
    let predicates = predicates.len() as u64;
    let saved_registers = slots.min(room);
    CallPlan { instruction, callee, must_survive, inputs, slots, predicates, saved_registers }
}

/// Knows which hidden inputs the instructions of a body read.
struct InputReader<'a> {
    body: &'a Body,
    needs: &'a BTreeMap<FunctionId, Needs>,
    target: &'a Target,
}

impl InputReader<'_> {
    /// The hidden inputs that an instruction reads or passes on.
    fn read_by(&self, instruction: &Instruction) -> HiddenInputs {
        let own = Needs::of_instruction(self.body, instruction, self.target.code_object).inputs;
        match callee(self.body, instruction) {
            None => own,
            Some(Callee::Function(callee)) => {
                own.with(self.needs.get(&callee).map_or(HiddenInputs::ALL, |needs| needs.inputs))
            }
            Some(Callee::Address(_)) => HiddenInputs::ALL,
        }
    }

    /// For each call of a block, the hidden inputs that are read after it, where `later` is read after the block.
    fn read_after_calls(&self, block: BlockId, later: HiddenInputs) -> BTreeMap<u32, HiddenInputs> {
        let (mut read, mut found) = (later, BTreeMap::new());
        let Block { first, end, .. } = self.body.blocks[block];
        let instructions = (first..end).zip(self.body.block_instructions(block));
        for (index, instruction) in instructions.rev() {
            if callee(self.body, instruction).is_some() {
                found.insert(index, read);
            }
            read = read.with(self.read_by(instruction));
        }
        found
    }

    /// For each reachable block, the hidden inputs that are read after its end. Nothing writes them, so they are those of
    /// all blocks that may follow.
    fn read_after_blocks(&self, graph: &ControlFlowGraph) -> BTreeMap<BlockId, HiddenInputs> {
        let own = |block: &BlockId| {
            let instructions = self.body.block_instructions(*block).iter();
            instructions.fold(HiddenInputs::default(), |set, next| set.with(self.read_by(next)))
        };
        let order = graph.reverse_post_order();
        let mut after: BTreeMap<BlockId, HiddenInputs> =
            order.iter().map(|block| (*block, HiddenInputs::default())).collect();
        let mut open: Vec<BlockId> = order.to_vec();
        let own: BTreeMap<BlockId, HiddenInputs> = order.iter().map(|block| (*block, own(block))).collect();
        while let Some(block) = open.pop() {
            let read = after[&block].with(own[&block]);
            for before in graph.predecessors(block) {
                let merged = after[before].with(read);
                if after.insert(*before, merged) != Some(merged) {
                    open.push(*before);
                }
            }
        }
        after
    }
}
