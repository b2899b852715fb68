//! One thread of a launch: runs work-groups, each sub-group on its own or all taking turns.
//!
//! Here compiled code is called: that it does with its frames what their description says is the lowering's duty.
#![allow(unsafe_code)]

use std::ptr;

use campanile_engine::EngineError;
use campanile_engine::ndrange::{Group, NdRange, SUBGROUP_SIZE};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};

use super::block::Block;
use super::compile::{Compiled, KernelEntry};
use super::crash::Kernel;
use super::lanes::Lanes;
use super::services::{Pause, Turns};
use crate::ffi::entry::Entry;
use crate::frame::{
    AccessRange, BlockCount, GroupFrame, GroupsEntry, LaunchFrame, SubgroupEntry, SubgroupFrame,
};

/// Alignment of the memory of work-groups and sub-groups.
const ALIGNMENT: usize = 128;

/// Stack of a sub-group that takes turns with others.
const STACK: usize = 1 << 20;

/// The same where functions call themselves. Pages are taken when they are first touched.
const DEEP_STACK: usize = 64 << 20;

/// What all threads of a launch share.
pub(super) struct Job<'a> {
    pub compiled: &'a Compiled,
    pub frame: &'a LaunchFrame,
    pub range: &'a NdRange,
    /// Bytes of shared memory, that of arguments included.
    pub shared_bytes: u64,
    /// What it is called where it crashes.
    pub kernel: Kernel,
}

// SAFETY: what the launch's frame points to is only read while the launch runs.
unsafe impl Sync for Job<'_> {}

impl Job<'_> {
    /// How work-groups of this launch are run.
    fn method(&self) -> Method {
        let local: u32 = self.range.local.iter().product();
        // Deep calls need a stack of their own.
        let deep = self.compiled.private_bytes.is_none();
        let by_sub_groups = |run| match local > SUBGROUP_SIZE || deep {
            true => Method::Turns(run),
            false => Method::Single(run),
        };
        match &self.compiled.entry {
            KernelEntry::Groups(groups) => Method::Whole(groups.clone()),
            KernelEntry::Subgroup(entry) => by_sub_groups(SubGroups::Compiled(entry.clone())),
            KernelEntry::Lane(entry) => {
                by_sub_groups(SubGroups::Lanes(Lanes::new(entry.clone(), self.frame.private_bytes, deep)))
            }
        }
    }
}

/// How work-groups are run.
#[derive(Clone)]
enum Method {
    /// Compiled code goes from sub-group to sub-group and work-group to work-group.
    Whole(Entry<GroupsEntry>),
    /// One sub-group after another, as none waits for another.
    Single(SubGroups),
    /// All sub-groups of a work-group take turns.
    Turns(SubGroups),
}

/// What runs a sub-group.
#[derive(Clone)]
enum SubGroups {
    /// Compiled code, all lanes at once.
    Compiled(Entry<SubgroupEntry>),
    /// Lanes one by one.
    Lanes(Lanes),
}

impl SubGroups {
    /// Runs a sub-group to its end.
    ///
    /// # Safety
    ///
    /// The frame is that of a sub-group that begins, whose memory nobody else uses.
    unsafe fn run(&self, frame: *mut SubgroupFrame) -> Result<(), EngineError> {
        match self {
            SubGroups::Compiled(entry) => {
                // SAFETY: the entry has this type. What the kernel does with the addresses it is given is its own affair.
                unsafe { entry.call((frame,)) };
                Ok(())
            }
            // SAFETY: as the caller says.
            SubGroups::Lanes(lanes) => unsafe { lanes.run(frame) },
        }
    }
}

/// A thread with the memory of a work-group.
pub(super) struct Worker<'a> {
    job: &'a Job<'a>,
    /// The launch's frame with this thread's own memory.
    frame: LaunchFrame,
    /// Where guarded accesses were last found to be. Only compiled code and its services use it.
    _ranges: Vec<AccessRange>,
    /// What this thread has counted.
    counts: Vec<BlockCount>,
    method: Method,
    shared: Block,
    /// Private memory of the sub-groups that run at a time, one behind the other.
    private: Block,
    /// Stacks that are not in use.
    stacks: Vec<DefaultStack>,
}

/// A sub-group under way.
struct Running {
    coroutine: Coroutine<(), Pause, Result<(), EngineError>>,
    at_barrier: bool,
}

impl<'a> Worker<'a> {
    /// A thread's memory for a launch.
    pub fn new(job: &'a Job<'a>) -> Result<Self, EngineError> {
        let method = job.method();
        let largest = Group { number: 0, id: [0; 3], size: job.range.local };
        let together = job.compiled.together || matches!(method, Method::Turns(_));
        let at_a_time = if together { largest.subgroups() } else { 1 };
        let block = |bytes| Block::zeroed(bytes, ALIGNMENT).ok_or(EngineError::OutOfMemory { bytes });
        let shared = block(job.shared_bytes)?;
        let private = block(u64::from(at_a_time) * private_stride(job.frame))?;
        let mut ranges = vec![AccessRange::default(); job.compiled.sites.len()];
        let mut counts = vec![BlockCount::default(); job.compiled.counted.len()];
        let frame = LaunchFrame { ranges: ranges.as_mut_ptr(), counts: counts.as_mut_ptr(), ..*job.frame };
        Ok(Worker { job, frame, _ranges: ranges, counts, method, shared, private, stacks: Vec::new() })
    }

