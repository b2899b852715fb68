//! What a device may lack: the optional parts of OpenCL that translated modules use.

use rspirv::spirv::Capability;

use crate::options::{DeviceCapabilities, Target};

/// Something that not every device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Feature {
    Halves,
    Doubles,
    LongAtomics,
    AtomicOrders,
    SequentialConsistency,
    DeviceScope,
    SystemScope,
    GenericAddresses,
    ProgramVariables,
    Subgroups,
    SubgroupSize,
    IntelSubgroupSize,
    SubgroupBallot,
    SubgroupShuffle,
    SubgroupArithmetic,
    DotProduct,
    Progress,
    ReturnedWorkItems,
    TextOrder,
}

/// A row of the table.
struct Row {
    title: &'static str,
    capabilities: &'static [Capability],
    spirv_extension: Option<&'static str>,
    spirv_version: (u8, u8),
    /// The first version of OpenCL in which a device can have it.
    from: Target,
    /// The first version of which a device is taken to have it while nothing is known of the device.
    assumed: Target,
    /// Whether devices of all versions from there on have it, up to 2.2.
    core: bool,
    /// The extensions and features that each give it, of devices that need not have it.
    names: &'static [&'static str],
}

const ROW: Row = Row {
    title: "",
    capabilities: &[],
    spirv_extension: None,
    spirv_version: (1, 0),
    from: Target::OpenCl12,
    assumed: Target::OpenCl12,
    core: false,
    names: &[],
};

impl Feature {
    /// Every feature.
    pub const ALL: [Feature; 19] = [
        Feature::Halves,
        Feature::Doubles,
        Feature::LongAtomics,
        Feature::AtomicOrders,
        Feature::SequentialConsistency,
        Feature::DeviceScope,
        Feature::SystemScope,
        Feature::GenericAddresses,
        Feature::ProgramVariables,
        Feature::Subgroups,
        Feature::SubgroupSize,
        Feature::IntelSubgroupSize,
        Feature::SubgroupBallot,
        Feature::SubgroupShuffle,
        Feature::SubgroupArithmetic,
        Feature::DotProduct,
        Feature::Progress,
        Feature::ReturnedWorkItems,
        Feature::TextOrder,
    ];

