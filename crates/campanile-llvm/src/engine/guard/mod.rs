//! Guarded accesses, judged: who may make them, and what is wrong with the others.
//!
//! Findings say the addresses that the checked engine has, so that they are the same on both engines and in every run.

mod objects;
mod site;

use campanile_core::isa::Space;
use campanile_core::module::{FunctionId, Module, generic};
use campanile_engine::{Access, FindingKind, Launch, Where, is_null};

use crate::frame::{AccessRange, Lanes};
use objects::Objects;
pub(super) use objects::{Object, UnderWay, variable_name};
use site::Site;

/// The guarded accesses of a launch, and what they may access.
pub(super) struct Guard {
    sites: Vec<Site>,
    objects: Objects,
}

/// What becomes of an access.
#[derive(Debug, Default)]
pub(super) struct Judgement {
    /// The lanes that may make it.
    pub permitted: u32,
    /// What is wrong with others, and with which.
    pub astray: Vec<(FindingKind, u32)>,
    /// Where such accesses are permitted for the rest of the launch, if all lanes went to one object.
    pub range: Option<AccessRange>,
}

impl Guard {
    /// The guard of a launch of a kernel that reaches these functions and has these accesses. These objects are in global
    /// memory, and the argument buffer says where shared arguments lie.
    pub fn new(
        module: &Module,
        launch: &Launch,
        functions: &[FunctionId],
        sites: &[(FunctionId, u32)],
        global: Vec<Object>,
        arguments: &[u8],
    ) -> Self {
        let site = |(function, instruction): &(FunctionId, u32)| {
            Site::of(module, launch.kernel, Where { function: *function, instruction: *instruction })
        };
        let objects = Objects::new(module, launch, functions, global, arguments);
        Guard { sites: sites.iter().map(site).collect(), objects }
    }

    /// The instruction of an access.
    pub fn place(&self, site: usize) -> Where {
        self.sites[site].at
    }

    /// Judges an access of the active lanes, while these functions are under way.
    pub fn judge(&self, site: usize, active: u32, addresses: &Lanes, under_way: &[UnderWay]) -> Judgement {
        let site = &self.sites[site];
        if let Some(parameter) = &site.parameter {
            return parameter.judge(site.bytes(), active, addresses);
        }
        let mut judging =
            Judging { site, addresses, under_way, accessed: vec![], judgement: Judgement::default() };
        for (space, lanes) in site.parted_by_space(active, addresses) {
            // Nothing is atomic in private memory, which is another check's affair.
            if space != Space::Private || site.access != Access::Atomic {
                judging.judge(&self.objects, space, lanes);
            }
        }
        judging.end(active)
    }
}

/// An access under judgement.
struct Judging<'a> {
    site: &'a Site,
    addresses: &'a Lanes,
    under_way: &'a [UnderWay],
    /// The objects that it goes to.
    accessed: Vec<(Space, Object)>,
    judgement: Judgement,
}

impl Judging<'_> {
    /// Judges the lanes whose addresses point into a space.
    fn judge(&mut self, objects: &Objects, space: Space, lanes: u32) {
        let (mut null, mut outside) = (0u32, 0u32);
        for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
            let address = self.site.address(self.addresses[lane]);
            if is_null(space, address) {
                null |= 1 << lane;
                continue;
            }
            let object = objects.find(space, address, self.under_way);
            match object.filter(|object| self.site.fits(object, address)) {
                None => outside |= 1 << lane,
                Some(object) => {
                    self.judgement.permitted |= 1 << lane;
                    if !self.accessed.iter().any(|(of, one)| (*of, one.start) == (space, object.start)) {
                        self.accessed.push((space, object));
                    }
                }
            }
        }
        let access = self.site.access;
        if null != 0 {
            self.judgement.astray.push((FindingKind::Null { access, space }, null));
        }
        if outside != 0 {
            let address = self.site.address(self.addresses[outside.trailing_zeros() as usize]);
            let (address, nearest) = objects.nearest(space, address, self.under_way);
            let bytes = self.site.bytes();
            let kind = FindingKind::OutOfBounds { access, space, address, bytes, nearest };
            self.judgement.astray.push((kind, outside));
        }
    }

    fn end(mut self, active: u32) -> Judgement {
        if let [(space, object)] = &self.accessed[..]
            && self.judgement.permitted == active
            && object.lasts
        {
            let is_generic = self.site.space == Space::Generic;
            let start = if is_generic { generic(*space, object.start) } else { object.start };
            let size = (object.size + 1).saturating_sub(u64::from(self.site.bytes()));
            self.judgement.range = Some(AccessRange { start, size });
        }
        self.judgement
    }
}
