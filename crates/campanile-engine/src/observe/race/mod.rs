//! Data races (spec 1.2.1): two accesses to one byte by different work-items, at least one a write, not both atomic, and
//! neither ordered before the other.
//!
//! What orders accesses: barriers, alone or on demand only behind a fence; fences and exchanges of values within a sub-group; and release and acquire through
//! atomics, with their scopes, also by fences around relaxed ones. Where exactness would cost much, more is taken as
//! ordered than is: races may be missed, but programs that synchronise are not accused. Two stores of one value are
//! not reported either; nobody could tell them apart.
//!
//! [`clocks`] knows what is ordered within a work-group and between work-groups, [`shadow`] keeps the last accesses of
//! every word, [`variables`] what atomics pass on.

mod clocks;
mod shadow;
mod variables;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use campanile_core::isa::{Order, Scope, Space};
use campanile_core::module::{FunctionId, Module};
use cranelift_entity::EntityRef;

use super::{Event, FenceEvent, Observer, Watch};
use crate::finding::{Access, FindingKind, Other, Role, Where};
use crate::mask::{self, lanes};
use crate::memory::{GlobalMemory, Memory, Object, SharedMemory};
use crate::ndrange::{Group, NdRange, SUBGROUP_SIZE, WorkItem};
use clocks::Clocks;
use shadow::{Action, Cell, GlobalShadow, InUse, Record, first_word};
use variables::Variables;

/// Watches a launch for data races.
pub(crate) struct RaceDetector {
    /// For each function the number of its first instruction, counting those of the functions before.
    first_instruction: Vec<u32>,
    shadow: GlobalShadow,
    variables: Mutex<Variables>,
    /// Whether anything has been published in global memory.
    published: AtomicBool,
    /// Whether a barrier orders only what a fence has made observable before it.
    needs_fences: bool,
}

/// What the detector remembers of a work-group.
#[derive(Default)]
pub(crate) struct GroupState {
    clocks: Clocks,
    /// The last accesses to each word of shared memory. Those of earlier work-groups are told by their number.
    shared: Vec<Cell>,
    variables: Variables,
}

impl RaceDetector {
    /// A detector that has seen nothing.
    pub fn new(module: &Module, global: &GlobalMemory, needs_fences: bool) -> Self {
        let mut count = 0;
        let first_instruction = module.functions.values().map(|function| {
            let first = count;
            count += function.body.as_ref().map_or(0, |body| body.instructions.len() as u32);
            first
        });
        RaceDetector {
            first_instruction: first_instruction.collect(),
            shadow: GlobalShadow::new(global),
            variables: Mutex::default(),
            published: AtomicBool::new(false),
            needs_fences,
        }
    }

    fn instruction(&self, at: Where) -> u32 {
        self.first_instruction[at.function.index()] + at.instruction
    }

    fn place(&self, instruction: u32) -> Where {
        let function = self.first_instruction.partition_point(|first| *first <= instruction) - 1;
        let instruction = instruction - self.first_instruction[function];
        Where { function: FunctionId::new(function), instruction }
    }

    fn variables(&self) -> std::sync::MutexGuard<'_, Variables> {
        self.variables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an order publishes what came before.
fn releases(order: Order) -> bool {
    match order {
        Order::Release | Order::AcquireRelease | Order::SequentiallyConsistent => true,
        Order::Weak | Order::Relaxed | Order::Acquire => false,
    }
}

/// Whether an order takes over what was published.
fn acquires(order: Order) -> bool {
    match order {
        Order::Acquire | Order::AcquireRelease | Order::SequentiallyConsistent => true,
        Order::Weak | Order::Relaxed | Order::Release => false,
    }
}

/// The work-item of a record.
fn work_item(range: &NdRange, record: &Record) -> WorkItem {
    let group = range.group(u64::from(record.group - 1));
    range.work_item(&group, group.local_id(u32::from(record.item)))
}

impl Observer for RaceDetector {
    type Group = GroupState;

