//! What a layout says of the kernel's body and of its launches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AddressSpace;

/// What a kernel does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Nothing.
    None,
    /// It only reads.
    Read,
    /// It only writes.
    Write,
    /// Both, or nobody knows.
    ReadWrite,
}

impl Access {
    /// Whether it may read.
    pub const fn reads(self) -> bool {
        matches!(self, Access::Read | Access::ReadWrite)
    }

    /// Whether it may write.
    pub const fn writes(self) -> bool {
        matches!(self, Access::Write | Access::ReadWrite)
    }
}

/// The argument buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kernarg {
    /// Its size in bytes, rounded up to its alignment.
    pub size: u32,
    /// Its alignment in bytes.
    pub align: u32,
}

/// What is known of launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "world", rename_all = "snake_case", deny_unknown_fields)]
pub enum Launches {
    /// There may be others: no buffer is known to be alone.
    Open,
    /// Every launch has been seen.
    Closed {
        /// How many.
        count: u32,
    },
}

/// What the kernel and the functions that it reaches need of the device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// Bytes of shared variables, without the arguments.
    pub shared_bytes: u64,
    /// Bytes of private variables of a work-item on the deepest way of calls; a function that calls itself counts once.
    pub private_bytes: u64,
    /// The only local size that the kernel can have, x first.
    pub required_group_size: Option<[u32; 3]>,
    /// Whether work-items wait for one another.
    pub barriers: bool,
    /// Whether there are atomic operations.
    pub atomics: bool,
    /// Whether functions are called by address.
    pub indirect_calls: bool,
    /// Whether global memory may be read through addresses of unknown origin: also arrays that are not passed.
    pub wild_reads: bool,
    /// Whether global memory may be written so.
    pub wild_writes: bool,
}

/// A variable of the module in global or constant memory that the kernel reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Global {
    /// Its name, without `@`.
    pub symbol: String,
    /// The name by which the host finds it, if it has one.
    pub host_access: Option<String>,
    /// Its memory.
    pub address_space: AddressSpace,
    /// Its size in bytes.
    pub size: u64,
    /// What the kernel does with it.
    pub access: Access,
    /// Whether it may be written.
    pub written: bool,
    /// False only if every access is weak: no other work-item or host waits for what is stored there, so that what has
    /// been read need not be read again.
    pub atomic: bool,
}
