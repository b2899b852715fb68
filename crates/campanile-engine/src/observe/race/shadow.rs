//! The last accesses to every word of memory.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::finding::Access;
use crate::memory::{GlobalMemory, Object};

/// An access to a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Number of the work-group plus one; zero when there was no access.
    pub group: u32,
    /// The work-group's time.
    pub time: u32,
    /// The instruction, numbered through the module.
    pub instruction: u32,
    /// The work-item, by its linear number in the work-group.
    pub item: u16,
    /// The bytes of the word, as a mask.
    pub bytes: u8,
    /// What it did.
    pub action: Action,
}

/// What an access does. With the mask of bytes it fills no more than a record's last two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
    AtomicChange,
}

impl Action {
    /// What an access of a kind does.
    pub fn new(access: Access, atomic: bool) -> Self {
        match (access, atomic) {
            (Access::Load, false) => Action::Read,
            (Access::Load, true) => Action::AtomicRead,
            (Access::Store, false) => Action::Write,
            (Access::Store, true) => Action::AtomicWrite,
            (Access::Atomic, _) => Action::AtomicChange,
        }
    }

    /// The kind of access.
    pub fn access(self) -> Access {
        match self {
            Action::Read | Action::AtomicRead => Access::Load,
            Action::Write | Action::AtomicWrite => Access::Store,
            Action::AtomicChange => Access::Atomic,
        }
    }

    fn is_atomic(self) -> bool {
        match self {
            Action::Read | Action::Write => false,
            Action::AtomicRead | Action::AtomicWrite | Action::AtomicChange => true,
        }
    }

    fn reads_only(self) -> bool {
        match self {
            Action::Read | Action::AtomicRead => true,
            Action::Write | Action::AtomicWrite | Action::AtomicChange => false,
        }
    }
}

const NEVER: Record = Record { group: 0, time: 0, instruction: 0, item: 0, bytes: 0, action: Action::Read };

impl Record {
    /// Whether it is of the same work-item.
    fn same_item(&self, other: &Record) -> bool {
        self.group == other.group && self.item == other.item
    }

    /// Whether two accesses may not happen at once.
    fn conflicts(&self, other: &Record) -> bool {
        self.bytes & other.bytes != 0
            && !(self.action.is_atomic() && other.action.is_atomic())
            && !self.same_item(other)
    }
}

/// The last accesses to a word: the last write, and two reads by different work-items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    write: Record,
    reads: [Record; 2],
}

impl Default for Cell {
    fn default() -> Self {
        Cell { write: NEVER, reads: [NEVER; 2] }
    }
}

impl Cell {
    /// Forgets accesses of other work-groups, which had another shared memory.
    #[inline]
    pub fn forget_other_groups(&mut self, group: u32) {
        for record in self.reads.iter_mut().chain([&mut self.write]) {
            if record.group != group {
                *record = NEVER;
            }
        }
    }

    /// Takes an access and returns one that it races with.
    #[inline]
    pub fn access(&mut self, new: Record, orders: impl Fn(&Record) -> bool) -> Option<Record> {
        access(&mut self.write, &mut self.reads, new, orders)
    }
}

#[inline]
fn access(
    write: &mut Record,
    reads: &mut [Record; 2],
    new: Record,
    orders: impl Fn(&Record) -> bool,
) -> Option<Record> {
    // Mostly nobody else was here.
    let nobody_else = |old: &Record| old.group == 0 || old.same_item(&new);
    if nobody_else(write) && nobody_else(&reads[0]) {
        if new.action.reads_only() {
            renew(&mut reads[0], new);
            return None;
        }
        if nobody_else(&reads[1]) {
            *reads = [NEVER; 2];
            renew(write, new);
            return None;
        }
    }
    access_after_others(write, reads, new, orders)
}

fn access_after_others(
    write: &mut Record,
    reads: &mut [Record; 2],
    new: Record,
    orders: impl Fn(&Record) -> bool,
) -> Option<Record> {
    let races = |old: &Record| old.group != 0 && old.conflicts(&new) && !orders(old);
    let mut racing = races(write).then_some(*write);
    if new.action.reads_only() {
        remember_read(reads, new, orders);
        return racing;
    }
    for read in reads.iter_mut().filter(|read| read.group != 0) {
        racing = racing.or_else(|| races(read).then_some(*read));
        if read.same_item(&new) || orders(read) {
            // Whatever races with it from now on races with this write too.
            *read = NEVER;
        }
    }
    renew(write, new);
    racing
}

/// Replaces a record; accesses of one work-item to neighbouring bytes are taken together.
#[inline]
fn renew(old: &mut Record, new: Record) {
    let merged = if old.same_item(&new) && old.time == new.time { old.bytes } else { 0 };
    *old = Record { bytes: new.bytes | merged, ..new };
}

