//! Operands of instructions.

use super::body::{BlockId, RegisterId};
use super::{FunctionId, VariableId};
use crate::isa::SpecialRegister;

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A scalar: register, vector element or special register.
    Scalar(Scalar),
    /// A whole vector register.
    Vector(RegisterId),
    /// Several elements of a vector register.
    Swizzle(RegisterId, Swizzle),
    /// The bits of an immediate, in the width of the operand. 128-bit operands are sign-extended from here.
    Immediate(u64),
    /// An immediate of a 128-bit operand from 2^63 on, which is extended by zeros.
    UnsignedImmediate(u64),
    /// A predicate, negated or not.
    Predicate {
        /// The predicate register.
        register: RegisterId,
        /// Whether `!` stands before it.
        negated: bool,
    },
    /// A memory variable (of `addrof` and `addrcast`).
    Variable(VariableId),
    /// A function (of `addrof` and `call`).
    Function(FunctionId),
    /// A label.
    Block(BlockId),
    /// The address of memory or of a kernel parameter.
    Address(Address),
    /// `void` in place of a result.
    Void,
}

impl Operand {
    /// The special registers that it reads, each with its dimension.
    pub fn special_registers(&self) -> impl Iterator<Item = (SpecialRegister, u8)> + use<> {
        let scalars = match *self {
            Operand::Scalar(scalar) => [Some(scalar), None],
            Operand::Address(Address { base, offset }) => {
                let base = if let Base::Scalar(scalar) = base { Some(scalar) } else { None };
                let offset = if let Offset::Scalar(scalar) = offset { Some(scalar) } else { None };
                [base, offset]
            }
            _ => [None, None],
        };
        scalars.into_iter().flatten().filter_map(|scalar| match scalar {
            Scalar::Special(register, dimension) => Some((register, dimension)),
            Scalar::Register(_) | Scalar::Element(..) => None,
        })
    }

    /// Whether it reads one of these special registers.
    pub fn reads(&self, registers: &[SpecialRegister]) -> bool {
        self.special_registers().any(|(register, _)| registers.contains(&register))
    }
}

/// Something that holds one value per work-item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// A scalar register.
    Register(RegisterId),
    /// An element (0 to 3) of a vector register.
    Element(RegisterId, u8),
    /// A special register; the dimension (0 to 2), or zero for one that has a single value.
    Special(SpecialRegister, u8),
}

/// Several neighbouring elements of a vector register, as `mov` takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Swizzle {
    /// Elements 0 and 1.
    Xy,
    /// Elements 2 and 3.
    Zw,
    /// Elements 0 to 3.
    Xyzw,
}

impl Swizzle {
    /// The first element.
    pub const fn first(self) -> u32 {
        match self {
            Swizzle::Xy | Swizzle::Xyzw => 0,
            Swizzle::Zw => 2,
        }
    }

    /// How many elements.
    pub const fn count(self) -> u32 {
        match self {
            Swizzle::Xy | Swizzle::Zw => 2,
            Swizzle::Xyzw => 4,
        }
    }

    /// As written, without the dot.
    pub const fn as_str(self) -> &'static str {
        match self {
            Swizzle::Xy => "xy",
            Swizzle::Zw => "zw",
            Swizzle::Xyzw => "xyzw",
        }
    }
}

/// An address: base plus offset, modulo the width of the base (spec 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// Where it starts.
    pub base: Base,
    /// Bytes added to it.
    pub offset: Offset,
}

/// Base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A 32-bit or 64-bit value.
    Scalar(Scalar),
    /// A memory variable.
    Variable(VariableId),
    /// A kernel parameter (of `ld.param` only), by position.
    Parameter(u32),
}

/// Offset of an address in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Offset {
    /// A signed constant, zero when none is written.
    Immediate(i32),
    /// A register of the base's width, or a 32-bit one that is sign-extended.
    Scalar(Scalar),
}
