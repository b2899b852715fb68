//! The state of a sub-group between two slices of its execution.

use super::frame::Frame;
use super::registers::Registers;
use crate::finding::Where;
use crate::meaning::Lanes;
use crate::memory::PrivateMemory;
use crate::ndrange::{Group, SUBGROUP_SIZE};
use crate::program::Program;

/// Whether a sub-group can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It can.
    Running,
    /// All of its live lanes wait at this barrier.
    AtBarrier(Where),
    /// All of its lanes have returned.
    Finished,
}

/// A sub-group: up to 32 work-items that execute together.
pub(super) struct SubGroup {
    /// Its number in the work-group.
    pub number: u32,
    /// Whether it can go on.
    pub state: State,
    /// Lanes that have not returned from the kernel.
    pub live: u32,
    /// Activations, the kernel's first.
    pub frames: Vec<Frame>,
    /// Registers of all activations.
    pub registers: Registers,
    /// First free slot.
    pub top: usize,
    /// Private memory.
    pub private: PrivateMemory,
    /// Local ids, for each dimension.
    pub local_ids: [Lanes; 3],
    /// The number and work-group size that the local ids are for.
    placed: (u32, [u32; 3]),
    /// Instructions executed.
    pub steps: u64,
}

impl SubGroup {
    /// A sub-group that has nothing to do yet.
    pub fn new() -> Self {
        SubGroup {
            number: 0,
            state: State::Finished,
            live: 0,
            frames: Vec::new(),
            registers: Registers::default(),
            top: 0,
            private: PrivateMemory::default(),
            local_ids: [[0; 32]; 3],
            placed: (0, [0; 3]),
            steps: 0,
        }
    }

    /// Begins the kernel as the sub-group of this number in a work-group.
    pub fn begin(&mut self, program: &Program, group: &Group, number: u32) {
        let first = number * SUBGROUP_SIZE;
        let count = (group.work_items() - first).min(SUBGROUP_SIZE);
        self.number = number;
        self.state = State::Running;
        self.live = u32::MAX >> (SUBGROUP_SIZE - count);
        self.steps = 0;
        if self.placed != (number, group.size) {
            self.placed = (number, group.size);
            for lane in 0..SUBGROUP_SIZE {
                let id = group.local_id(first + lane);
                for (dimension, id) in id.into_iter().enumerate() {
                    self.local_ids[dimension][lane as usize] = u64::from(id);
                }
            }
        }
        self.frames.clear();
        self.private.reset();
        let kernel = &program.codes[0];
        self.private.push(&kernel.private, kernel.private_size);
        self.top = kernel.slots as usize;
        self.registers.renew(0, self.top);
        self.frames.push(Frame::new(0, 0, 0, self.live));
    }

    /// The activation that executes.
    #[inline]
    pub fn frame(&mut self) -> &mut Frame {
        let Some(frame) = self.frames.last_mut() else {
            unreachable!("a running sub-group has an activation")
        };
        frame
    }
}
