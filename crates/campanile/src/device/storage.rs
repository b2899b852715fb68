//! Arrays with a copy on the host, one on the device, and the knowledge which of them is current.

use campanile_engine::{EngineError, MemoryId};

use super::Device;
use super::transfer::{Action, Reason, Transfer};

/// An array of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StorageId(pub usize);

/// Whose memory an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The device keeps it until it is freed.
    Device,
    /// The caller lends it for one launch.
    Caller,
}

/// An array.
#[derive(Debug)]
pub(crate) struct Storage {
    pub name: String,
    pub owner: Owner,
    /// The host's copy.
    pub host: Vec<u8>,
    pub host_is_current: bool,
    /// Where the device's copy is.
    pub place: Option<Place>,
    pub device_is_current: bool,
    /// Whether the device's copy was current at some time.
    pub device_had_it: bool,
}

/// Some bytes of an allocation, from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub memory: MemoryId,
    pub start: u64,
}

/// What a launch does with an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Use {
    pub reads: bool,
    pub writes: bool,
    /// Whether it matters what the array holds before: the kernel reads it, or may write only a part.
    pub needs_contents: bool,
    /// Alignment in bytes that the kernel needs of its start; zero is any.
    pub alignment: u32,
}

impl Use {
    /// Adds what is done through another argument.
    pub fn join(&mut self, other: Use) {
        self.reads |= other.reads;
        self.writes |= other.writes;
        self.needs_contents |= other.needs_contents;
        self.alignment = self.alignment.max(other.alignment);
    }
}

impl Storage {
    pub fn bytes(&self) -> u64 {
        self.host.len() as u64
    }

    /// What must be copied before a kernel that uses it so.
    fn before(&self, used: Use) -> (Action, Reason) {
        if !used.reads && !used.writes {
            (Action::Nothing, Reason::Untouched)
        } else if self.device_is_current {
            (Action::Nothing, Reason::Current)
        } else if !used.needs_contents {
            (Action::Nothing, Reason::Overwritten)
        } else if self.owner == Owner::Caller {
            (Action::Upload, Reason::Borrowed)
        } else if self.device_had_it {
            (Action::Upload, Reason::HostWrote)
        } else if used.reads {
            (Action::Upload, Reason::First)
        } else {
            (Action::Upload, Reason::Partly)
        }
    }
}

/// The launch that copies are made for.
#[derive(Clone, Debug)]
pub(crate) struct For {
    pub launch: u64,
    pub kernel: String,
}

impl Device {
    pub(crate) fn add_storage(&mut self, name: String, owner: Owner, host: Vec<u8>) -> StorageId {
        let id = StorageId(self.next_storage);
        self.next_storage += 1;
        let storage = Storage {
            name,
            owner,
            host,
            host_is_current: true,
            place: None,
            device_is_current: false,
            device_had_it: false,
        };
        self.storages.insert(id, storage);
        id
    }

    pub(crate) fn remove_storage(&mut self, id: StorageId) {
        if let Some(Storage { place: Some(place), .. }) = self.storages.remove(&id) {
            self.release(place.memory);
        }
    }

    /// Frees an allocation once no array lies in it.
    pub(crate) fn release(&mut self, memory: MemoryId) {
        let used = self.storages.values().any(|one| one.place.is_some_and(|place| place.memory == memory));
        if !used {
            self.engine.free(memory);
        }
    }

    /// The arrays that have a place on the device.
    pub(crate) fn resident(&self) -> impl Iterator<Item = StorageId> {
        let placed = self.storages.iter().filter(|(_, storage)| storage.place.is_some());
        placed.map(|(id, _)| *id)
    }

    /// Brings an array to the device, as a kernel needs it.
    pub(crate) fn bring(&mut self, id: StorageId, used: Use, of: &For) -> Result<Place, EngineError> {
        let storage = &self.storages[&id];
        let aligned = |place: &Place| place.start.is_multiple_of(used.alignment.max(1).into());
        if let Some(place) = storage.place.filter(aligned) {
            let (action, reason) = storage.before(used);
            return self.arrive(id, place, action, reason, of);
        }
        let memory = self.engine.allocate(storage.bytes())?;
        let result = self.put(id, Place { memory, start: 0 }, used, Reason::Aligned, of);
        if result.is_err() {
            self.release(memory);
        }
        result
    }

    /// Puts an array at a new place, with what a kernel needs of it. The reason is why it cannot stay.
    pub(crate) fn put(
        &mut self,
        id: StorageId,
        place: Place,
        used: Use,
        why: Reason,
        of: &For,
    ) -> Result<Place, EngineError> {
        let storage = &self.storages[&id];
        let (bytes, old) = (storage.bytes(), storage.place);
        let (action, reason) = storage.before(used);
        let result = match old.filter(|_| storage.device_is_current) {
            Some(old) => {
                let copied = self.engine.copy((old.memory, old.start), (place.memory, place.start), bytes);
                copied.and_then(|()| self.arrive(id, place, Action::Move, why, of))
            }
            None => self.arrive(id, place, action, reason, of),
        };
        if let Some(old) = old {
            self.release(old.memory);
        }
        result
    }

    fn arrive(
        &mut self,
        id: StorageId,
        place: Place,
        action: Action,
        reason: Reason,
        of: &For,
    ) -> Result<Place, EngineError> {
        let Some(storage) = self.storages.get_mut(&id) else { return Ok(place) };
        storage.place = Some(place);
        let bytes = if action == Action::Nothing { 0 } else { storage.bytes() };
        if action == Action::Upload {
            self.engine.upload(place.memory, place.start, &storage.host)?;
            (storage.device_is_current, storage.device_had_it) = (true, true);
        }
        self.log(id, action, bytes, reason, Some(of));
        Ok(place)
    }

    /// Notes that a kernel may have written an array.
    pub(crate) fn wrote(&mut self, id: StorageId, of: &For) {
        let Some(storage) = self.storages.get_mut(&id) else { return };
        (storage.device_is_current, storage.device_had_it, storage.host_is_current) = (true, true, false);
        if storage.owner == Owner::Device {
            self.log(id, Action::Nothing, 0, Reason::Kept, Some(of));
        }
    }

    /// Makes the host's copy of an array current.
    pub(crate) fn fetch(&mut self, id: StorageId, of: Option<&For>) -> Result<(), EngineError> {
        let Some(storage) = self.storages.get_mut(&id) else { return Ok(()) };
        let Some(place) = storage.place.filter(|_| !storage.host_is_current) else { return Ok(()) };
        self.engine.download(place.memory, place.start, &mut storage.host)?;
        storage.host_is_current = true;
        let (bytes, owner) = (storage.bytes(), storage.owner);
        let reason = if owner == Owner::Caller { Reason::Borrowed } else { Reason::HostReads };
        self.log(id, Action::Download, bytes, reason, of);
        Ok(())
    }

    fn log(&mut self, id: StorageId, action: Action, bytes: u64, reason: Reason, of: Option<&For>) {
        match action {
            Action::Upload => self.uploaded += bytes,
            Action::Download => self.downloaded += bytes,
            Action::Move | Action::Nothing => {}
        }
        let Some(transfers) = &mut self.transfers else { return };
        let array = self.storages[&id].name.clone();
        let (launch, kernel) = (of.map(|of| of.launch), of.map(|of| of.kernel.clone()));
        transfers.push(Transfer { launch, kernel, array, action, bytes, reason });
    }
}
