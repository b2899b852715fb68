//! The model: all that host and device know of a kernel's arguments.

mod entry;
mod facts;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use entry::{
    AddressSpace, Buffer, Initial, Kind, Parameter, ParameterRole, Scalar, SharedArgument, Workspace,
    WorkspaceDimension,
};
pub use facts::{Access, Global, Kernarg, Launches, Resources};

use crate::element::{ElementType, Number};
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
    /// `sha256:` and the digest of the canonical text of the module; null if no module is known.
    pub module_digest: Option<String>,
    /// Name of the kernel, without `@`.
    pub kernel: String,
    /// Where the arguments are known from.
    pub origin: Origin,
    /// Whether all argument buffers travel in one allocation.
    pub packed: bool,
    /// Whether scalars are parameters of their own or one struct.
    pub scalar_passing: ScalarPassing,
    /// Type of extents, component offsets and sizes, and lanes.
    pub index: IndexType,
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
    /// Arguments that are shared memory.
    pub shared: Vec<SharedArgument>,
    /// Every function that the kernel reaches, callee first, without the kernel.
    pub device_functions: Vec<String>,
    /// Work-items that share an iteration, if more than one may: 1 to 32, a power of two.
    pub lanes: Option<u32>,
    /// The argument buffer.
    pub kernarg: Kernarg,
    /// What the kernel needs of the device.
    pub resources: Resources,
    /// Special registers that the launch sets and the kernel reads, without `%`, sorted.
    pub implicit: Vec<String>,
    /// Variables of the module that the kernel reaches.
    pub globals: Vec<Global>,
    /// What is known of launches.
    pub launches: Launches,
}

/// Where arguments are known from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// An interface says what they are.
    #[default]
    Interface,
    /// The module alone shows them: types tell sizes only, and buffers are bytes.
    Module,
}

/// Type of extents, component offsets and sizes, and lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndexType {
    /// 32 bits.
    #[default]
    I32,
    /// 64 bits.
    I64,
}

impl IndexType {
    /// As a type of scalars and elements.
    pub const fn number(self) -> Number {
        match self {
            IndexType::I32 => Number::I32,
            IndexType::I64 => Number::I64,
        }
    }
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

impl KernelLayout {
    /// The record of this name.
    pub fn record(&self, name: &str) -> Option<&RecordLayout> {
        self.records.iter().find(|record| record.name == name)
    }

    /// Size of an element in bytes; none for an unknown record.
    pub fn size_of(&self, ty: &ElementType) -> Option<u32> {
        match ty {
            ElementType::Number(number) => Some(number.size()),
            ElementType::Bytes(bytes) => Some(*bytes),
            ElementType::Record(name) => self.record(name).map(|record| record.size),
        }
    }

    /// Alignment of an element in bytes; none for an unknown record.
    pub fn alignment_of(&self, ty: &ElementType) -> Option<u32> {
        match ty {
            ElementType::Number(number) => Some(number.size()),
            ElementType::Bytes(_) => Some(1),
            ElementType::Record(name) => self.record(name).map(|record| record.alignment),
        }
    }

    /// The name by which launches pass a buffer: that of its argument. An address inside of a parameter that holds
    /// more, of which only the module is known, has its place behind the name, in bytes: `parts+8`.
    pub fn argument_of(&self, buffer: usize) -> String {
        self.inner_name(buffer).unwrap_or_else(|| self.buffers[buffer].variable.clone())
    }

    /// The name of an address inside of a parameter that holds more; none for any other buffer.
    pub fn inner_name(&self, buffer: usize) -> Option<String> {
        if self.origin == Origin::Interface {
            return None;
        }
        let buffer = &self.buffers[buffer];
        let of_parameter = |param: u32| param == buffer.param;
        let buffers = self.buffers.iter().filter(|one| of_parameter(one.param)).count();
        let scalars = self.scalars.iter().filter(|one| of_parameter(one.param)).count();
        let alone = buffers + scalars == 1;
        (!alone).then(|| format!("{}+{}", buffer.variable, buffer.offset - self.first_byte(buffer.param)))
    }

    /// The place of a parameter's first entry in the argument buffer, in bytes.
    pub fn first_byte(&self, param: u32) -> u32 {
        let buffers = self.buffers.iter().filter(|one| one.param == param).map(|one| one.offset);
        let scalars = self.scalars.iter().filter(|one| one.param == param).map(|one| one.offset);
        buffers.chain(scalars).min().unwrap_or(0)
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
