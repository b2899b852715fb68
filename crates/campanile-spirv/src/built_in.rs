//! The built-in variables of the OpenCL environment: the one table of their types and of what provides them.
//!
//! Types are those of the OpenCL SPIR-V Environment Specification, section "Built-in Variables", and for the masks of
//! its section on `cl_khr_subgroup_ballot`; capabilities are those of the SPIR-V Specification, section "BuiltIn".

use std::fmt;

use rspirv::spirv::{BuiltIn, Capability};

/// Width of addresses, and so of `size_t`: the addressing model of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressWidth {
    /// `Physical32`.
    Bits32,
    /// `Physical64`.
    Bits64,
}

impl AddressWidth {
    /// Both.
    pub const ALL: [AddressWidth; 2] = [AddressWidth::Bits32, AddressWidth::Bits64];

    /// Width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            AddressWidth::Bits32 => 32,
            AddressWidth::Bits64 => 64,
        }
    }

    /// The addressing model as SPIR-V's text has it.
    pub const fn model(self) -> &'static str {
        match self {
            AddressWidth::Bits32 => "Physical32",
            AddressWidth::Bits64 => "Physical64",
        }
    }
}

/// The type of a built-in variable, without signedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A 32-bit integer.
    Int32,
    /// An integer as wide as an address: `size_t`.
    Size,
    /// Three integers as wide as an address, one for each dimension.
    ThreeSizes,
    /// Four 32-bit integers, which hold a bit for each work-item of a sub-group.
    FourInt32,
}

impl Shape {
    /// Width in bits of the integer, or of each component.
    pub const fn width(self, addresses: AddressWidth) -> u32 {
        match self {
            Shape::Int32 | Shape::FourInt32 => 32,
            Shape::Size | Shape::ThreeSizes => addresses.bits(),
        }
    }

    /// Number of components; 1 stands for a scalar.
    pub const fn components(self) -> u32 {
        match self {
            Shape::Int32 | Shape::Size => 1,
            Shape::ThreeSizes => 3,
            Shape::FourInt32 => 4,
        }
    }

    /// Whether the width follows the addressing model.
    pub const fn is_size(self) -> bool {
        matches!(self, Shape::Size | Shape::ThreeSizes)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Shape::Int32 => "32-bit integer",
            Shape::Size => "`size_t` integer",
            Shape::ThreeSizes => "vector of 3 `size_t` integers",
            Shape::FourInt32 => "vector of 4 32-bit integers",
        })
    }
}

/// A capability that provides built-in variables, and what a module must have to declare it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The capability.
    pub capability: Capability,
    /// Least version of SPIR-V, as major and minor number.
    pub since: (u8, u8),
    /// The extension that a module declares as well.
    pub extension: Option<&'static str>,
}

impl Provider {
    /// What a module declares to have the capability.
    pub fn declaration(&self) -> String {
        let Provider { capability, since, extension } = self;
        let (major, minor) = since;
        match extension {
            Some(extension) => format!("`OpCapability {capability:?}` and `OpExtension \"{extension}\"`"),
            None if *since > (1, 0) => format!("`OpCapability {capability:?}`, since SPIR-V {major}.{minor}"),
            None => format!("`OpCapability {capability:?}`"),
        }
    }
}

/// A built-in variable: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltInVariable {
    /// Its name in SPIR-V.
    pub built_in: BuiltIn,
    /// The function of OpenCL C that it stands for.
    pub function: &'static str,
    /// Its type.
    pub shape: Shape,
    /// The capabilities of which a module declares at least one; with none of them, every module has the variable.
    pub providers: &'static [Provider],
}

impl BuiltInVariable {
    /// The row of a built-in, if the OpenCL environment knows it.
    pub fn of(built_in: BuiltIn) -> Option<&'static BuiltInVariable> {
        BUILT_INS.iter().find(|row| row.built_in == built_in)
    }

    /// Least version of SPIR-V that has the variable without an extension, as major and minor number.
    pub fn since(&self) -> (u8, u8) {
        let core = self.providers.iter().filter(|provider| provider.extension.is_none());
        core.map(|provider| provider.since).min().unwrap_or((1, 0))
    }
}

