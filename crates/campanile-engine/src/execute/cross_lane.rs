//! Chapter 7: lanes that read one another.

use campanile_core::isa::{CrossLane as Kind, Opcode};

use super::machine::{Here, Machine};
use super::sub_group::SubGroup;
use crate::finding::FindingKind;
use crate::mask::{lanes_where, lowest};
use crate::observe::Observer;
use crate::program::CrossLane;

impl<O: Observer> Machine<'_, O> {
    pub(super) fn cross_lane(&mut self, sub: &mut SubGroup, here: &Here, step: &CrossLane) {
        let count = step.sources.len();
        self.fetch(sub, here, step.sources[step.mask], step.mask);
        let participants = self.participants(sub, here, step);
        let shuffles = step.opcode == Opcode::CrossLane(Kind::Shfl);
        for (index, source) in step.sources.iter().enumerate().filter(|(index, _)| *index != step.mask) {
            if shuffles && index == 0 {
                self.sources[0] = self.read(sub, here, *source).0;
            } else {
                self.fetch(sub, &Here { active: here.active & participants, ..*here }, *source, index);
            }
        }
        let written = (step.meaning)(&self.sources[..count], here.active, &mut self.results[0]);
        self.write_result(sub, here, step.result, 0, written);
        self.observer.exchange(&mut self.watched, sub.number, here.active & participants);
        if shuffles {
            self.shuffle_undefined(sub, here, step, written);
        }
    }

    /// A shuffle moves its value: what was undefined there is undefined here. Shuffling the undefined bytes tells.
    fn shuffle_undefined(&mut self, sub: &mut SubGroup, here: &Here, step: &CrossLane, written: u32) {
        let (_, undefined) = self.read(sub, here, step.sources[0]);
        if undefined == [0; 32] {
            return;
        }
        let values = self.results[0];
        self.sources[0] = undefined.map(u64::from);
        (step.meaning)(&self.sources[..step.sources.len()], here.active, &mut self.results[0]);
        let moved = self.results[0].map(|bytes| bytes as u8);
        sub.registers.write_raw(here.base + step.result.first as usize, &values, &moved, written);
    }

    /// The lanes chosen by the mask, which is in place; it must be the same in every active lane.
    fn participants(&mut self, sub: &SubGroup, here: &Here, step: &CrossLane) -> u32 {
        let masks = self.sources[step.mask].map(|mask| mask as u32);
        let first = masks[lowest(here.active)];
        let differing = lanes_where(here.active, |lane| masks[lane] != first);
        self.report_lanes(sub, here, differing, |_, lane| FindingKind::MaskNotUniform {
            mask: masks[lane],
            first,
        });
        if step.opcode == Opcode::CrossLane(Kind::Redfirstidx) && first & here.active == 0 {
            let active = here.active;
            self.report_lanes(sub, here, active, |_, _| FindingKind::NoParticipants { mask: first, active });
        }
        if differing == 0 { first } else { u32::MAX }
    }
}
