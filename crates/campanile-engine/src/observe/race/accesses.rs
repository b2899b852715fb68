//! The accesses of an event, on their way through the shadow memory.

use campanile_core::isa::Order;

use super::clocks::Clocks;
use super::record::{Action, Record};
use super::row::{ROW, Sweep};
use super::shadow::{ROW_BYTES, Shadow};
use super::{RaceDetector, work_item};
use crate::finding::{FindingKind, Other, Role};
use crate::mask::{self, ALL, lanes};
use crate::memory::{Memory, Object};
use crate::ndrange::SUBGROUP_SIZE;
use crate::observe::{Event, Watch};

/// The accesses of an event.
pub(super) struct Accesses<'a, 'b, 'c> {
    detector: &'a RaceDetector,
    clocks: &'a Clocks,
    event: &'a Event<'a>,
    watch: &'a mut Watch<'b, 'c>,
    /// The access of lane 0 to all bytes of a word.
    record: Record,
}

/// How the accesses of a sub-group lie to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// The lanes access neighbouring elements, of two to this power words each.
    Sweep { shift: u8 },
    /// All lanes read one place.
    Broadcast,
    /// Anything else.
    Scattered,
}

/// Part of an access within a word.
struct Part {
    word: usize,
    bytes: u8,
    count: u64,
}

impl Part {
    /// The first word of `rest` bytes from a byte of a row on.
    fn first(byte: u64, rest: u64) -> Self {
        let within = byte % 4;
        let count = rest.min(4 - within);
        Part { word: (byte / 4) as usize, bytes: (0xf >> (4 - count)) << within, count }
    }
}

impl<'a, 'b, 'c> Accesses<'a, 'b, 'c> {
    /// The accesses of an event.
    pub fn new(
        detector: &'a RaceDetector,
        clocks: &'a Clocks,
        event: &'a Event<'a>,
        watch: &'a mut Watch<'b, 'c>,
    ) -> Self {
        let Event { access, order, at, subgroup, .. } = *event;
        let record = Record {
            group: clocks.group() + 1,
            time: clocks.time(),
            instruction: detector.instruction(at),
            item: (subgroup * SUBGROUP_SIZE) as u16,
            bytes: 0xf,
            action: Action::new(access, order != Order::Weak),
        };
        Accesses { detector, clocks, event, watch, record }
    }

    fn shape(&self) -> Shape {
        let Event { addresses, lanes, bytes, .. } = *self.event;
        let shift = match bytes {
            4 => 0,
            8 => 1,
            16 => 2,
            32 => 3,
            _ => return Shape::Scattered,
        };
        let first = addresses[mask::lowest(lanes)];
        let stride = |stride: u64| {
            let place = |lane: usize| first.wrapping_add(lane as u64 * stride);
            addresses.iter().enumerate().all(|(lane, address)| *address == place(lane))
        };
        if lanes == ALL && first.is_multiple_of(ROW_BYTES) && stride(u64::from(bytes)) {
            Shape::Sweep { shift }
        } else if lanes == ALL && self.record.action.reads_only() && stride(0) {
            Shape::Broadcast
        } else {
            Shape::Scattered
        }
    }

    /// Takes the accesses to a memory.
    pub fn walk<M: Memory>(&mut self, memory: &M, shadow: &mut impl Shadow) {
        let wanted = match self.shape() {
            Shape::Sweep { shift } => return self.sweep(memory, shadow, shift),
            // Two of many readers are kept anyway.
            Shape::Broadcast if self.may_be_read(shadow) => 1 | 1 << 31,
            Shape::Broadcast | Shape::Scattered => self.event.lanes,
        };
        for lane in lanes(wanted) {
            self.lane(memory, shadow, lane);
        }
    }

    /// Whether no lane can race by reading what lane 0 reads.
    fn may_be_read(&self, shadow: &mut impl Shadow) -> bool {
        let (clocks, group) = (self.clocks, self.record.group);
        let words = (0..u64::from(self.event.bytes)).step_by(4);
        words.into_iter().all(|byte| {
            let row = shadow.row(self.event.addresses[0] + byte);
            row.is_none_or(|(row, byte)| {
                row.may_be_read(byte as usize / 4, |old| clocks.orders_all(old, group))
            })
        })
    }

