//! What a module is translated for.

use std::collections::BTreeSet;

use crate::built_in::AddressWidth;

/// A version of OpenCL, whose environment a module must fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// OpenCL 1.2, with `cl_khr_il_program`.
    OpenCl12,
    /// OpenCL 2.0, with `cl_khr_il_program`.
    OpenCl20,
    /// OpenCL 2.1.
    OpenCl21,
    /// OpenCL 2.2.
    OpenCl22,
    /// OpenCL 3.0.
    #[default]
    OpenCl30,
}

impl Target {
    /// Every version, the oldest first.
    pub const ALL: [Target; 5] =
        [Target::OpenCl12, Target::OpenCl20, Target::OpenCl21, Target::OpenCl22, Target::OpenCl30];

    /// Its name, as `--target` has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Target::OpenCl12 => "opencl1.2",
            Target::OpenCl20 => "opencl2.0",
            Target::OpenCl21 => "opencl2.1",
            Target::OpenCl22 => "opencl2.2",
            Target::OpenCl30 => "opencl3.0",
        }
    }

    /// The newest version of SPIR-V that its devices are sure to take, or may at least be expected to.
    pub const fn spirv_version(self) -> (u8, u8) {
        match self {
            Target::OpenCl12 | Target::OpenCl20 | Target::OpenCl21 => (1, 0),
            Target::OpenCl22 => (1, 2),
            Target::OpenCl30 => (1, 6),
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// How a kernel in which lanes meet asks for sub-groups of 32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubgroupSizeRequest {
    /// By the execution mode `SubgroupSize`, which needs the capability `SubgroupDispatch`.
    #[default]
    ExecutionMode,
    /// By the execution mode as `cl_intel_required_subgroup_size` has it: without the capability of OpenCL 2.1.
    Intel,
    /// Not at all: the device has no others.
    None,
}

/// What a device has of what is optional: the names of OpenCL extensions and features that it lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceCapabilities {
    names: BTreeSet<String>,
}

impl DeviceCapabilities {
    /// A device with these extensions and features, such as `cl_khr_fp64` and `__opencl_c_subgroups`.
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        DeviceCapabilities { names: names.into_iter().map(Into::into).collect() }
    }

    /// Whether it has this extension or feature.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Reads names between spaces, commas and line ends; `#` starts a comment.
    pub fn from_text(text: &str) -> Self {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        let names = lines.flat_map(|line| line.split(|end: char| end.is_whitespace() || end == ','));
        DeviceCapabilities::new(names.filter(|name| !name.is_empty()))
    }
}

/// What a module is translated for.
#[derive(Clone, Debug)]
pub struct Options {
    /// The version of OpenCL.
    pub target: Target,
    /// Width of addresses.
    pub addresses: AddressWidth,
    /// How sub-groups of 32 are asked for.
    pub sub_group_size: SubgroupSizeRequest,
    /// What the device has; all that its version allows without.
    pub device: Option<DeviceCapabilities>,
    /// Whether all work-groups of all launches have the size that was asked for. Then `%enqueuedlocalsize` is `%localsize`,
    /// which every device has.
    pub uniform_groups: bool,
    /// Whether kernels are launched in one dimension, whatever shape a launch has, so that sub-groups are made of consecutive
    /// work-items on every device. Work-groups are then all of one size. Kernels that ask for the shape are told it.
    pub linear: bool,
    /// Whether the module gets kernels of its own by which a host reaches its variables (see [`crate::Emitted`]).
    pub expose_variables: bool,
    /// Whether instructions tell their lines.
    pub lines: bool,
    /// Parameters, by kernel and position, that point to memory of which no other parameter has a byte, where either
    /// is written: what a kernel's layout calls `noalias`.
    pub no_alias: BTreeSet<(String, u32)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            target: Target::default(),
            addresses: AddressWidth::Bits64,
            sub_group_size: SubgroupSizeRequest::default(),
            device: None,
            uniform_groups: false,
            linear: false,
            expose_variables: false,
            lines: false,
            no_alias: BTreeSet::new(),
        }
    }
}
