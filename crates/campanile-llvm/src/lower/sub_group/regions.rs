//! Kernels with barriers, cut there into regions.
//!
//! A region is what a sub-group does from the start of the kernel, or from a barrier, to the next barrier or the end. Each
//! is a function of its own; all sub-groups of a work-group run one region after the other, before any of them goes on to
//! the next. What a sub-group holds at a barrier lies in its state meanwhile: memory that the work-group's loop has for it.
//! What is the same in all of them is kept once: read where the one before a barrier has put it, written to another place,
//! as the next sub-group still reads the old one.

use std::collections::{BTreeMap, BTreeSet};

use campanile_core::analysis::{ControlFlowGraph, Liveness};
use campanile_core::isa::{Opcode, Synchronization};
use campanile_core::module::{BlockId, Body, Instruction, RegisterId, keys};
use cranelift_entity::EntityRef;

use super::alike;
use super::function::{FunctionLowering, HomePart};
use super::program::Program;
use super::recomputation::Recomputed;
use crate::lower::compute::writer::LANES;

/// Bytes of the states of a work-group: what more than this is needed for takes coroutines.
const GREATEST_STATES: u64 = 1 << 17;

/// Alignment of states and of vectors in them.
const ALIGNMENT: u64 = 64;

/// What a region gives instead of the next one's number where the kernel ends; no region follows the first one.
pub(super) const ENDED: u32 = 0;

/// A place in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Start {
    pub block: BlockId,
    /// The instruction of the body that comes next.
    pub instruction: u32,
}

/// The regions of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Regions {
    /// Where each region begins, the first one at the start of the kernel.
    pub starts: Vec<Start>,
    /// Sub-groups of a work-group.
    pub subgroups: u32,
    /// What regions compute again.
    recomputed: Recomputed,
    /// What each sub-group keeps of the other registers that are live at any barrier.
    pub state: Places,
    /// What is kept once for the work-group, as it is the same in all sub-groups; none if they may wait at different
    /// barriers.
    pub common: Option<Places>,
}

/// Where registers are kept in a piece of memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// The place of each part of a register's homes.
    places: BTreeMap<RegisterId, Vec<u64>>,
    /// Bytes of it.
    pub bytes: u64,
}

impl Places {
    /// Places for some registers, one after another.
    fn of(lowering: &FunctionLowering<'_, '_>, registers: impl Iterator<Item = RegisterId>) -> Places {
        let (mut places, mut end) = (BTreeMap::new(), 0u64);
        for register in registers {
            let parts = lowering.home_parts(register).into_iter();
            let place = |part: HomePart| {
                let start = end.next_multiple_of(alignment(part.bytes));
                end = start + part.bytes;
                start
            };
            places.insert(register, parts.map(place).collect());
        }
        Places { places, bytes: end.next_multiple_of(ALIGNMENT) }
    }
}

/// The name of a region's function.
pub(super) fn name(kernel: &str, region: usize) -> String {
    format!("{kernel}.region.{region}")
}

fn is_barrier(instruction: &Instruction) -> bool {
    instruction.op.opcode() == Opcode::Synchronization(Synchronization::BarrierWorkgroup)
}

impl Regions {
    /// The regions of a kernel whose sub-groups wait at barriers only, where all of their lanes are together; none if
    /// lanes may have parted there, if sub-groups have fewer than 32 work-items, or hold too much.
    pub fn of(program: &mut Program<'_>) -> Option<Regions> {
        let items = program.launch.local?.iter().map(|size| u64::from(*size)).product::<u64>();
        let kernel = program.kernel;
        let found = program.divergence.body(kernel)?;
        let body = program.module.functions[kernel].body.as_ref()?;
        let graph = ControlFlowGraph::new(body);
        let barriers: Vec<Start> = barriers(body).filter(|start| graph.is_reachable(start.block)).collect();
        let together = barriers.iter().all(|start| found.is_whole(start.block));
        if !items.is_multiple_of(u64::from(LANES)) || !together {
            return None;
        }
        let first = Start { block: BlockId::new(0), instruction: body.blocks[BlockId::new(0)].first };
        let recomputed = Recomputed::of(program.module, body, &graph, found);
        let mut live = live_registers(body, &Liveness::new(body, &graph), &barriers);
        live.retain(|register| !recomputed.contains(*register));
        let alike = alike::registers(program, body, &barriers, &live);
        let starts = std::iter::once(first).chain(barriers).collect();
        let lowering = FunctionLowering::new(program, kernel)?;
        let is_common = |register: &RegisterId| alike.as_ref().is_some_and(|alike| alike.contains(register));
        let state = Places::of(&lowering, live.iter().copied().filter(|register| !is_common(register)));
        let common = alike.as_ref().map(|alike| Places::of(&lowering, alike.iter().copied()));
        let subgroups = u32::try_from(items / u64::from(LANES)).ok()?;
        let is_small = state.bytes.saturating_mul(subgroups.into()) <= GREATEST_STATES;
        is_small.then_some(Regions { starts, subgroups, recomputed, state, common })
    }