    /// Takes accesses of neighbouring lanes to neighbouring elements, row by row.
    fn sweep<M: Memory>(&mut self, memory: &M, shadow: &mut impl Shadow, shift: u8) {
        let clocks = self.clocks;
        for number in 0..1 << shift {
            let start = self.event.addresses[0] + number * ROW_BYTES;
            let Some((row, _)) = shadow.row(start) else { continue };
            let first_lane = number as usize * (ROW >> shift);
            let first = Record { item: self.record.item + first_lane as u16, ..self.record };
            let sweep = Sweep { first, shift };
            if row.sweep(sweep, |old| clocks.orders_all(old, first.group)) {
                continue;
            }
            for word in 0..ROW {
                let record = sweep.record(word);
                let lane = first_lane + (word >> shift);
                if let Some(other) = row.access(word, record, |other| clocks.orders(other, &record)) {
                    self.judge(lane, &record, &other, memory, memory.find(start));
                }
            }
            row.swept(sweep);
        }
    }

    /// Takes the access of one lane, word by word.
    fn lane<M: Memory>(&mut self, memory: &M, shadow: &mut impl Shadow, lane: usize) {
        let clocks = self.clocks;
        let (mut address, mut rest) = (self.event.addresses[lane], u64::from(self.event.bytes));
        while rest > 0 {
            let Some((row, byte)) = shadow.row(address) else { break };
            let Part { word, bytes, count } = Part::first(byte, rest);
            let record = Record { item: self.record.item + lane as u16, bytes, ..self.record };
            if let Some(other) = row.access(word, record, |other| clocks.orders(other, &record)) {
                self.judge(lane, &record, &other, memory, memory.find(address));
            }
            (address, rest) = (address + count, rest - count);
        }
    }

    /// Reports a race, unless both store the same value.
    fn judge<M: Memory>(
        &mut self,
        lane: usize,
        record: &Record,
        other: &Record,
        memory: &M,
        object: Option<Object>,
    ) {
        let Some(object) = object else { return };
        let stores = record.action == Action::Write && other.action == Action::Write;
        if stores && self.stores_the_same(lane, record, other, memory, &object) {
            return;
        }
        let Watch { range, group, program, reporter, .. } = self.watch;
        let address = self.event.addresses[lane];
        let kind = FindingKind::DataRace {
            access: record.action.access(),
            space: self.event.space,
            between_groups: record.group != other.group,
            nearest: program.describe(&object, address),
        };
        let place = self.detector.place(other.instruction).place(&program.module);
        let role = Role::OtherAccess(other.action.access());
        let other = Other { role, place, work_item: Some(work_item(range, other)) };
        let own = || range.work_item(group, group.local_id(u32::from(record.item)));
        reporter.report(self.event.at, kind, 1, own, Some(other));
    }

    /// Whether a store changes nothing: it writes what another lane writes at once, or what is there already.
    fn stores_the_same<M: Memory>(
        &self,
        lane: usize,
        record: &Record,
        other: &Record,
        memory: &M,
        object: &Object,
    ) -> bool {
        let Event { stored, addresses, bytes, lanes, .. } = self.event;
        let (address, other_lane) = (addresses[lane], usize::from(other.item % SUBGROUP_SIZE as u16));
        let same_event = other.instruction == record.instruction
            && other.group == record.group
            && other.time == record.time
            && other.item / SUBGROUP_SIZE as u16 == record.item / SUBGROUP_SIZE as u16
            && mask::has(*lanes, other_lane)
            && addresses[other_lane] == address;
        if same_event {
            return stored.iter().all(|(values, _)| values[lane] == values[other_lane]);
        }
        let part_bytes = bytes / stored.len().max(1) as u32;
        stored.iter().enumerate().all(|(part, (values, _))| {
            let byte = address - object.start + u64::from(part as u32 * part_bytes);
            memory.read(object, byte, lane, part_bytes).0 == values[lane]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_cut_into_words() {
        let part = |byte, rest| {
            let Part { word, bytes, count } = Part::first(byte, rest);
            (word, bytes, count)
        };
        assert_eq!(part(8, 4), (2, 0xf, 4));
        assert_eq!(part(6, 8), (1, 0xc, 2));
        assert_eq!(part(12, 2), (3, 0x3, 2));
        assert_eq!(part(5, 1), (1, 0x2, 1));
    }
}
