//! Where the arrays of a launch lie on the device, once they are there.

use std::collections::BTreeMap;

use campanile_contract::layout::{Buffer, Initial};
use campanile_engine::EngineError;

use super::bind::Bound;
use super::prepare::Launcher;
use crate::device::{Device, Place, Reason, Storage, StorageId, Use};

/// Alignment of arrays in a packed allocation, in bytes.
const PACKED_ALIGNMENT: u64 = 16;

/// What a kernel does with each array.
pub(super) type Uses = BTreeMap<StorageId, Use>;
/// Where each array lies.
pub(super) type Places = BTreeMap<StorageId, Place>;

impl Launcher<'_, '_> {
    /// Brings all arrays to the device, as the kernel needs them.
    pub fn places(&self, device: &mut Device, uses: &Uses) -> Result<Places, EngineError> {
        if self.layout.packed { self.pack(device, uses) } else { self.bring(device, uses) }
    }

    /// What the kernel does with each array, through all of its arguments together.
    pub fn uses(&self, device: &Device) -> Uses {
        let mut uses = BTreeMap::<StorageId, Use>::new();
        for (buffer, bound) in self.layout.buffers.iter().zip(&self.bindings.buffers) {
            if let Bound::Memory { storage, bytes } = bound {
                let all = device.storage(*storage).map_or(0, Storage::bytes);
                // An array may be larger than the shape that the kernel promises to overwrite.
                let explicit = self.sizes.explicit.get(&buffer.variable);
                let whole = *bytes == (0..all) && explicit.is_none_or(|needed| *needed >= all);
                uses.entry(*storage).or_default().join(use_of(buffer, whole));
            }
        }
        for (storage, _) in self.bindings.addresses.values() {
            let all = Use { reads: true, writes: true, needs_contents: true, alignment: 1 };
            uses.entry(*storage).or_default().join(all);
        }
        // Through addresses of unknown origin a kernel reaches arrays of earlier launches too.
        let resources = &self.layout.resources;
        if resources.wild_reads || resources.wild_writes {
            for storage in device.resident() {
                let (reads, writes) = (resources.wild_reads, resources.wild_writes);
                uses.entry(storage).or_default().join(Use {
                    reads,
                    writes,
                    needs_contents: true,
                    alignment: 1,
                });
            }
        }
        uses
    }

    fn bring(&self, device: &mut Device, uses: &Uses) -> Result<Places, EngineError> {
        uses.iter().map(|(id, used)| Ok((*id, device.bring(*id, *used, self.of)?))).collect()
    }

    /// Brings all arrays into one allocation, each array once, in the order of the buffers; they stay there for
    /// launches that want them so again.
    fn pack(&self, device: &mut Device, uses: &Uses) -> Result<Places, EngineError> {
        let mut starts = Vec::<(StorageId, u64)>::new();
        let mut end = 0u64;
        for bound in &self.bindings.buffers {
            let Bound::Memory { storage, .. } = bound else { continue };
            if starts.iter().any(|(known, _)| known == storage) {
                continue;
            }
            let alignment = PACKED_ALIGNMENT.max(uses[storage].alignment.into());
            let start = end.next_multiple_of(alignment);
            starts.push((*storage, start));
            end = start + device.storage(*storage).map_or(0, Storage::bytes);
        }
        let place_of = |device: &Device, id: StorageId| device.storage(id).and_then(|storage| storage.place);
        let first = starts.first().and_then(|(id, _)| place_of(device, *id));
        let packed = first.filter(|first| {
            let memory = first.memory;
            starts.iter().all(|(id, start)| place_of(device, *id) == Some(Place { memory, start: *start }))
        });
        if packed.is_some() {
            return self.bring(device, uses);
        }
        let memory = device.engine().allocate(end)?;
        let pack = |(id, start)| {
            let place = Place { memory, start };
            Ok((id, device.put(id, place, uses[&id], Reason::Packed, self.of)?))
        };
        let places: Result<_, EngineError> = starts.into_iter().map(pack).collect();
        if places.is_err() {
            device.release(memory);
        }
        places
    }
}

/// What a kernel does with an array through one buffer.
fn use_of(buffer: &Buffer, whole: bool) -> Use {
    let reads = buffer.access.reads();
    let overwrites = buffer.written && buffer.initial == Initial::Undefined && whole;
    let needs_contents = (reads || buffer.written) && !overwrites;
    Use { reads, writes: buffer.written, needs_contents, alignment: buffer.ptr_align }
}
