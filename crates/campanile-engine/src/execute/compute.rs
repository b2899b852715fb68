//! Computations lane by lane.

use super::machine::{Here, Machine};
use super::sub_group::SubGroup;
use crate::finding::FindingKind;
use crate::mask::{self, ALL};
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
        let divisors = &self.sources[1];
        let zeros = mask::all_where(|lane| divisors[lane] == 0) & here.active;
        self.report_lanes(sub, here, zeros, |machine, lane| FindingKind::DivisionByZero {
            dividend: machine.sources[0][lane],
        });
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
