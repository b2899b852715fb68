//! What a module is translated for, where a device shall run it.

use campanile_core::module::Module;
use campanile_engine::{ndrange::SUBGROUP_SIZE, resident_bytes};
use campanile_spirv::{AddressWidth, DeviceCapabilities, Feature, Options, SubgroupSizeRequest, Target};

use crate::description::DeviceDescription;

impl DeviceDescription {
    /// What it has of what translated modules may use, by the names of extensions and features.
    pub fn capabilities(&self) -> DeviceCapabilities {
        DeviceCapabilities::new(self.capability_names())
    }

    /// The names of the extensions and features that it has, in the order in which it lists them.
    pub fn capability_names(&self) -> impl Iterator<Item = &str> {
        let listed = self.extensions.iter().chain(&self.features).map(String::as_str);
        listed.chain(self.sub_groups_progress.then_some("CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS"))
    }

    /// What translated modules may use that not every device has, in words, and whether it has it.
    pub fn optional(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let (target, capabilities) = (self.target(), self.capabilities());
        let available = move |feature: Feature| feature.is_available(target, Some(&capabilities));
        Feature::ALL.into_iter().map(move |feature| (feature.title(), available(feature)))
    }

    /// What a module is translated for that shall run on it.
    pub(crate) fn options(&self, module: &Module) -> Options {
        let reachable = module.variables.values().any(|variable| resident_bytes(variable).is_some());
        Options {
            target: self.target(),
            addresses: if self.address_bits == 32 { AddressWidth::Bits32 } else { AddressWidth::Bits64 },
            sub_group_size: self.sub_group_size(),
            device: Some(self.capabilities()),
            expose_variables: reachable && self.shared_virtual_memory,
            ..Options::default()
        }
    }

    /// The newest version whose rules it follows.
    fn target(&self) -> Target {
        match self.version {
            (0..=1, _) => Target::OpenCl12,
            (2, 0) => Target::OpenCl20,
            (2, 1) => Target::OpenCl21,
            (2, _) => Target::OpenCl22,
            _ => Target::OpenCl30,
        }
    }

    /// How it is asked for the sub-groups that the language has.
    fn sub_group_size(&self) -> SubgroupSizeRequest {
        match &self.sub_group_sizes[..] {
            [only] if *only == SUBGROUP_SIZE => SubgroupSizeRequest::None,
            sizes if sizes.contains(&SUBGROUP_SIZE) => SubgroupSizeRequest::Intel,
            _ => SubgroupSizeRequest::ExecutionMode,
        }
    }
}