const KERNEL: Provider = Provider { capability: Capability::Kernel, since: (1, 0), extension: None };
const NON_UNIFORM: Provider =
    Provider { capability: Capability::GroupNonUniform, since: (1, 3), extension: None };
const BALLOT: Provider =
    Provider { capability: Capability::GroupNonUniformBallot, since: (1, 3), extension: None };
const BALLOT_EXTENSION: Provider = Provider {
    capability: Capability::SubgroupBallotKHR,
    since: (1, 0),
    extension: Some("SPV_KHR_shader_ballot"),
};

const ALWAYS: &[Provider] = &[];
const KERNELS: &[Provider] = &[KERNEL];
const SUB_GROUPS: &[Provider] = &[KERNEL, NON_UNIFORM];
const LANES: &[Provider] = &[KERNEL, NON_UNIFORM, BALLOT_EXTENSION];
const MASKS: &[Provider] = &[BALLOT, BALLOT_EXTENSION];

const fn row(
    function: &'static str,
    built_in: BuiltIn,
    shape: Shape,
    providers: &'static [Provider],
) -> BuiltInVariable {
    BuiltInVariable { built_in, function, shape, providers }
}

/// Every built-in variable of the OpenCL environment.
pub const BUILT_INS: &[BuiltInVariable] = &[
    row("get_work_dim", BuiltIn::WorkDim, Shape::Int32, KERNELS),
    row("get_global_size", BuiltIn::GlobalSize, Shape::ThreeSizes, KERNELS),
    row("get_global_id", BuiltIn::GlobalInvocationId, Shape::ThreeSizes, ALWAYS),
    row("get_global_offset", BuiltIn::GlobalOffset, Shape::ThreeSizes, KERNELS),
    row("get_local_size", BuiltIn::WorkgroupSize, Shape::ThreeSizes, ALWAYS),
    row("get_enqueued_local_size", BuiltIn::EnqueuedWorkgroupSize, Shape::ThreeSizes, KERNELS),
    row("get_local_id", BuiltIn::LocalInvocationId, Shape::ThreeSizes, ALWAYS),
    row("get_num_groups", BuiltIn::NumWorkgroups, Shape::ThreeSizes, ALWAYS),
    row("get_group_id", BuiltIn::WorkgroupId, Shape::ThreeSizes, ALWAYS),
    row("get_global_linear_id", BuiltIn::GlobalLinearId, Shape::Size, KERNELS),
    row("get_local_linear_id", BuiltIn::LocalInvocationIndex, Shape::Size, ALWAYS),
    row("get_sub_group_size", BuiltIn::SubgroupSize, Shape::Int32, LANES),
    row("get_max_sub_group_size", BuiltIn::SubgroupMaxSize, Shape::Int32, KERNELS),
    row("get_num_sub_groups", BuiltIn::NumSubgroups, Shape::Int32, SUB_GROUPS),
    row("get_enqueued_num_sub_groups", BuiltIn::NumEnqueuedSubgroups, Shape::Int32, KERNELS),
    row("get_sub_group_id", BuiltIn::SubgroupId, Shape::Int32, SUB_GROUPS),
    row("get_sub_group_local_id", BuiltIn::SubgroupLocalInvocationId, Shape::Int32, LANES),
    row("get_sub_group_eq_mask", BuiltIn::SubgroupEqMask, Shape::FourInt32, MASKS),
    row("get_sub_group_ge_mask", BuiltIn::SubgroupGeMask, Shape::FourInt32, MASKS),
    row("get_sub_group_gt_mask", BuiltIn::SubgroupGtMask, Shape::FourInt32, MASKS),
    row("get_sub_group_le_mask", BuiltIn::SubgroupLeMask, Shape::FourInt32, MASKS),
    row("get_sub_group_lt_mask", BuiltIn::SubgroupLtMask, Shape::FourInt32, MASKS),
];
