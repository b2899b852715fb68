//! Sub-groups whose lanes run one by one, each as a coroutine, and meet where they do something together.
//!
//! A lane runs until it meets others, which it does before every access to memory that they may see too, at operations
//! between lanes, and before jumps back. Of the lanes that wait, those go on that are at the earliest instruction in the order
//! of the text, calls before what follows them: between two meetings a lane only goes forward in the text, so that this is the
//! rule by which the earliest block goes first.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ptr;
use std::rc::Rc;

use campanile_engine::EngineError;
use campanile_engine::ndrange::SUBGROUP_SIZE;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::services::SERVICES;
use crate::ffi::entry::Entry;
use crate::frame::{LaneEntry, LaneFrame, Meeting, SubgroupFrame};

/// Stack of a lane.
const STACK: usize = 256 << 10;

/// The same where functions call themselves. Pages are taken when they are first touched.
const DEEP_STACK: usize = 8 << 20;

/// What a lane tells when it meets others.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    meeting: u32,
    /// The instruction.
    at: u32,
    /// The number of a lane.
    lane: u32,
    value: u64,
}

/// What a lane's services need to know: [`LaneFrame::host`] points to it.
struct LaneHost {
    turns: *const Yielder<u64, Arrival>,
    /// The calls that the lane is in, the outermost first: their instructions and turns.
    path: RefCell<Vec<(u32, u32)>>,
}

/// A lane's host.
///
/// # Safety
///
/// The frame is that of a lane under way.
unsafe fn host<'a>(frame: *mut LaneFrame) -> &'a LaneHost {
    // SAFETY: a lane's host lives as long as its coroutine.
    unsafe { &*(*frame).host.cast::<LaneHost>() }
}

pub(super) unsafe extern "C" fn meet(
    frame: *mut LaneFrame,
    meeting: u32,
    at: u32,
    lane: u32,
    value: u64,
) -> u64 {
    // SAFETY: compiled code passes the frame that it was given, and runs on the coroutine of these turns.
    unsafe { (*host(frame).turns).suspend(Arrival { meeting, at, lane, value }) }
}

pub(super) unsafe extern "C" fn enter(frame: *mut LaneFrame, at: u32, turn: u32) {
    // SAFETY: compiled code passes the frame that it was given.
    unsafe { host(frame) }.path.borrow_mut().push((at, turn));
}

pub(super) unsafe extern "C" fn leave(frame: *mut LaneFrame) {
    // SAFETY: compiled code passes the frame that it was given.
    unsafe { host(frame) }.path.borrow_mut().pop();
}

/// Where a lane waits: calls and an instruction, with their turns, in the order of the text.
type Position = Vec<(u32, u32)>;

/// A lane under way. The frame and the host stay where they are, as compiled code knows their addresses.
struct Lane {
    coroutine: Coroutine<u64, Arrival, ()>,
    arrival: Option<Arrival>,
    frame: Box<LaneFrame>,
    host: Box<LaneHost>,
}

impl Lane {
    /// Goes on to the next meeting, or to the end.
    fn resume(&mut self, answer: u64) {
        self.arrival = match self.coroutine.resume(answer) {
            CoroutineResult::Yield(arrival) => Some(arrival),
            CoroutineResult::Return(()) => None,
        };
    }

    /// Where it waits.
    fn position(&self, arrival: Arrival) -> Position {
        let mut position = self.host.path.borrow().clone();
        position.push((arrival.at, 0));
        position
    }
}

/// What runs the lanes of sub-groups, on stacks that are used again.
#[derive(Clone)]
pub(super) struct Lanes {
    entry: Entry<LaneEntry>,
    /// Bytes of private memory of a lane.
    private_bytes: usize,
    stack_size: usize,
    stacks: Rc<RefCell<Vec<DefaultStack>>>,
}

impl Lanes {
    /// For kernels with this entry, whose functions may call themselves or not.
    pub fn new(entry: Entry<LaneEntry>, private_bytes: u32, deep: bool) -> Self {
        let stack_size = if deep { DEEP_STACK } else { STACK };
        Lanes { entry, private_bytes: private_bytes as usize, stack_size, stacks: Rc::default() }
    }

