//! Types of LLVM as far as the ABI tells them apart: how many 32-bit slots they take as arguments and results, and their
//! size and alignment in memory.

use std::fmt;

use campanile_core::isa::Space;
use campanile_core::module::RegisterType;

/// A single value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// An integer of so many bits, at least one.
    Integer(u32),
    /// `half`.
    Half,
    /// `bfloat`.
    BFloat,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// A pointer into an address space by LLVM's number: 0 flat, 1 global, 2 region, 3 shared, 4 constant, 5 private,
    /// 6 constant with 32 bits.
    Pointer(u32),
}

impl Scalar {
    /// A pointer into an address space of PISA.
    pub const fn pointer(space: Space) -> Self {
        Scalar::Pointer(match space {
            Space::Generic => 0,
            Space::Global => 1,
            Space::Shared => 3,
            Space::Const => 4,
            Space::Private => 5,
        })
    }

    /// Its width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::Integer(bits) => bits,
            Scalar::Half | Scalar::BFloat => 16,
            Scalar::Float => 32,
            Scalar::Double => 64,
            Scalar::Pointer(2 | 3 | 5 | 6) => 32,
            Scalar::Pointer(_) => 64,
        }
    }

    /// Its alignment in memory in bytes: that of the next wider integer with 8, 16, 32 or 64 bits, and no more.
    const fn alignment(self) -> u64 {
        match self.bits() {
            0..=8 => 1,
            9..=16 => 2,
            17..=32 => 4,
            _ => 8,
        }
    }

    /// The slots that so many of them take, each alone in its own ones.
    const fn slots(self) -> u64 {
        self.bits().div_ceil(32) as u64
    }
}

impl fmt::Display for Scalar {
    /// As in LLVM IR: `i32`, `ptr addrspace(3)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Scalar::Integer(bits) => write!(formatter, "i{bits}"),
            Scalar::Half => formatter.write_str("half"),
            Scalar::BFloat => formatter.write_str("bfloat"),
            Scalar::Float => formatter.write_str("float"),
            Scalar::Double => formatter.write_str("double"),
            Scalar::Pointer(0) => formatter.write_str("ptr"),
            Scalar::Pointer(space) => write!(formatter, "ptr addrspace({space})"),
        }
    }
}

/// A type. Sizes and counts of slots that are too large for 64 bits are the largest number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A single value.
    Scalar(Scalar),
    /// A vector.
    Vector {
        /// How many elements, at least one.
        elements: u32,
        /// Their type.
        element: Scalar,
    },
    /// An array.
    Array {
        /// How many elements.
        elements: u64,
        /// Their type.
        element: Box<Type>,
    },
    /// A struct.
    Struct {
        /// Its members in order.
        members: Vec<Type>,
        /// Whether they lie in memory without padding.
        packed: bool,
    },
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Self {
        Type::Scalar(scalar)
    }
}

impl From<RegisterType> for Type {
    /// How a PISA register is passed: as integers of its width.
    fn from(register: RegisterType) -> Self {
        let element = Scalar::Integer(u32::from(register.bits));
        match register.elements {
            1 => Type::Scalar(element),
            elements => Type::Vector { elements: u32::from(elements), element },
        }
    }
}

impl Type {
    /// An integer of so many bits.
    pub const fn integer(bits: u32) -> Self {
        Type::Scalar(Scalar::Integer(bits))
    }

    /// A vector of so many of this scalar; of any other type, an array.
    #[must_use]
    pub fn vector(self, elements: u32) -> Self {
        match self {
            Type::Scalar(element) => Type::Vector { elements, element },
            other => other.array(u64::from(elements)),
        }
    }

    /// An array of so many of this type.
    #[must_use]
    pub fn array(self, elements: u64) -> Self {
        Type::Array { elements, element: Box::new(self) }
    }

    /// How many 32-bit slots it takes as an argument or result. Only vectors of 16-bit elements are packed, two to a slot;
    /// members of arrays and structs take their slots one after another, without padding.
    pub fn slots(&self) -> u64 {
        match self {
            Type::Scalar(scalar) => scalar.slots(),
            Type::Vector { elements, element } if element.bits() == 16 => u64::from(elements.div_ceil(2)),
            Type::Vector { elements, element } => u64::from(*elements).saturating_mul(element.slots()),
            Type::Array { elements, element } => elements.saturating_mul(element.slots()),
            Type::Struct { members, .. } => members.iter().map(Type::slots).fold(0, u64::saturating_add),
        }
    }

    /// Its alignment in memory in bytes.
    pub fn alignment(&self) -> u64 {
        match self {
            Type::Scalar(scalar) => scalar.alignment(),
            Type::Vector { .. } => self.stored_bytes().checked_next_power_of_two().unwrap_or(1 << 63),
            Type::Array { element, .. } => element.alignment(),
            Type::Struct { packed: true, .. } => 1,
            Type::Struct { members, .. } => members.iter().map(Type::alignment).max().unwrap_or(1),
        }
    }

