//! `iatom` and `fatom` (spec instructions 8.1 and 8.2).

use campanile_core::isa::{FloatFormat, Operation, Space};
use campanile_core::module::generic;

use super::access::{Checked, Fault, FaultKind, Permitted, keep_order};
use super::machine::{Here, Machine};
use super::sub_group::SubGroup;
use crate::finding::{Access, FindingKind};
use crate::float::{self, Mode};
use crate::mask::lanes;
use crate::meaning::Lanes;
use crate::memory::Memory;
use crate::observe::Observer;
use crate::program::{Atomic, Change, Slots};

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
        let reads_only_to_replace = atomic.change == Change::Integer(Operation::Exchange);
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
            let change = |old| apply(atomic.change, bytes * 8, old, first, second);
            let old = memory.update(&object, byte, lane, bytes, change);
            (results[0][lane], results[1][lane]) = (old as u64, (old >> 64) as u64);
        }
    }
}

/// What an atomic operation on so many bits stores in place of `old`.
fn apply(change: Change, bits: u32, old: u128, first: u128, second: u128) -> u128 {
    match change {
        Change::Integer(operation) => {
            integer(operation, bits, old, first, second) & (u128::MAX >> (128 - bits))
        }
        Change::Float(operation, format) => u128::from(floating(operation, format, old, first, second)),
    }
}

fn integer(operation: Operation, bits: u32, old: u128, first: u128, second: u128) -> u128 {
    let signed = |value: u128| (value << (128 - bits)) as i128;
    match operation {
        Operation::Add => old.wrapping_add(first),
        Operation::Sub => old.wrapping_sub(first),
        Operation::Increment => old.wrapping_add(1),
        Operation::Decrement => old.wrapping_sub(1),
        Operation::IncrementWrap => {
            if old >= first {
                0
            } else {
                old + 1
            }
        }
        Operation::DecrementWrap => {
            if old == 0 || old > first {
                first
            } else {
                old - 1
            }
        }
        Operation::SignedMin => {
            if signed(first) < signed(old) {
                first
            } else {
                old
            }
        }
        Operation::SignedMax => {
            if signed(first) > signed(old) {
                first
            } else {
                old
            }
        }
        Operation::UnsignedMin => old.min(first),
        Operation::UnsignedMax => old.max(first),
        Operation::And => old & first,
        Operation::Or => old | first,
        Operation::Xor => old ^ first,
        Operation::Exchange => first,
        Operation::Cas => {
            if old == first {
                second
            } else {
                old
            }
        }
        Operation::Min
        | Operation::Max
        | Operation::AbsMax
        | Operation::Sum
        | Operation::Up
        | Operation::Down
        | Operation::Index => unreachable!("`.{operation}` is no operation of `iatom`"),
    }
}

fn floating(operation: Operation, format: FloatFormat, old: u128, first: u128, second: u128) -> u64 {
    let (old, first, second) = (old as u64, first as u64, second as u64);
    let mode = Mode::default();
    match operation {
        Operation::Add => float::add(format, mode, old, first),
        Operation::Sub => float::sub(format, mode, old, first),
        Operation::Min => float::min(format, mode, false, old, first),
        Operation::Max => float::max(format, mode, false, old, first),
        // By bits: a comparison that a NaN fails could never replace one.
        Operation::Cas => {
            if old == first {
                second
            } else {
                old
            }
        }
        Operation::AbsMax
        | Operation::Sum
        | Operation::SignedMin
        | Operation::SignedMax
        | Operation::UnsignedMin
        | Operation::UnsignedMax
        | Operation::And
        | Operation::Or
        | Operation::Xor
        | Operation::Exchange
        | Operation::Increment
        | Operation::Decrement
        | Operation::IncrementWrap
        | Operation::DecrementWrap
        | Operation::Up
        | Operation::Down
        | Operation::Index => unreachable!("`.{operation}` is no operation of `fatom`"),
    }
}
