//! Barriers (spec instruction 9.1).
//!
//! A barrier counts when every work-item that has not ended has come to it. Within a sub-group, lanes that come
//! earlier are parked while the others go on, for these may end, or come to the same barrier by a longer way.

use campanile_core::module::Place;

use super::frame::Frame;
use super::machine::{Here, Machine};
use super::sub_group::{State, SubGroup};
use crate::checks::Check;
use crate::finding::{FindingKind, Other, Role, Where};
use crate::observe::Observer;

impl<O: Observer> Machine<'_, O> {
    /// The active lanes have come to a barrier.
    pub(super) fn arrive(&mut self, sub: &mut SubGroup, here: &Here) {
        let at = self.at(here.code, here.step);
        let elsewhere = sub.frames.iter().rev().skip(1).find(|frame| frame.parked != 0);
        if let Some(frame) = elsewhere {
            let other = self.at(frame.code, frame.parked_step);
            return self.different_barriers(sub, here, at, other);
        }
        let frame = sub.frame();
        if frame.parked != 0 && frame.parked_step != here.step {
            let other = Where { function: at.function, instruction: frame.parked_step };
            return self.different_barriers(sub, here, at, other);
        }
        (frame.parked_step, frame.parked_block) = (here.step, frame.block);
        frame.parked |= here.active;
        frame.active = 0;
        let code = &self.program.codes[here.code as usize];
        self.resume(sub, code);
    }

    fn different_barriers(&mut self, sub: &mut SubGroup, here: &Here, at: Where, other: Where) {
        if self.checks.has(Check::Barrier) {
            let other = self.other(Role::OtherBarrier, other.place(&self.program.module));
            self.report(sub, at, here.active, FindingKind::DifferentBarriers, Some(other));
            sub.state = State::Finished;
        } else {
            // Unwatched, a barrier that cannot be kept is passed.
            sub.frame().step = here.step + 1;
        }
    }

    fn other(&self, role: Role, place: Place) -> Other {
        Other { role, place, work_item: None }
    }

    /// All lanes of the current activation that have not returned are parked at a barrier.
    pub(super) fn settle_barrier(&mut self, sub: &mut SubGroup) {
        let Frame { parked, parked_step, code, .. } = *sub.frame();
        let at = self.at(code, parked_step);
        if parked == sub.live {
            sub.state = State::AtBarrier(at);
            return;
        }
        // Lanes that wait in the kernel itself may still end; all others wait for these to come back.
        let kernel = &mut sub.frames[0];
        let free = kernel.waiting.lanes();
        if parked | free == sub.live && kernel.parked == 0 {
            let mut rest = Frame::new(0, 0, 0, free);
            rest.continues_kernel = true;
            rest.waiting = std::mem::take(&mut kernel.waiting);
            sub.frames.push(rest);
            return self.resume(sub, &self.program.codes[0]);
        }
        if !self.checks.has(Check::Barrier) {
            return pass(sub);
        }
        let missing = sub.live & !parked;
        let other = self.elsewhere(sub);
        let kind = FindingKind::BarrierDivergence { arrived: parked, missing };
        self.report(sub, at, parked, kind, other);
        sub.state = State::Finished;
    }

    /// A place where lanes wait that are not at the barrier.
    fn elsewhere(&self, sub: &SubGroup) -> Option<Other> {
        let frame = sub.frames.iter().rev().find(|frame| !frame.waiting.is_empty())?;
        let code = &self.program.codes[frame.code as usize];
        let block = code.blocks.get(frame.waiting.earliest()? as usize)?;
        let at = Where { function: code.function, instruction: block.start };
        Some(self.other(Role::ElsewhereRunning, at.place(&self.program.module)))
    }

    /// Lets the sub-groups go on that wait at a barrier; none runs. Tells whether any does.
    pub(super) fn release_barrier(&mut self, subgroups: &mut [SubGroup]) -> bool {
        let mut first: Option<Where> = None;
        for sub in subgroups.iter() {
            let State::AtBarrier(at) = sub.state else { continue };
            let other = *first.get_or_insert(at);
            if at != other && self.checks.has(Check::Barrier) {
                let other = self.other(Role::OtherBarrier, other.place(&self.program.module));
                self.report(sub, at, sub.live, FindingKind::DifferentBarriers, Some(other));
                return false;
            }
        }
        if first.is_some() {
            self.observer.barrier(&mut self.watched);
        }
        for sub in subgroups.iter_mut().filter(|sub| matches!(sub.state, State::AtBarrier(_))) {
            sub.state = State::Running;
            pass(sub);
        }
        first.is_some()
    }
}

/// Lets the parked lanes of the current activation go on behind the barrier.
fn pass(sub: &mut SubGroup) {
    let frame = sub.frame();
    frame.active = std::mem::take(&mut frame.parked);
    (frame.step, frame.block) = (frame.parked_step + 1, frame.parked_block);
}
