//! `iatom` and `fatom` (spec instructions 8.1 and 8.2).

use campanile_core::isa::{Operation, Space};
use campanile_core::module::generic;

use super::access::{Checked, Fault, FaultKind, Permitted, keep_order};
use super::machine::{Here, Machine};
use super::sub_group::SubGroup;
use crate::finding::{Access, FindingKind};
use crate::mask::lanes;
use crate::meaning::{AtomicChange, Lanes};
use crate::memory::Memory;
use crate::observe::Observer;
use crate::program::{Atomic, Slots};

impl<O: Observer> Machine<'_, O> {
    /// The lanes take their turns in ascending order.
    pub(super) fn atomic(&mut self, sub: &mut SubGroup, here: &Here, atomic: &Atomic) {
        let mut usable = self.find_addresses(sub, here, &atomic.access.address);
        let halves = atomic.access.element_bytes.div_ceil(8) as usize;
        for (operand, parts) in atomic.operands.iter().enumerate().take(atomic.operand_count) {
            for (half, part) in parts.iter().enumerate().take(halves) {
                usable &= !self.fetch(sub, here, *part, operand * 2 + half);
            }
        }
        *self.results = [[0; 32]; 4];
        for (space, lanes) in self.part_by_space(atomic.access.space, usable) {
            if lanes == 0 {
                continue;
            }
            let checked = Checked { plan: &atomic.access, access: Access::Atomic, space, rules: self.rules };
            if space == Space::Private {
                self.atomic_on_private(sub, here, lanes);
                continue;
            }
            let permitted = match space {
                Space::Shared => checked.permit(&self.shared, lanes, &self.addresses, &mut self.faults),
                Space::Global | Space::Const | Space::Private | Space::Generic => {
                    checked.permit(&self.global, lanes, &self.addresses, &mut self.faults)
                }
            };
            self.observe_before(sub, here, &checked, permitted.lanes);
            keep_order(atomic.access.order);
            let step = Update { checked: &checked, atomic, permitted, addresses: &self.addresses };
            let (sources, results) = (&self.sources, &mut self.results);
            match space {
                Space::Shared => step.run(&mut self.shared, sources, results, &mut self.faults),
                Space::Global | Space::Const | Space::Private | Space::Generic => {
                    step.run(&mut self.global, sources, results, &mut self.faults);
                }
            }
            keep_order(atomic.access.order);
            self.observe_after(sub, here, &checked, permitted.lanes);
            self.report_faults(sub, here, &checked);
        }
        for half in 0..halves {
            let to = Slots { first: atomic.to.first + half as u32, count: 1, ..atomic.to };
            self.write_result(sub, here, to, half, here.active);
        }
    }

    fn atomic_on_private(&mut self, sub: &SubGroup, here: &Here, wanted: u32) {
        self.report_lanes(sub, here, wanted, |machine, lane| {
            let space = Space::Private;
            FindingKind::AtomicSpace { address: generic(space, machine.addresses[lane]), space }
        });
    }
}

/// The atomic operations of some lanes.
struct Update<'a> {
    checked: &'a Checked<'a>,
    atomic: &'a Atomic,
    permitted: Permitted,
    addresses: &'a Lanes,
}

impl Update<'_> {
    /// Carries them out, lane by lane. Operands and results have two halves each.
    fn run<M: Memory>(
        &self,
        memory: &mut M,
        operands: &[Lanes; 4],
        results: &mut [Lanes; 4],
        faults: &mut Vec<Fault>,
    ) {
        let Update { checked, atomic, permitted, addresses } = self;
        let bytes = atomic.access.bytes();
        let reads_only_to_replace = atomic.change == AtomicChange::Integer(Operation::Exchange);
        for lane in lanes(permitted.lanes) {
            let found = permitted.object.or_else(|| memory.find(addresses[lane]));
            let Some(object) = found else { unreachable!("permitted accesses have an object") };
            let byte = addresses[lane] - object.start;
            let undefined = memory.read(&object, byte, lane, bytes.min(8)).1 != 0;
            if undefined && checked.rules.undefined && !reads_only_to_replace {
                faults.push(Fault { lane, kind: FaultKind::Undefined, object: Some(object) });
            }
            let operand = |first: usize| {
                let high = if bytes < 16 { 0 } else { operands[first + 1][lane] };
                u128::from(operands[first][lane]) | u128::from(high) << 64
            };
            let (first, second) = (operand(0), operand(2));
            let change = |old| atomic.change.apply(bytes * 8, old, first, second);
            let old = memory.update(&object, byte, lane, bytes, change);
            (results[0][lane], results[1][lane]) = (old as u64, (old >> 64) as u64);
        }
    }
}