    /// Runs a sub-group to its end.
    ///
    /// # Errors
    /// When there is no memory for stacks.
    ///
    /// # Safety
    ///
    /// The frame is that of a sub-group that begins, with private memory for all its lanes.
    pub unsafe fn run(&self, sub_group: *mut SubgroupFrame) -> Result<(), EngineError> {
        // SAFETY: the frame lives.
        let active = unsafe { (*sub_group).lanes };
        let numbers = (0..SUBGROUP_SIZE).filter(|lane| active >> lane & 1 != 0);
        // SAFETY: as above.
        let begun = numbers.map(|lane| unsafe { self.begin(sub_group, lane) }).collect::<Result<Vec<_>, _>>();
        let mut lanes = begun?;
        lanes.iter_mut().for_each(|lane| lane.resume(0));
        while let Some(group) = earliest(&lanes) {
            let arrival = group[0].1;
            // SAFETY: the frame lives, and this runs on the coroutine of the sub-group.
            unsafe { wait(sub_group, arrival) };
            for (lane, answer) in answers(&lanes, &group, arrival.meeting) {
                lanes[lane].resume(answer);
            }
        }
        self.stacks.borrow_mut().extend(lanes.into_iter().map(|lane| lane.coroutine.into_stack()));
        Ok(())
    }

    /// A lane that is about to begin.
    ///
    /// # Safety
    ///
    /// As [`run`](Self::run).
    unsafe fn begin(&self, sub_group: *mut SubgroupFrame, lane: u32) -> Result<Lane, EngineError> {
        let bytes = self.stack_size as u64;
        let stack = match self.stacks.borrow_mut().pop() {
            Some(stack) => stack,
            None => DefaultStack::new(self.stack_size).map_err(|_| EngineError::OutOfMemory { bytes })?,
        };
        // SAFETY: the frame lives.
        let private = unsafe { (*sub_group).private }.wrapping_add(lane as usize * self.private_bytes);
        let mut host = Box::new(LaneHost { turns: ptr::null(), path: RefCell::default() });
        let host_pointer = &raw mut *host;
        let mut frame = Box::new(LaneFrame { sub_group, private, host: host_pointer.cast(), lane });
        let (entry, frame_pointer) = (self.entry.clone(), &raw mut *frame);
        let coroutine = Coroutine::with_stack(stack, move |turns: &Yielder<u64, Arrival>, _| {
            // SAFETY: frame and host live as long as the lane, the entry has this type, and memory is as the frame says.
            unsafe {
                (*host_pointer).turns = turns;
                entry.call((frame_pointer,));
            }
        });
        Ok(Lane { coroutine, arrival: None, frame, host })
    }
}

/// The lanes that are at the earliest instruction, by their places, and with what; none once all have ended.
fn earliest(lanes: &[Lane]) -> Option<Vec<(usize, Arrival)>> {
    let mut first: Option<(Position, Vec<(usize, Arrival)>)> = None;
    for (place, lane) in lanes.iter().enumerate() {
        let Some(arrival) = lane.arrival else { continue };
        let position = lane.position(arrival);
        match &mut first {
            Some((best, group)) if *best == position => group.push((place, arrival)),
            Some((best, _)) if *best < position => {}
            _ => first = Some((position, vec![(place, arrival)])),
        }
    }
    first.map(|(_, group)| group)
}

/// Lets other sub-groups go on, where lanes wait for them or may do so.
///
/// # Safety
///
/// The frame is that of the sub-group that this runs on.
unsafe fn wait(sub_group: *mut SubgroupFrame, arrival: Arrival) {
    if arrival.meeting == Meeting::Barrier as u32 {
        // SAFETY: as the caller says.
        unsafe { (SERVICES.barrier)(sub_group) };
    } else if arrival.meeting == Meeting::Turn as u32 && arrival.value == 1 {
        // SAFETY: as the caller says.
        unsafe { (SERVICES.yield_turn)(sub_group) };
    }
}

/// What the lanes of a group are told, each by its place.
fn answers(lanes: &[Lane], group: &[(usize, Arrival)], meeting: u32) -> Vec<(usize, u64)> {
    let values: BTreeMap<u32, u64> =
        group.iter().map(|(place, arrival)| (lanes[*place].frame.lane, arrival.value)).collect();
    if meeting == Meeting::Ballot as u32 {
        let set = values.iter().filter(|(_, value)| **value != 0).map(|(lane, _)| 1u64 << lane).sum();
        return group.iter().map(|(place, _)| (*place, set)).collect();
    }
    let turns = if meeting == Meeting::Target as u32 { turns(&values) } else { BTreeMap::new() };
    let answer = |arrival: &Arrival| match meeting {
        meeting if meeting == Meeting::Read as u32 => values.get(&arrival.lane).copied().unwrap_or_default(),
        _ => turns.get(&arrival.value).copied().unwrap_or_default(),
    };
    group.iter().map(|(place, arrival)| (*place, answer(arrival))).collect()
}

/// The turn of each target: that of the lowest lane comes first.
fn turns(targets: &BTreeMap<u32, u64>) -> BTreeMap<u64, u64> {
    let mut turns = BTreeMap::new();
    for target in targets.values() {
        let next = turns.len() as u64;
        turns.entry(*target).or_insert(next);
    }
    turns
}
