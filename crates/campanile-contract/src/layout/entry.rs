//! The entries of a layout: what is passed, and where in the argument buffer it lies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Access;
use crate::element::ElementType;
use crate::extent::Extent;

/// Why a parameter is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParameterRole {
    /// The program wrote it.
    Source,
    /// It is an extent of a workspace.
    Extent,
    /// It is the number of lanes.
    Lanes,
}

/// A parameter as the program sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Why it is there.
    pub role: ParameterRole,
    /// Dimensions; zero for a scalar or a single record.
    pub rank: u32,
    /// Sizes where the interface fixes them; none for deferred shape, whose sizes are extent scalars.
    pub shape: Option<Vec<Extent>>,
}

/// What a buffer or scalar is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Data of an array, also of records.
    Array,
    /// A single record.
    Struct,
    /// A polymorphic object, handed over as plain data of its declared type.
    Class,
    /// Data of a component, all elements end to end.
    MemberData,
    /// Per record the elements of a component before it.
    MemberOffsets,
    /// Per record the shape of a component.
    MemberSizes,
    /// A value.
    Scalar,
    /// Size of an array along a dimension.
    ArrayExtent,
    /// Place of a buffer in the packed allocation, in bytes.
    PackedOffset,
}

impl Kind {
    /// Whether it binds memory rather than a value.
    pub const fn is_buffer(self) -> bool {
        !matches!(self, Kind::Scalar | Kind::ArrayExtent | Kind::PackedOffset)
    }

    /// Whether it belongs to a component.
    pub const fn is_member(self) -> bool {
        matches!(self, Kind::MemberData | Kind::MemberOffsets | Kind::MemberSizes)
    }
}

/// Memory that a pointer points into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AddressSpace {
    /// Global memory.
    #[default]
    Global,
    /// Constant memory, which the kernel only reads.
    Const,
    /// The kernel takes a generic address.
    Generic,
}

/// What a buffer holds before the kernel runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Initial {
    /// What the host has in it.
    #[default]
    Copied,
    /// Nothing of use: the kernel overwrites all of it.
    Undefined,
}

/// A pointer binding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// The parameter it belongs to.
    pub variable: String,
    /// The component, for member kinds only.
    pub member: Option<String>,
    /// What it is for.
    pub kind: Kind,
    /// Type of its elements.
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Index in [`KernelLayout::parameters`](super::KernelLayout::parameters).
    pub argument_index: u32,
    /// Always null.
    pub dimension: Option<u32>,
    /// False only if the kernel merely reads; unknown is true.
    pub written: bool,
    /// Whether no other buffer of any launch shares storage with it where either is written.
    pub noalias: bool,
    /// What the kernel does with it.
    pub access: Access,
    /// False only if every access is weak: no other work-item or host waits for what is stored there, so that what has
    /// been read need not be read again.
    pub atomic: bool,
    /// What it holds at first.
    pub initial: Initial,
    /// Position of the parameter of the kernel that carries it.
    pub param: u32,
    /// Place of that pointer in the argument buffer in bytes.
    pub offset: u32,
    /// Memory that it may lie in.
    pub address_space: AddressSpace,
    /// Alignment of the memory in bytes.
    pub ptr_align: u32,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scalar {
    /// The parameter it belongs to.
    pub variable: String,
    /// Always null.
    pub member: Option<String>,
    /// What it is for.
    pub kind: Kind,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Index in [`KernelLayout::parameters`](super::KernelLayout::parameters).
    pub argument_index: u32,
    /// Dimension of an extent, index of the buffer of a packed offset, else null.
    pub dimension: Option<u32>,
    /// Position of the parameter of the kernel that carries it.
    pub param: u32,
    /// Its place in the argument buffer in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

/// Shared memory that each work-group gets for an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedArgument {
    /// The parameter it belongs to.
    pub variable: String,
    /// Index in [`KernelLayout::parameters`](super::KernelLayout::parameters).
    pub argument_index: u32,
    /// Its size in bytes, evaluated once for each launch on the host; null where each launch says it.
    pub bytes: Option<Extent>,
    /// False only if the kernel merely reads; unknown is true.
    pub written: bool,
    /// What the kernel does with it.
    pub access: Access,
    /// False only if every access is weak: no other work-item or host waits for what is stored there, so that what has
    /// been read need not be read again.
    pub atomic: bool,
    /// Position of the parameter of the kernel that carries its address.
    pub param: u32,
    /// Place of that address in the argument buffer in bytes.
    pub offset: u32,
    /// Size of that address in bytes: 4, or 8 in kernels that declare it so.
    pub size: u32,
    /// Alignment of the memory in bytes.
    pub ptr_align: u32,
}

/// A scratch array of each iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workspace {
    /// Its name.
    pub variable: String,
    /// Type of its elements.
    pub element_type: ElementType,
    /// Size of an element in bytes.
    pub element_size: u32,
    /// Its slot.
    pub buffer_index: u32,
    /// Position of the parameter of the kernel that carries it.
    pub param: u32,
    /// Place of that pointer in the argument buffer in bytes.
    pub offset: u32,
    /// Alignment of the memory in bytes.
    pub ptr_align: u32,
    /// Its dimensions.
    pub dims: Vec<WorkspaceDimension>,
}

/// A dimension of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceDimension {
    /// Its size, evaluated once for each launch on the host.
    pub extent: Extent,
    /// The appended parameter that hands the size to the kernel; none for a constant.
    pub parameter: Option<u32>,
}
