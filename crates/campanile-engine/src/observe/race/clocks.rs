//! What is ordered before what, within a work-group and between work-groups.
//!
//! A work-group has one time, which goes on at every synchronisation. As a work-group is executed by one thread, times
//! grow in the order of execution; an access of time t is ordered before another if the other's work-item knows the
//! accesses of the first one's sub-group up to a time beyond t.

use campanile_core::isa::{Order, Scope};

use super::record::Record;
use super::variables::Variable;
use super::{acquires, releases};
use crate::mask;
use crate::ndrange::{Group, SUBGROUP_SIZE};

/// Most work-groups that a clock tells apart; beyond it, a clock takes everything as known.
const TOLD_APART: usize = 1024;

/// For each work-group the time up to which its accesses are known.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupClock {
    /// Work-groups with their times, sorted.
    known: Vec<(u32, u32)>,
    everything: bool,
}

impl GroupClock {
    fn clear(&mut self) {
        self.known.clear();
        self.everything = false;
    }

    /// Adds what is known of a work-group.
    pub fn add(&mut self, group: u32, time: u32) {
        match self.known.binary_search_by_key(&group, |(group, _)| *group) {
            Ok(index) => self.known[index].1 = self.known[index].1.max(time),
            Err(index) => self.known.insert(index, (group, time)),
        }
        if self.known.len() > TOLD_APART {
            self.everything = true;
            self.known.clear();
        }
    }

    /// Adds what another clock knows.
    pub fn join(&mut self, other: &GroupClock) {
        self.everything |= other.everything;
        for (group, time) in &other.known {
            if self.everything {
                return;
            }
            self.add(*group, *time);
        }
    }

    fn time_of(&self, group: u32) -> u32 {
        let found = self.known.binary_search_by_key(&group, |(group, _)| *group);
        if self.everything { u32::MAX } else { found.map_or(0, |index| self.known[index].1) }
    }
}

/// What a work-item publishes.
pub(super) struct Released<'a> {
    /// Number of its work-group.
    pub group: u32,
    /// For each sub-group of its work-group the time up to which accesses are published.
    pub local: Vec<u32>,
    /// The same for its own work-group as a whole, to others.
    pub group_time: u32,
    /// What it knows of other work-groups; none if only its own may learn of it.
    pub groups: Option<&'a GroupClock>,
}

/// What the work-items of a work-group know.
#[derive(Default)]
pub(super) struct Clocks {
    group: u32,
    subgroups: usize,
    time: u32,
    /// Whether there were accesses since the time last went on.
    accessed: bool,
    /// Before this time, all is known to all: the last barrier.
    barrier: u32,
    items: Vec<Item>,
    groups: GroupClock,
    /// Whether any work-item has executed a release fence.
    fenced: bool,
    /// The last exchange: sub-group, lanes and time.
    exchanged: (u32, u32, u32),
}

/// What a work-item knows.
#[derive(Clone, Default)]
struct Item {
    /// For each sub-group the time up to which its accesses are known; empty if none are.
    known: Vec<u32>,
    /// The same for what relaxed atomics have read, until an acquire fence.
    pending: Vec<u32>,
    pending_groups: GroupClock,
    /// When the last release fence was: for the work-group, and for all.
    fences: [u32; 2],
}

fn join(old: &mut Vec<u32>, new: &[u32]) {
    old.resize(new.len().max(old.len()), 0);
    for (old, new) in old.iter_mut().zip(new) {
        *old = (*old).max(*new);
    }
}

/// Whether a scope reaches beyond the work-group.
fn reaches_other_groups(scope: Scope) -> bool {
    match scope {
        Scope::Subgroup | Scope::Workgroup => false,
        Scope::Gpu | Scope::System => true,
    }
}

impl Clocks {
    /// Begins a work-group, which knows nothing.
    pub fn begin(&mut self, group: &Group) {
        self.group = group.number as u32;
        self.subgroups = group.subgroups() as usize;
        (self.time, self.accessed, self.barrier) = (1, false, 0);
        self.items.clear();
        self.groups.clear();
        (self.fenced, self.exchanged) = (false, (0, 0, 0));
    }

    /// Whether an atomic write of this order may publish anything.
    pub fn may_release(&self, order: Order) -> bool {
        self.fenced || releases(order)
    }

    /// Number of the work-group.
    pub fn group(&self) -> u32 {
        self.group
    }

    /// The time now.
    pub fn time(&self) -> u32 {
        self.time
    }

    /// There was an access.
    pub fn accessed(&mut self) {
        self.accessed = true;
    }

    /// Lets the time go on, if it matters.
    fn tick(&mut self) -> u32 {
        self.time += u32::from(std::mem::take(&mut self.accessed));
        self.time
    }

