//! Operands.

use campanile_core::isa::Space;
use campanile_core::module::{Address, Base, Offset, Operand, RegisterId, Scalar, VariableId, generic};

use super::FunctionTranslator;
use crate::program::{AddressPlan, OffsetPlan, Slots, Source};

/// A mask of so many low bytes.
fn bytes(count: u32) -> u8 {
    if count >= 8 { u8::MAX } else { (1 << count) - 1 }
}

impl FunctionTranslator<'_> {
    /// The slots of a scalar that is a register.
    fn scalar_slots(&self, scalar: Scalar) -> Option<Slots> {
        match scalar {
            Scalar::Register(register) => Some(self.register(register)),
            Scalar::Element(register, element) => Some(part(self.register(register), u32::from(element), 1)),
            Scalar::Special(..) => None,
        }
    }

    /// The slots of an operand that names registers.
    pub(super) fn slots(&self, operand: &Operand) -> Option<Slots> {
        match *operand {
            Operand::Scalar(scalar) => self.scalar_slots(scalar),
            Operand::Vector(register) | Operand::Predicate { register, .. } => Some(self.register(register)),
            Operand::Swizzle(register, swizzle) => {
                Some(part(self.register(register), swizzle.first(), swizzle.count()))
            }
            Operand::Immediate(_)
            | Operand::UnsignedImmediate(_)
            | Operand::Variable(_)
            | Operand::Function(_)
            | Operand::Block(_)
            | Operand::Address(_)
            | Operand::Void => None,
        }
    }

    /// The slots of an operand that must name registers.
    pub(super) fn written(&self, operand: &Operand) -> Slots {
        self.slots(operand).unwrap_or_else(|| unreachable!("{operand:?} is no register"))
    }

    pub(super) fn scalar(&self, scalar: Scalar) -> Source {
        match (self.scalar_slots(scalar), scalar) {
            (Some(slots), _) => Source::Slot { slot: slots.first, needed: bytes(slots.element_bytes) },
            (None, Scalar::Special(special, dimension)) => Source::Special(special, dimension),
            (None, Scalar::Register(_) | Scalar::Element(..)) => unreachable!("registers have slots"),
        }
    }

    /// A source of 64 bits or less.
    pub(super) fn source(&self, operand: &Operand) -> Source {
        match *operand {
            Operand::Scalar(scalar) => self.scalar(scalar),
            Operand::Immediate(value) | Operand::UnsignedImmediate(value) => Source::Constant(value),
            Operand::Vector(register) => Source::Packed(self.register(register)),
            Operand::Predicate { register, negated } => self.predicate(register, negated),
            Operand::Variable(variable) => self.variable(variable),
            Operand::Swizzle(..)
            | Operand::Function(_)
            | Operand::Block(_)
            | Operand::Address(_)
            | Operand::Void => {
                unreachable!("{operand:?} is no value")
            }
        }
    }

    fn predicate(&self, register: RegisterId, negated: bool) -> Source {
        let slot = self.register(register).first;
        if negated { Source::Inverted { slot } } else { Source::Slot { slot, needed: 1 } }
    }

    /// The address of a variable in its space.
    pub(super) fn variable(&self, variable: VariableId) -> Source {
        match self.symbols.addresses.get(&variable) {
            Some(address) => Source::Constant(*address),
            None => {
                let private = self.private.iter().find(|one| one.variable == variable);
                let Some(private) = private else { unreachable!("a variable of this function") };
                Source::Private(private.offset)
            }
        }
    }

    /// The single sources that make up a whole register: its slots, or the value and its sign for 128 bits.
    pub(super) fn parts(&self, operand: &Operand, count: u32) -> Vec<Source> {
        match (self.slots(operand), operand) {
            (Some(slots), _) => {
                let needed = bytes(slots.element_bytes);
                let parts = slots.first..slots.first + slots.count;
                parts.map(|slot| Source::Slot { slot, needed }).collect()
            }
            (None, Operand::Immediate(value)) if count == 2 => {
                vec![Source::Constant(*value), Source::Constant(((*value as i64) >> 63) as u64)]
            }
            (None, Operand::UnsignedImmediate(value)) if count == 2 => {
                vec![Source::Constant(*value), Source::Constant(0)]
            }
            (None, _) => vec![self.source(operand)],
        }
    }

    /// A memory address in a space.
    pub(super) fn address(&self, address: &Address, space: Space) -> AddressPlan {
        let (base, narrow) = match address.base {
            Base::Scalar(scalar) => (self.scalar(scalar), self.body.scalar_bits(scalar) == 32),
            Base::Variable(variable) => {
                let narrow = self.symbols.module.variables[variable].space.address_bits() == 32;
                match self.variable(variable) {
                    Source::Constant(address) if space == Space::Generic => {
                        let own = self.symbols.module.variables[variable].space;
                        (Source::Constant(generic(own, address)), false)
                    }
                    source => (source, narrow),
                }
            }
            Base::Parameter(_) => unreachable!("parameters are no memory"),
        };
        AddressPlan { base, offset: self.offset(address.offset, narrow), narrow }
    }

    /// The offset of an address of 32 bits, or of 64.
    pub(super) fn offset(&self, offset: Offset, narrow: bool) -> OffsetPlan {
        match offset {
            Offset::Immediate(offset) => OffsetPlan::Constant(offset),
            Offset::Scalar(scalar) => {
                let sign_extend = !narrow && self.body.scalar_bits(scalar) == 32;
                OffsetPlan::Register { source: self.scalar(scalar), sign_extend }
            }
        }
    }
}

/// Some elements of a register.
pub(super) fn part(slots: Slots, first: u32, count: u32) -> Slots {
    Slots { first: slots.first + first, count, ..slots }
}
