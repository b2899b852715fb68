//! Objects: what an address may point into.

use std::ops::Range;

use campanile_core::module::VariableId;

use super::bytes::{self, ReadWords, WriteWords};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A memory variable.
    Variable(VariableId),
    /// A buffer of the host, by its number.
    Buffer(u32),
    /// Shared memory passed as a kernel argument, by its position.
    Argument(u32),
}

/// How much of an object kernels must not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protection {
    /// Nothing.
    None,
    /// Some of it: its memory knows which bytes.
    Parts,
    /// All of it.
    Whole,
}

/// A run of bytes that one variable, buffer or argument occupies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    /// Its number in its memory.
    pub index: u32,
    /// Its first address.
    pub start: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The alignment that its declaration promises; it may lie better.
    pub alignment: u32,
    /// Whether it must not be written: constants, and what the layout of a launch says is only read.
    pub protection: Protection,
    /// What it is.
    pub owner: Owner,
}

impl Object {
    /// Whether an access of so many bytes lies inside.
    #[inline]
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.start);
        offset < self.size && bytes <= self.size - offset
    }
}

/// Whether a load of so many bytes starts inside an object and ends within the 32-byte line of its last byte, at most three
/// words past its end. Compilers make such loads of vectors.
pub fn is_widened(object: Range<u64>, address: u64, bytes: u64) -> bool {
    let line = object.end.next_multiple_of(32);
    object.contains(&address) && address + bytes <= line.min(object.end + 12)
}

/// A memory whose objects can be looked up and whose bytes can be read and written.
///
/// A byte that has never been written is marked undefined, and reads as zero. Places are given as an object and a
/// byte inside; `lane` matters to private memory only. Values have at most eight bytes, `undefined` a bit for each.
pub(crate) trait Memory {
    /// The object that an address lies in.
    fn find(&self, address: u64) -> Option<Object>;

    /// Whether kernels must not write some of these bytes of an object that is protected in parts.
    fn is_protected(&self, _: &Object, _address: u64, _bytes: u64) -> bool {
        false
    }

    /// The object that an address lies in or is nearest to.
    fn nearest(&self, address: u64) -> Option<Object>;

    /// The words of an object, to read, and the byte among them where it starts.
    fn words(&self, object: &Object) -> (impl ReadWords, usize);

    /// The words of an object, to write, and the byte among them where it starts.
    fn words_mut(&mut self, object: &Object) -> (impl WriteWords, usize);

    /// Reads `count` bytes: their value and which of them are undefined.
    #[inline]
    fn read(&self, object: &Object, byte: u64, lane: usize, count: u32) -> (u64, u8) {
        let (words, start) = self.words(object);
        bytes::read(&words, start + byte as usize, lane, count)
    }

    /// Reads `count` (2, 4, 8 or 16) aligned bytes as one step.
    fn read_whole(&self, object: &Object, byte: u64, lane: usize, count: u32) -> u128 {
        let (words, start) = self.words(object);
        bytes::read_whole(&words, start + byte as usize, lane, count)
    }

    /// Replaces `count` (2, 4, 8 or 16) aligned bytes by what `change` makes of them, as one step, and returns what
    /// they were.
    fn update(
        &mut self,
        object: &Object,
        byte: u64,
        lane: usize,
        count: u32,
        change: impl FnMut(u128) -> u128,
    ) -> u128 {
        let (mut words, start) = self.words_mut(object);
        bytes::update(&mut words, start + byte as usize, lane, count, change)
    }
}

/// The object of a list sorted by address that an address lies in.
pub(super) fn find_sorted(objects: &[Object], address: u64) -> Option<Object> {
    let behind = objects.partition_point(|object| object.start <= address);
    objects[..behind].last().copied().filter(|object| object.holds(address, 1))
}

/// The object of a list sorted by address that is nearest to an address.
pub(super) fn nearest_sorted(objects: &[Object], address: u64) -> Option<Object> {
    let distance = |object: &&Object| {
        let end = object.start + object.size;
        if address < object.start { object.start - address } else { address.saturating_sub(end) }
    };
    objects.iter().min_by_key(distance).copied()
}