    /// What has been counted so far, by the numbers of blocks.
    pub fn counts(&self) -> &[BlockCount] {
        &self.counts
    }

    /// Runs the work-groups of these numbers.
    pub fn run(&mut self, first: u64, end: u64) -> Result<(), EngineError> {
        let job = self.job;
        let done = job.kernel.run(|| self.run_groups(first, end));
        make_visible();
        done
    }

    fn run_groups(&mut self, first: u64, end: u64) -> Result<(), EngineError> {
        if let Method::Whole(groups) = &self.method {
            let (shared, private) = (self.shared.pointer(), self.private.pointer());
            // SAFETY: the entry has this type; the frame lives, and shared and private memory are large enough and used
            // by this thread alone. What the kernel does with the addresses it is given is its own affair.
            unsafe { groups.call((&raw const self.frame, shared, private, first, end)) };
            return Ok(());
        }
        (first..end).try_for_each(|number| self.run_group(&self.job.range.group(number)))
    }

    fn run_group(&mut self, group: &Group) -> Result<(), EngineError> {
        let frame = GroupFrame {
            launch: &raw const self.frame,
            shared: self.shared.pointer(),
            group_id: group.id,
            local_size: group.size,
        };
        let mut frames: Vec<SubgroupFrame> =
            (0..group.subgroups()).map(|number| self.subgroup(&frame, group, number)).collect();
        match self.method.clone() {
            Method::Turns(entry) => self.take_turns(&entry, &mut frames)?,
            Method::Single(entry) => {
                for frame in &mut frames {
                    // SAFETY: the frames live, and memory is as above.
                    unsafe { entry.run(frame) }?;
                }
            }
            Method::Whole(_) => unreachable!("compiled code runs whole work-groups by itself"),
        }
        Ok(())
    }

    fn subgroup(&self, frame: &GroupFrame, group: &Group, number: u32) -> SubgroupFrame {
        let lanes = (group.work_items() - number * SUBGROUP_SIZE).min(SUBGROUP_SIZE);
        let place = if let Method::Turns(_) = self.method { u64::from(number) } else { 0 };
        SubgroupFrame {
            group: frame,
            private: self.private.pointer().wrapping_add((place * private_stride(self.job.frame)) as usize),
            host: ptr::null_mut(),
            number,
            lanes: u32::MAX >> (SUBGROUP_SIZE - lanes),
            storage: ptr::null_mut(),
            activation: ptr::null(),
        }
    }

    /// Resumes the sub-groups in turn until all have ended. A barrier opens when all that have not ended wait there.
    fn take_turns(&mut self, entry: &SubGroups, frames: &mut [SubgroupFrame]) -> Result<(), EngineError> {
        let begun = frames.iter_mut().map(|frame| self.begin(entry, frame)).collect::<Result<Vec<_>, _>>();
        let mut running = begun?;
        let mut ended_well = Ok(());
        while !running.is_empty() {
            for sub_group in running.iter_mut().filter(|one| !one.at_barrier) {
                match sub_group.coroutine.resume(()) {
                    CoroutineResult::Yield(pause) => sub_group.at_barrier = pause == Pause::Barrier,
                    CoroutineResult::Return(done) => ended_well = ended_well.and(done),
                }
            }
            let ended = running.extract_if(.., |one| one.coroutine.done());
            self.stacks.extend(ended.map(|one| one.coroutine.into_stack()));
            if running.iter().all(|one| one.at_barrier) {
                running.iter_mut().for_each(|one| one.at_barrier = false);
            }
        }
        ended_well
    }

    /// A sub-group that is about to begin.
    fn begin(&mut self, entry: &SubGroups, frame: &mut SubgroupFrame) -> Result<Running, EngineError> {
        let size = if self.job.compiled.private_bytes.is_none() { DEEP_STACK } else { STACK };
        let stack = match self.stacks.pop() {
            Some(stack) => stack,
            None => DefaultStack::new(size).map_err(|_| EngineError::OutOfMemory { bytes: size as u64 })?,
        };
        let entry = entry.clone();
        let frame = ptr::from_mut(frame);
        let coroutine = Coroutine::with_stack(stack, move |turns: &Turns, ()| {
            // SAFETY: the frames live until all sub-groups have ended, and each is used by one alone; memory is as above.
            unsafe {
                (*frame).host = ptr::from_ref(turns).cast_mut().cast();
                entry.run(frame)
            }
        });
        Ok(Running { coroutine, at_barrier: false })
    }
}

/// Makes stores past the caches visible to other threads, before they are told that this one is done.
fn make_visible() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has the instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Bytes of private memory of a sub-group.
fn private_stride(frame: &LaunchFrame) -> u64 {
    u64::from(SUBGROUP_SIZE) * u64::from(frame.private_bytes)
}
