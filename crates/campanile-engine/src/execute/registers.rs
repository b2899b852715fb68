//! The registers of a sub-group: slots of 32 lanes, each byte with a bit that says whether it is undefined.

use crate::meaning::Lanes;

/// For each lane, the undefined bytes of its value.
pub(super) type Undefined = [u8; 32];

/// All lanes.
pub(super) const ALL: u32 = u32::MAX;

/// The lanes of a mask, lowest first.
pub(super) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// The mask of lanes for which something holds.
#[inline]
pub(super) fn mask_of(holds: impl Fn(usize) -> bool) -> u32 {
    (0..32).fold(0, |mask, lane| mask | u32::from(holds(lane)) << lane)
}

/// A stack of slots.
#[derive(Default)]
pub(super) struct Registers {
    values: Vec<Lanes>,
    undefined: Vec<Undefined>,
}

impl Registers {
    /// Makes the slots from `first` on so many fresh ones: undefined, reading as zero.
    pub fn renew(&mut self, first: usize, count: usize) {
        let end = first + count;
        if self.values.len() < end {
            self.values.resize(end, [0; 32]);
            self.undefined.resize(end, [0; 32]);
        }
        self.values[first..end].fill([0; 32]);
        self.undefined[first..end].fill([0xff; 32]);
    }

    /// The values of a slot.
    #[inline]
    pub fn value(&self, slot: usize) -> &Lanes {
        &self.values[slot]
    }

    /// The undefined bytes of a slot.
    #[inline]
    pub fn undefined(&self, slot: usize) -> &Undefined {
        &self.undefined[slot]
    }

    /// Whether any lane has one of these bytes undefined; quick, and mostly not.
    #[inline]
    pub fn any_undefined(&self, slot: usize, bytes: u8) -> bool {
        self.undefined[slot].iter().fold(0, |all, one| all | one) & bytes != 0
    }

    /// The values of a slot, all of which the caller overwrites.
    #[inline]
    pub fn define(&mut self, slot: usize) -> &mut Lanes {
        self.undefined[slot] = [0; 32];
        &mut self.values[slot]
    }

    /// Writes some lanes of a slot.
    #[inline]
    pub fn write(&mut self, slot: usize, values: &Lanes, mask: u32) {
        if mask == ALL {
            *self.define(slot) = *values;
            return;
        }
        blend(&mut self.values[slot], values, mask);
        let undefined = &mut self.undefined[slot];
        for (lane, bytes) in undefined.iter_mut().enumerate() {
            *bytes = if mask >> lane & 1 != 0 { 0 } else { *bytes };
        }
    }

    /// Writes some lanes of a slot, perhaps in part undefined.
    #[inline]
    pub fn write_raw(&mut self, slot: usize, values: &Lanes, undefined: &Undefined, mask: u32) {
        if mask == ALL {
            self.values[slot] = *values;
            self.undefined[slot] = *undefined;
            return;
        }
        blend(&mut self.values[slot], values, mask);
        for (lane, (old, new)) in self.undefined[slot].iter_mut().zip(undefined).enumerate() {
            *old = if mask >> lane & 1 != 0 { *new } else { *old };
        }
    }

    /// Copies some lanes from slot to slot, undefined bytes too.
    #[inline]
    pub fn copy(&mut self, from: usize, to: usize, mask: u32) {
        let (values, undefined) = (self.values[from], self.undefined[from]);
        self.write_raw(to, &values, &undefined, mask);
    }

    /// Writes one lane of a slot.
    #[inline]
    pub fn write_lane(&mut self, slot: usize, lane: usize, value: u64, undefined: u8) {
        self.values[slot][lane] = value;
        self.undefined[slot][lane] = undefined;
    }
}

#[inline]
fn blend(old: &mut Lanes, new: &Lanes, mask: u32) {
    for (lane, (old, new)) in old.iter_mut().zip(new).enumerate() {
        *old = if mask >> lane & 1 != 0 { *new } else { *old };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_masks() {
        assert_eq!(lanes(0).count(), 0);
        assert_eq!(lanes(0x8000_0005).collect::<Vec<_>>(), [0, 2, 31]);
        assert_eq!(lanes(ALL).count(), 32);
        assert_eq!(mask_of(|lane| lane % 2 == 1), 0xaaaa_aaaa);
    }

    #[test]
    fn writes_touch_their_lanes_only() {
        let mut registers = Registers::default();
        registers.renew(0, 2);
        registers.write(0, &[7; 32], 0b10);
        registers.copy(0, 1, 0b11);
        assert_eq!((registers.value(1)[0], registers.value(1)[1]), (0, 7));
        assert_eq!((registers.undefined(1)[0], registers.undefined(1)[1]), (0xff, 0));
        assert!(registers.any_undefined(1, 1));
    }
}
