//! What atomics pass on: each place in memory that one has written with release semantics carries a clock.

use rustc_hash::FxHashMap;

use super::clocks::{GroupClock, Released};

/// Clocks by address.
#[derive(Default)]
pub(super) struct Variables {
    by_address: FxHashMap<u64, Variable>,
}

/// What a place in memory passes on to those who acquire it.
#[derive(Default)]
pub(super) struct Variable {
    /// Number of the work-group that `local` speaks of.
    pub group: u32,
    /// For each sub-group of that work-group, the time up to which its accesses are published.
    pub local: Vec<u32>,
    /// The same for whole work-groups.
    pub groups: GroupClock,
}

impl Variables {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.by_address.clear();
    }

    /// The place at an address, if anything was published there.
    pub fn get(&self, address: u64) -> Option<&Variable> {
        self.by_address.get(&address)
    }

    /// Adds to what a place passes on. What was published there before stays, even behind other writes.
    pub fn publish(&mut self, address: u64, released: Released<'_>, between_groups: bool) {
        let variable = self.by_address.entry(address).or_default();
        if variable.group != released.group {
            variable.group = released.group;
            variable.local.clear();
        }
        variable.local.resize(released.local.len().max(variable.local.len()), 0);
        for (old, new) in variable.local.iter_mut().zip(&released.local) {
            *old = (*old).max(*new);
        }
        if let Some(groups) = released.groups
            && between_groups
        {
            variable.groups.join(groups);
            variable.groups.add(released.group, released.group_time);
        }
    }
}
