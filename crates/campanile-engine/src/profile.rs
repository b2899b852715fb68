//! What a launch tells of how it was executed, if somebody wants to know.

use std::time::Duration;

use campanile_core::module::{BlockId, FunctionId};

/// How a launch was executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Time that it took to compile the kernel, where it was compiled for this launch.
    pub compilation: Option<Duration>,
    /// The blocks that were executed, in no particular order.
    pub blocks: Vec<BlockProfile>,
}

/// How often a block was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockProfile {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// How often sub-groups came to it.
    pub executions: u64,
    /// Work-items that were active then, all executions together: 32 for each if lanes never part.
    pub lanes: u64,
}
