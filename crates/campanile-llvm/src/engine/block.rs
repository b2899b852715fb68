//! Memory that compiled code reaches by its address.
//!
//! Only here it is read and written by the host: through raw pointers, as kernels hold addresses of it for as long as it
//! lives, and only while no kernel runs.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{self, NonNull};

use campanile_engine::EngineError;

/// What the system's allocator gives at least, and zeroed without touching it.
const NATURAL_ALIGNMENT: usize = 16;

/// Bytes of a large page. Blocks of several are put on such: kernels that go through much memory in all directions
/// otherwise wait for the addresses of pages.
const LARGE_PAGE: usize = 1 << 21;

/// Zeroed memory of its own.
pub(super) struct Block {
    allocation: NonNull<u8>,
    layout: Layout,
    /// The first byte that is aligned as asked for.
    start: NonNull<u8>,
    size: u64,
}

// SAFETY: a block owns its memory and belongs to no thread.
unsafe impl Send for Block {}

// SAFETY: a shared block gives its address away, and reads while nobody writes, as only its owner runs kernels.
unsafe impl Sync for Block {}

impl Block {
    /// So many bytes, and one at least, at a multiple of `alignment`, which is a power of two; none if there is no room.
    ///
    /// Pages are taken when they are first touched: larger alignments are found within the allocation, as the allocator
    /// would clear the memory of such itself.
    pub fn zeroed(size: u64, alignment: usize) -> Option<Self> {
        Self::apart(size, alignment, 0)
    }

    /// The same with so many bytes before and behind them that belong to nobody.
    pub fn apart(size: u64, alignment: usize, room: usize) -> Option<Self> {
        let own_bytes = usize::try_from(size).ok()?.max(1);
        let is_large = own_bytes >= 2 * LARGE_PAGE;
        let alignment = if is_large { alignment.max(LARGE_PAGE) } else { alignment };
        let bytes = own_bytes.checked_add(alignment)?.checked_add(2 * room)?;
        let layout = Layout::from_size_align(bytes, NATURAL_ALIGNMENT).ok()?;
        // SAFETY: the layout has bytes.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        // SAFETY: the allocation is longer than asked for by the room on both sides, and by the alignment, which is more
        // than the offset.
        let start = unsafe {
            let behind_room = allocation.add(room);
            behind_room.add(behind_room.align_offset(alignment))
        };
        if is_large {
            ask_for_large_pages(start, own_bytes / LARGE_PAGE * LARGE_PAGE);
        }
        Some(Block { allocation, layout, start, size })
    }

    /// Its first byte.
    pub fn pointer(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Its address, as kernels have it.
    pub fn address(&self) -> u64 {
        self.start.as_ptr().expose_provenance() as u64
    }

    /// Bytes asked for.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The place of some bytes, all of which are there.
    fn part(&self, start: u64, bytes: u64) -> Result<NonNull<u8>, EngineError> {
        let end = start.saturating_add(bytes);
        if end > self.size {
            return Err(EngineError::OutOfRange { start, end, size: self.size });
        }
        // SAFETY: the place is in the allocation, or right behind it.
        Ok(unsafe { self.start.add(start as usize) })
    }

    /// Copies bytes from byte `start` on.
    pub fn read(&self, start: u64, bytes: &mut [u8]) -> Result<(), EngineError> {
        let from = self.part(start, bytes.len() as u64)?;
        // SAFETY: so many bytes are there; nobody can have borrowed them.
        unsafe { ptr::copy_nonoverlapping(from.as_ptr(), bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// Overwrites bytes from byte `start` on.
    pub fn write(&mut self, start: u64, bytes: &[u8]) -> Result<(), EngineError> {
        let to = self.part(start, bytes.len() as u64)?;
        // SAFETY: so many bytes are there; nobody can have borrowed them.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// Copies bytes from one place to another, perhaps of the same block.
    pub fn copy(from: (&Block, u64), to: (&Block, u64), bytes: u64) -> Result<(), EngineError> {
        let (from, to) = (from.0.part(from.1, bytes)?, to.0.part(to.1, bytes)?);
        // SAFETY: so many bytes are there, and no kernel runs; they may overlap.
        unsafe { ptr::copy(from.as_ptr(), to.as_ptr(), bytes as usize) };
        Ok(())
    }
}

/// Asks the system to map memory by large pages. That is a wish: nothing depends on whether it comes true.
fn ask_for_large_pages(start: NonNull<u8>, bytes: usize) {
    #[cfg(target_os = "linux")]
    // SAFETY: all of these bytes belong to one allocation, and the advice changes nothing that they hold.
    unsafe {
        libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout.
        unsafe { dealloc(self.allocation.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_zeroed_and_aligned() {
        for (size, alignment) in [(0, 1), (1, 4096), (5000, 128), (1 << 16, 1 << 16)] {
            let block = Block::zeroed(size, alignment).unwrap();
            assert_eq!((block.size(), block.address() % alignment as u64), (size, 0));
            let mut bytes = vec![1; size as usize];
            block.read(0, &mut bytes).unwrap();
            assert!(bytes.iter().all(|byte| *byte == 0));
        }
        assert!(Block::zeroed(u64::MAX, 1).is_none());
        assert!(Block::zeroed(1 << 62, 4096).is_none());
    }

    #[test]
    fn nothing_is_copied_past_the_end() {
        let mut block = Block::zeroed(8, 8).unwrap();
        block.write(2, &[1, 2, 3]).unwrap();
        Block::copy((&block, 2), (&block, 3), 3).unwrap();
        let mut bytes = [0; 8];
        block.read(0, &mut bytes).unwrap();
        assert_eq!(bytes, [0, 0, 1, 1, 2, 3, 0, 0]);
        let past = Err(EngineError::OutOfRange { start: 6, end: 9, size: 8 });
        assert_eq!(block.write(6, &[0; 3]), past);
        assert_eq!(block.read(6, &mut [0; 3]), past);
        assert_eq!(Block::copy((&block, 0), (&block, 6), 3), past);
        assert!(block.read(u64::MAX, &mut [0; 2]).is_err());
    }
}
