//! Addresses: a region that suits an access, its base made into a register if need be, and an offset inside.

use campanile_core::isa::{Op, Space};
use campanile_core::module::RegisterType;

use crate::body::Body;
use crate::region::{Base, POINTEE, Region, Rights};

/// What an access asks of its region.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// The space that the instruction names.
    pub space: Space,
    /// Distance of places in bytes, a power of two.
    pub stride: u32,
    /// Alignment of places in bytes.
    pub alignment: u32,
    /// What is done there.
    pub use_: Use,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It reads.
    Read,
    /// It reads as one step.
    Observe,
    /// It writes, and perhaps reads.
    Write,
    /// It changes a value in one step, and no one else does.
    Update,
    /// It counts where others count as well.
    Count,
}

impl Wanted {
    /// What an operation asks for.
    pub fn by(op: Op, use_: Use) -> Self {
        let element = op.ty().map_or(4, |ty| ty.bits() / 8);
        let stride = (element * op.vector()).next_power_of_two();
        let alignment = if element < 4 { stride } else { element };
        Wanted { space: op.space().unwrap_or(Space::Generic), stride, alignment, use_ }
    }
}

impl Body<'_, '_> {
    /// The regions that can be used at this place.
    fn open_regions(&self) -> impl Iterator<Item = &Region> {
        let scopes = self.regions.iter().enumerate().rev();
        let visible = scopes.flat_map(|(depth, regions)| regions.iter().map(move |region| (depth, region)));
        visible.filter_map(|(depth, region)| {
            let hidden = |name| self.hidden[depth + 1..].iter().flatten().any(|other| other == name);
            let open = region.phase.is_none_or(|phase| phase == self.phase);
            (open && !region.variable().is_some_and(hidden)).then_some(region)
        })
    }

    /// A region for an access.
    pub fn region(&mut self, wanted: &Wanted) -> Option<Region> {
        let suits = |region: &&Region| {
            let in_shared_or_global = matches!(region.within, Some(Space::Global | Space::Shared));
            let permitted = match wanted.use_ {
                Use::Read => region.rights != Rights::Count,
                Use::Observe => region.rights != Rights::Count && in_shared_or_global,
                Use::Write => region.rights == Rights::Own,
                Use::Update => region.rights == Rights::Own && in_shared_or_global,
                Use::Count => region.rights == Rights::Count,
            };
            let fits = region.size >= wanted.stride && region.alignment >= wanted.alignment;
            permitted && fits && region.reachable_from(wanted.space)
        };
        let suitable: Vec<Region> = self.open_regions().filter(suits).cloned().collect();
        if suitable.is_empty() {
            return None;
        }
        let named = |region: &&Region| region.space == wanted.space;
        let exact: Vec<&Region> = suitable.iter().filter(named).collect();
        if !exact.is_empty() && !self.detours && self.choices.chance(60) {
            return Some((*self.choices.one_of(&exact)).clone());
        }
        Some(self.choices.one_of(&suitable).clone())
    }

    /// The base of a region as it stands in an address of `space`.
    pub fn base(&mut self, region: &Region, space: Space) -> String {
        if region.space != space {
            let own = self.own_base(region);
            let cast = self.scratch(space.address_bits() as u8);
            self.line(format!("addrcast.{space}.{} {cast}, {own};", region.space));
            return cast;
        }
        let own = self.own_base(region);
        if self.detours && space != Space::Generic && space != Space::Const && self.choices.chance(50) {
            let (generic, back) = (self.scratch(64), self.scratch(space.address_bits() as u8));
            self.line(format!("addrcast.generic.{space} {generic}, {own};"));
            self.line(format!("addrcast.{space}.generic {back}, {generic};"));
            return back;
        }
        if matches!(region.base, Base::Variable(_)) && (self.detours || self.choices.chance(20)) {
            return self.address_of(&own, space);
        }
        own
    }

    /// The address of a variable in a register.
    fn address_of(&mut self, variable: &str, space: Space) -> String {
        let bits = space.address_bits();
        let address = self.scratch(bits as u8);
        self.line(format!("addrof.{bits}b {address}, {variable};"));
        address
    }

    /// The base of a region in its own space.
    fn own_base(&mut self, region: &Region) -> String {
        let bits = region.space.address_bits();
        match &region.base {
            Base::Variable(name) | Base::Register(name) => name.clone(),
            Base::Stored(pointer) => {
                let address = self.scratch(bits as u8);
                self.line(format!("ld.const.64b {address}, [{pointer}];"));
                address
            }
            Base::Peers(first) => {
                let (peer, any, address) = (self.scratch(32), self.register(32), self.scratch(bits as u8));
                self.line(format!("udiv.rem.32b {peer}, {any}, %peers;"));
                let widening = if bits == 64 { ".full" } else { "" };
                self.line(format!("umad{widening}.32b {address}, {peer}, {}, {first};", region.size));
                address
            }
        }
    }

    /// An address in a region, in brackets.
    pub fn address_in(&mut self, region: &Region, wanted: &Wanted) -> String {
        let base = self.base(region, wanted.space);
        let places = region.size / wanted.stride;
        if places > 1 && self.choices.chance(50) {
            return self.dynamic_address(&base, wanted, places);
        }
        let offset = wanted.stride * self.choices.below(places as usize) as u32;
        match self.choices.between(0, 3) {
            0 if offset == 0 => format!("[{base}]"),
            1 if !base.starts_with('@') => self.moved_address(&base, offset, wanted.space),
            2 => format!("[{base} + {offset:#x}]"),
            _ => format!("[{base} + {offset}]"),
        }
    }

    /// An address whose offset is in a register.
    fn dynamic_address(&mut self, base: &str, wanted: &Wanted, places: u32) -> String {
        let mask = (places - 1) * wanted.stride;
        let bits = match wanted.space.address_bits() {
            64 if self.choices.chance(50) => 64,
            _ => 32,
        };
        let (mut offset, any) = (self.scratch(bits), self.register(bits));
        if self.choices.chance(20) {
            let element = *self.choices.one_of(&["x", "y", "z"]);
            offset = format!("{}.{element}", self.registers.scratch(RegisterType { bits, elements: 3 }));
        }
        self.line(format!("and.{bits}b {offset}, {any}, {mask};"));
        format!("[{base} + {offset}]")
    }

    /// An address whose base has been moved away and whose offset moves it back.
    fn moved_address(&mut self, base: &str, offset: u32, space: Space) -> String {
        let bits = space.address_bits();
        let (moved, by) = (self.scratch(bits as u8), 4 * self.choices.between(0, 25));
        self.line(format!("iadd.{bits}b {moved}, {base}, {};", by + offset));
        match self.choices.between(0, 1) {
            0 => format!("[{moved} - {by}]"),
            _ => format!("[{moved} + -{by}]"),
        }
    }

    /// A register with a pointer to pass to a function that may use what is behind it as its own.
    pub fn pointer(&mut self, space: Space) -> Option<String> {
        let (stride, alignment) = POINTEE;
        let region = self.region(&Wanted { space, stride, alignment, use_: Use::Write })?;
        let base = self.base(&region, space);
        match base.strip_prefix('@') {
            Some(_) => Some(self.address_of(&base, space)),
            None => Some(base),
        }
    }
}
