//! Accesses as the detector remembers them.

use crate::finding::Access;

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

    pub fn is_atomic(self) -> bool {
        match self {
            Action::Read | Action::Write => false,
            Action::AtomicRead | Action::AtomicWrite | Action::AtomicChange => true,
        }
    }

    pub fn reads_only(self) -> bool {
        match self {
            Action::Read | Action::AtomicRead => true,
            Action::Write | Action::AtomicWrite | Action::AtomicChange => false,
        }
    }
}

/// No access at all.
pub(super) const NEVER: Record =
    Record { group: 0, time: 0, instruction: 0, item: 0, bytes: 0, action: Action::Read };

impl Record {
    /// Whether it is of the same work-item.
    pub fn same_item(&self, other: &Record) -> bool {
        self.group == other.group && self.item == other.item
    }

    /// Whether two accesses may not happen at once.
    pub fn conflicts(&self, other: &Record) -> bool {
        self.bytes & other.bytes != 0
            && !(self.action.is_atomic() && other.action.is_atomic())
            && !self.same_item(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_small() {
        assert_eq!(size_of::<Record>(), 16);
    }
}
