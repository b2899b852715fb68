//! Private memory of the work-items of a sub-group (spec 2.1.2): a stack of activations, one copy per lane.
//!
//! The lanes that call a function go in and out of it together, so that all of them agree on where objects lie. The
//! same word of the 32 lanes is adjacent.

use campanile_core::module::VariableId;

use super::bytes::{ReadWords, WriteWords};
use super::object::{Memory, Object, Owner, Protection, find_sorted, nearest_sorted};

const LANES: usize = 32;

/// Alignment of activations and of every variable, whatever it declares.
pub(crate) const ALIGNMENT: u64 = 16;
/// Bytes between objects, so that small overruns do not hit the next one.
pub(crate) const GAP: u64 = 32;

/// A private variable within an activation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrivateVariable {
    /// The variable.
    pub variable: VariableId,
    /// Its place in the activation in bytes.
    pub offset: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its declared alignment.
    pub alignment: u32,
}

/// The private memory of a sub-group.
#[derive(Default)]
pub(crate) struct PrivateMemory {
    objects: Vec<Object>,
    top: u64,
    words: Vec<u32>,
    undefined: Vec<u8>,
}

impl PrivateMemory {
    /// Makes it empty, for the next sub-group.
    pub fn reset(&mut self) {
        self.objects.clear();
        self.top = 0;
    }

    /// First free address.
    pub fn top(&self) -> u64 {
        self.top
    }

    /// Begins an activation with these variables, of `size` bytes in all; it starts at the old top. What its lanes see
    /// there is undefined.
    pub fn push(&mut self, variables: &[PrivateVariable], size: u64) {
        let start = self.top;
        for PrivateVariable { variable, offset, size, alignment } in variables.iter().copied() {
            let index = self.objects.len() as u32;
            let owner = Owner::Variable(variable);
            let start = start + offset;
            self.objects.push(Object { index, start, size, alignment, protection: Protection::None, owner });
        }
        self.top = start + size;
        let words = (start / 4) as usize * LANES..self.top.div_ceil(4) as usize * LANES;
        if self.words.len() < words.end {
            self.words.resize(words.end, 0);
            self.undefined.resize(words.end, 0xf);
        }
        self.words[words.clone()].fill(0);
        self.undefined[words].fill(0xf);
    }

    /// Ends the activation that began at `start`.
    pub fn pop(&mut self, start: u64) {
        self.top = start;
        let live = self.objects.partition_point(|object| object.start < start);
        self.objects.truncate(live);
    }
}

impl ReadWords for PrivateMemory {
    #[inline]
    fn word(&self, index: usize, lane: usize) -> u32 {
        self.words[index * LANES + lane]
    }

    #[inline]
    fn undefined(&self, index: usize, lane: usize) -> u8 {
        self.undefined[index * LANES + lane]
    }
}

impl WriteWords for PrivateMemory {
    #[inline]
    fn set_word(&mut self, index: usize, lane: usize, value: u32, bits: u32) {
        let word = &mut self.words[index * LANES + lane];
        *word = *word & !bits | value & bits;
    }

    #[inline]
    fn set_undefined(&mut self, index: usize, lane: usize, undefined: u8, bytes: u8) {
        let old = &mut self.undefined[index * LANES + lane];
        *old = *old & !bytes | undefined & bytes;
    }
}

impl Memory for PrivateMemory {
    fn find(&self, address: u64) -> Option<Object> {
        find_sorted(&self.objects, address)
    }

    fn nearest(&self, address: u64) -> Option<Object> {
        nearest_sorted(&self.objects, address)
    }

    #[inline]
    fn words(&self, object: &Object) -> (impl ReadWords, usize) {
        (self, object.start as usize)
    }

    #[inline]
    fn words_mut(&mut self, object: &Object) -> (impl WriteWords, usize) {
        (self, object.start as usize)
    }
}
