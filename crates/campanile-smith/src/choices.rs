//! Random choices, drawn from the bytes of a fuzzer.

use arbitrary::Unstructured;

/// A supply of choices. When the bytes are used up, every choice is the first one.
pub(crate) struct Choices<'a> {
    bytes: Unstructured<'a>,
}

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Choices { bytes: Unstructured::new(bytes) }
    }

    /// Whether all bytes are used up: time to end.
    pub fn is_spent(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A number from `first` to `last`.
    pub fn between(&mut self, first: u32, last: u32) -> u32 {
        self.bytes.int_in_range(first..=last).unwrap_or(first)
    }

    /// A number below `count`, which is not zero.
    pub fn below(&mut self, count: usize) -> usize {
        self.bytes.int_in_range(0..=count - 1).unwrap_or(0)
    }

    /// Whether something happens that does so in so many cases of a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.between(0, 99) >= 100 - percent
    }

    /// One of several, of which there is at least one.
    pub fn one_of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }

    /// Any word.
    pub fn word(&mut self) -> u64 {
        self.bytes.arbitrary().unwrap_or(0)
    }
}

/// Bytes that look random, always the same for the same seed (the generator is SplitMix64).
pub fn noise(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31).to_le_bytes()
    };
    std::iter::repeat_with(&mut next).flatten().take(count).collect()
}
