//! The registers of a sub-group: slots of 32 lanes, each byte with a bit that says whether it is undefined.

use crate::mask::{self, ALL};
use crate::meaning::Lanes;

/// For each lane, the undefined bytes of its value.
pub(super) type Undefined = [u8; 32];

/// A stack of slots. What the undefined bytes of a slot hold is arbitrary; it is cleared on the way out, by [`cleared`].
#[derive(Default)]
pub(super) struct Registers {
    values: Vec<Lanes>,
    undefined: Vec<Undefined>,
    /// Whether any byte of a slot may be undefined; mostly none is.
    doubtful: Vec<bool>,
}

impl Registers {
    /// Makes the slots from `first` on so many fresh ones: undefined.
    pub fn renew(&mut self, first: usize, count: usize) {
        let end = first + count;
        if self.values.len() < end {
            self.values.resize(end, [0; 32]);
            self.undefined.resize(end, [0; 32]);
            self.doubtful.resize(end, false);
        }
        self.undefined[first..end].fill([0xff; 32]);
        self.doubtful[first..end].fill(true);
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
        self.doubtful[slot] && any_of(&self.undefined[slot]) & bytes != 0
    }

    /// The values of a slot, their undefined bytes as zeros, and which these are.
    #[inline]
    pub fn get(&self, slot: usize) -> (Lanes, Undefined) {
        let (mut values, undefined) = (self.values[slot], self.undefined[slot]);
        if self.doubtful[slot] {
            for (value, undefined) in values.iter_mut().zip(undefined) {
                *value = cleared(*value, undefined);
            }
        }
        (values, undefined)
    }

    /// The values of a slot, all of which the caller overwrites.
    #[inline]
    pub fn define(&mut self, slot: usize) -> &mut Lanes {
        if self.doubtful[slot] {
            self.undefined[slot] = [0; 32];
            self.doubtful[slot] = false;
        }
        &mut self.values[slot]
    }

    /// The values of a slot, of which the caller overwrites those of some lanes.
    #[inline]
    pub fn define_lanes(&mut self, slot: usize, lanes: u32) -> &mut Lanes {
        if self.doubtful[slot] {
            let undefined = &mut self.undefined[slot];
            for (lane, bytes) in undefined.iter_mut().enumerate() {
                *bytes = if mask::has(lanes, lane) { 0 } else { *bytes };
            }
            self.doubtful[slot] = any_of(undefined) != 0;
        }
        &mut self.values[slot]
    }

    /// Writes some lanes of a slot.
    #[inline]
    pub fn write(&mut self, slot: usize, values: &Lanes, lanes: u32) {
        if lanes == ALL {
            *self.define(slot) = *values;
        } else {
            blend(self.define_lanes(slot, lanes), values, lanes);
        }
    }

    /// Writes some lanes of a slot, perhaps in part undefined.
    #[inline]
    pub fn write_raw(&mut self, slot: usize, values: &Lanes, undefined: &Undefined, lanes: u32) {
        if any_of(undefined) == 0 {
            return self.write(slot, values, lanes);
        }
        blend(&mut self.values[slot], values, lanes);
        for (lane, (old, new)) in self.undefined[slot].iter_mut().zip(undefined).enumerate() {
            *old = if mask::has(lanes, lane) { *new } else { *old };
        }
        self.doubtful[slot] = true;
    }

    /// Copies some lanes from slot to slot, undefined bytes too.
    #[inline]
    pub fn copy(&mut self, from: usize, to: usize, lanes: u32) {
        let values = self.values[from];
        if self.doubtful[from] {
            let undefined = self.undefined[from];
            self.write_raw(to, &values, &undefined, lanes);
        } else {
            self.write(to, &values, lanes);
        }
    }

    /// The value of one lane of a slot, and which of its bytes are undefined.
    #[inline]
    pub fn get_lane(&self, slot: usize, lane: usize) -> (u64, u8) {
        (self.values[slot][lane], self.undefined[slot][lane])
    }

    /// Writes one lane of a slot.
    #[inline]
    pub fn write_lane(&mut self, slot: usize, lane: usize, value: u64, undefined: u8) {
        self.values[slot][lane] = value;
        self.undefined[slot][lane] = undefined;
        self.doubtful[slot] |= undefined != 0;
    }
}

/// The bytes that any lane has undefined.
#[inline]
fn any_of(undefined: &Undefined) -> u8 {
    undefined.iter().fold(0, |all, one| all | one)
}

/// A value with its undefined bytes as zeros.
#[inline]
pub(super) fn cleared(value: u64, undefined: u8) -> u64 {
    if undefined == 0 {
        return value;
    }
    // Spreads the bits to bytes of all ones.
    let bits = u64::from(undefined).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    let bytes = (bits | bits.wrapping_add(0x7f7f_7f7f_7f7f_7f7f)) & 0x8080_8080_8080_8080;
    value & !((bytes >> 7).wrapping_mul(0xff))
}

#[inline]
fn blend(old: &mut Lanes, new: &Lanes, lanes: u32) {
    for (lane, (old, new)) in old.iter_mut().zip(new).enumerate() {
        *old = if mask::has(lanes, lane) { *new } else { *old };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_bytes_are_cleared() {
        assert_eq!(cleared(u64::MAX, 0), u64::MAX);
        assert_eq!(cleared(u64::MAX, 0xff), 0);
        for byte in 0..8 {
            assert_eq!(cleared(u64::MAX, 1 << byte), !(0xff << (8 * byte)));
        }
        assert_eq!(cleared(0x8877_6655_4433_2211, 0b1010_0101), 0x0077_0055_4400_2200);
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
