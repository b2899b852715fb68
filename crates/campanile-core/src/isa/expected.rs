//! What an operation expects of its operands, with all widths worked out.

use smallvec::SmallVec;

use super::op::Op;
use super::rule::Rule;
use super::table::{OperandKind, OperandSlot, Width};
use super::types::{FloatFormat, Space, Type};

/// An operand as an operation expects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedOperand {
    /// Its name in the syntax line.
    pub role: &'static str,
    /// What may stand there.
    pub kind: OperandKind,
    /// Width of an element in bits; zero where the kind implies none.
    pub bits: u32,
    /// Number of elements; zero where any number will do.
    pub elements: u32,
    /// The qualifier that gives the width.
    pub qualifier: Option<&'static str>,
    /// The floating-point format in which an immediate is read; integers otherwise.
    pub float: Option<FloatFormat>,
    /// Whether the operation writes it.
    pub written: bool,
}

/// The operands that an operation expects, in order.
pub type ExpectedOperands = SmallVec<[ExpectedOperand; 6]>;

impl Op {
    /// The operands that this operation expects, in order.
    pub fn expected_operands(self) -> ExpectedOperands {
        let form = self.form.entry().form;
        let absent = |slot: &&OperandSlot| {
            form.rules.iter().any(|rule| match rule {
                Rule::OperandOnlyWhen { role, condition } => {
                    *role == slot.role && !condition.admits(self.word(condition.qualifier))
                }
                _ => false,
            })
        };
        form.operands.iter().filter(|slot| !absent(slot)).map(|slot| self.expected(slot)).collect()
    }

    fn expected(self, slot: &OperandSlot) -> ExpectedOperand {
        let type_of = |qualifier| self.word(qualifier).and_then(|word| Type::from_text(&word[1..]));
        let space_of = |qualifier| self.word(qualifier).and_then(|word| Space::from_text(&word[1..]));
        let (qualifier, ty, bits) = match slot.width {
            Width::Implied => (None, None, 0),
            Width::Bits(bits) => (None, None, bits),
            Width::Of(name) => (Some(name), type_of(name), type_of(name).map_or(0, Type::element_bits)),
            Width::Twice(name) => (Some(name), None, type_of(name).map_or(0, |ty| 2 * ty.element_bits())),
            Width::AddressOf(name) => (Some(name), None, space_of(name).map_or(0, Space::address_bits)),
        };
        let elements = match slot.kind {
            OperandKind::Packed => ty.map_or(1, Type::elements),
            OperandKind::Vector { counted: false } => 0,
            OperandKind::Vector { counted: true } | OperandKind::Data => self.vector(),
            _ => 1,
        };
        ExpectedOperand {
            role: slot.role,
            kind: slot.kind,
            bits,
            elements,
            qualifier,
            float: ty.and_then(Type::float_format),
            written: slot.written,
        }
    }
}
