//! `ld` and `st` (spec instructions 8.3 and 8.5).

use campanile_core::isa::{Order, Space};

use super::access::{Checked, Fault, FaultKind, Permitted, keep_order};
use super::machine::{Here, Machine};
use super::registers::{Registers, Undefined};
use super::sub_group::SubGroup;
use crate::finding::{Access, FindingKind};
use crate::mask::{lanes, lanes_where};
use crate::meaning::Lanes;
use crate::memory::{self, Memory, Object, ReadWords};
use crate::observe::Observer;
use crate::program::{AccessPlan, Load, Source, Store};

/// Bytes of a register slot that one element, or half of a 128-bit one, fills.
fn piece_bytes(plan: &AccessPlan) -> u32 {
    plan.element_bytes.min(8)
}

impl<O: Observer> Machine<'_, O> {
    #[inline]
    pub(super) fn load(&mut self, sub: &mut SubGroup, here: &Here, load: &Load) {
        let usable = self.find_addresses(sub, here, &load.access.address);
        let first = here.base + load.to.first as usize;
        let mut loaded = 0;
        for (space, lanes) in self.part_by_space(load.access.space, usable) {
            if lanes == 0 {
                continue;
            }
            let checked = Checked { plan: &load.access, access: Access::Load, space, rules: self.rules };
            let permitted = match space {
                Space::Private => checked.permit(&sub.private, lanes, &self.addresses, &mut self.faults),
                Space::Shared => checked.permit(&self.shared, lanes, &self.addresses, &mut self.faults),
                Space::Global | Space::Const | Space::Generic => {
                    checked.permit(&self.global, lanes, &self.addresses, &mut self.faults)
                }
            };
            self.observe_before(sub, here, &checked, permitted.lanes);
            let into = Into { registers: &mut sub.registers, first, faults: &mut self.faults };
            match space {
                Space::Private => read_lanes(&sub.private, &checked, permitted, &self.addresses, into),
                Space::Shared => read_lanes(&self.shared, &checked, permitted, &self.addresses, into),
                Space::Global | Space::Const | Space::Generic => {
                    read_lanes(&self.global, &checked, permitted, &self.addresses, into);
                }
            }
            keep_order(load.access.order);
            self.observe_after(sub, here, &checked, permitted.lanes);
            self.report_faults(sub, here, &checked);
            loaded |= permitted.lanes;
        }
        for lane in lanes(here.active & !loaded) {
            for piece in 0..load.to.count as usize {
                sub.registers.write_lane(first + piece, lane, 0, 0);
            }
        }
    }

    #[inline]
    pub(super) fn store(&mut self, sub: &mut SubGroup, here: &Here, store: &Store) {
        let usable = self.find_addresses(sub, here, &store.access.address);
        self.stored.clear();
        for value in &store.values {
            let read = self.read(sub, here, *value);
            self.stored.push(read);
        }
        self.check_stored(sub, here, store);
        keep_order(store.access.order);
        for (space, lanes) in self.part_by_space(store.access.space, usable) {
            if lanes == 0 {
                continue;
            }
            let checked = Checked { plan: &store.access, access: Access::Store, space, rules: self.rules };
            let addresses = &self.addresses;
            let permitted = match space {
                Space::Private => checked.permit(&sub.private, lanes, addresses, &mut self.faults),
                Space::Shared => checked.permit(&self.shared, lanes, addresses, &mut self.faults),
                Space::Global | Space::Const | Space::Generic => {
                    checked.permit(&self.global, lanes, addresses, &mut self.faults)
                }
            };
            self.observe_before(sub, here, &checked, permitted.lanes);
            let (addresses, stored) = (&self.addresses, &self.stored);
            match space {
                Space::Private => write_lanes(&mut sub.private, &checked, permitted, addresses, stored),
                Space::Shared => write_lanes(&mut self.shared, &checked, permitted, addresses, stored),
                Space::Global | Space::Const | Space::Generic => {
                    write_lanes(&mut self.global, &checked, permitted, addresses, stored);
                }
            }
            keep_order(store.access.order);
            self.observe_after(sub, here, &checked, permitted.lanes);
            self.report_faults(sub, here, &checked);
        }
    }

    /// Finds lanes that store a value of which nothing, or with its own check not everything, has been written.
    fn check_stored(&mut self, sub: &SubGroup, here: &Here, store: &Store) {
        if self.stored.iter().all(|(_, undefined)| *undefined == [0; 32]) {
            return;
        }
        let needed = ((1u16 << piece_bytes(&store.access)) - 1) as u8;
        let stored = std::mem::take(&mut self.stored);
        let any = |lane: usize| stored.iter().position(|(_, undefined)| undefined[lane] & needed != 0);
        let all = |lane: usize| stored.iter().all(|(_, undefined)| undefined[lane] & needed == needed);
        let partly = lanes_where(here.active, |lane| any(lane).is_some());
        let wholly = lanes_where(partly, all);
        let operand = |machine: &Self, lane: usize| match any(lane).map(|part| store.values[part]) {
            Some(Source::Slot { slot, .. }) => machine.operand_name(here, here.base + slot as usize),
            _ => String::new(),
        };
        self.report_lanes(sub, here, wholly, |machine, lane| FindingKind::UndefinedRegister {
            operand: operand(machine, lane),
        });
        self.report_lanes(sub, here, partly & !wholly, |machine, lane| FindingKind::PartlyUndefined {
            operand: operand(machine, lane),
        });
        self.stored = stored;
    }
}

