//! Chapter 4: moves of bits, whether defined or not, and generic addresses.

use campanile_core::isa::Space;
use campanile_core::module::{generic, split_generic};

use super::machine::{Here, Machine};
use super::sub_group::SubGroup;
use crate::finding::FindingKind;
use crate::mask::{self, lanes, lanes_where};
use crate::observe::Observer;
use crate::program::{Assign, Copy, Dynamic, Slots, Source};

impl<O: Observer> Machine<'_, O> {
    pub(super) fn copy(&mut self, sub: &mut SubGroup, here: &Here, copy: &Copy) {
        let Copy { to, from } = *copy;
        if to.element_bytes != from.element_bytes {
            recut(sub, here, from, to);
            return;
        }
        for element in 0..to.count as usize {
            let (from, to) =
                (here.base + from.first as usize + element, here.base + to.first as usize + element);
            sub.registers.copy(from, to, here.active);
        }
    }

    pub(super) fn assign(&mut self, sub: &mut SubGroup, here: &Here, assign: &Assign) {
        let Slots { first, count, element_bytes } = assign.to;
        for index in 0..count as usize {
            let slot = here.base + first as usize + index;
            let (mut values, mut undefined) = match assign.parts.get(index) {
                Some(part) => self.read(sub, here, *part),
                None => self.read(sub, here, assign.parts[0]),
            };
            if assign.parts.len() < count as usize {
                let (bits, bytes) = (8 * element_bytes, element_bytes as usize);
                values = values.map(|value| value >> (bits as usize * index) & (u64::MAX >> (64 - bits)));
                undefined = undefined.map(|all| all >> (bytes * index) & ((1 << bytes) - 1));
            }
            sub.registers.write_raw(slot, &values, &undefined, here.active);
        }
    }

    pub(super) fn extract_dynamic(&mut self, sub: &mut SubGroup, here: &Here, dynamic: &Dynamic) {
        let Source::Slot { slot: to, .. } = dynamic.element else { return };
        let within = self.indices(sub, here, dynamic);
        for lane in lanes(here.active) {
            let (value, undefined) = match mask::has(within, lane) {
                true => sub.registers.get_lane(self.element(here, dynamic.vector, lane), lane),
                false => (0, 0),
            };
            sub.registers.write_lane(here.base + to as usize, lane, value, undefined);
        }
    }

    pub(super) fn insert_dynamic(&mut self, sub: &mut SubGroup, here: &Here, dynamic: &Dynamic) {
        let within = self.indices(sub, here, dynamic);
        let (values, undefined) = self.read(sub, here, dynamic.element);
        for lane in lanes(within) {
            let to = self.element(here, dynamic.vector, lane);
            sub.registers.write_lane(to, lane, values[lane], undefined[lane]);
        }
    }

    /// Fetches the indices; gives the lanes whose index is within the vector.
    fn indices(&mut self, sub: &SubGroup, here: &Here, dynamic: &Dynamic) -> u32 {
        let bad = self.fetch(sub, here, dynamic.index, 0);
        let (indices, elements) = (self.sources[0].map(|index| index as u32), dynamic.vector.count);
        let within = lanes_where(here.active & !bad, |lane| indices[lane] < elements);
        self.report_lanes(sub, here, here.active & !bad & !within, |_, lane| FindingKind::IndexOutOfRange {
            index: indices[lane],
            elements,
        });
        within
    }

    /// The slot of the element that a lane's index, which has been fetched, chooses.
    fn element(&self, here: &Here, vector: Slots, lane: usize) -> usize {
        here.base + (vector.first + self.sources[0][lane] as u32) as usize
    }

    pub(super) fn cast_to_generic(
        &mut self,
        sub: &mut SubGroup,
        here: &Here,
        space: Space,
        from: Source,
        to: u32,
    ) {
        self.fetch(sub, here, from, 0);
        let addresses = self.sources[0].map(|address| generic(space, address));
        sub.registers.write(here.base + to as usize, &addresses, here.active);
    }

    pub(super) fn cast_from_generic(
        &mut self,
        sub: &mut SubGroup,
        here: &Here,
        space: Space,
        from: Source,
        to: u32,
    ) {
        let bad = self.fetch(sub, here, from, 0);
        let addresses = self.sources[0];
        let results = addresses.map(|address| match space.address_bits() {
            // Compilers cast a null pointer first and choose the null of the space afterwards.
            32 if address == 0 => u64::from(u32::MAX),
            32 => split_generic(address).1 & 0xffff_ffff,
            _ => split_generic(address).1,
        });
        let elsewhere = |lane: usize| addresses[lane] != 0 && split_generic(addresses[lane]).0 != space;
        self.report_lanes(sub, here, lanes_where(here.active & !bad, elsewhere), |_, lane| {
            let address = addresses[lane];
            FindingKind::WrongCast { address, actual: split_generic(address).0, wanted: space }
        });
        sub.registers.write(here.base + to as usize, &results, here.active);
    }

    pub(super) fn tell_space(
        &mut self,
        sub: &mut SubGroup,
        here: &Here,
        space: Space,
        from: Source,
        to: u32,
    ) {
        self.fetch(sub, here, from, 0);
        let answers = self.sources[0].map(|address| match split_generic(address).0 == space {
            true => u64::from(u32::MAX),
            false => 0,
        });
        sub.registers.write(here.base + to as usize, &answers, here.active);
    }
}

/// Copies bits between elements of different widths.
fn recut(sub: &mut SubGroup, here: &Here, from: Slots, to: Slots) {
    for lane in lanes(here.active) {
        let (mut value, mut undefined) = (0u128, 0u16);
        for element in 0..from.count {
            let (slot, bytes) = (here.base + (from.first + element) as usize, element * from.element_bytes);
            value |= u128::from(sub.registers.value(slot)[lane]) << (8 * bytes);
            let all = (1u16 << from.element_bytes) - 1;
            undefined |= (u16::from(sub.registers.undefined(slot)[lane]) & all) << bytes;
        }
        for element in 0..to.count {
            let (slot, bytes) = (here.base + (to.first + element) as usize, element * to.element_bytes);
            let all = u64::MAX >> (64 - 8 * to.element_bytes);
            let part = (value >> (8 * bytes)) as u64 & all;
            sub.registers.write_lane(slot, lane, part, (undefined >> bytes) as u8);
        }
    }
}
