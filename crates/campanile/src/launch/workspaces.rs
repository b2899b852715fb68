//! Scratch arrays: as many bytes as an iteration needs, for each iteration.

use campanile_engine::{AddressArgument, EngineError, MemoryClaim, MemoryId};

use super::error::LaunchError;
use super::extents;
use super::prepare::Launcher;
use crate::device::Device;

/// The workspaces of a launch on the device.
#[derive(Default)]
pub(super) struct Workspaces {
    pub memories: Vec<MemoryId>,
    pub addresses: Vec<AddressArgument>,
    pub claims: Vec<MemoryClaim>,
}

impl Launcher<'_, '_> {
    /// The bytes of each workspace in all iterations.
    ///
    /// # Errors
    /// Names the first workspace that no memory can hold.
    pub fn workspace_bytes(&self) -> Result<Vec<u64>, LaunchError> {
        let iterations = self.range.iterations;
        let workspaces = self.layout.workspaces.iter().zip(&self.sizes.workspaces);
        let bytes = workspaces.map(|(workspace, sizes)| {
            let element = workspace.element_size;
            let slice = extents::product(sizes, u64::from(element));
            let bytes = slice.and_then(|slice| slice.checked_mul(iterations));
            bytes.filter(|bytes| i64::try_from(*bytes).is_ok()).ok_or_else(|| {
                let (workspace, sizes) = (workspace.variable.clone(), sizes.clone());
                LaunchError::WorkspaceOverflow { workspace, sizes, element, iterations }
            })
        });
        bytes.collect()
    }

    /// Allocates the workspaces; what has been allocated stays in `made` if one fails.
    pub fn allocate(
        &self,
        device: &mut Device,
        bytes: &[u64],
        made: &mut Workspaces,
    ) -> Result<(), LaunchError> {
        let workspaces = self.layout.workspaces.iter().zip(&self.sizes.workspaces);
        for ((workspace, sizes), bytes) in workspaces.zip(bytes) {
            let memory = device.engine().allocate(*bytes).map_err(|error| match error {
                EngineError::OutOfMemory { bytes } => LaunchError::WorkspaceMemory {
                    workspace: workspace.variable.clone(),
                    sizes: sizes.clone(),
                    iterations: self.range.iterations,
                    bytes,
                },
                error => error.into(),
            })?;
            let (place, parameter) = (workspace.offset, workspace.param);
            made.memories.push(memory);
            made.addresses.push(AddressArgument { place, parameter, memory, start: 0 });
            made.claims.push(MemoryClaim {
                name: workspace.variable.clone(),
                parameter,
                memory,
                bytes: 0..*bytes,
                written: true,
                noalias: false,
            });
        }
        Ok(())
    }
}