    fn begin(&self, state: &mut GroupState, group: &Group, shared: &SharedMemory) {
        state.clocks.begin(group);
        state.variables.clear();
        state.shared.resize((shared.end() as usize).div_ceil(4), Cell::default());
    }

    fn before(&self, state: &mut GroupState, mut watch: Watch<'_, '_>, event: &Event<'_>) {
        let GroupState { clocks, shared, variables } = state;
        if event.order != Order::Weak && event.access != Access::Load && clocks.may_release(event.order) {
            let global = event.space == Space::Global;
            if global {
                self.published.store(true, Ordering::SeqCst);
            }
            let mut all = global.then(|| self.variables());
            let variables = all.as_deref_mut().unwrap_or(variables);
            for lane in lanes(event.lanes) {
                let released = clocks.release(event.subgroup, lane, event.order, event.scope);
                if let Some(released) = released {
                    variables.publish(event.addresses[lane], released, global);
                }
            }
        }
        let mut accesses = Accesses { detector: self, clocks, event, watch: &mut watch };
        match event.space {
            Space::Shared => accesses.shared(shared),
            Space::Global | Space::Const | Space::Private | Space::Generic => accesses.global(),
        }
        clocks.accessed();
    }

    fn after(&self, state: &mut GroupState, event: &Event<'_>) {
        if event.order == Order::Weak || event.access == Access::Store {
            return;
        }
        let global = event.space == Space::Global;
        if global && !self.published.load(Ordering::SeqCst) {
            return;
        }
        let GroupState { clocks, variables, .. } = state;
        let mut all = global.then(|| self.variables());
        let variables = all.as_deref_mut().unwrap_or(variables);
        for lane in lanes(event.lanes) {
            if let Some(variable) = variables.get(event.addresses[lane]) {
                clocks.acquire(event.subgroup, lane, event.order, event.scope, variable);
            }
        }
    }

    fn fence(&self, state: &mut GroupState, event: &FenceEvent) {
        state.clocks.exchange(event.subgroup, event.lanes);
        if event.scope != Scope::Subgroup {
            for lane in lanes(event.lanes) {
                state.clocks.fence(event.subgroup, lane, event.order, event.scope);
            }
        }
    }

    fn exchange(&self, state: &mut GroupState, subgroup: u32, lanes: u32) {
        state.clocks.exchange(subgroup, lanes);
    }

    fn barrier(&self, state: &mut GroupState) {
        if self.needs_fences {
            state.clocks.barrier_with_fences();
        } else {
            state.clocks.barrier();
        }
    }
}

/// The accesses of an event, on their way through the shadow memory.
struct Accesses<'a, 'b, 'c> {
    detector: &'a RaceDetector,
    clocks: &'a Clocks,
    event: &'a Event<'a>,
    watch: &'a mut Watch<'b, 'c>,
}

impl<'a> Accesses<'a, '_, '_> {
    /// The record of a lane's access to all bytes of a word.
    fn record(&self) -> Record {
        let Event { access, order, at, subgroup, .. } = *self.event;
        Record {
            group: self.clocks.group() + 1,
            time: self.clocks.time(),
            instruction: self.detector.instruction(at),
            item: (subgroup * SUBGROUP_SIZE) as u16,
            bytes: 0xf,
            action: Action::new(access, order != Order::Weak),
        }
    }

    fn shared(&mut self, cells: &mut [Cell]) {
        let record = self.record();
        let (memory, clocks) = (self.watch.shared, self.clocks);
        for lane in lanes(self.event.lanes) {
            let (mut address, mut rest) = (self.event.addresses[lane], u64::from(self.event.bytes));
            while rest > 0 {
                let (word, bytes, count) = first_word(address, rest);
                let record = Record { item: record.item + lane as u16, bytes, ..record };
                let Some(cell) = cells.get_mut(word) else { break };
                cell.forget_other_groups(record.group);
                if let Some(other) = cell.access(record, |other| clocks.orders(other, &record)) {
                    self.judge(lane, &record, &other, memory, memory.find(address));
                }
                (address, rest) = (address + count, rest - count);
            }
        }
    }

