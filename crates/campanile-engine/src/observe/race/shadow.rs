//! Where the rows of last accesses are kept.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::row::{ROW, Row};
use crate::memory::{GlobalMemory, Memory, Protection};

/// Bytes of a row.
pub(super) const ROW_BYTES: u64 = 4 * ROW as u64;

/// Rows of a chunk of global memory, which has a lock of its own.
const CHUNK: u64 = 8;

/// The rows of some neighbouring words of global memory.
type Chunk = [Row; CHUNK as usize];

/// The last accesses to global memory.
pub(super) struct GlobalShadow {
    /// For each object its chunks, made when first accessed.
    objects: Vec<Vec<OnceLock<Box<Mutex<Chunk>>>>>,
}

/// Rows of last accesses, by address.
pub(super) trait Shadow {
    /// The row of an address, and the byte there; none where nothing can race.
    fn row(&mut self, address: u64) -> Option<(&mut Row, u64)>;
}

impl GlobalShadow {
    /// Shadow for the objects that there are; none has been accessed.
    pub fn new(global: &GlobalMemory) -> Self {
        let chunks = |size: u64| size.div_ceil(CHUNK * ROW_BYTES) as usize;
        let objects = global.sizes().map(|size| (0..chunks(size)).map(|_| OnceLock::new()).collect());
        GlobalShadow { objects: objects.collect() }
    }
}

/// One thread's way through the shadow of global memory.
pub(super) struct GlobalRows<'a> {
    shadow: &'a GlobalShadow,
    memory: &'a GlobalMemory,
    /// First address of a chunk, and the right to change it.
    in_use: Option<(u64, MutexGuard<'a, Chunk>)>,
}

impl<'a> GlobalRows<'a> {
    /// A way that has not begun.
    pub fn new(shadow: &'a GlobalShadow, memory: &'a GlobalMemory) -> Self {
        GlobalRows { shadow, memory, in_use: None }
    }

    /// Takes the chunk of an address. Constants have none.
    fn take(&mut self, address: u64) -> Option<()> {
        // Two must not be held at once: another thread may want them the other way round.
        self.in_use = None;
        let object = self.memory.find(address).filter(|object| object.protection != Protection::Whole)?;
        let number = (address - object.start) / (CHUNK * ROW_BYTES);
        let chunks = self.shadow.objects.get(object.index as usize)?;
        let chunk = chunks.get(number as usize)?.get_or_init(Box::default);
        let rows = chunk.lock().unwrap_or_else(PoisonError::into_inner);
        self.in_use = Some((object.start + number * CHUNK * ROW_BYTES, rows));
        Some(())
    }
}

impl Shadow for GlobalRows<'_> {
    #[inline]
    fn row(&mut self, address: u64) -> Option<(&mut Row, u64)> {
        let within = |start: u64| address.wrapping_sub(start) < CHUNK * ROW_BYTES;
        if !self.in_use.as_ref().is_some_and(|(start, _)| within(*start)) {
            self.take(address)?;
        }
        let (start, rows) = self.in_use.as_mut()?;
        let byte = address - *start;
        Some((&mut rows[(byte / ROW_BYTES) as usize], byte % ROW_BYTES))
    }
}

/// The last accesses to the shared memory of a work-group.
#[derive(Default)]
pub(super) struct SharedShadow {
    rows: Vec<Row>,
}

impl SharedShadow {
    /// Begins a work-group with so many bytes of shared memory, none of which has been accessed.
    pub fn begin(&mut self, bytes: u64) {
        self.rows.clear();
        self.rows.resize_with(bytes.div_ceil(ROW_BYTES) as usize, Row::default);
    }
}

impl Shadow for SharedShadow {
    #[inline]
    fn row(&mut self, address: u64) -> Option<(&mut Row, u64)> {
        let row = self.rows.get_mut((address / ROW_BYTES) as usize)?;
        Some((row, address % ROW_BYTES))
    }
}