fn remember_read(reads: &mut [Record; 2], new: Record, orders: impl Fn(&Record) -> bool) {
    let own = reads.iter().position(|read| read.same_item(&new));
    let slot = own.or_else(|| reads.iter().position(|read| read.group == 0 || orders(read)));
    match slot {
        Some(slot) => renew(&mut reads[slot], new),
        None => *reads = [reads[1], new],
    }
}

/// The first word of `bytes` bytes from `start` on, which of its bytes they are, and how many.
#[inline]
pub(super) fn first_word(start: u64, bytes: u64) -> (usize, u8, u64) {
    let within = start % 4;
    let count = bytes.min(4 - within);
    ((start / 4) as usize, (0xf >> (4 - count)) << within, count)
}

/// Words of a chunk.
const CHUNK: usize = 256;

/// The last accesses to some neighbouring words. Memory that is only read, or only written, needs but half.
#[derive(Default)]
struct Chunk {
    writes: Vec<Record>,
    reads: Vec<[Record; 2]>,
}

impl Chunk {
    /// Makes room for accesses that only read, or that write.
    fn prepare(&mut self, reads_only: bool) {
        if reads_only && self.reads.is_empty() {
            self.reads = vec![[NEVER; 2]; CHUNK];
        } else if !reads_only && self.writes.is_empty() {
            self.writes = vec![NEVER; CHUNK];
        }
    }
}

/// The last accesses to global memory.
pub(super) struct GlobalShadow {
    /// For each object its chunks, made when first accessed.
    objects: Vec<Vec<OnceLock<Box<Mutex<Chunk>>>>>,
}

/// A chunk that one thread has the right to change.
pub(super) struct InUse<'a> {
    start: u64,
    chunk: MutexGuard<'a, Chunk>,
}

impl InUse<'_> {
    /// The byte of the chunk that an address stands for, if it does for any.
    #[inline]
    pub fn byte(&self, address: u64) -> Option<u64> {
        let byte = address.wrapping_sub(self.start);
        (byte < 4 * CHUNK as u64).then_some(byte)
    }

    /// Takes an access and returns one that it races with.
    #[inline]
    pub fn access(&mut self, word: usize, new: Record, orders: impl Fn(&Record) -> bool) -> Option<Record> {
        let (mut no_write, mut no_reads) = (NEVER, [NEVER; 2]);
        let Chunk { writes, reads } = &mut *self.chunk;
        let write = writes.get_mut(word).unwrap_or(&mut no_write);
        access(write, reads.get_mut(word).unwrap_or(&mut no_reads), new, orders)
    }
}

impl GlobalShadow {
    /// Shadow for the objects that there are; none has been accessed.
    pub fn new(global: &GlobalMemory) -> Self {
        let chunks = |size: u64| size.div_ceil(4 * CHUNK as u64) as usize;
        let objects = global.sizes().map(|size| (0..chunks(size)).map(|_| OnceLock::new()).collect());
        GlobalShadow { objects: objects.collect() }
    }

    /// The chunk of an address in an object, for accesses of one kind.
    ///
    /// None other may be in use by the same thread: another thread may want them the other way round.
    pub fn chunk(&self, object: &Object, address: u64, action: Action) -> Option<InUse<'_>> {
        let number = (address - object.start) as usize / (4 * CHUNK);
        let chunk = self.objects.get(object.index as usize)?.get(number)?.get_or_init(Box::default);
        let mut chunk = chunk.lock().unwrap_or_else(PoisonError::into_inner);
        chunk.prepare(action.reads_only());
        Some(InUse { start: object.start + (number * 4 * CHUNK) as u64, chunk })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_cut_into_words() {
        assert_eq!(first_word(8, 4), (2, 0xf, 4));
        assert_eq!(first_word(6, 8), (1, 0xc, 2));
        assert_eq!(first_word(12, 2), (3, 0x3, 2));
        assert_eq!(first_word(5, 1), (1, 0x2, 1));
    }

    fn record(item: u16, action: Action) -> Record {
        Record { group: 1, time: 1, instruction: 0, item, bytes: 0xf, action }
    }

    #[test]
    fn a_read_by_oneself_does_not_hide_reads_by_others() {
        let mut cell = Cell::default();
        assert!(cell.access(record(5, Action::Read), |_| false).is_none());
        assert!(cell.access(record(3, Action::Read), |_| false).is_none());
        let racing = cell.access(record(3, Action::Write), |_| false);
        assert_eq!(racing.map(|other| other.item), Some(5));
    }

    #[test]
    fn records_are_small() {
        assert_eq!(size_of::<Record>(), 16);
    }

    #[test]
    fn neighbouring_bytes_do_not_race() {
        let mut cell = Cell::default();
        let byte = |item: u16| Record { bytes: 1 << item, ..record(item, Action::Write) };
        assert!((0..4).all(|item| cell.access(byte(item), |_| false).is_none()));
    }
}
