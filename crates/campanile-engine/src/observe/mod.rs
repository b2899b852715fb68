//! Observers: they watch what the machine does to memory that work-items share, and change nothing.
//!
//! The machine is generic over its observer, so that one that does nothing costs nothing.

mod race;

use campanile_core::isa::{Order, Scope, Space};

pub(crate) use race::RaceDetector;

use crate::finding::{Access, Reporter, Where};
use crate::meaning::Lanes;
use crate::memory::{GlobalMemory, SharedMemory};
use crate::ndrange::{Group, NdRange};
use crate::program::Program;

/// An access of some lanes of a sub-group to global or shared memory, all of them permitted.
pub(crate) struct Event<'a> {
    /// Global or shared; constant memory counts as global.
    pub space: Space,
    /// What it does.
    pub access: Access,
    /// Its memory order; weak when not atomic.
    pub order: Order,
    /// Its memory scope.
    pub scope: Scope,
    /// Bytes that each lane accesses.
    pub bytes: u32,
    /// The lanes.
    pub lanes: u32,
    /// Their addresses.
    pub addresses: &'a Lanes,
    /// What a store writes, part by part; empty for other accesses.
    pub stored: &'a [(Lanes, [u8; 32])],
    /// The instruction.
    pub at: Where,
    /// Number of the sub-group in its work-group.
    pub subgroup: u32,
}

/// A fence of some lanes of a sub-group.
pub(crate) struct FenceEvent {
    /// Its memory order.
    pub order: Order,
    /// Its memory scope.
    pub scope: Scope,
    /// The lanes.
    pub lanes: u32,
    /// Number of the sub-group in its work-group.
    pub subgroup: u32,
}

/// What an observer may look at and where it reports.
pub(crate) struct Watch<'a, 'b> {
    /// The ND-range.
    pub range: &'a NdRange,
    /// The work-group.
    pub group: &'a Group,
    /// Global memory.
    pub global: &'a GlobalMemory,
    /// The work-group's shared memory.
    pub shared: &'a SharedMemory,
    /// Takes findings.
    pub reporter: &'a mut Reporter<'b>,
    /// What the kernel was made of.
    pub program: &'a Program,
}

/// Watches a launch. One observer serves all threads; what it knows of one work-group is kept apart.
pub(crate) trait Observer: Sync {
    /// What it remembers of a work-group; used again for the next one.
    type Group: Send + Default;

    /// A work-group begins.
    fn begin(&self, state: &mut Self::Group, group: &Group, shared: &SharedMemory);

    /// An access is about to happen.
    fn before(&self, state: &mut Self::Group, watch: Watch<'_, '_>, event: &Event<'_>);

    /// An access has happened.
    fn after(&self, state: &mut Self::Group, event: &Event<'_>);

    /// A fence is executed.
    fn fence(&self, state: &mut Self::Group, event: &FenceEvent);

    /// Lanes of a sub-group have exchanged values.
    fn exchange(&self, state: &mut Self::Group, subgroup: u32, lanes: u32);

    /// All work-items of the work-group have come to a barrier, and go on.
    fn barrier(&self, state: &mut Self::Group);
}

/// Watches nothing.
pub(crate) struct Unobserved;

impl Observer for Unobserved {
    type Group = ();

    fn begin(&self, (): &mut (), _: &Group, _: &SharedMemory) {}

    #[inline(always)]
    fn before(&self, (): &mut (), _: Watch<'_, '_>, _: &Event<'_>) {}

    #[inline(always)]
    fn after(&self, (): &mut (), _: &Event<'_>) {}

    #[inline(always)]
    fn fence(&self, (): &mut (), _: &FenceEvent) {}

    #[inline(always)]
    fn exchange(&self, (): &mut (), _: u32, _: u32) {}

    #[inline(always)]
    fn barrier(&self, (): &mut ()) {}
}
