//! What the checked engine finds: undefined behaviour, with place, work-item and values.

mod collect;
mod explain;
mod kind;

use campanile_core::module::{FunctionId, Place};

pub(crate) use collect::Reporter;
pub use collect::{Collector, Where};
pub use explain::{EXPLANATIONS, Explanation};
pub use kind::{Access, FindingKind, Nearest};

use crate::ndrange::WorkItem;

/// A fault of the kernel. The same fault of the same instruction is one finding, however often it happens.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What is wrong, with the values of the first time.
    pub kind: FindingKind,
    /// The kernel that was launched.
    pub kernel: FunctionId,
    /// The function that the instruction stands in.
    pub function: FunctionId,
    /// Index of the instruction in the function's body.
    pub instruction: u32,
    /// The instruction.
    pub place: Place,
    /// The work-item concerned; the lowest, where several are. None if the launch as a whole is at fault.
    pub work_item: Option<WorkItem>,
    /// A second place that has to do with it, such as the other access of a data race.
    pub other: Option<Other>,
    /// How often it happened, counting work-items.
    pub count: u64,
}

/// The second place of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other {
    /// What happened there.
    pub role: Role,
    /// The instruction.
    pub place: Place,
    /// The work-item that executed it.
    pub work_item: Option<WorkItem>,
}

/// What a second place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The other access of a race.
    OtherAccess(Access),
    /// The barrier at which others wait.
    OtherBarrier,
    /// Where other work-items are about to go on.
    ElsewhereRunning,
}

impl std::fmt::Display for Role {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Role::OtherAccess(access) => write!(formatter, "the other access, {}", access.with_article()),
            Role::OtherBarrier => formatter.write_str("other work-items wait here"),
            Role::ElsewhereRunning => formatter.write_str("other work-items go on here"),
        }
    }
}
