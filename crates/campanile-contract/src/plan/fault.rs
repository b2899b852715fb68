//! Why a plan cannot be run.

use crate::form::FormFault;
use crate::noalias::LaunchFault;

/// Why a plan cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanFault {
    /// It is no TOML, or has unknown or missing fields; the message has the line.
    #[error("{0}")]
    Form(#[from] FormFault),
    /// Nothing to launch.
    #[error("`modules` names no file")]
    NoModules,
    /// An array that is not exactly one of value, records and part.
    #[error("array `{0}` must have one of `value`, `records` and `part_of`")]
    ArraySort(String),
    /// A part without its elements, or elements of what is no part.
    #[error("array `{0}` must have both `part_of` and `elements`, or neither")]
    Part(String),
    /// A field that says nothing about an array of this sort.
    #[error("array `{array}` cannot have `{field}`")]
    Needless {
        /// The array.
        array: String,
        /// The field.
        field: &'static str,
    },
    /// An array that is not declared.
    #[error("there is no array `{name}`, of which `{of}` is a part")]
    UnknownWhole {
        /// The part.
        of: String,
        /// What it should be a part of.
        name: String,
    },
    /// A part of itself.
    #[error("array `{0}` is a part of itself")]
    Circular(String),
    /// A grid or local size without, or with too many dimensions.
    #[error("a launch of `{kernel}` has {given} sizes in its `{what}`, must have one to three")]
    Dimensions {
        /// The kernel.
        kernel: String,
        /// `grid`, `local` or `offset`.
        what: &'static str,
        /// Sizes given.
        given: usize,
    },
    /// Launches that contradict what is declared.
    #[error(transparent)]
    Launch(#[from] LaunchFault),
}

impl PlanFault {
    /// The fault of the form, if it is one.
    pub fn form(&self) -> Option<&FormFault> {
        match self {
            PlanFault::Form(fault) => Some(fault),
            _ => None,
        }
    }
}