    fn global(&mut self) {
        let record = self.record();
        let (memory, clocks) = (self.watch.global, self.clocks);
        let mut in_use: Option<InUse<'_>> = None;
        for lane in lanes(self.event.lanes) {
            let (mut address, mut rest) = (self.event.addresses[lane], u64::from(self.event.bytes));
            while rest > 0 {
                let Some((chunk, byte)) = self.chunk(&mut in_use, address, record.action) else { break };
                let (word, bytes, count) = first_word(byte, rest);
                let record = Record { item: record.item + lane as u16, bytes, ..record };
                if let Some(other) = chunk.access(word, record, |other| clocks.orders(other, &record)) {
                    self.judge(lane, &record, &other, &memory, memory.find(address));
                }
                (address, rest) = (address + count, rest - count);
            }
        }
    }

    /// The chunk of an address, which may be the one in use already, and the byte there. Constants have none.
    #[inline]
    fn chunk<'s>(
        &self,
        in_use: &'s mut Option<InUse<'a>>,
        address: u64,
        action: Action,
    ) -> Option<(&'s mut InUse<'a>, u64)> {
        if in_use.as_ref().is_none_or(|chunk| chunk.byte(address).is_none()) {
            *in_use = None;
            let memory = self.watch.global;
            let object = memory.find(address).filter(|object| !object.constant)?;
            *in_use = self.detector.shadow.chunk(&object, address, action);
        }
        let chunk = in_use.as_mut()?;
        let byte = chunk.byte(address)?;
        Some((chunk, byte))
    }

    /// Reports a race, unless both store the same value.
    fn judge<M: Memory>(
        &mut self,
        lane: usize,
        record: &Record,
        other: &Record,
        memory: &M,
        object: Option<Object>,
    ) {
        let Some(object) = object else { return };
        let stores = record.action == Action::Write && other.action == Action::Write;
        if stores && self.stores_the_same(lane, record, other, memory, &object) {
            return;
        }
        let Watch { range, group, module, reporter, .. } = self.watch;
        let address = self.event.addresses[lane];
        let kind = FindingKind::DataRace {
            access: record.action.access(),
            space: self.event.space,
            between_groups: record.group != other.group,
            nearest: object.describe(module, address),
        };
        let place = self.detector.place(other.instruction).place(module);
        let role = Role::OtherAccess(other.action.access());
        let other = Other { role, place, work_item: Some(work_item(range, other)) };
        let own = || range.work_item(group, group.local_id(u32::from(record.item)));
        reporter.report(self.event.at, kind, 1, own, Some(other));
    }

    /// Whether a store changes nothing: it writes what another lane writes at once, or what is there already.
    fn stores_the_same<M: Memory>(
        &self,
        lane: usize,
        record: &Record,
        other: &Record,
        memory: &M,
        object: &Object,
    ) -> bool {
        let Event { stored, addresses, bytes, lanes, .. } = self.event;
        let (address, other_lane) = (addresses[lane], usize::from(other.item % SUBGROUP_SIZE as u16));
        let same_event = other.instruction == record.instruction
            && other.group == record.group
            && other.time == record.time
            && other.item / SUBGROUP_SIZE as u16 == record.item / SUBGROUP_SIZE as u16
            && mask::has(*lanes, other_lane)
            && addresses[other_lane] == address;
        if same_event {
            return stored.iter().all(|(values, _)| values[lane] == values[other_lane]);
        }
        let part_bytes = bytes / stored.len().max(1) as u32;
        stored.iter().enumerate().all(|(part, (values, _))| {
            let byte = address - object.start + u64::from(part as u32 * part_bytes);
            memory.read(object, byte, lane, part_bytes).0 == values[lane]
        })
    }
}