    /// Whether an old access is ordered before a new one of this work-group.
    #[inline]
    pub fn orders(&self, old: &Record, new: &Record) -> bool {
        let before_all = self.orders_all(old, new.group);
        if before_all || old.group != new.group {
            return before_all;
        }
        let subgroup = usize::from(old.item) / SUBGROUP_SIZE as usize;
        let known = || self.items.get(usize::from(new.item)).and_then(|item| item.known.get(subgroup));
        old.item == new.item || known().is_some_and(|known| old.time < *known)
    }

    /// Whether an old access is ordered before all new ones of a work-group (by its number plus one), whoever makes them.
    #[inline]
    pub fn orders_all(&self, old: &Record, group: u32) -> bool {
        if old.group != group {
            return old.group == 0 || old.time < self.groups.time_of(old.group - 1);
        }
        old.time < self.barrier
    }

    fn item(&mut self, subgroup: u32, lane: usize) -> &mut Item {
        let index = subgroup as usize * SUBGROUP_SIZE as usize + lane;
        if self.items.is_empty() {
            self.items.resize(self.subgroups * SUBGROUP_SIZE as usize, Item::default());
        }
        &mut self.items[index]
    }

    /// All work-items meet.
    pub fn barrier(&mut self) {
        self.barrier = self.tick();
    }

    /// All work-items meet, but see only what a fence has made observable.
    pub fn barrier_with_fences(&mut self) {
        self.tick();
        let mut seen = vec![0; self.subgroups];
        for (index, item) in self.items.iter().enumerate() {
            let seen = &mut seen[index / SUBGROUP_SIZE as usize];
            *seen = item.fences[0].max(*seen);
        }
        for item in &mut self.items {
            join(&mut item.known, &seen);
        }
    }

    /// Lanes of a sub-group meet: each knows what any of them knows.
    pub fn exchange(&mut self, subgroup: u32, lanes: u32) {
        if !self.accessed && self.exchanged == (subgroup, lanes, self.time) {
            return;
        }
        let time = self.tick();
        self.exchanged = (subgroup, lanes, time);
        let mut known = vec![0; self.subgroups];
        known[subgroup as usize] = time;
        for lane in mask::lanes(lanes) {
            join(&mut known, &self.item(subgroup, lane).known);
        }
        for lane in mask::lanes(lanes) {
            self.item(subgroup, lane).known.clone_from(&known);
        }
    }

    /// What an atomic write of a lane publishes, by its order or by a fence before it.
    pub fn release(
        &mut self,
        subgroup: u32,
        lane: usize,
        order: Order,
        scope: Scope,
    ) -> Option<Released<'_>> {
        let strong = releases(order);
        let now = if strong { self.tick() } else { 0 };
        let subgroups = self.subgroups;
        let item = self.item(subgroup, lane);
        let own = item.fences[0].max(now);
        let beyond = item.fences[1].max(if reaches_other_groups(scope) { now } else { 0 });
        if own == 0 {
            return None;
        }
        let mut local = item.known.clone();
        local.resize(subgroups, 0);
        local[subgroup as usize] = local[subgroup as usize].max(own);
        let groups = (beyond != 0).then_some(&self.groups);
        Some(Released { group: self.group, local, group_time: beyond, groups })
    }

    /// An atomic read of a lane takes over what the place passes on, now or at a fence to come.
    pub fn acquire(&mut self, subgroup: u32, lane: usize, order: Order, scope: Scope, from: &Variable) {
        let (group, strong) = (self.group, acquires(order));
        let mut local = if from.group == group { from.local.clone() } else { Vec::new() };
        // What came back from other work-groups.
        let returned = from.groups.time_of(group);
        if returned != 0 {
            local.resize(self.subgroups, 0);
            local.iter_mut().for_each(|time| *time = (*time).max(returned));
        }
        let item = self.item(subgroup, lane);
        join(if strong { &mut item.known } else { &mut item.pending }, &local);
        if !strong {
            item.pending_groups.join(&from.groups);
        } else if reaches_other_groups(scope) {
            self.groups.join(&from.groups);
        }
    }

    /// A fence of a lane: what was read becomes known, and what is known will be published by writes to come.
    pub fn fence(&mut self, subgroup: u32, lane: usize, order: Order, scope: Scope) {
        let time = self.tick();
        let item = self.item(subgroup, lane);
        let mut groups = None;
        if acquires(order) {
            let pending = std::mem::take(&mut item.pending);
            join(&mut item.known, &pending);
            if reaches_other_groups(scope) {
                groups = Some(std::mem::take(&mut item.pending_groups));
            }
        }
        if releases(order) {
            item.fences[0] = time;
            if reaches_other_groups(scope) {
                item.fences[1] = time;
            }
            self.fenced = true;
        }
        if let Some(groups) = groups {
            self.groups.join(&groups);
        }
    }
}
