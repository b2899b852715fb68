//! What compiled code asks its host for, as [`frame`](crate::frame) describes it, with the pointers that it passes.
//!
//! A panic here ends the process, as it must not unwind through compiled code.
#![allow(unsafe_code)]

use std::{ptr, slice};

use campanile_core::module::FunctionId;
use campanile_engine::ndrange::{Group, NdRange, SUBGROUP_SIZE};
use campanile_engine::{Collector, FindingKind, Limits, Where};
use corosensei::Yielder;
use cranelift_entity::EntityRef;

use super::guard::{Guard, UnderWay};
use super::lanes::{enter, leave, meet};
use super::operation::{MOST_RESULTS, Operation};
use crate::frame::{Lanes, Services, SubgroupFrame};
use crate::lower::Fault;

/// The services.
pub(super) static SERVICES: Services =
    Services { barrier, yield_turn, compute, cross_lane, atomic, fault, permit, meet, enter, leave };

/// What the services need to know of a launch: [`LaunchFrame::host`](crate::frame::LaunchFrame::host) points to it.
pub(super) struct LaunchHost<'a> {
    pub operations: &'a [Operation],
    pub collector: Collector<'a>,
    pub range: &'a NdRange,
    pub limits: Limits,
    /// Judges accesses, where they are guarded.
    pub guard: Option<Guard>,
}

/// Why a sub-group lets others go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// It has to wait at a barrier.
    Barrier,
    /// It waits in a loop.
    Turn,
}

/// What lets a sub-group pause: [`SubgroupFrame::host`] points to it, or is null where a sub-group need not wait.
pub(super) type Turns = Yielder<(), Pause>;

/// The launch of a sub-group.
///
/// # Safety
///
/// The frame is that of a sub-group under way, which the host began.
unsafe fn host<'a>(sub: *mut SubgroupFrame) -> &'a LaunchHost<'a> {
    // SAFETY: all frames and the launch's host live while a sub-group runs, and are only read.
    unsafe { &*(*(*(*sub).group).launch).host.cast::<LaunchHost<'a>>() }
}

fn operation<'a>(host: &LaunchHost<'a>, number: u32) -> &'a Operation {
    &host.operations[number as usize]
}

/// Pauses a sub-group, if there are others.
///
/// # Safety
///
/// As [`host`].
unsafe fn pause(sub: *mut SubgroupFrame, pause: Pause) {
    // SAFETY: a pointer that is not null is to the turns of the coroutine that this runs on.
    if let Some(turns) = unsafe { (*sub).host.cast::<Turns>().as_ref() } {
        turns.suspend(pause);
    }
}

unsafe extern "C" fn barrier(sub: *mut SubgroupFrame) {
    // SAFETY: compiled code passes the frame that it was given.
    unsafe { pause(sub, Pause::Barrier) };
}

unsafe extern "C" fn yield_turn(sub: *mut SubgroupFrame) {
    // SAFETY: compiled code passes the frame that it was given.
    unsafe { pause(sub, Pause::Turn) };
}

unsafe extern "C" fn compute(
    sub: *mut SubgroupFrame,
    number: u32,
    sources: *const Lanes,
    results: *mut Lanes,
) {
    // SAFETY: compiled code passes the frame that it was given.
    let host = unsafe { host(sub) };
    let Operation::Compute { meaning, sources: count, results: results_count } = operation(host, number)
    else {
        unreachable!("operation {number} computes nothing")
    };
    // SAFETY: compiled code passes as many sources as the operation has.
    let sources = unsafe { slice::from_raw_parts(sources, *count) };
    // The places of results may hold anything yet.
    let mut computed = [[0; 32]; MOST_RESULTS];
    meaning(sources, &mut computed[..*results_count]);
    // SAFETY: compiled code has places for as many results as the operation has.
    unsafe { ptr::copy_nonoverlapping(computed.as_ptr(), results, *results_count) };
}

unsafe extern "C" fn cross_lane(
    sub: *mut SubgroupFrame,
    number: u32,
    active: u32,
    sources: *const Lanes,
    result: *mut Lanes,
) -> u32 {
    // SAFETY: compiled code passes the frame that it was given.
    let host = unsafe { host(sub) };
    let Operation::CrossLane { meaning, sources: count } = operation(host, number) else {
        unreachable!("operation {number} is none between lanes")
    };
    // SAFETY: compiled code passes as many sources as the operation has.
    let sources = unsafe { slice::from_raw_parts(sources, *count) };
    let mut computed = [0; 32];
    let written = meaning(sources, active, &mut computed);
    // SAFETY: compiled code has a place for the result.
    unsafe { result.write(computed) };
    written
}

