//! A work-group: its sub-groups take turns, and meet at barriers.

use super::Shared;
use super::count::Counts;
use super::machine::Machine;
use super::sub_group::{State, SubGroup};
use crate::finding::Reporter;
use crate::ndrange::Group;
use crate::observe::Observer;

/// Instructions that a sub-group may execute before the next one has its turn (spec 1.1.1: none may block another).
const SLICE: u64 = 4096;

/// Runs one work-group after another on one thread.
pub(super) struct WorkGroup<'a, O: Observer> {
    machine: Machine<'a, O>,
    subgroups: Vec<SubGroup>,
}

impl<'a, O: Observer> WorkGroup<'a, O> {
    pub fn new(shared: &'a Shared<'a, O>, reporter: Reporter<'a>) -> Self {
        WorkGroup { machine: Machine::new(shared, reporter), subgroups: Vec::new() }
    }

    /// Instructions executed so far, for each active lane.
    pub fn instructions(&self) -> u64 {
        self.machine.instructions
    }

    /// Executions of blocks so far.
    pub fn counts(&self) -> &Counts {
        &self.machine.counts
    }

    /// Runs a work-group to its end, or until the launch is given up.
    pub fn run(&mut self, group: Group) {
        let count = group.subgroups() as usize;
        self.machine.begin(group);
        self.subgroups.resize_with(count.max(self.subgroups.len()), SubGroup::new);
        let subgroups = &mut self.subgroups[..count];
        for (number, subgroup) in subgroups.iter_mut().enumerate() {
            subgroup.begin(self.machine.program, &group, number as u32);
        }
        while !self.machine.reporter.stopped() {
            let mut ran = false;
            for subgroup in subgroups.iter_mut().filter(|one| one.state == State::Running) {
                self.machine.run(subgroup, SLICE);
                ran = true;
            }
            if !ran && !self.machine.release_barrier(subgroups) {
                break;
            }
        }
    }
}