    /// The region that begins behind a barrier.
    fn behind(&self, instruction: u32) -> usize {
        let next = self.starts.iter().skip(1).position(|start| start.instruction == instruction + 1);
        next.map_or(0, |next| next + 1)
    }
}

/// The places behind the barriers of a body.
fn barriers(body: &Body) -> impl Iterator<Item = Start> {
    keys(&body.blocks).flat_map(move |block| {
        let first = body.blocks[block].first;
        let instructions = (first + 1..).zip(body.block_instructions(block));
        instructions
            .filter(|(_, instruction)| is_barrier(instruction))
            .map(move |(next, _)| Start { block, instruction: next })
    })
}

fn live_registers(body: &Body, liveness: &Liveness, barriers: &[Start]) -> BTreeSet<RegisterId> {
    barriers.iter().flat_map(|start| live_at(body, liveness, *start)).collect()
}

/// The registers that are live behind a barrier.
fn live_at(body: &Body, liveness: &Liveness, start: Start) -> Vec<RegisterId> {
    let index = start.instruction - 1 - body.blocks[start.block].first;
    liveness.live_after(body, start.block, index as usize)
}

/// The alignment of a part of so many bytes in the state.
fn alignment(bytes: u64) -> u64 {
    bytes.next_power_of_two().min(ALIGNMENT)
}

impl FunctionLowering<'_, '_> {
    /// At a barrier of a kernel that is cut into regions: puts what is live into the state, and ends with the number of
    /// the region behind.
    pub fn end_region(&mut self, instruction: u32) {
        let Some(regions) = self.program.regions.clone() else { unreachable!("the kernel has regions") };
        let start = Start { block: self.block, instruction: instruction + 1 };
        for register in live_at(self.body, &self.liveness, start) {
            self.each_part(&regions, register, "%common.next", |lowering, part, place| {
                let HomePart { name, ty, .. } = part;
                let value = lowering.code.writer.value(&format!("load {ty}, ptr {name}"));
                lowering.code.writer.line(&format!("store {ty} {value}, {place}"));
            });
        }
        self.code.writer.line(&format!("ret i32 {}", regions.behind(instruction)));
    }

    /// Takes what is live at the start of a region out of the state, or computes it again.
    pub fn begin_region(&mut self, region: usize) {
        let Some(regions) = self.program.regions.clone() else { unreachable!("the kernel has regions") };
        if region == 0 {
            return;
        }
        let live = live_at(self.body, &self.liveness, regions.starts[region]);
        self.recompute(&regions.recomputed, &live);
        for register in live {
            self.each_part(&regions, register, "%common", |lowering, part, place| {
                let HomePart { name, ty, .. } = part;
                let value = lowering.code.writer.value(&format!("load {ty}, {place}"));
                lowering.code.writer.line(&format!("store {ty} {value}, ptr {name}"));
            });
        }
    }

    /// Does something with each part of a register's homes and its place, if it is kept: in the state, or in what is
    /// common to all sub-groups.
    fn each_part(
        &mut self,
        regions: &Regions,
        register: RegisterId,
        common: &str,
        work: impl Fn(&mut Self, &HomePart, &str),
    ) {
        let in_common = regions
            .common
            .as_ref()
            .and_then(|common_places| Some((common, common_places.places.get(&register)?)));
        let in_state = regions.state.places.get(&register).map(|places| ("%state", places));
        let Some((memory, places)) = in_state.or(in_common) else { return };
        for (part, offset) in self.home_parts(register).iter().zip(places) {
            let place =
                self.code.writer.value(&format!("getelementptr inbounds i8, ptr {memory}, i64 {offset}"));
            let place = format!("ptr {place}, align {}", alignment(part.bytes));
            match &part.condition {
                None => work(self, part, &place),
                Some(condition) => {
                    let condition = self.code.writer.value(&format!("load i1, ptr {condition}"));
                    self.only_if(&condition, |lowering| work(lowering, part, &place));
                }
            }
        }
    }
}
