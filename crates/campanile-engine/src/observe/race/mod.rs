//! Data races (spec 1.2.1): two accesses to one byte by different work-items, at least one a write, not both atomic, and
//! neither ordered before the other.
//!
//! What orders accesses: barriers, alone or on demand only behind a fence; fences and exchanges of values within a sub-group; and release and acquire through
//! atomics, with their scopes, also by fences around relaxed ones. Where exactness would cost much, more is taken as
//! ordered than is: races may be missed, but programs that synchronise are not accused. Two stores of one value are
//! not reported either; nobody could tell them apart.
//!
//! [`clocks`] knows what is ordered within a work-group and between work-groups, [`row`] keeps the last accesses to
//! every word, [`shadow`] the rows of all memory, [`variables`] what atomics pass on; [`accesses`] takes the accesses
//! of an instruction through all of them.

mod accesses;
mod clocks;
mod record;
mod row;
mod shadow;
mod variables;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use campanile_core::isa::{Order, Scope, Space};
use campanile_core::module::{FunctionId, Module};
use cranelift_entity::EntityRef;

use super::{Event, FenceEvent, Observer, Watch};
use crate::finding::{Access, Where};
use crate::mask::lanes;
use crate::memory::{GlobalMemory, SharedMemory};
use crate::ndrange::{Group, NdRange, WorkItem};
use accesses::Accesses;
use clocks::Clocks;
use record::Record;
use shadow::{GlobalRows, GlobalShadow, SharedShadow};
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
    shared: SharedShadow,
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
        state.shared.begin(shared.end());
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
        let (memory, all) = (watch.shared, watch.global);
        let mut accesses = Accesses::new(self, clocks, event, &mut watch);
        match event.space {
            Space::Shared => accesses.walk(memory, shared),
            Space::Global | Space::Const | Space::Private | Space::Generic => {
                accesses.walk(&all, &mut GlobalRows::new(&self.shadow, all));
            }
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
