//! Global and constant memory: one allocation per buffer and module variable, shared by all threads.
//!
//! Each object has its own range of 2^36 addresses around its start, so that an address tells its object without a
//! search and a stray one is still near the object it came from. The first range, with the null page, stays empty.
//! Words are relaxed atomics: what races in the kernel is then a race of the kernel's, not of this program's. Accesses
//! of 64 and 128 bits that must be atomic go through locks.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::bytes::{self, ReadWords, WriteWords};
use super::object::{Memory, Object, Owner, Protection};

const RANGE_BITS: u32 = 36;
const HALF_RANGE: u64 = 1 << (RANGE_BITS - 1);
/// Largest object in bytes.
const LIMIT: u64 = HALF_RANGE - (1 << 12);
/// Number of locks that wide atomics share.
const LOCKS: usize = 64;

/// Bytes around the start of an object that are nearer to it than to any other.
pub(crate) const GLOBAL_REACH: u64 = HALF_RANGE;

/// First address of an object, by its number.
pub(crate) fn global_address(object: u32) -> u64 {
    (u64::from(object) + 1) << RANGE_BITS
}

/// Global and constant memory of a module instance.
pub(crate) struct GlobalMemory {
    objects: Vec<GlobalObject>,
    locks: Vec<Mutex<()>>,
}

struct GlobalObject {
    object: Object,
    words: Box<[AtomicU32]>,
    /// A bit for each byte that has been written; none when all have.
    defined: Option<Box<[AtomicU32]>>,
    /// Bytes that kernels must not write.
    protected: Vec<Range<u64>>,
}

/// Zeros that take memory only once they are touched; none if there is no room for them.
fn zeros(count: u64) -> Option<Box<[AtomicU32]>> {
    bytemuck::allocation::try_zeroed_slice_box(usize::try_from(count).ok()?).ok()
}

impl GlobalMemory {
    /// Memory without objects.
    pub fn new() -> Self {
        GlobalMemory { objects: Vec::new(), locks: (0..LOCKS).map(|_| Mutex::new(())).collect() }
    }

    /// Adds an object and returns its number; `None` if it is too large.
    ///
    /// It holds `bytes`, followed by zeros; without bytes it is undefined.
    pub fn add(
        &mut self,
        size: u64,
        bytes: Option<&[u8]>,
        alignment: u32,
        constant: bool,
        owner: Owner,
    ) -> Option<u32> {
        let index = self.objects.len() as u32;
        let start = global_address(index);
        if size > LIMIT {
            return None;
        }
        let words = zeros(size.div_ceil(4))?;
        let defined = if bytes.is_some() { None } else { Some(zeros(size.div_ceil(32))?) };
        let protection = if constant { Protection::Whole } else { Protection::None };
        let object = Object { index, start, size, alignment, protection, owner };
        self.objects.push(GlobalObject { object, words, defined, protected: Vec::new() });
        self.write_bytes(index, 0, bytes.unwrap_or_default());
        Some(index)
    }

    /// First address of an object.
    pub fn address(&self, index: u32) -> u64 {
        self.objects[index as usize].object.start
    }

    /// Sizes of all objects in bytes, in order.
    pub fn sizes(&self) -> impl Iterator<Item = u64> {
        self.objects.iter().map(|object| object.object.size)
    }

    /// Size of an object in bytes.
    pub fn size(&self, index: u32) -> u64 {
        self.objects[index as usize].object.size
    }

    /// The contents of an object.
    pub fn read_bytes(&self, index: u32) -> Vec<u8> {
        let object = &self.objects[index as usize];
        let words = object.words.iter().flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes());
        words.take(object.object.size as usize).collect()
    }

    /// Copies bytes of an object, from `start` on.
    ///
    /// # Panics
    ///
    /// When they reach past its end.
    pub fn copy_bytes(&self, index: u32, start: usize, bytes: &mut [u8]) {
        let words = &self.objects[index as usize].words;
        let word = |index: usize| words[index].load(Ordering::Relaxed).to_le_bytes();
        let head = bytes.len().min(start.next_multiple_of(4) - start);
        let (head, rest) = bytes.split_at_mut(head);
        let first = start.div_ceil(4);
        for (offset, byte) in head.iter_mut().enumerate() {
            *byte = word(start / 4)[start % 4 + offset];
        }
        for (index, bytes) in rest.chunks_mut(4).enumerate() {
            bytes.copy_from_slice(&word(first + index)[..bytes.len()]);
        }
    }

    /// Overwrites the bytes of an object from `start` on, whether it may be written by kernels or not.
    ///
    /// # Panics
    ///
    /// When they reach past its end.
    pub fn write_bytes(&mut self, index: u32, start: usize, bytes: &[u8]) {
        let object = &mut self.objects[index as usize];
        let head = bytes.len().min(start.next_multiple_of(4) - start);
        let (head, bytes) = bytes.split_at(head);
        let (whole, tail) = bytes.as_chunks::<4>();
        let first = start.div_ceil(4);
        for (word, bytes) in object.words.iter_mut().skip(first).zip(whole) {
            *word.get_mut() = u32::from_le_bytes(*bytes);
        }
        if let Some(defined) = &mut object.defined {
            for word in first..first + whole.len() {
                *defined[word / 8].get_mut() |= 0xf << (word % 8 * 4);
            }
        }
        let mut target = Racing(object);
        let tail_start = (first + whole.len()) * 4;
        for (part, start) in [(head, start), (tail, tail_start)] {
            for (offset, byte) in part.iter().enumerate() {
                bytes::write(&mut target, start + offset, 0, 1, u64::from(*byte), 0);
            }
        }
    }

    /// Copies bytes from one object to another; what is undefined stays so.
    ///
    /// # Panics
    ///
    /// When they reach past the end of either.
    pub fn copy_within(&mut self, from: (u32, usize), to: (u32, usize), bytes: usize) {
        let (source, mut target) = (&self.objects[from.0 as usize], Racing(&self.objects[to.0 as usize]));
        for start in (0..bytes).step_by(8) {
            let count = (bytes - start).min(8) as u32;
            let (value, undefined) = bytes::read(&source, from.1 + start, 0, count);
            bytes::write(&mut target, to.1 + start, 0, count, value, undefined);
        }
    }

    /// Says which bytes of an object kernels must not write.
    pub fn protect(&mut self, index: u32, bytes: Vec<Range<u64>>) {
        let object = &mut self.objects[index as usize];
        object.object.protection = match bytes.as_slice() {
            [] => Protection::None,
            [all] if *all == (0..object.object.size) => Protection::Whole,
            _ => Protection::Parts,
        };
        object.protected = bytes;
    }

    /// Gives the memory of an object back. Its addresses stay taken, and no access there is in bounds.
    pub fn free(&mut self, index: u32) {
        let object = &mut self.objects[index as usize];
        object.object.size = 0;
        (object.words, object.defined) = (Box::default(), None);
    }
}