    /// The bytes from one of its kind to the next in memory.
    pub fn size(&self) -> u64 {
        match self {
            Type::Scalar(_) | Type::Vector { .. } => align_up(self.stored_bytes(), self.alignment()),
            Type::Array { elements, element } => elements.saturating_mul(element.size()),
            Type::Struct { members, packed } => {
                let end = members.iter().fold(0, |end: u64, member| {
                    let alignment = if *packed { 1 } else { member.alignment() };
                    align_up(end, alignment).saturating_add(member.size())
                });
                align_up(end, self.alignment())
            }
        }
    }

    /// The bytes that a scalar or vector fills.
    fn stored_bytes(&self) -> u64 {
        let bits = match self {
            Type::Scalar(scalar) => u64::from(scalar.bits()),
            Type::Vector { elements, element } => u64::from(*elements) * u64::from(element.bits()),
            Type::Array { .. } | Type::Struct { .. } => return self.size(),
        };
        bits.div_ceil(8)
    }
}

/// The next multiple of an alignment, which is a power of two.
pub(crate) fn align_up(bytes: u64, alignment: u64) -> u64 {
    bytes.checked_next_multiple_of(alignment).unwrap_or(u64::MAX)
}

impl fmt::Display for Type {
    /// As in LLVM IR: `<4 x half>`, `{ i32, [2 x i64] }`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(scalar) => scalar.fmt(formatter),
            Type::Vector { elements, element } => write!(formatter, "<{elements} x {element}>"),
            Type::Array { elements, element } => write!(formatter, "[{elements} x {element}]"),
            Type::Struct { members, packed } => {
                let (open, close) = if *packed { ("<{ ", " }>") } else { ("{ ", " }") };
                formatter.write_str(open)?;
                for (index, member) in members.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(formatter, "{comma}{member}")?;
                }
                formatter.write_str(close)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structure(members: &[Type], packed: bool) -> Type {
        Type::Struct { members: members.to_vec(), packed }
    }

    #[test]
    fn slots_hold_32_bits_and_only_vectors_of_halves_are_packed() {
        let counts = |types: &[Type]| types.iter().map(Type::slots).collect::<Vec<_>>();
        let integers = [1, 8, 16, 24, 32, 48, 64, 96, 128].map(Type::integer);
        assert_eq!(counts(&integers), [1, 1, 1, 1, 1, 2, 2, 3, 4]);
        let vectors = [(8, 4), (16, 4), (16, 3), (32, 3), (64, 3)];
        let vectors = vectors.map(|(bits, elements)| Type::integer(bits).vector(elements));
        assert_eq!(counts(&vectors), [4, 2, 2, 3, 6]);
        let spaces: [Type; 7] = std::array::from_fn(|space| Scalar::Pointer(space as u32).into());
        assert_eq!(counts(&spaces), [2, 2, 1, 1, 2, 1, 1]);
        assert_eq!(Type::integer(16).array(4).slots(), 4);
        let mixed = structure(&[Type::integer(8), Type::integer(64), Type::integer(16).vector(2)], false);
        assert_eq!(mixed.array(2).slots(), 8);
        assert_eq!(structure(&[], false).slots(), 0);
    }

    #[test]
    fn memory_is_laid_out_by_the_data_layout_of_the_target() {
        let layout = |ty: &Type| (ty.size(), ty.alignment());
        let integers = [1, 8, 16, 24, 32, 48, 64, 96, 128].map(Type::integer);
        let expected = [(1, 1), (1, 1), (2, 2), (4, 4), (4, 4), (8, 8), (8, 8), (16, 8), (16, 8)];
        assert_eq!(integers.each_ref().map(layout), expected);
        assert_eq!(layout(&Type::integer(32).vector(3)), (16, 16));
        assert_eq!(layout(&Type::integer(64).vector(16)), (128, 128));
        assert_eq!(layout(&Type::integer(8).vector(3)), (4, 4));
        let members = [Type::integer(8), Type::integer(64), Type::integer(16)];
        assert_eq!(layout(&structure(&members, false)), (24, 8));
        assert_eq!(layout(&structure(&members, true)), (11, 1));
        assert_eq!(layout(&structure(&[], false)), (0, 1));
    }

    #[test]
    fn no_size_overflows() {
        let huge = Type::integer(64).array(u64::MAX);
        assert_eq!((huge.slots(), huge.size()), (u64::MAX, u64::MAX));
        assert_eq!(structure(&[huge.clone(), huge], false).size(), u64::MAX);
    }

    #[test]
    fn types_are_written_as_in_ir() {
        let members = [Type::integer(64).array(2), Scalar::Half.into(), Scalar::Pointer(3).into()];
        assert_eq!(structure(&members, false).to_string(), "{ [2 x i64], half, ptr addrspace(3) }");
        assert_eq!(structure(&[Type::integer(8).vector(4)], true).to_string(), "<{ <4 x i8> }>");
    }
}
