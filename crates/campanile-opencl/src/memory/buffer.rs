//! Memory that the device has for itself: a buffer, whose address nobody is told.
#![allow(unsafe_code)]

use std::ptr;
use std::rc::Rc;

use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::types::CL_BLOCKING;

use crate::error::{Asked, CallError};
use crate::session::Session;

/// A buffer of the device.
pub(crate) struct DeviceBuffer {
    session: Rc<Session>,
    buffer: Buffer<u8>,
    size: usize,
}

impl DeviceBuffer {
    /// Allocates so many bytes of undefined contents; none if there is not enough memory.
    pub fn new(session: &Rc<Session>, size: usize) -> Option<Self> {
        // SAFETY: no memory of the host is passed.
        let buffer =
            unsafe { Buffer::create(&session.context, CL_MEM_READ_WRITE, size.max(1), ptr::null_mut()) };
        Some(DeviceBuffer { session: session.clone(), buffer: buffer.ok()?, size })
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The bytes from a place on as a buffer, which lasts no longer than this one.
    ///
    /// # Errors
    /// When the device has no buffers that begin there.
    pub fn part(&self, start: usize) -> Result<Buffer<u8>, CallError> {
        let size = self.size.saturating_sub(start).max(1);
        // SAFETY: it is asked for bytes of this buffer, which the runtime checks.
        let part = unsafe { self.buffer.create_sub_buffer(CL_MEM_READ_WRITE, start, size) };
        part.asked_to("pass a buffer from this byte on")
    }

    /// What the runtime calls it.
    pub fn handle(&self) -> &Buffer<u8> {
        &self.buffer
    }

    /// Overwrites bytes, which the caller knows to be there.
    pub fn write(&mut self, start: usize, bytes: &[u8]) -> Result<(), CallError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let queue = &self.session.queue;
        // SAFETY: the bytes stay for the whole command, as it blocks; the runtime checks those of the buffer.
        let written = unsafe { queue.enqueue_write_buffer(&mut self.buffer, CL_BLOCKING, start, bytes, &[]) };
        written.map(drop).asked_to("write memory")
    }

    /// Reads bytes, which the caller knows to be there.
    pub fn read(&self, start: usize, bytes: &mut [u8]) -> Result<(), CallError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let queue = &self.session.queue;
        // SAFETY: as for writing.
        let read = unsafe { queue.enqueue_read_buffer(&self.buffer, CL_BLOCKING, start, bytes, &[]) };
        read.map(drop).asked_to("read memory")
    }
}
