//! What a broken invariant is called, and where it is broken.

use std::fmt;

/// An invariant of a layout, by the name that faults carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Invariant {
    /// Buffers hold buffer kinds, scalars scalar kinds; member kinds have a component, others have none.
    Role,
    /// Every entry belongs to a parameter of its name, every parameter is bound, none in both roles.
    Index,
    /// Component buffers are complete, adjacent, in order, and follow the buffer of their argument.
    Triple,
    /// Dimensions are in range, complete and in order, their scalars of the index type, packed offsets u64.
    Dimension,
    /// Each run-time extent has its own appended parameter, of the index type.
    ExtentParam,
    /// Extents use source arguments only.
    ExtentHost,
    /// Extents use nothing that the kernel may write.
    ExtentReadsWritten,
    /// Workspaces follow all argument bindings; their names are distinct.
    Slot,
    /// Sizes agree with types.
    ElementSize,
    /// Buffers are packed exactly where the slots do not suffice.
    Packed,
    /// Places in the argument buffer are aligned, inside it and apart.
    Placement,
    /// Functions are listed once, without the kernel.
    CallOrder,
    /// The number of lanes fits a sub-group, and its parameter is the last.
    Lanes,
    /// `written` agrees with the access.
    Written,
    /// `noalias` holds between the buffers of one argument, and nowhere in an open world.
    Noalias,
    /// Resources, implicit inputs and variables are those of the kernel.
    Resources,
}

impl Invariant {
    /// As in a fault: `extent_param`.
    pub const fn name(self) -> &'static str {
        match self {
            Invariant::Role => "role",
            Invariant::Index => "index",
            Invariant::Triple => "triple",
            Invariant::Dimension => "dimension",
            Invariant::ExtentParam => "extent_param",
            Invariant::ExtentHost => "extent_host",
            Invariant::ExtentReadsWritten => "extent_reads_written",
            Invariant::Slot => "slot",
            Invariant::ElementSize => "element_size",
            Invariant::Packed => "packed",
            Invariant::Placement => "placement",
            Invariant::CallOrder => "call_order",
            Invariant::Lanes => "lanes",
            Invariant::Written => "written",
            Invariant::Noalias => "noalias",
            Invariant::Resources => "resources",
        }
    }
}

/// The entry of a layout that a fault is about, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The layout as a whole.
    Layout,
    /// A parameter.
    Parameter(usize),
    /// A buffer.
    Buffer(usize),
    /// A scalar.
    Scalar(usize),
    /// A workspace.
    Workspace(usize),
    /// An argument that is shared memory.
    Shared(usize),
    /// A record.
    Record(usize),
    /// A device function.
    DeviceFunction(usize),
}

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantFault {
    /// Which one.
    pub invariant: Invariant,
    /// Where.
    pub subject: Subject,
    /// What is there and what must be.
    pub message: String,
}

impl std::error::Error for InvariantFault {}

impl fmt::Display for InvariantFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "invariant.{}: {}", self.invariant.name(), self.message)
    }
}

/// Faults as they are found.
#[derive(Default)]
pub(super) struct Faults(Vec<InvariantFault>);

impl Faults {
    /// Adds a fault unless `holds`.
    pub fn check(
        &mut self,
        holds: bool,
        invariant: Invariant,
        subject: Subject,
        message: impl FnOnce() -> String,
    ) {
        if !holds {
            self.0.push(InvariantFault { invariant, subject, message: message() });
        }
    }

    /// Whether there were none.
    pub fn finish(self) -> Result<(), Vec<InvariantFault>> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0) }
    }
}
