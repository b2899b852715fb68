//! What is known of the buffers of a launch, for which kernels are compiled: which share no bytes, and which are so large that
//! what is written to them does not stay in any cache.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use campanile_core::analysis::{AccessFacts, CallGraph, LaunchShape, access_facts};
use campanile_core::isa::{Opcode, Order, Synchronization};
use campanile_core::module::{FunctionId, Module};
use campanile_engine::{EngineLaunch, MemoryId};

use crate::host::{CacheKind, Host};
use crate::lower::Specialization;

/// The size of the last cache where the system does not tell.
const LIKELY_CACHE: u64 = 32 << 20;

/// What a kernel does with the buffers that its parameters point to.
pub(super) struct BufferUse {
    facts: AccessFacts,
    /// The parameters whose buffers it accesses.
    accessed: BTreeSet<u32>,
    /// Those whose buffers it writes and does not read, unless other threads may wait for what it writes.
    only_written: BTreeSet<u32>,
}

/// What a parameter of a launch points to.
struct Passed {
    parameter: u32,
    memory: MemoryId,
    bytes: Range<u64>,
}

impl BufferUse {
    /// What a kernel does.
    pub fn of(module: &Module, kernel: FunctionId) -> Self {
        let facts = access_facts(module, kernel);
        let pointers: BTreeSet<u32> = facts.pointers().iter().map(|one| one.position as u32).collect();
        let of = |parameter: u32| facts.parameter(parameter as usize);
        let is_accessed = |parameter: &u32| of(*parameter).read.or(of(*parameter).written).is_some();
        let is_only_written = |parameter: &u32| {
            let facts = of(*parameter);
            facts.written.is_some()
                && facts.read.is_none()
                && facts.atomic.is_none()
                && facts.escaped.is_none()
        };
        let accessed = pointers.iter().copied().filter(is_accessed).collect();
        let streams = cfg!(target_arch = "x86_64") && !publishes(module, kernel);
        let only_written = pointers.iter().copied().filter(|one| streams && is_only_written(one)).collect();
        BufferUse { facts, accessed, only_written }
    }

    /// What is fixed of a launch of this shape. `size` tells the bytes of memory.
    pub fn specialization(
        &self,
        shape: LaunchShape,
        launch: &EngineLaunch<'_>,
        size: impl Fn(MemoryId) -> Option<u64>,
    ) -> Specialization {
        let passed: Vec<Passed> = launch
            .addresses
            .iter()
            .filter_map(|address| {
                let claim = launch
                    .claims
                    .iter()
                    .find(|claim| claim.parameter == address.parameter && claim.memory == address.memory);
                // What is not claimed may be any of it.
                let bytes = claim.map_or(0..size(address.memory)?, |claim| claim.bytes.clone());
                Some(Passed { parameter: address.parameter, memory: address.memory, bytes })
            })
            .collect();
        let is_large = |one: &Passed| {
            // What is read goes through the cache too.
            self.only_written.contains(&one.parameter) && one.bytes.end - one.bytes.start > last_cache() / 2
        };
        let large = passed.iter().filter(|one| is_large(one)).map(|one| one.parameter);
        Specialization { shape, streamed: large.collect(), disjoint: self.is_disjoint(&passed) }
    }

    /// Whether no buffer that is written shares bytes with that of another parameter, as far as the kernel uses them.
    fn is_disjoint(&self, passed: &[Passed]) -> bool {
        let is_known = |parameter: &u32| passed.iter().any(|one| one.parameter == *parameter);
        let is_written = |one: &Passed| self.facts.parameter(one.parameter as usize).written.is_some();
        let meet = |one: &Passed, other: &Passed| {
            one.parameter != other.parameter
                && one.memory == other.memory
                && one.bytes.start < other.bytes.end
                && other.bytes.start < one.bytes.end
        };
        let mut written = passed.iter().filter(|one| is_written(one));
        self.accessed.iter().all(is_known) && written.all(|one| !passed.iter().any(|other| meet(one, other)))
    }
}

/// Whether a kernel tells other threads that it has written something, so that stores must not become visible late.
fn publishes(module: &Module, kernel: FunctionId) -> bool {
    let reached = CallGraph::new(module, kernel).components.concat();
    let bodies = reached.iter().filter_map(|function| module.functions[*function].body.as_ref());
    bodies.flat_map(|body| &body.instructions).any(|instruction| match instruction.op.opcode() {
        Opcode::Synchronization(opcode) => opcode == Synchronization::Fence,
        Opcode::Memory(_) => !matches!(instruction.op.order(), Order::Weak | Order::Relaxed),
        _ => false,
    })
}

/// Bytes of the last cache.
fn last_cache() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let caches = Host::detect(None).caches.into_iter();
        let data = caches.filter(|cache| cache.kind != CacheKind::Instruction);
        data.map(|cache| cache.bytes).max().unwrap_or(LIKELY_CACHE)
    })
}
