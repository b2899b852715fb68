//! Masks of lanes: bit `i` stands for lane `i` of a sub-group.

/// All lanes.
pub(crate) const ALL: u32 = u32::MAX;

/// The lanes of a mask, lowest first.
#[inline]
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// The lowest lane of a mask that is not empty.
#[inline]
pub(crate) fn lowest(mask: u32) -> usize {
    mask.trailing_zeros() as usize % 32
}

/// Whether a lane is in a mask.
#[inline]
pub(crate) fn has(mask: u32, lane: usize) -> bool {
    mask >> lane & 1 != 0
}

/// The lanes, of all 32, for which something holds.
#[inline]
pub(crate) fn all_where(holds: impl Fn(usize) -> bool) -> u32 {
    (0..32).fold(0, |mask, lane| mask | u32::from(holds(lane)) << lane)
}

/// The lanes of a mask for which something holds.
#[inline]
pub(crate) fn lanes_where(mask: u32, holds: impl Fn(usize) -> bool) -> u32 {
    lanes(mask).filter(|lane| holds(*lane)).fold(0, |all, lane| all | 1 << lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_masks() {
        assert_eq!(lanes(0).count(), 0);
        assert_eq!(lanes(0x8000_0005).collect::<Vec<_>>(), [0, 2, 31]);
        assert_eq!(lanes(ALL).count(), 32);
        assert_eq!(all_where(|lane| lane % 2 == 1), 0xaaaa_aaaa);
        assert_eq!(lanes_where(0xff, |lane| lane % 2 == 1), 0xaa);
        assert_eq!((lowest(0x50), has(0x50, 6), has(0x50, 5)), (4, true, false));
    }
}
