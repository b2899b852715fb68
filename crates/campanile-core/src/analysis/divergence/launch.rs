//! What is known of a launch, and the shapes of special registers in it.

use super::shape::{LANES, Linear, Shape};
use crate::isa::SpecialRegister;

/// What is known of the launches that code is generated for.
///
/// It is taken for granted that no work-group has more than 65536 work-items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct LaunchShape {
    /// Dimensions in use, if known; the local size is one in the others.
    pub dimensions: Option<u32>,
    /// The size of every work-group in each dimension, if known. Not known where a grid has ragged edges.
    pub local: Option<[u32; 3]>,
    /// Whether every sub-group has 32 work-items.
    pub whole_subgroups: bool,
}

/// The greatest local id.
const GREATEST_ID: u64 = 0xffff;

impl LaunchShape {
    /// Launches with work-groups of this size, none ragged.
    pub fn with_local_size(dimensions: u32, local: [u32; 3]) -> Self {
        let items: u64 = local.iter().map(|size| u64::from(*size)).product();
        let whole_subgroups = items.is_multiple_of(LANES as u64);
        LaunchShape { dimensions: Some(dimensions), local: Some(local), whole_subgroups }
    }

    /// The shape of a special register.
    pub(super) fn special(&self, special: SpecialRegister, dimension: u8) -> Shape {
        match special {
            SpecialRegister::LaneId => Shape::of_lanes(std::array::from_fn(|lane| lane as u64), 32),
            SpecialRegister::LocalId => self.local_id(usize::from(dimension)),
            SpecialRegister::SubgroupSize => Shape::constant(LANES as u64),
            SpecialRegister::LocalSize | SpecialRegister::EnqueuedLocalSize => {
                match (self.local, self.is_unused(usize::from(dimension))) {
                    (Some(local), _) => Shape::constant(u64::from(local[usize::from(dimension)])),
                    (None, true) => Shape::constant(1),
                    (None, false) => Shape::up_to(GREATEST_ID + 1),
                }
            }
            SpecialRegister::WorkDim => match self.dimensions {
                Some(dimensions) => Shape::constant(u64::from(dimensions)),
                None => Shape::up_to(3),
            },
            // The lanes that read it are those it shows.
            SpecialRegister::ActiveMask
            | SpecialRegister::GlobalOffset
            | SpecialRegister::GlobalSize
            | SpecialRegister::GroupCount
            | SpecialRegister::GroupId
            | SpecialRegister::PrintfBuffer => Shape::UNIFORM,
        }
    }

    fn is_unused(&self, dimension: usize) -> bool {
        self.dimensions.is_some_and(|dimensions| dimension >= dimensions as usize)
    }

    /// A sub-group is 32 consecutive work-items of the work-group, in which x runs fastest, then y, then z. Rows that
    /// divide it or are divided by it give a form.
    fn local_id(&self, dimension: usize) -> Shape {
        if self.is_unused(dimension) {
            return Shape::constant(0);
        }
        let counting = |limit| {
            let form = Linear {
                base: None,
                inner: Some(1),
                outer: Some(0),
                width: LANES as u8,
                may_wrap: false,
                limit,
            };
            Shape::Linear(form)
        };
        let Some(local) = self.local else {
            // With one dimension only, x counts the work-items.
            let is_only = dimension == 0 && self.is_unused(1);
            return if is_only { counting(GREATEST_ID) } else { Shape::Varying };
        };
        let sizes = local.map(|size| size as usize);
        let (before, size) = (sizes[..dimension].iter().product::<usize>(), sizes[dimension]);
        let (through, limit) = (before * size, size as u64 - 1);
        let is_last = sizes[dimension + 1..].iter().all(|size| *size == 1);
        if size == 1 {
            return Shape::constant(0);
        }
        if before.is_multiple_of(LANES) {
            return Shape::up_to(limit);
        }
        if through.is_multiple_of(LANES) && before == 1 {
            // All of the sub-group in a row, the first one if the row has no other.
            let from_start = Shape::of_lanes(std::array::from_fn(|lane| lane as u64), 32);
            return if through == LANES { from_start } else { counting(limit) };
        }
        let divides = LANES.is_multiple_of(before);
        if through <= LANES && (LANES.is_multiple_of(through) || is_last) && divides {
            // All rows in the sub-group, several times perhaps.
            let id = |lane: usize| {
                if is_last && through < LANES && !LANES.is_multiple_of(through) {
                    lane / before
                } else {
                    lane / before % size
                }
            };
            return Shape::of_lanes(std::array::from_fn(|lane| id(lane) as u64), 32);
        }
        if divides && (through.is_multiple_of(LANES) || is_last) {
            // Rows of `before` lanes, one after another.
            let outer = Linear {
                base: None,
                inner: Some(0),
                outer: Some(1),
                width: before as u8,
                may_wrap: false,
                limit,
            };
            return if before == 1 { counting(limit) } else { outer.normal(32) };
        }
        Shape::Varying
    }
}
