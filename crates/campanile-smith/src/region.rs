//! Regions of memory: where accesses may go, and who may do what there.

use campanile_core::isa::Space;

/// How the address of a region is come by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// It is the variable of this name, with its `@`.
    Variable(String),
    /// It is in the register of this name, with its `%`.
    Register(String),
    /// The register points to the parts of all work-items of the work-group; any of them will do.
    Peers(String),
    /// It is stored in the constant variable of this name.
    Stored(String),
}

/// What may be done in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Nobody writes there.
    Read,
    /// No other work-item accesses it.
    Own,
    /// All work-items count there, each operation in its own place.
    Count,
}

/// Part of the kernel between barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Each work-item uses its own part of what is exchanged.
    Own,
    /// All work-items read all parts.
    Peers,
}

/// A region. All of it has been written before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// Where it starts.
    pub base: Base,
    /// The space that its base points into.
    pub space: Space,
    /// The space that it lies in, if known; other than `space` for a generic pointer only.
    pub within: Option<Space>,
    /// Its size in bytes, a power of two.
    pub size: u32,
    /// Alignment of its start in bytes.
    pub alignment: u32,
    /// What may be done.
    pub rights: Rights,
    /// When; always if there is none.
    pub phase: Option<Phase>,
}

/// Bytes that every pointer passed to a function points to, and their alignment.
pub(crate) const POINTEE: (u32, u32) = (64, 16);

impl Region {
    /// A region in the space that its base points into.
    pub fn new(base: Base, space: Space, size: u32, alignment: u32, rights: Rights) -> Self {
        let within = (space != Space::Generic).then_some(space);
        Region { base, space, within, size, alignment, rights, phase: None }
    }

    /// The region behind a generic address into `within`, if that is known.
    pub fn generic(register: String, within: Option<Space>, rights: Rights) -> Self {
        let (size, alignment) = POINTEE;
        let base = Base::Register(register);
        Region { base, space: Space::Generic, within, size, alignment, rights, phase: None }
    }

    /// The same in one phase only.
    pub fn during(self, phase: Phase) -> Self {
        Region { phase: Some(phase), ..self }
    }

    /// The variable whose name the region depends on.
    pub fn variable(&self) -> Option<&str> {
        match &self.base {
            Base::Variable(name) | Base::Stored(name) => Some(name),
            Base::Register(_) | Base::Peers(_) => None,
        }
    }

    /// Whether an access that names `space` can get here, perhaps by a cast.
    pub fn reachable_from(&self, space: Space) -> bool {
        self.space == space
            || space == Space::Generic
            || (self.space == Space::Generic && self.within == Some(space) && space != Space::Const)
    }
}
