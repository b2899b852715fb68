//! What fills the slots of a value: two sides agree on a value if they fill the same slots with as many bits.

use crate::placement::{Extension, Parameter, Passing, Place, Slot};
use crate::types::{Scalar, Type};

/// A slot, and what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filled {
    /// The slot.
    pub slot: Slot,
    /// The lowest bits of it that have the value.
    pub bits: u32,
    /// Whether the other bits follow from these.
    pub is_extended: bool,
    /// Whether the value has no other slot.
    pub is_whole: bool,
}

/// The slots of a parameter that lies there.
pub(super) fn filled(parameter: &Parameter, place: &Place) -> Vec<Filled> {
    let extended = !matches!(parameter.passing, Passing::Direct(Extension::Undefined));
    let mut widths = Vec::new();
    push_widths(&parameter.ty, &mut widths);
    let is_whole = widths.len() == 1;
    let slots = place.slots().zip(widths);
    slots.map(|(slot, bits)| Filled { slot, bits, is_extended: extended && bits < 32, is_whole }).collect()
}

/// The bits in each slot of a value.
fn push_widths(ty: &Type, widths: &mut Vec<u32>) {
    match ty {
        Type::Scalar(scalar) => push_scalar(*scalar, widths),
        Type::Vector { elements, element } if element.bits() == 16 => {
            widths.extend((0..elements / 2).map(|_| 32));
            widths.extend((elements % 2 == 1).then_some(16));
        }
        Type::Vector { elements, element } => (0..*elements).for_each(|_| push_scalar(*element, widths)),
        Type::Array { element, .. } if element.slots() == 0 => {}
        Type::Array { elements, element } => (0..*elements).for_each(|_| push_widths(element, widths)),
        Type::Struct { members, .. } => members.iter().for_each(|member| push_widths(member, widths)),
    }
}

fn push_scalar(scalar: Scalar, widths: &mut Vec<u32>) {
    let bits = scalar.bits();
    widths.extend((0..bits / 32).map(|_| 32));
    widths.extend((!bits.is_multiple_of(32)).then_some(bits % 32));
}

/// Who hands a value over to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Code of clang to code of PISA.
    FromC,
    /// The other way.
    ToC,
}

/// How far two sides agree on a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Agreement {
    /// They do.
    Whole,
    /// C trusts bits that PISA leaves undefined.
    TrustsUpperBits,
    /// They do not.
    None,
}

/// Whether a slot of C and one of PISA agree.
pub(super) fn agree(c: Filled, pisa: Filled, direction: Direction) -> Agreement {
    if c.slot != pisa.slot {
        return Agreement::None;
    }
    match direction {
        _ if c.bits == pisa.bits && !c.is_extended => Agreement::Whole,
        _ if !pisa.is_whole => Agreement::None,
        // What clang extends fills the slot, whatever part of it PISA reads.
        Direction::FromC if c.is_extended && pisa.bits >= c.bits => Agreement::Whole,
        // PISA can write what C trusts if it writes the whole slot.
        Direction::ToC if c.is_extended && pisa.bits == 32 => Agreement::Whole,
        Direction::ToC if c.is_extended && pisa.bits >= c.bits => Agreement::TrustsUpperBits,
        // Of a truth value in a struct C reads one bit.
        Direction::ToC if c.bits == 1 && pisa.bits == 8 => Agreement::Whole,
        _ => Agreement::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(ty: Type) -> Vec<u32> {
        let mut widths = Vec::new();
        push_widths(&ty, &mut widths);
        widths
    }

    #[test]
    fn slots_have_the_bits_of_their_part() {
        assert_eq!(slots(Type::integer(128)), [32; 4]);
        assert_eq!(slots(Type::integer(48)), [32, 16]);
        assert_eq!(slots(Type::integer(16).vector(3)), [32, 16]);
        assert_eq!(slots(Type::integer(8).vector(3)), [8; 3]);
        assert_eq!(slots(Type::integer(16).array(2)), [16; 2]);
        assert_eq!(slots(Type::integer(64).array(0).array(1 << 60)), [0; 0]);
    }

    #[test]
    fn upper_bits_count_where_c_trusts_them() {
        let slot = |bits, is_extended| Filled { slot: Slot::Vector(0), bits, is_extended, is_whole: true };
        let both = |c, pisa| {
            let pisa = slot(pisa, false);
            (agree(c, pisa, Direction::FromC), agree(c, pisa, Direction::ToC))
        };
        assert_eq!(both(slot(8, true), 8), (Agreement::Whole, Agreement::TrustsUpperBits));
        assert_eq!(both(slot(8, true), 32), (Agreement::Whole, Agreement::Whole));
        assert_eq!(both(slot(16, true), 8), (Agreement::None, Agreement::None));
        assert_eq!(both(slot(8, false), 8), (Agreement::Whole, Agreement::Whole));
        assert_eq!(both(slot(16, false), 32), (Agreement::None, Agreement::None));
        assert_eq!(both(slot(1, false), 8), (Agreement::None, Agreement::Whole));
        let half = Filled { is_whole: false, ..slot(32, false) };
        assert_eq!(agree(slot(16, true), half, Direction::FromC), Agreement::None);
        let elsewhere = Filled { slot: Slot::Vector(1), ..slot(32, false) };
        assert_eq!(agree(elsewhere, slot(32, false), Direction::ToC), Agreement::None);
    }
}
