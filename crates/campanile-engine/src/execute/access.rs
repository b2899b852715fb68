//! What all memory accesses have in common: addresses, the space they point into, and whether they are permitted.

use campanile_core::isa::{Order, Space};
use campanile_core::module::split_generic;

use super::machine::{Here, Machine};
use super::registers::Undefined;
use super::sub_group::SubGroup;
use crate::checks::{Check, Checks};
use crate::finding::{Access, FindingKind, Where};
use crate::mask::{self, lanes, lanes_where};
use crate::meaning::Lanes;
use crate::memory::{Memory, Object, Owner, Protection, is_null, is_widened};
use crate::observe::{Event, Observer};
use crate::program::{AccessPlan, AddressPlan, OffsetPlan};

/// Which rules of accesses are watched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Alignment.
    pub alignment: bool,
    /// Alignment as declared.
    pub declared: bool,
    /// Whether vector loads may reach a little past the end.
    pub widened: bool,
    /// Whether memory must be written before it is read.
    pub undefined: bool,
}

impl Rules {
    pub fn new(checks: Checks) -> Self {
        Rules {
            alignment: checks.has(Check::Alignment),
            declared: checks.has(Check::Declared),
            widened: !checks.has(Check::Overwide),
            undefined: checks.has(Check::Memory),
        }
    }
}

/// Why a lane's access is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultKind {
    Null,
    OutOfBounds,
    Misaligned,
    Underdeclared,
    ReadOnly,
    Undefined,
}

/// A lane's access that is at fault, and the object it concerns or is near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub lane: usize,
    pub kind: FaultKind,
    pub object: Option<Object>,
}

/// The lanes of an access that may go on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Permitted {
    /// The lanes.
    pub lanes: u32,
    /// The object that all of them access, if it is one, they lie wholly inside, and all are aligned.
    pub object: Option<Object>,
}

/// An access as seen by the functions that check it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked<'a> {
    pub plan: &'a AccessPlan,
    pub access: Access,
    pub space: Space,
    pub rules: Rules,
}

impl Checked<'_> {
    /// Judges the accesses of some lanes in the memory that their addresses belong to.
    #[inline]
    pub fn permit<M: Memory>(
        &self,
        memory: &M,
        wanted: u32,
        addresses: &Lanes,
        faults: &mut Vec<Fault>,
    ) -> Permitted {
        if let Some(object) = self.common_object(memory, wanted, addresses) {
            return Permitted { lanes: wanted, object: Some(object) };
        }
        let mut permitted = 0;
        for lane in lanes(wanted) {
            let object = memory.find(addresses[lane]);
            match self.judge(memory, object, addresses[lane]) {
                Ok(()) => permitted |= 1 << lane,
                Err(kind) => {
                    let object = object.or_else(|| memory.nearest(addresses[lane]));
                    faults.push(Fault { lane, kind, object });
                    if kind == FaultKind::Underdeclared {
                        permitted |= 1 << lane;
                    }
                }
            }
        }
        Permitted { lanes: permitted, object: None }
    }

    /// The object in which all lanes make blameless accesses, if there is one.
    #[inline]
    fn common_object<M: Memory>(&self, memory: &M, wanted: u32, addresses: &Lanes) -> Option<Object> {
        let (mut least, mut greatest, mut low_bits) = (u64::MAX, 0, 0);
        for (lane, address) in addresses.iter().enumerate() {
            let active = mask::has(wanted, lane);
            least = least.min(if active { *address } else { u64::MAX });
            greatest = greatest.max(if active { *address } else { 0 });
            low_bits |= if active { *address } else { 0 };
        }
        let object = memory.find(least)?;
        let alignment = self.plan.alignment();
        let aligned = low_bits & u64::from(alignment - 1) == 0;
        let declared = object.alignment >= alignment || !self.rules.declared;
        let writable = self.access == Access::Load || object.protection == Protection::None;
        let inside = greatest.checked_add(u64::from(self.plan.bytes()))? <= object.start + object.size;
        (aligned && declared && writable && inside).then_some(object)
    }

    fn judge<M: Memory>(&self, memory: &M, object: Option<Object>, address: u64) -> Result<(), FaultKind> {
        if is_null(self.space, address) {
            return Err(FaultKind::Null);
        }
        let object = object.ok_or(FaultKind::OutOfBounds)?;
        let bytes = u64::from(self.plan.bytes());
        let tolerated = self.rules.widened
            && self.access == Access::Load
            && self.plan.elements > 1
            && self.plan.element_bytes == 4
            && is_widened(object.start..object.start + object.size, address, bytes);
        if !object.holds(address, bytes) && !tolerated {
            return Err(FaultKind::OutOfBounds);
        }
        let protected = match object.protection {
            Protection::None => false,
            Protection::Parts => memory.is_protected(&object, address, bytes),
            Protection::Whole => true,
        };
        if protected && self.access != Access::Load {
            return Err(FaultKind::ReadOnly);
        }
        let alignment = self.plan.alignment();
        if self.rules.alignment && address & u64::from(alignment - 1) != 0 {
            return Err(FaultKind::Misaligned);
        }
        if self.rules.declared && object.alignment < alignment {
            return Err(FaultKind::Underdeclared);
        }
        Ok(())
    }
}