impl ReadWords for GlobalObject {
    #[inline]
    fn word(&self, index: usize, _: usize) -> u32 {
        self.words[index].load(Ordering::Relaxed)
    }

    #[inline]
    fn undefined(&self, index: usize, _: usize) -> u8 {
        match &self.defined {
            Some(bits) => !(bits[index / 8].load(Ordering::Relaxed) >> (index % 8 * 4)) as u8 & 0xf,
            None => 0,
        }
    }
}

/// An object that other threads may write too.
struct Racing<'a>(&'a GlobalObject);

impl ReadWords for Racing<'_> {
    #[inline]
    fn word(&self, index: usize, lane: usize) -> u32 {
        self.0.word(index, lane)
    }

    #[inline]
    fn undefined(&self, index: usize, lane: usize) -> u8 {
        self.0.undefined(index, lane)
    }
}

impl WriteWords for Racing<'_> {
    #[inline]
    fn set_word(&mut self, index: usize, _: usize, value: u32, bits: u32) {
        let word = &self.0.words[index];
        if bits == u32::MAX {
            word.store(value, Ordering::Relaxed);
        } else {
            // Another thread may write the other bytes of this word.
            word.update(Ordering::Relaxed, Ordering::Relaxed, |old| old & !bits | value & bits);
        }
    }

    #[inline]
    fn set_undefined(&mut self, index: usize, _: usize, undefined: u8, bytes: u8) {
        let Some(all) = &self.0.defined else { return };
        let (word, shift) = (&all[index / 8], index % 8 * 4);
        let (defined, bytes) = (u32::from(!undefined & bytes) << shift, u32::from(bytes) << shift);
        if word.load(Ordering::Relaxed) & bytes != defined {
            word.update(Ordering::Relaxed, Ordering::Relaxed, |old| old & !bytes | defined);
        }
    }
}

impl GlobalMemory {
    fn lock(&self, object: &Object, byte: u64) -> std::sync::MutexGuard<'_, ()> {
        // Accesses of 8 and 16 bytes to one place must meet at one lock.
        let stripe = (u64::from(object.index).wrapping_mul(31) + byte / 16) as usize % LOCKS;
        self.locks[stripe].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory for &GlobalMemory {
    #[inline]
    fn find(&self, address: u64) -> Option<Object> {
        let object = self.nearest(address)?;
        object.holds(address, 1).then_some(object)
    }

    #[inline]
    fn nearest(&self, address: u64) -> Option<Object> {
        let range = address.wrapping_add(HALF_RANGE) >> RANGE_BITS;
        let index = usize::try_from(range.checked_sub(1)?).ok()?;
        self.objects.get(index).map(|object| object.object)
    }

    #[inline]
    fn words(&self, object: &Object) -> (impl ReadWords, usize) {
        (&self.objects[object.index as usize], 0)
    }

    #[inline]
    fn words_mut(&mut self, object: &Object) -> (impl WriteWords, usize) {
        (Racing(&self.objects[object.index as usize]), 0)
    }

    fn is_protected(&self, object: &Object, address: u64, bytes: u64) -> bool {
        let start = address - object.start;
        let protected = &self.objects[object.index as usize].protected;
        protected.iter().any(|range| range.start < start + bytes && start < range.end)
    }

    fn read_whole(&self, object: &Object, byte: u64, lane: usize, count: u32) -> u128 {
        let _guard = (count > 4).then(|| self.lock(object, byte));
        bytes::read_whole(&self.objects[object.index as usize], byte as usize, lane, count)
    }

    fn update(
        &mut self,
        object: &Object,
        byte: u64,
        lane: usize,
        count: u32,
        mut change: impl FnMut(u128) -> u128,
    ) -> u128 {
        let mut target = Racing(&self.objects[object.index as usize]);
        if count > 4 || !byte.is_multiple_of(u64::from(count)) {
            let _guard = self.lock(object, byte);
            return bytes::update(&mut target, byte as usize, lane, count, change);
        }
        let (index, shift) = (byte as usize / 4, byte % 4 * 8);
        let bits = if count == 4 { u32::MAX } else { 0xffff << shift };
        let narrow = |word: u32| u128::from((word & bits) >> shift);
        let new = |word: u32| word & !bits | ((change(narrow(word)) as u32) << shift) & bits;
        // The order asked for is made by fences around the operation.
        let old = target.0.words[index].update(Ordering::Relaxed, Ordering::Relaxed, new);
        target.set_undefined(index, lane, 0, ((1 << count) - 1) << (byte % 4));
        narrow(old)
    }
}
