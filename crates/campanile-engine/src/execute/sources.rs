//! Reading source operands, and finding registers used before they are written.

use campanile_core::isa::SpecialRegister;
use cranelift_entity::EntityRef;

use super::machine::{Here, Machine};
use super::registers::{Undefined, cleared};
use super::sub_group::SubGroup;
use crate::checks::Check;
use crate::finding::FindingKind;
use crate::mask::lanes_where;
use crate::meaning::Lanes;
use crate::ndrange::SUBGROUP_SIZE;
use crate::observe::Observer;
use crate::program::{Slots, Source};

const LANE_IDS: Lanes = {
    let mut ids = [0; 32];
    let mut lane = 0;
    while lane < ids.len() {
        ids[lane] = lane as u64;
        lane += 1;
    }
    ids
};

impl<O: Observer> Machine<'_, O> {
    /// Reads a source for use into `self.sources[index]`. Returns the active lanes in which it is undefined, which are
    /// reported.
    #[inline]
    pub fn fetch(&mut self, sub: &SubGroup, here: &Here, source: Source, index: usize) -> u32 {
        let slot = match source {
            Source::Slot { slot, needed } => {
                let slot = here.base + slot as usize;
                self.sources[index] = *sub.registers.value(slot);
                if !sub.registers.any_undefined(slot, needed) {
                    return 0;
                }
                slot..slot + 1
            }
            Source::Inverted { slot } => {
                let slot = here.base + slot as usize;
                let values = sub.registers.value(slot);
                self.sources[index] = std::array::from_fn(|lane| values[lane] ^ 1);
                if !sub.registers.any_undefined(slot, 1) {
                    return 0;
                }
                slot..slot + 1
            }
            Source::Packed(slots) => {
                let first = here.base + slots.first as usize;
                self.sources[index] = self.packed(sub, here, slots);
                first..first + slots.count as usize
            }
            Source::Constant(value) => {
                self.sources[index] = [value; 32];
                return 0;
            }
            Source::Special(special, dimension) => {
                self.sources[index] = self.special(sub, here, special, dimension);
                return 0;
            }
            Source::Private(offset) => {
                self.sources[index] = [here.private + offset; 32];
                return 0;
            }
        };
        let needed = match source {
            Source::Slot { needed, .. } => needed,
            Source::Packed(slots) => (1 << slots.element_bytes) - 1,
            _ => 1,
        };
        self.clear_undefined(sub, source, slot.clone(), index);
        self.undefined_lanes(sub, here, slot, needed)
    }

    /// Makes zeros of the undefined bytes of a source that has been read.
    #[cold]
    fn clear_undefined(
        &mut self,
        sub: &SubGroup,
        source: Source,
        slots: std::ops::Range<usize>,
        index: usize,
    ) {
        let bits = match source {
            Source::Packed(slots) => 8 * slots.element_bytes as usize,
            _ => 0,
        };
        for (element, slot) in slots.enumerate() {
            for (value, undefined) in self.sources[index].iter_mut().zip(sub.registers.undefined(slot)) {
                let bytes = match source {
                    Source::Packed(slots) => undefined & ((1 << slots.element_bytes) - 1),
                    _ => *undefined,
                };
                *value = cleared(*value, bytes.wrapping_shl((element * bits / 8) as u32));
            }
        }
    }

    /// The active lanes in which one of these slots is undefined; each is reported.
    fn undefined_lanes(
        &mut self,
        sub: &SubGroup,
        here: &Here,
        slots: std::ops::Range<usize>,
        needed: u8,
    ) -> u32 {
        if !self.checks.has(Check::Registers) {
            return 0;
        }
        let mut all = 0;
        for slot in slots {
            let undefined = sub.registers.undefined(slot);
            let bad = lanes_where(here.active, |lane| undefined[lane] & needed != 0);
            self.report_lanes(sub, here, bad, |machine, _| FindingKind::UndefinedRegister {
                operand: machine.operand_name(here, slot),
            });
            all |= bad;
        }
        all
    }

    /// Reads a source to be moved, not used: nothing is reported, and undefined bytes stay so.
    pub fn read(&self, sub: &SubGroup, here: &Here, source: Source) -> (Lanes, Undefined) {
        match source {
            Source::Slot { slot, .. } => sub.registers.get(here.base + slot as usize),
            Source::Inverted { slot } => {
                let (values, undefined) = sub.registers.get(here.base + slot as usize);
                (values.map(|value| value ^ 1), undefined)
            }
            Source::Packed(slots) => (self.packed(sub, here, slots), [0; 32]),
            Source::Constant(value) => ([value; 32], [0; 32]),
            Source::Special(special, dimension) => (self.special(sub, here, special, dimension), [0; 32]),
            Source::Private(offset) => ([here.private + offset; 32], [0; 32]),
        }
    }

    fn packed(&self, sub: &SubGroup, here: &Here, slots: Slots) -> Lanes {
        let mut all = [0; 32];
        for element in 0..slots.count {
            let values = sub.registers.value(here.base + (slots.first + element) as usize);
            let (bits, shift) = (8 * slots.element_bytes, element * slots.element_bytes * 8);
            for (all, value) in all.iter_mut().zip(values) {
                *all |= (value & ((1 << bits) - 1)) << shift;
            }
        }
        all
    }

    /// The value of a special register (spec 4).
    fn special(&self, sub: &SubGroup, here: &Here, special: SpecialRegister, dimension: u8) -> Lanes {
        let dimension = usize::from(dimension);
        let uniform = match special {
            SpecialRegister::LaneId => return LANE_IDS,
            SpecialRegister::LocalId => return sub.local_ids[dimension],
            SpecialRegister::ActiveMask => u64::from(here.active),
            SpecialRegister::EnqueuedLocalSize => u64::from(self.range.local[dimension]),
            SpecialRegister::GlobalOffset => self.range.offset[dimension],
            SpecialRegister::GlobalSize => self.range.grid[dimension],
            SpecialRegister::GroupCount => u64::from(self.range.groups[dimension]),
            SpecialRegister::GroupId => u64::from(self.group.id[dimension]),
            SpecialRegister::LocalSize => u64::from(self.group.size[dimension]),
            SpecialRegister::PrintfBuffer => self.printf_buffer,
            SpecialRegister::SubgroupSize => u64::from(SUBGROUP_SIZE),
            SpecialRegister::WorkDim => u64::from(self.range.dimensions),
        };
        [uniform; 32]
    }

    /// The register that a slot belongs to, as written: `%x`, or `%v.y` or `%v[5]` for an element.
    pub fn operand_name(&self, here: &Here, slot: usize) -> String {
        let function = self.program.codes[here.code as usize].function;
        let Some(body) = &self.program.module.functions[function].body else { return String::new() };
        let mut rest = (slot - here.base) as u32;
        for register in body.registers.values() {
            let per_element = if register.ty.bits == 128 { 2 } else { 1 };
            let count = u32::from(register.ty.elements) * per_element;
            if rest < count {
                let name = &register.name;
                return match (register.ty.elements, rest) {
                    (1, _) => format!("%{name}"),
                    (_, element @ 0..4) => format!("%{name}.{}", ["x", "y", "z", "w"][element as usize]),
                    (_, element) => format!("%{name}[{element}]"),
                };
            }
            rest -= count;
        }
        debug_assert!(
            false,
            "slot {slot} of {function:?} belongs to no register of {}",
            body.registers.len()
        );
        format!("%{}", function.index())
    }
}
