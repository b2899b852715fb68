//! Which capabilities a module has: those that it declares, and those that these imply.

use rspirv::spirv::Capability;

use super::module::Module;
use crate::built_in::Provider;

/// Capabilities that rules here ask for, each with those that imply it (SPIR-V, Capability, "Implicitly Declares").
const IMPLIED_BY: [(Capability, &[Capability]); 3] = [
    (
        Capability::Kernel,
        &[
            Capability::Vector16,
            Capability::Float16Buffer,
            Capability::ImageBasic,
            Capability::ImageReadWrite,
            Capability::ImageMipmap,
            Capability::Pipes,
            Capability::DeviceEnqueue,
            Capability::LiteralSampler,
            Capability::SubgroupDispatch,
            Capability::NamedBarrier,
            Capability::PipeStorage,
            Capability::FPFastMathModeINTEL,
        ],
    ),
    (
        Capability::GroupNonUniform,
        &[
            Capability::GroupNonUniformVote,
            Capability::GroupNonUniformArithmetic,
            Capability::GroupNonUniformBallot,
            Capability::GroupNonUniformShuffle,
            Capability::GroupNonUniformShuffleRelative,
            Capability::GroupNonUniformClustered,
            Capability::GroupNonUniformQuad,
            Capability::GroupNonUniformRotateKHR,
        ],
    ),
    (Capability::Addresses, &[Capability::GenericPointer]),
];

impl Module {
    /// Whether a capability is declared or implied.
    pub(super) fn has(&self, capability: Capability) -> bool {
        let implied = IMPLIED_BY.iter().find(|(implied, _)| *implied == capability);
        let mut implying = implied.map_or(&[][..], |(_, by)| by).iter();
        self.capabilities.contains(&capability) || implying.any(|one| self.capabilities.contains(one))
    }

    /// Whether the version and the extensions of the module let it declare what provides a built-in variable.
    pub(super) fn reaches(&self, provider: &Provider) -> bool {
        let Provider { since, extension, .. } = provider;
        self.version >= *since && extension.is_none_or(|name| self.extensions.contains(name))
    }
}