unsafe extern "C" fn atomic(
    sub: *mut SubgroupFrame,
    number: u32,
    active: u32,
    addresses: *const Lanes,
    operands: *const Lanes,
    results: *mut Lanes,
) {
    // SAFETY: compiled code passes the frame that it was given.
    let host = unsafe { host(sub) };
    let Operation::Atomic(atomic) = operation(host, number) else {
        unreachable!("operation {number} is not atomic")
    };
    // SAFETY: compiled code passes the addresses.
    let addresses = unsafe { &*addresses };
    let operands = match atomic.operands {
        0 => &[][..],
        // SAFETY: compiled code passes the two halves of each operand.
        count => unsafe { slice::from_raw_parts(operands, 2 * count) },
    };
    let wide = atomic.bytes == 16;
    let operand = |index: usize, lane: usize| {
        let half = |half: usize| operands.get(2 * index + half).map_or(0, |half| u128::from(half[lane]));
        half(0) | if wide { half(1) << 64 } else { 0 }
    };
    for lane in (0..SUBGROUP_SIZE as usize).filter(|lane| active >> lane & 1 != 0) {
        // SAFETY: that there is such memory at the addresses is the kernel's duty, without which it has no meaning.
        let old = unsafe { atomic.update(addresses[lane], operand(0, lane), operand(1, lane)) };
        // SAFETY: compiled code has places for the halves of the result.
        unsafe {
            (&raw mut (*results)[lane]).write(old as u64);
            if wide {
                (&raw mut (*results.add(1))[lane]).write((old >> 64) as u64);
            }
        }
    }
}

unsafe extern "C" fn fault(sub: *mut SubgroupFrame, kind: u32, function: u32, instruction: u32, lanes: u32) {
    // SAFETY: compiled code passes the frame that it was given.
    let (host, sub) = unsafe { (host(sub), &*sub) };
    let limit = host.limits.call_depth;
    let kind = match kind {
        kind if kind == Fault::StackOverflow as u32 => FindingKind::CallDepth { limit },
        // Compiled code does not say which address it was.
        _ => FindingKind::BadFunctionPointer { address: 0 },
    };
    let at = Where { function: FunctionId::new(function as usize), instruction };
    // SAFETY: the frames live as long as the sub-group runs.
    unsafe { report(host, sub, at, kind, lanes) };
}

unsafe extern "C" fn permit(sub: *mut SubgroupFrame, site: u32, active: u32, addresses: *const Lanes) -> u32 {
    // SAFETY: compiled code passes the frame that it was given.
    let (host, sub) = unsafe { (host(sub), &*sub) };
    let Some(guard) = &host.guard else { unreachable!("accesses are guarded where there is a guard") };
    let site = site as usize;
    // SAFETY: compiled code passes the addresses; activations live as long as the functions are under way.
    let judgement = unsafe { guard.judge(site, active, &*addresses, &under_way(sub)) };
    if let Some(range) = judgement.range {
        // SAFETY: the thread's launch frame has a range for each access, which this thread alone uses.
        unsafe { (*(*sub.group).launch).ranges.add(site).write(range) };
    }
    for (kind, lanes) in judgement.astray {
        // SAFETY: the frames live as long as the sub-group runs.
        unsafe { report(host, sub, guard.place(site), kind, lanes) };
    }
    judgement.permitted
}

/// The functions that a sub-group is in, the innermost first.
///
/// # Safety
///
/// The sub-group is under way, and its accesses are guarded.
unsafe fn under_way(sub: &SubgroupFrame) -> Vec<UnderWay> {
    let mut all = vec![];
    let mut activation = sub.activation;
    // SAFETY: each activation lives in the stack of its function, which has not returned.
    while let Some(one) = unsafe { activation.as_ref() } {
        all.push(UnderWay { function: one.function, base: one.base });
        activation = one.caller;
    }
    all
}

/// Takes note of a fault of some lanes.
///
/// # Safety
///
/// The sub-group is under way.
unsafe fn report(host: &LaunchHost<'_>, sub: &SubgroupFrame, at: Where, kind: FindingKind, lanes: u32) {
    // SAFETY: the group's frame lives as long as its sub-groups run.
    let group = unsafe { &*sub.group };
    let [columns, rows, _] = host.range.groups.map(u64::from);
    let [x, y, z] = group.group_id.map(u64::from);
    let number = x + columns * (y + rows * z);
    let group = Group { number, id: group.group_id, size: group.local_size };
    let linear = sub.number * SUBGROUP_SIZE + lanes.trailing_zeros();
    let work_item = host.range.work_item(&group, group.local_id(linear));
    host.collector.report(at, kind, lanes.count_ones(), work_item);
}