    const fn row(self) -> Row {
        use Target::{OpenCl20, OpenCl21, OpenCl30};
        match self {
            Feature::Halves => Row {
                title: "half-precision numbers",
                capabilities: &[Capability::Float16],
                names: &["cl_khr_fp16"],
                assumed: OpenCl30,
                ..ROW
            },
            Feature::Doubles => Row {
                title: "double-precision numbers",
                capabilities: &[Capability::Float64],
                names: &["cl_khr_fp64", "__opencl_c_fp64"],
                ..ROW
            },
            Feature::LongAtomics => Row {
                title: "64-bit atomics",
                capabilities: &[Capability::Int64Atomics],
                names: &["cl_khr_int64_base_atomics"],
                assumed: OpenCl30,
                ..ROW
            },
            Feature::AtomicOrders => Row {
                title: "atomics that acquire and release",
                from: OpenCl20,
                core: true,
                names: &["__opencl_c_atomic_order_acq_rel"],
                ..ROW
            },
            Feature::SequentialConsistency => Row {
                title: "sequentially consistent atomics",
                from: OpenCl20,
                core: true,
                names: &["__opencl_c_atomic_order_seq_cst"],
                ..ROW
            },
            Feature::DeviceScope => Row {
                title: "atomics of device scope",
                from: OpenCl20,
                core: true,
                names: &["__opencl_c_atomic_scope_device"],
                ..ROW
            },
            Feature::SystemScope => Row {
                title: "atomics that the host sees",
                from: OpenCl20,
                names: &["__opencl_c_atomic_scope_all_devices", "cl_khr_svm_atomics"],
                ..ROW
            },
            Feature::GenericAddresses => Row {
                title: "generic addresses",
                capabilities: &[Capability::GenericPointer],
                from: OpenCl20,
                core: true,
                names: &["__opencl_c_generic_address_space"],
                ..ROW
            },
            Feature::ProgramVariables => Row {
                title: "global variables",
                from: OpenCl20,
                core: true,
                names: &["__opencl_c_program_scope_global_variables"],
                ..ROW
            },
            Feature::Subgroups => Row {
                title: "sub-groups",
                from: OpenCl20,
                names: &["cl_khr_subgroups", "__opencl_c_subgroups"],
                ..ROW
            },
            Feature::SubgroupSize => Row {
                title: "a required sub-group size",
                capabilities: &[Capability::SubgroupDispatch],
                spirv_version: (1, 1),
                from: OpenCl21,
                names: &["cl_intel_required_subgroup_size", "__opencl_c_subgroups"],
                ..ROW
            },
            Feature::IntelSubgroupSize => Row {
                title: "a required sub-group size, as Intel's extension has it",
                capabilities: &[Capability::SubgroupDispatch],
                spirv_version: (1, 1),
                names: &["cl_intel_required_subgroup_size"],
                ..ROW
            },
            Feature::SubgroupBallot => Row {
                title: "votes of a sub-group",
                capabilities: &[Capability::GroupNonUniformBallot],
                spirv_version: (1, 3),
                from: OpenCl20,
                names: &["cl_khr_subgroup_ballot"],
                ..ROW
            },
            Feature::SubgroupShuffle => Row {
                title: "shuffles of a sub-group",
                capabilities: &[Capability::GroupNonUniformShuffle],
                spirv_version: (1, 3),
                from: OpenCl20,
                names: &["cl_khr_subgroup_shuffle"],
                ..ROW
            },
            Feature::SubgroupArithmetic => Row {
                title: "reductions of part of a sub-group",
                capabilities: &[Capability::GroupNonUniformArithmetic],
                spirv_version: (1, 3),
                from: OpenCl20,
                names: &["cl_khr_subgroup_non_uniform_arithmetic"],
                ..ROW
            },
            Feature::DotProduct => Row {
                title: "dot products of packed bytes",
                capabilities: &[Capability::DotProduct, Capability::DotProductInput4x8BitPacked],
                spirv_extension: Some("SPV_KHR_integer_dot_product"),
                from: OpenCl30,
                names: &["cl_khr_integer_dot_product"],
                ..ROW
            },
            Feature::Progress => Row {
                title: "sub-groups that go on while others wait for them",
                names: &["CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS"],
                ..ROW
            },
            Feature::ReturnedWorkItems => Row {
                title: "barriers that do not wait for work-items which have returned",
                names: &["campanile_returned_work_items"],
                ..ROW
            },
            Feature::TextOrder => Row {
                title: "lanes that come together in the order of the text",
                names: &["campanile_text_order"],
                ..ROW
            },
        }
    }

    /// What it is, in a few words.
    pub const fn title(self) -> &'static str {
        self.row().title
    }

    /// The capabilities of SPIR-V that stand for it.
    pub const fn capabilities(self) -> &'static [Capability] {
        self.row().capabilities
    }

    /// The extension of SPIR-V that has it.
    pub const fn spirv_extension(self) -> Option<&'static str> {
        self.row().spirv_extension
    }

    /// The first version of SPIR-V that can express it.
    pub const fn spirv_version(self) -> (u8, u8) {
        self.row().spirv_version
    }

    /// The OpenCL extensions and features that each give it.
    pub const fn names(self) -> &'static [&'static str] {
        self.row().names
    }

    /// Whether a device of this version can have it, and, if it is known, has it.
    pub fn is_available(self, target: Target, device: Option<&DeviceCapabilities>) -> bool {
        let row = self.row();
        let always = row.core && target < Target::OpenCl30;
        let listed = match device {
            Some(device) => row.names.iter().any(|name| device.has(name)),
            None => target >= row.assumed,
        };
        let possible = target >= row.from && target.spirv_version() >= row.spirv_version;
        possible && (always || listed)
    }
}
