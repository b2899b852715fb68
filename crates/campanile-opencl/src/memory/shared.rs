//! Memory whose addresses are the same for host and device: shared virtual memory.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::NonNull;
use std::rc::Rc;

use opencl3::memory::{CL_MEM_READ_WRITE, svm_alloc, svm_free};
use opencl3::types::CL_BLOCKING;

use super::ALIGNMENT;
use crate::error::{Asked, CallError};
use crate::session::Session;

/// A piece of shared virtual memory. The host reads and writes it by commands only, so that it may be on the device.
pub(crate) struct SharedBlock {
    session: Rc<Session>,
    allocation: NonNull<c_void>,
    /// Where its aligned bytes begin within the allocation.
    start: usize,
    size: usize,
}

impl SharedBlock {
    /// Allocates so many bytes of undefined contents; none if there is not enough memory.
    pub fn new(session: &Rc<Session>, size: usize) -> Option<Self> {
        // Runtimes refuse alignments larger than their largest type, so room for one is part of the allocation.
        let room = size.max(1).checked_add(ALIGNMENT)?;
        // SAFETY: nothing is assumed of what comes back, save that it is null or so many bytes.
        let allocation = unsafe { svm_alloc(session.context.get(), CL_MEM_READ_WRITE, room, 0) }.ok()?;
        let allocation = NonNull::new(allocation)?;
        let address = allocation.as_ptr() as usize;
        let start = address.next_multiple_of(ALIGNMENT) - address;
        Some(SharedBlock { session: session.clone(), allocation, start, size })
    }

    /// The address of its first byte.
    pub fn address(&self) -> u64 {
        self.allocation.as_ptr() as u64 + self.start as u64
    }

    /// What the runtime calls it: the pointer that it was allocated as.
    pub fn allocation(&self) -> *const c_void {
        self.allocation.as_ptr()
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Overwrites bytes, which the caller knows to be there.
    pub fn write(&self, start: usize, bytes: &[u8]) -> Result<(), CallError> {
        self.copy(self.place(start, bytes.len()), bytes.as_ptr().cast(), bytes.len())
    }

    /// Reads bytes, which the caller knows to be there.
    pub fn read(&self, start: usize, bytes: &mut [u8]) -> Result<(), CallError> {
        let place = self.place(start, bytes.len());
        self.copy(bytes.as_mut_ptr().cast(), place, bytes.len())
    }

    /// Copies bytes of another one, which the caller knows to be there and elsewhere.
    pub fn copy_from(
        &self,
        start: usize,
        from: (&SharedBlock, usize),
        bytes: usize,
    ) -> Result<(), CallError> {
        let (other, first) = from;
        self.copy(self.place(start, bytes), other.place(first, bytes), bytes)
    }

    /// The address of bytes of it.
    fn place(&self, start: usize, bytes: usize) -> *mut c_void {
        assert!(start.checked_add(bytes).is_some_and(|end| end <= self.size), "bytes outside their memory");
        self.allocation.as_ptr().wrapping_byte_add(self.start + start)
    }

    fn copy(&self, to: *mut c_void, from: *const c_void, bytes: usize) -> Result<(), CallError> {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: both places have so many bytes: `place` has asked that, and slices of the host do. They stay for the whole
        // command, as it blocks.
        let copied = unsafe { self.session.queue.enqueue_svm_mem_cpy(CL_BLOCKING, to, from, bytes, &[]) };
        copied.map(drop).asked_to("copy memory")
    }
}

impl Drop for SharedBlock {
    fn drop(&mut self) {
        // SAFETY: it was allocated so, and no command uses it any more, as the engine waits for each.
        let freed = unsafe { svm_free(self.session.context.get(), self.allocation.as_ptr()) };
        debug_assert!(freed.is_ok(), "memory that cannot be freed");
    }
}