/// Where loaded values go.
struct Into<'a> {
    registers: &'a mut Registers,
    /// The first slot.
    first: usize,
    faults: &'a mut Vec<Fault>,
}

/// The object of an access that is permitted.
#[inline]
fn object<M: Memory>(memory: &M, known: &mut Option<Object>, address: u64) -> Object {
    match known {
        Some(object) if object.holds(address, 1) => *object,
        _ => {
            let Some(object) = memory.find(address) else {
                unreachable!("permitted accesses have an object")
            };
            *known = Some(object);
            object
        }
    }
}

/// Reads what lanes may read into slots from `first` on.
#[inline]
fn read_lanes<M: Memory>(
    memory: &M,
    checked: &Checked<'_>,
    permitted: Permitted,
    addresses: &Lanes,
    mut into: Into<'_>,
) {
    let plan = checked.plan;
    let bytes = piece_bytes(plan);
    let whole = plan.order != Order::Weak && plan.bytes() > 4;
    if let Some(object) = permitted.object
        && !whole
    {
        let (words, start) = memory.words(&object);
        let undefined = (0..plan.bytes() / bytes).fold(0, |all, piece| {
            let base = object.start.wrapping_sub(start as u64 + u64::from(piece * bytes));
            let values = into.registers.define_lanes(into.first + piece as usize, permitted.lanes);
            all | gather(&words, permitted.lanes, bytes, addresses, base, values)
        });
        if undefined == 0 {
            return;
        }
    }
    let mut known = permitted.object;
    for lane in lanes(permitted.lanes) {
        let object = object(memory, &mut known, addresses[lane]);
        let byte = addresses[lane] - object.start;
        read_lane(memory, checked, &object, byte, lane, &mut into);
        if whole {
            let value = memory.read_whole(&object, byte, lane, plan.bytes());
            for piece in 0..plan.bytes() / bytes {
                let part = (value >> (64 * piece)) as u64;
                into.registers.write_lane(into.first + piece as usize, lane, part, 0);
            }
        }
    }
}

/// Reads one aligned element or half of each lane, from where its address less `base` says. Tells which bytes are
/// undefined in any lane.
#[inline]
fn gather(
    words: &impl ReadWords,
    wanted: u32,
    bytes: u32,
    addresses: &Lanes,
    base: u64,
    values: &mut Lanes,
) -> u8 {
    lanes(wanted).fold(0, |all, lane| {
        let byte = addresses[lane].wrapping_sub(base) as usize;
        let (value, undefined) = match bytes {
            4 => (u64::from(words.word(byte / 4, lane)), words.undefined(byte / 4, lane)),
            _ => memory::read(words, byte, lane, bytes),
        };
        values[lane] = value;
        all | undefined
    })
}

/// Reads all of one lane, with all that can be amiss.
fn read_lane<M: Memory>(
    memory: &M,
    checked: &Checked<'_>,
    object: &Object,
    byte: u64,
    lane: usize,
    into: &mut Into<'_>,
) {
    let bytes = piece_bytes(checked.plan);
    let pieces = checked.plan.bytes() / bytes;
    let all = ((1u16 << bytes) - 1) as u8;
    let mut anything_defined = false;
    for piece in 0..pieces {
        let at = byte + u64::from(piece * bytes);
        let (value, undefined) = match at < object.size {
            true => memory.read(object, at, lane, bytes),
            false => (0, all),
        };
        anything_defined |= undefined != all;
        let undefined = if checked.rules.undefined { undefined } else { 0 };
        into.registers.write_lane(into.first + piece as usize, lane, value, undefined);
    }
    if !anything_defined && checked.rules.undefined {
        into.faults.push(Fault { lane, kind: FaultKind::Undefined, object: Some(*object) });
        for piece in 0..pieces {
            into.registers.write_lane(into.first + piece as usize, lane, 0, 0);
        }
    }
}

/// Writes what lanes may write.
#[inline]
fn write_lanes<M: Memory>(
    memory: &mut M,
    checked: &Checked<'_>,
    permitted: Permitted,
    addresses: &Lanes,
    stored: &[(Lanes, Undefined)],
) {
    let plan = checked.plan;
    let bytes = piece_bytes(plan);
    let whole = plan.order != Order::Weak && plan.bytes() > 4;
    let mut known = permitted.object;
    if let Some(object) = permitted.object
        && !whole
    {
        let (mut words, start) = memory.words_mut(&object);
        for (piece, (values, undefined)) in stored.iter().enumerate() {
            let base = object.start.wrapping_sub(start as u64 + u64::from(piece as u32 * bytes));
            for lane in lanes(permitted.lanes) {
                let byte = addresses[lane].wrapping_sub(base) as usize;
                memory::write(&mut words, byte, lane, bytes, values[lane], undefined[lane]);
            }
        }
        return;
    }
    for lane in lanes(permitted.lanes) {
        let object = object(memory, &mut known, addresses[lane]);
        let byte = addresses[lane] - object.start;
        if whole {
            let value = stored.iter().rev().fold(0, |all, (part, _)| all << 64 | u128::from(part[lane]));
            memory.update(&object, byte, lane, plan.bytes(), |_| value);
            continue;
        }
        let (mut words, start) = memory.words_mut(&object);
        for (piece, (values, undefined)) in stored.iter().enumerate() {
            let at = start + byte as usize + piece * bytes as usize;
            memory::write(&mut words, at, lane, bytes, values[lane], undefined[lane]);
        }
    }
}
