//! Another number of lanes for a finished layout.

use super::build::add_lanes;
use super::place::{TooLarge, pack, place, unpack};
use crate::layout::{KernelLayout, Origin, ParameterRole};
use crate::validate::{InvariantFault, validate};

/// Why a layout cannot have so many lanes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LanesFault {
    /// The lanes are a parameter, and the parameters of a kernel that exists are what they are.
    #[error("kernel `@{0}` is made with or without the parameter for lanes; make its layout anew")]
    Bound(String),
    /// More bytes of arguments than 32 bits count.
    #[error("the arguments do not fit in 4 GiB")]
    TooLarge,
    /// No number that lanes can have.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invariants(Vec<InvariantFault>),
}

impl KernelLayout {
    /// The layout of the same kernel with so many lanes, or without any.
    ///
    /// Another number changes that alone. Lanes where there were none, or none where there were some, are a parameter
    /// more or less: what is packed, slots and places are worked out again, as [`finalize()`](super::finalize()) does.
    ///
    /// # Errors
    /// When the parameter would come or go in a layout made for a module, when the arguments become too large, or when
    /// the number is none of 1, 2, 4, 8, 16 and 32.
    pub fn with_lanes(&self, lanes: Option<u32>) -> Result<KernelLayout, LanesFault> {
        let mut layout = KernelLayout { lanes, ..self.clone() };
        if lanes.is_some() != self.lanes.is_some() {
            if self.module_digest.is_some() || self.origin == Origin::Module {
                return Err(LanesFault::Bound(self.kernel.clone()));
            }
            unpack(&mut layout);
            match lanes {
                Some(_) => add_lanes(&mut layout),
                None => remove_lanes(&mut layout),
            }
            pack(&mut layout);
            place(&mut layout).map_err(|TooLarge| LanesFault::TooLarge)?;
        }
        validate(&layout).map_err(LanesFault::Invariants)?;
        Ok(layout)
    }
}

fn remove_lanes(layout: &mut KernelLayout) {
    let lanes = |index: u32| {
        let parameter = layout.parameters.get(index as usize);
        parameter.is_some_and(|parameter| parameter.role == ParameterRole::Lanes)
    };
    layout.scalars.retain(|scalar| !lanes(scalar.argument_index));
    layout.parameters.retain(|parameter| parameter.role != ParameterRole::Lanes);
}
