//! The host's memory on a device, by number.
//!
//! Kernels are passed addresses as numbers, in records and in memory. So memory is shared virtual memory where the device has
//! it: the host knows its addresses. On other devices it is buffers, which can be passed as pointers only.

mod buffer;
mod shared;

use std::ops::Range;
use std::rc::Rc;

use campanile_engine::{EngineError, MemoryId};
use rustc_hash::FxHashMap;

use crate::session::Session;
pub(crate) use buffer::DeviceBuffer;
pub(crate) use shared::SharedBlock;

/// Alignment that memory promises, in bytes.
const ALIGNMENT: usize = 1 << 12;

/// A piece of memory.
pub(crate) enum Piece {
    /// With an address.
    Shared(SharedBlock),
    /// Without one.
    Buffer(DeviceBuffer),
}

impl Piece {
    fn size(&self) -> usize {
        match self {
            Piece::Shared(block) => block.size(),
            Piece::Buffer(buffer) => buffer.size(),
        }
    }

    /// The places of bytes, if they are there.
    fn range(&self, start: u64, bytes: u64) -> Result<Range<usize>, EngineError> {
        let size = self.size() as u64;
        let end = start.saturating_add(bytes);
        match end <= size {
            true => Ok(start as usize..end as usize),
            false => Err(EngineError::OutOfRange { start, end, size }),
        }
    }
}

/// All memory that the host has on a device.
pub(crate) struct DeviceMemory {
    session: Rc<Session>,
    pieces: FxHashMap<MemoryId, Piece>,
    next: u64,
}

impl DeviceMemory {
    /// None yet.
    pub fn new(session: &Rc<Session>) -> Self {
        DeviceMemory { session: session.clone(), pieces: FxHashMap::default(), next: 0 }
    }

    /// Whether its addresses are known.
    pub fn has_addresses(&self) -> bool {
        self.session.device.shared_virtual_memory
    }

    /// Adds a piece.
    pub fn allocate(&mut self, bytes: u64) -> Result<MemoryId, EngineError> {
        let piece = usize::try_from(bytes).ok().and_then(|size| match self.has_addresses() {
            true => SharedBlock::new(&self.session, size).map(Piece::Shared),
            false => DeviceBuffer::new(&self.session, size).map(Piece::Buffer),
        });
        let piece = piece.ok_or(EngineError::OutOfMemory { bytes })?;
        let id = MemoryId(self.next);
        self.next += 1;
        self.pieces.insert(id, piece);
        Ok(id)
    }

    /// Takes a piece away.
    pub fn free(&mut self, memory: MemoryId) {
        self.pieces.remove(&memory);
    }

    /// A piece.
    pub fn piece(&self, memory: MemoryId) -> Result<&Piece, EngineError> {
        self.pieces.get(&memory).ok_or(EngineError::UnknownMemory)
    }

    /// The address of a piece; zero if it is one without.
    pub fn address(&self, memory: MemoryId) -> Option<u64> {
        self.pieces.get(&memory).map(|piece| match piece {
            Piece::Shared(block) => block.address(),
            Piece::Buffer(_) => 0,
        })
    }

    /// Every piece that has an address.
    pub fn shared(&self) -> impl Iterator<Item = &SharedBlock> {
        self.pieces.values().filter_map(|piece| match piece {
            Piece::Shared(block) => Some(block),
            Piece::Buffer(_) => None,
        })
    }

    /// Overwrites bytes of a piece.
    pub fn write(&mut self, memory: MemoryId, start: u64, bytes: &[u8]) -> Result<(), EngineError> {
        let piece = self.pieces.get_mut(&memory).ok_or(EngineError::UnknownMemory)?;
        let range = piece.range(start, bytes.len() as u64)?;
        match piece {
            Piece::Shared(block) => block.write(range.start, bytes)?,
            Piece::Buffer(buffer) => buffer.write(range.start, bytes)?,
        }
        Ok(())
    }

    /// Reads bytes of a piece.
    pub fn read(&self, memory: MemoryId, start: u64, bytes: &mut [u8]) -> Result<(), EngineError> {
        let piece = self.piece(memory)?;
        let range = piece.range(start, bytes.len() as u64)?;
        match piece {
            Piece::Shared(block) => block.read(range.start, bytes)?,
            Piece::Buffer(buffer) => buffer.read(range.start, bytes)?,
        }
        Ok(())
    }

    /// Copies bytes from one piece to another, or within one where both places do not overlap.
    pub fn copy(
        &mut self,
        from: (MemoryId, u64),
        to: (MemoryId, u64),
        bytes: u64,
    ) -> Result<(), EngineError> {
        let (source, target) = (self.piece(from.0)?, self.piece(to.0)?);
        let (first, last) = (source.range(from.1, bytes)?, target.range(to.1, bytes)?);
        let apart = first.end <= last.start || last.end <= first.start;
        if let (Piece::Shared(source), Piece::Shared(target), true) =
            (source, target, from.0 != to.0 || apart)
        {
            return Ok(target.copy_from(last.start, (source, first.start), first.len())?);
        }
        let mut copy = Vec::new();
        copy.try_reserve_exact(first.len()).map_err(|_| EngineError::OutOfMemory { bytes })?;
        copy.resize(first.len(), 0);
        self.read(from.0, from.1, &mut copy)?;
        self.write(to.0, to.1, &copy)
    }
}