impl<O: Observer> Machine<'_, O> {
    /// Computes the addresses of an access. Returns the lanes that have one: active, and made of defined registers.
    #[inline]
    pub(super) fn find_addresses(&mut self, sub: &SubGroup, here: &Here, plan: &AddressPlan) -> u32 {
        let mut bad = self.fetch(sub, here, plan.base, 0);
        let mask = if plan.narrow { 0xffff_ffff } else { u64::MAX };
        match plan.offset {
            OffsetPlan::Constant(offset) => {
                let bases = &self.sources[0];
                *self.addresses =
                    std::array::from_fn(|lane| bases[lane].wrapping_add_signed(i64::from(offset)) & mask);
            }
            OffsetPlan::Register { source, sign_extend } => {
                bad |= self.fetch(sub, here, source, 1);
                let (bases, offsets) = (&self.sources[0], &self.sources[1]);
                *self.addresses = std::array::from_fn(|lane| {
                    let offset = match sign_extend {
                        true => offsets[lane] as i32 as i64 as u64,
                        false => offsets[lane],
                    };
                    bases[lane].wrapping_add(offset) & mask
                });
            }
        }
        here.active & !bad
    }

    /// Parts lanes by the space that their addresses point into; generic addresses become those of their space.
    pub(super) fn part_by_space(&mut self, space: Space, lanes: u32) -> [(Space, u32); 3] {
        const NONE: (Space, u32) = (Space::Global, 0);
        if space != Space::Generic {
            return [(space, lanes), NONE, NONE];
        }
        let split = self.addresses.map(split_generic);
        *self.addresses = split.map(|(_, address)| address);
        [Space::Global, Space::Shared, Space::Private]
            .map(|space| (space, lanes_where(lanes, |lane| split[lane].0 == space)))
    }

    /// Reports what is at fault with an access.
    pub(super) fn report_faults(&mut self, sub: &SubGroup, here: &Here, checked: &Checked<'_>) {
        if self.faults.is_empty() {
            return;
        }
        let mut faults = std::mem::take(&mut self.faults);
        while let Some(first) = faults.first().copied() {
            let same = |fault: &&Fault| fault.kind == first.kind;
            let lanes = faults.iter().filter(same).fold(0, |lanes, fault| lanes | 1 << fault.lane);
            self.report_lanes(sub, here, lanes, |machine, _| machine.fault_kind(checked, &first));
            faults.retain(|fault| fault.kind != first.kind);
        }
        self.faults = faults;
    }

    fn fault_kind(&self, checked: &Checked<'_>, fault: &Fault) -> FindingKind {
        let Checked { plan, access, space, .. } = *checked;
        let (address, alignment) = (self.addresses[fault.lane], plan.alignment());
        let nearest = fault.object.map(|object| self.program.describe(&object, address));
        match (fault.kind, nearest) {
            (FaultKind::Null, _) => FindingKind::Null { access, space },
            (FaultKind::Misaligned, nearest) => {
                FindingKind::Misaligned { access, space, address, alignment, nearest }
            }
            (FaultKind::ReadOnly, Some(nearest)) => match fault.object.map(|object| object.owner) {
                Some(Owner::Buffer(_)) => FindingKind::DeniedWrite { access, nearest },
                _ => FindingKind::ConstantWrite { access, nearest },
            },
            (FaultKind::Undefined, Some(nearest)) => {
                FindingKind::UndefinedMemory { space, bytes: plan.bytes(), nearest }
            }
            (FaultKind::Underdeclared, Some(nearest)) => {
                let declared = fault.object.map_or(1, |object| object.alignment);
                FindingKind::Underdeclared { access, alignment, declared, nearest }
            }
            (FaultKind::OutOfBounds, nearest) => {
                FindingKind::OutOfBounds { access, space, address, bytes: plan.bytes(), nearest }
            }
            (FaultKind::ReadOnly | FaultKind::Undefined | FaultKind::Underdeclared, None) => {
                FindingKind::OutOfBounds { access, space, address, bytes: plan.bytes(), nearest: None }
            }
        }
    }

    /// Tells the observer of an access to come, unless it is to private memory.
    #[inline]
    pub(super) fn observe_before(&mut self, sub: &SubGroup, here: &Here, checked: &Checked<'_>, lanes: u32) {
        if checked.space != Space::Private && lanes != 0 {
            let at = self.at(here.code, here.step);
            let (addresses, stored) = (*self.addresses, std::mem::take(&mut self.stored));
            let event = event(sub, checked, at, lanes, &addresses, &stored);
            let (observer, group, watch) = self.watch();
            observer.before(group, watch, &event);
            self.stored = stored;
        }
    }

    /// Tells the observer of an access that has happened, unless it was to private memory.
    #[inline]
    pub(super) fn observe_after(&mut self, sub: &SubGroup, here: &Here, checked: &Checked<'_>, lanes: u32) {
        if checked.space != Space::Private && lanes != 0 {
            let at = self.at(here.code, here.step);
            let event = event(sub, checked, at, lanes, &self.addresses, &self.stored);
            self.observer.after(&mut self.watched, &event);
        }
    }
}

#[inline]
fn event<'a>(
    sub: &SubGroup,
    checked: &Checked<'_>,
    at: Where,
    lanes: u32,
    addresses: &'a Lanes,
    stored: &'a [(Lanes, Undefined)],
) -> Event<'a> {
    Event {
        space: if checked.space == Space::Shared { Space::Shared } else { Space::Global },
        access: checked.access,
        order: checked.plan.order,
        scope: checked.plan.scope,
        bytes: checked.plan.bytes(),
        lanes,
        addresses,
        stored: if checked.access == Access::Store { stored } else { &[] },
        at,
        subgroup: sub.number,
    }
}

/// Makes the host keep the order that an atomic access or fence asks for.
#[inline]
pub(super) fn keep_order(order: Order) {
    match order {
        Order::Weak | Order::Relaxed => {}
        Order::Acquire | Order::Release | Order::AcquireRelease | Order::SequentiallyConsistent => {
            std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        }
    }
}
