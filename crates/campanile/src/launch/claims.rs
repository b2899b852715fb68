//! What the layout says of the memory that a launch passes, and what the launch itself already denies.

use std::ops::Range;

use campanile_contract::layout::AddressSpace;
use campanile_engine::MemoryClaim;

use super::bind::Bound;
use super::error::LaunchError;
use super::places::Places;
use super::prepare::Launcher;
use crate::device::{Place, StorageId};

/// What the layout says of some bytes of an array.
struct ArrayClaim {
    name: String,
    parameter: u32,
    storage: StorageId,
    bytes: Range<u64>,
    written: bool,
    noalias: bool,
}

impl Launcher<'_, '_> {
    /// Refuses overlaps that the layout denies, for engines that do not look.
    pub fn refuse_overlaps(&self) -> Result<(), LaunchError> {
        let claims: Vec<ArrayClaim> = self.array_claims().collect();
        for (index, one) in claims.iter().enumerate() {
            let denied = claims[index + 1..].iter().find(|other| {
                let claimed = (one.noalias || other.noalias) && (one.written || other.written);
                let start = one.bytes.start.max(other.bytes.start);
                let end = one.bytes.end.min(other.bytes.end);
                claimed && one.storage == other.storage && start < end
            });
            if let Some(other) = denied {
                return Err(LaunchError::Overlap { first: one.name.clone(), second: other.name.clone() });
            }
        }
        Ok(())
    }

    /// What the layout says of memory, where it lies now.
    pub fn claims(&self, places: &Places) -> Vec<MemoryClaim> {
        let claim = |claim: ArrayClaim| {
            let Place { memory, start } = places[&claim.storage];
            MemoryClaim {
                name: claim.name,
                parameter: claim.parameter,
                memory,
                bytes: start + claim.bytes.start..start + claim.bytes.end,
                written: claim.written,
                noalias: claim.noalias,
            }
        };
        self.array_claims().map(claim).collect()
    }

    fn array_claims(&self) -> impl Iterator<Item = ArrayClaim> {
        let bound = self.layout.buffers.iter().zip(&self.bindings.buffers);
        let buffers = bound.filter_map(|(buffer, bound)| {
            let Bound::Memory { storage, bytes } = bound else { return None };
            let member = buffer.member.as_ref().map_or(String::new(), |member| format!(".{member}"));
            Some(ArrayClaim {
                name: format!("{}{member}", buffer.variable),
                parameter: buffer.param,
                storage: *storage,
                bytes: bytes.clone(),
                // Constant memory is only read, whatever the body tries.
                written: buffer.written && buffer.address_space != AddressSpace::Const,
                noalias: buffer.noalias,
            })
        });
        let addresses = self.bindings.addresses.iter().map(|(index, (storage, bytes))| {
            let scalar = &self.layout.scalars[*index];
            let (name, parameter, bytes) = (scalar.variable.clone(), scalar.param, bytes.clone());
            ArrayClaim { name, parameter, storage: *storage, bytes, written: true, noalias: false }
        });
        buffers.chain(addresses)
    }
}
