//! The model: all that host and device know of a kernel's arguments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::element::ElementType;
use crate::extent::Extent;
use crate::record::RecordLayout;

/// The version of the saved form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Version {
    /// The first.
    #[default]
    #[serde(rename = "campanile.layout/1")]
    One,
}

/// What a kernel takes, in binding order. Plain data: [`validate`](crate::validate()) says whether it is consistent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelLayout {
    /// Version of this form.
    pub schema: Version,
    /// Name of the kernel, without `@`.
    pub kernel: String,
    /// Whether all argument buffers travel in one allocation.
    pub packed: bool,
    /// Whether scalars are parameters of their own or one struct.
    pub scalar_passing: ScalarPassing,
    /// Arguments that the program wrote; parameters from this index on are appended.
    pub source_argument_count: u32,
    /// What the target allows.
    pub limits: Limits,
    /// Parameters of the kernel as the program sees them, source ones first.
    pub parameters: Vec<Parameter>,
    /// Records that buffers hold.
    pub records: Vec<RecordLayout>,
    /// Pointer bindings in binding order.
    pub buffers: Vec<Buffer>,
    /// Values in order.
    pub scalars: Vec<Scalar>,
    /// Scratch arrays of each iteration.
    pub workspaces: Vec<Workspace>,
    /// Every function that the kernel reaches, callee first, without the kernel.
    pub device_functions: Vec<String>,
    /// Work-items that share an iteration, if more than one may: 1 to 32, a power of two.
    pub lanes: Option<u32>,
    /// The argument buffer.
    pub kernarg: Kernarg,
    /// What is known of launches.
    pub launches: Launches,
}

/// How scalars are passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScalarPassing {
    /// Each in a parameter of its own.
    #[default]
    Separate,
    /// All in one struct, in one parameter, with natural offsets.
    Block,
}

/// What a target allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Most binding slots; none means any number.
    pub slots: Option<u32>,
}

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
    /// Whether it may write.
    pub const fn writes(self) -> bool {
        matches!(self, Access::Write | Access::ReadWrite)
    }
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
    /// Index in [`KernelLayout::parameters`].
    pub argument_index: u32,
    /// Always null.
    pub dimension: Option<u32>,
    /// False only if the kernel merely reads; unknown is true.
    pub written: bool,
    /// Whether no other buffer of any launch shares storage with it where either is written.
    pub noalias: bool,
    /// What the kernel does with it.
    pub access: Access,
    /// What it holds at first.
    pub initial: Initial,
    /// Position of the parameter of the kernel that carries it.
    pub param: u32,
    /// Place of that pointer in the argument buffer in bytes.
    pub offset: u32,
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
    /// Index in [`KernelLayout::parameters`].
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

impl KernelLayout {
    /// The record of this name.
    pub fn record(&self, name: &str) -> Option<&RecordLayout> {
        self.records.iter().find(|record| record.name == name)
    }

    /// Size of an element in bytes; none for an unknown record.
    pub fn size_of(&self, ty: &ElementType) -> Option<u32> {
        match ty {
            ElementType::Number(number) => Some(number.size()),
            ElementType::Record(name) => self.record(name).map(|record| record.size),
        }
    }

    /// Slots of the argument buffers: one if packed.
    pub(crate) fn buffer_slots(&self) -> usize {
        if self.packed { 1 } else { self.buffers.len() }
    }

    /// Slots of these many scalars.
    pub(crate) fn scalar_slots(&self, scalars: usize) -> usize {
        match self.scalar_passing {
            ScalarPassing::Separate => scalars,
            ScalarPassing::Block => scalars.min(1),
        }
    }

    /// The slot that workspace `index` must have.
    pub(crate) fn workspace_slot(&self, index: usize) -> usize {
        self.buffer_slots() + self.scalar_slots(self.scalars.len()) + index
    }

    /// Whether the slots without packing exceed the limit.
    pub(crate) fn must_pack(&self) -> bool {
        let unpacked = self.scalars.iter().filter(|scalar| scalar.kind != Kind::PackedOffset).count();
        let slots = self.buffers.len() + self.scalar_slots(unpacked) + self.workspaces.len();
        !self.buffers.is_empty() && self.limits.slots.is_some_and(|limit| slots > limit as usize)
    }
}
