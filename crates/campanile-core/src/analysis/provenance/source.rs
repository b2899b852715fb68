//! Where a value can come from.

use std::ops::Range;

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

impl Root {
    /// Whether both are halves of an address in a parameter, the other one after this one.
    pub(super) fn borders(self, other: Root) -> bool {
        let half = |root: Root| match root {
            Root::Parameter { position, start, end } if end - start <= 4 => Some((position, start, end)),
            _ => None,
        };
        match (half(self), half(other)) {
            (Some((position, _, end)), Some((next, start, _))) => position == next && end == start,
            _ => false,
        }
    }
}

/// How likely a value is the base of an address rather than an offset. When two values are added, the stronger is
/// the base: an address that leaves its object is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Force {
    /// It cannot be a base.
    None,
    /// What is only possible has been multiplied, shifted, widened, or is a part of something.
    Doubtful,
    /// A parameter that does not say that it is a pointer, or loaded from memory that is not followed, or what has been
    /// made of something certain.
    Possible,
    /// The address of an allocation that several buffers are packed in: with an offset to one, it is that one's.
    Allocation,
    /// A variable, a function, a parameter that is declared as a pointer, or the offset of a packed buffer.
    Certain,
}

/// One of the values that something may have. The force is what they are ordered by first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Source {
    pub force: Force,
    pub root: Root,
    /// The bytes of a parameter that it has been added to and that are as likely the base; none for what stood in the
    /// place of a base.
    pub beside: Option<Root>,
    /// Bytes from the start of a variable; none if unknown, and for other roots.
    pub offset: Option<i64>,
}

impl Source {
    pub const INTEGER: Source = Source::new(Force::None, Root::Integer);
    pub const UNKNOWN: Source = Source::new(Force::Possible, Root::Unknown);

    const fn new(force: Force, root: Root) -> Self {
        Source { force, root, beside: None, offset: None }
    }

    pub const fn certain(root: Root) -> Self {
        Source::new(Force::Certain, root)
    }

    /// An address in a variable.
    pub const fn variable(variable: VariableId, offset: i64) -> Self {
        Source { offset: Some(offset), ..Source::certain(Root::Variable(variable)) }
    }

    /// The same, added to one of others, none of which is more likely the base.
    pub fn beside(self, others: &[Source]) -> Self {
        let parameters = others.iter().filter(|other| other.force > Force::None && other.root != self.root);
        let mut parameters = parameters.map(|other| other.root);
        let other = parameters.find(|root| matches!(root, Root::Parameter { .. }));
        Source { beside: self.beside.or(other), ..self }
    }

    /// The same at an unknown distance.
    pub fn somewhere(self) -> Self {
        Source { offset: None, ..self }
    }

    /// The same, so many bytes further.
    pub fn shifted(self, bytes: i64) -> Self {
        Source { offset: self.offset.map(|offset| offset.wrapping_add(bytes)), ..self }
    }

    /// The same, put together from parts that may make up a whole address.
    pub fn joined(self) -> Self {
        let force = if self.force == Force::None { Force::None } else { self.force.max(Force::Possible) };
        Source { force, ..self.somewhere() }
    }
}

/// Where a kernel finds its buffers if all of them are packed in one allocation: each at the sum of the allocation's
/// address and an offset that is passed too.
#[derive(Clone, Copy, Debug)]
pub struct Packing<'a> {
    /// Position of the parameter that holds the address of the allocation.
    pub base: usize,
    /// The parameter, by its position, and the bytes of it that hold the offset of each buffer.
    pub offsets: &'a [(usize, Range<u32>)],
}

/// What the roots of a kernel are.
pub(in crate::analysis) struct Roots<'module> {
    pub module: &'module Module,
    pub parameters: &'module [Parameter],
    pub packing: Option<Packing<'module>>,
}

impl<'module> Roots<'module> {
    pub fn new(module: &'module Module, kernel: FunctionId, packing: Option<Packing<'module>>) -> Self {
        let parameters = match &module.functions[kernel].kind {
            FunctionKind::Kernel(kernel) => kernel.parameters.as_slice(),
            FunctionKind::Device { .. } => &[],
        };
        Roots { module, parameters, packing }
    }

    /// Some bytes of a parameter, or an integer where they lie outside of it.
    pub(super) fn parameter(&self, position: u32, start: i64, bytes: u32) -> Source {
        let Some(parameter) = self.parameters.get(position as usize) else { return Source::INTEGER };
        let Ok(start) = u32::try_from(start) else { return Source::INTEGER };
        let end = start.saturating_add(bytes).min(parameter.size);
        if start >= end {
            return Source::INTEGER;
        }
        let is_base = |packing: Packing<'module>| packing.base == position as usize;
        let force = match parameter.space {
            _ if self.packed_at(position, start..end) => Force::Certain,
            _ if self.packing.is_some_and(is_base) => Force::Allocation,
            Some(_) => Force::Certain,
            None => Force::Possible,
        };
        Source::new(force, Root::Parameter { position, start, end })
    }

    /// A source as part of something that is no whole address any more. What is made of an address is seldom added to
    /// another one, so that it weighs more than what is made of a number.
    pub(super) fn doubtful(&self, source: Source) -> Source {
        let most = if self.is_marked(source.root) { Force::Possible } else { Force::Doubtful };
        Source { force: source.force.min(most), ..source.somewhere() }
    }

    /// Whether the module says that it is an address.
    pub(super) fn is_marked(&self, root: Root) -> bool {
        match root {
            Root::Variable(_) | Root::Function(_) | Root::PrintfBuffer => true,
            Root::Parameter { position, .. } => self.parameters[position as usize].space.is_some(),
            Root::Integer | Root::Unknown => false,
        }
    }

    /// A source as what 32 bits hold of it.
    pub(super) fn narrow(&self, source: Source) -> Source {
        if self.fits_32_bits(source.root) { source } else { self.doubtful(source) }
    }

    /// Whether an access to `space` can reach what the root points to.
    pub fn may_reach(&self, root: Root, space: Space) -> bool {
        match root {
            Root::Integer | Root::Function(_) => false,
            Root::Unknown => true,
            Root::PrintfBuffer => reaches(Space::Global, space),
            Root::Variable(variable) => reaches(self.module.variables[variable].space, space),
            Root::Parameter { position, .. } => self.parameter_may_reach(position as usize, space),
        }
    }

    /// Whether an access to `space` can reach what a parameter or something in it points to: the offset of a packed
    /// buffer what the address of its allocation does. One that does not say that it is a pointer holds a global
    /// address only if it is wide enough, and never a private one.
    pub fn parameter_may_reach(&self, position: usize, space: Space) -> bool {
        let reaches = |position: usize| match self.parameters.get(position) {
            Some(Parameter { space: Some(object), .. }) => reaches(*object, space),
            Some(parameter) if parameter.size < 8 => space == Space::Shared,
            Some(_) => space != Space::Private,
            None => false,
        };
        let holds_offset = |packing: &Packing| packing.offsets.iter().any(|(of, _)| *of == position);
        reaches(position) || self.packing.filter(holds_offset).is_some_and(|packing| reaches(packing.base))
    }

    fn packed_at(&self, position: u32, bytes: Range<u32>) -> bool {
        let offsets = self.packing.map_or(&[][..], |packing| packing.offsets);
        offsets.contains(&(position as usize, bytes))
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
    fn fits_32_bits(&self, root: Root) -> bool {
        let narrow = |space: Space| space.address_bits() == 32;
        match root {
            Root::Variable(variable) => narrow(self.module.variables[variable].space),
            Root::Parameter { position, start, end } if self.packed_at(position, start..end) => false,
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
