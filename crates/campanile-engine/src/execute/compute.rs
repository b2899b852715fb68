//! Computations lane by lane.

use super::machine::{Here, Machine};
use super::sub_group::SubGroup;
use crate::checks::Check;
use crate::finding::FindingKind;
use crate::mask::{ALL, lanes};
use crate::observe::Observer;
use crate::program::{Care, Compute, Select, Slots};

impl<O: Observer> Machine<'_, O> {
    #[inline]
    pub(super) fn compute(&mut self, sub: &mut SubGroup, here: &Here, compute: &Compute) {
        let count = compute.sources.len();
        for (index, source) in compute.sources.iter().enumerate() {
            self.fetch(sub, here, *source, index);
        }
        if compute.care == Care::Divisor {
            self.check_divisor(sub, here);
        }
        if let [Slots { first, count: 1, .. }] = compute.results[..]
            && here.active == ALL
        {
            let result = sub.registers.define(here.base + first as usize);
            (compute.meaning)(&self.sources[..count], std::slice::from_mut(result));
            return;
        }
        (compute.meaning)(&self.sources[..count], &mut self.results[..compute.results.len()]);
        for (index, result) in compute.results.iter().enumerate() {
            self.write_result(sub, here, *result, index, here.active);
        }
    }

    /// Writes `self.results[index]` to some lanes of a register, which may be packed.
    pub(super) fn write_result(
        &mut self,
        sub: &mut SubGroup,
        here: &Here,
        result: Slots,
        index: usize,
        lanes: u32,
    ) {
        let first = here.base + result.first as usize;
        if result.count == 1 {
            sub.registers.write(first, &self.results[index], lanes);
            return;
        }
        let bits = result.element_bytes * 8;
        for element in 0..result.count {
            let values = &self.results[index];
            let part = std::array::from_fn(|lane| values[lane] >> (element * bits) & ((1 << bits) - 1));
            sub.registers.write(first + element as usize, &part, lanes);
        }
    }

    fn check_divisor(&mut self, sub: &SubGroup, here: &Here) {
        if !self.checks.has(Check::Division) || self.sources[1].iter().all(|divisor| *divisor != 0) {
            return;
        }
        for lane in lanes(here.active) {
            if self.sources[1][lane] == 0 {
                let dividend = self.sources[0][lane];
                self.report_lane(sub, here, lane, FindingKind::DivisionByZero { dividend });
            }
        }
    }

    pub(super) fn select(&mut self, sub: &mut SubGroup, here: &Here, select: &Select) {
        self.fetch(sub, here, select.condition, 0);
        let [(yes, yes_undefined), (no, no_undefined)] =
            select.values.map(|value| self.read(sub, here, value));
        let holds = &self.sources[0];
        let values = std::array::from_fn(|lane| if holds[lane] != 0 { yes[lane] } else { no[lane] });
        let undefined =
            std::array::from_fn(
                |lane| {
                    if holds[lane] != 0 { yes_undefined[lane] } else { no_undefined[lane] }
                },
            );
        let slot = here.base + select.result.first as usize;
        sub.registers.write_raw(slot, &values, &undefined, here.active);
    }
}
