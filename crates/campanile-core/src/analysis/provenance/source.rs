//! Where a value can come from, and how values combine.

use std::collections::BTreeSet;

use crate::isa::Space;
use crate::module::{FunctionId, FunctionKind, Module, Parameter, VariableId};

/// The origin of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// Nothing that points: a constant, an identifier, a comparison.
    Integer,
    /// Bytes `start` to `end` of a kernel parameter.
    Parameter {
        /// Its position.
        position: u32,
        /// The first byte.
        start: u32,
        /// One past the last byte.
        end: u32,
    },
    /// The address of a variable.
    Variable(VariableId),
    /// The address of a function.
    Function(FunctionId),
    /// `%printfbuffer`.
    PrintfBuffer,
    /// Anything: loaded from memory that is not followed, or returned by unknown code.
    Unknown,
}

/// How likely a value is the base of an address rather than an offset. When two values are added, the stronger is
/// the base: an address that leaves its object is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Force {
    /// It cannot be a base.
    None,
    /// It has been multiplied, widened, or loaded from memory that is not followed.
    Doubtful,
    /// A parameter that does not say that it is a pointer.
    Possible,
    /// A variable, a function, or a parameter that is declared as a pointer.
    Certain,
}

/// One of the values that something may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Source {
    pub force: Force,
    pub root: Root,
}

impl Source {
    pub const INTEGER: Source = Source { force: Force::None, root: Root::Integer };
    pub const UNKNOWN: Source = Source { force: Force::Doubtful, root: Root::Unknown };

    pub const fn certain(root: Root) -> Self {
        Source { force: Force::Certain, root }
    }

    /// The same as part of something that is no whole address any more.
    pub fn doubtful(self) -> Self {
        Source { force: self.force.min(Force::Doubtful), ..self }
    }
}

/// The values that something may have; empty while nothing has been found to reach it.
pub(super) type Sources = BTreeSet<Source>;

/// The sum of two values: each alternative of either that is not weaker than all alternatives of the other.
pub(super) fn sum(left: &Sources, right: &Sources) -> Sources {
    let weakest = |sources: &Sources| sources.iter().map(|source| source.force).min();
    let (Some(least_left), Some(least_right)) = (weakest(left), weakest(right)) else {
        return Sources::new();
    };
    let kept_left = left.iter().filter(|source| source.force >= least_right);
    let kept_right = right.iter().filter(|source| source.force >= least_left);
    kept_left.chain(kept_right).copied().collect()
}

/// What the roots of a kernel are.
pub(super) struct Roots<'module> {
    pub module: &'module Module,
    pub parameters: &'module [Parameter],
}

impl<'module> Roots<'module> {
    pub fn new(module: &'module Module, kernel: FunctionId) -> Self {
        let parameters = match &module.functions[kernel].kind {
            FunctionKind::Kernel(kernel) => kernel.parameters.as_slice(),
            FunctionKind::Device { .. } => &[],
        };
        Roots { module, parameters }
    }

    /// Some bytes of a parameter, or an integer where they lie outside of it.
    pub fn parameter(&self, position: u32, start: i64, bytes: u32) -> Source {
        let Some(parameter) = self.parameters.get(position as usize) else { return Source::INTEGER };
        let Ok(start) = u32::try_from(start) else { return Source::INTEGER };
        let end = start.saturating_add(bytes).min(parameter.size);
        if start >= end {
            return Source::INTEGER;
        }
        let force = if parameter.space.is_some() { Force::Certain } else { Force::Possible };
        Source { force, root: Root::Parameter { position, start, end } }
    }

    /// Whether an access to `space` can reach what the root points to.
    pub fn may_reach(&self, root: Root, space: Space) -> bool {
        match root {
            Root::Integer | Root::Function(_) => false,
            Root::Unknown => true,
            Root::PrintfBuffer => reaches(Space::Global, space),
            Root::Variable(variable) => reaches(self.module.variables[variable].space, space),
            Root::Parameter { position, .. } => parameter_reaches(&self.parameters[position as usize], space),
        }
    }

    /// Whether an address stored where the root points to is followed no further.
    pub fn outlives(&self, root: Root) -> bool {
        match root {
            Root::Integer | Root::Function(_) => false,
            Root::Variable(variable) => self.module.variables[variable].space == Space::Global,
            Root::Parameter { .. } | Root::PrintfBuffer | Root::Unknown => true,
        }
    }

    /// Whether a 32-bit value can hold the whole address.
    pub fn fits_32_bits(&self, root: Root) -> bool {
        let narrow = |space: Space| space.address_bits() == 32;
        match root {
            Root::Variable(variable) => narrow(self.module.variables[variable].space),
            Root::Parameter { position, .. } => {
                let parameter = &self.parameters[position as usize];
                parameter.space.map_or(parameter.size < 8, narrow)
            }
            Root::Integer | Root::Function(_) | Root::PrintfBuffer | Root::Unknown => false,
        }
    }
}

/// Whether an access to `space` can reach an object of another.
pub(in crate::analysis) fn reaches(object: Space, space: Space) -> bool {
    match space {
        Space::Generic => true,
        Space::Global | Space::Const => matches!(object, Space::Global | Space::Const | Space::Generic),
        Space::Private | Space::Shared => object == space || object == Space::Generic,
    }
}

/// Whether an access to `space` can reach what a parameter points to. One that does not say that it is a pointer
/// holds a global address only if it is wide enough, and never a private one.
pub(in crate::analysis) fn parameter_reaches(parameter: &Parameter, space: Space) -> bool {
    match parameter.space {
        Some(object) => reaches(object, space),
        None if parameter.size < 8 => space == Space::Shared,
        None => space != Space::Private,
    }
}
