//! What a producer's kernel takes: read from a file or built in Rust, and equal either way.

mod builder;
mod file;

use std::collections::BTreeMap;

pub use file::{InterfaceFault, InterfaceFile, schema};

use crate::element::{ElementType, Number};
use crate::extent::Extent;
use crate::layout::{IndexType, Initial, ScalarPassing};
use crate::noalias::{Launch, Storage};
use crate::record::Record;

/// What a kernel takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelInterface {
    /// Its name, without `@`.
    pub name: String,
    /// Records that arguments may be of, by name.
    pub records: BTreeMap<String, Record>,
    /// How scalars are passed.
    pub scalar_passing: ScalarPassing,
    /// Type of extents, component offsets and sizes, and lanes.
    pub index: IndexType,
    /// The arguments that the program writes, in order.
    pub arguments: Vec<Argument>,
    /// Scratch arrays of each iteration.
    pub workspaces: Vec<WorkspaceInterface>,
    /// Work-items of an iteration, if the kernel is made for several: 1 to 32, a power of two, and a divisor of the local
    /// size along x.
    pub lanes: Option<u32>,
    /// Every launch there is; none if there may be others.
    pub launches: Option<Vec<Launch>>,
    /// What launches pass, by name.
    pub storages: BTreeMap<String, Storage>,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ArgumentKind,
    /// What the kernel may do with it.
    pub intent: Intent,
    /// What it holds at first.
    pub initial: Initial,
}

/// What an argument is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// An array.
    Array {
        /// Type of its elements.
        element: ElementType,
        /// Its dimensions, at least one.
        shape: Shape,
    },
    /// A single record; its allocatable components are taken apart like those of an array with one element.
    Record {
        /// Its type.
        record: String,
        /// Whether it may be of a type that extends the record's; only the record's part is passed.
        polymorphic: bool,
    },
    /// A value.
    Scalar(Number),
    /// Shared memory of each work-group, of which the kernel gets the address.
    Shared {
        /// Its size in bytes.
        bytes: Extent,
        /// Alignment in bytes, a power of two.
        align: u32,
    },
}

impl ArgumentKind {
    /// The record that it is, or is an array of.
    pub fn record(&self) -> Option<&String> {
        match self {
            ArgumentKind::Array { element: ElementType::Record(record), .. }
            | ArgumentKind::Record { record, .. } => Some(record),
            ArgumentKind::Array { .. } | ArgumentKind::Scalar(_) | ArgumentKind::Shared { .. } => None,
        }
    }
}

/// Alignment in bytes of shared memory for which the interface asks none: that of four 32-bit numbers, read at once.
pub const SHARED_ALIGN: u32 = 16;

/// The dimensions of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// So many, whose sizes each launch gives.
    Deferred(u32),
    /// Sizes as computed from other arguments.
    Explicit(Vec<Extent>),
}

impl Shape {
    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        match self {
            Shape::Deferred(rank) => *rank as usize,
            Shape::Explicit(sizes) => sizes.len(),
        }
    }
}

/// What a kernel may do with an argument.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Only read it, which is checked against the body.
    In,
    /// Anything: what it is for is to be written, which is not checked. Without a module it counts as not read.
    Out,
    /// Anything.
    #[default]
    Inout,
}

/// A scratch array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceInterface {
    /// Its name.
    pub name: String,
    /// Type of its elements.
    pub element: Number,
    /// Its sizes, constant or computed from the arguments.
    pub dims: Vec<Extent>,
    /// Alignment in bytes, at least that of its elements.
    pub align: u32,
}
