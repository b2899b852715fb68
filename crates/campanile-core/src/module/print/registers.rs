//! Registers of a body in one scope: a name of its own for each, and their declarations.
//!
//! Registers that nothing uses are left out, as `verify` leaves out those of ranges.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::names::FreshNames;
use crate::format::Lines;
use crate::isa::SpecialRegister;
use crate::module::{
    Address, Base, Body, Offset, Operand, Parameter, RegisterId, RegisterType, Scalar, keys,
};

/// Fewest registers with consecutive numbers that are declared as a range, as LLVM does.
const SHORTEST_RANGE: usize = 6;
/// A range ends at this number at the latest.
const RANGE_LIMIT: u32 = 1 << 24;

/// Names without `%`, each different.
pub(super) struct RegisterNames<'a> {
    /// By the number of the register; none for one that is left out.
    names: Vec<Option<Cow<'a, str>>>,
    /// How many registers the signature declares.
    in_signature: usize,
}

impl<'a> RegisterNames<'a> {
    /// Keeps the name of each register unless an earlier one has it, or it would be read as an element of another.
    pub fn new(body: &'a Body, in_signature: usize, parameters: &'a [Parameter]) -> Self {
        let used = used_registers(body, in_signature);
        let registers = || body.registers.values().zip(&used).filter(|(_, used)| **used).map(|(one, _)| one);
        let vectors: FxHashSet<&str> =
            registers().filter(|register| register.ty.is_vector()).map(|register| &*register.name).collect();
        let mut fresh = FreshNames::default();
        for parameter in parameters {
            fresh.take(&parameter.name);
        }
        for register in registers() {
            fresh.take(&register.name);
            if let Some((stem, _)) = register.name.rsplit_once('.') {
                fresh.take(stem);
            }
        }
        let mut kept: FxHashSet<&str> = FxHashSet::default();
        let names = body.registers.values().zip(&used).map(|(register, used)| {
            let name = &*register.name;
            used.then(|| {
                if reads_as_element(name, &vectors) || !kept.insert(name) {
                    Cow::Owned(fresh.fresh(name))
                } else {
                    Cow::Borrowed(name)
                }
            })
        });
        RegisterNames { names: names.collect(), in_signature }
    }

    /// The name of a register.
    pub fn get(&self, register: RegisterId) -> &str {
        self.names[register.as_u32() as usize].as_deref().unwrap_or_default()
    }

    /// Declares what the signature does not: a line for each type, narrow ones first, and within it single
    /// registers in their order, then ranges. Tells whether there is any.
    pub fn declare(&self, body: &Body, lines: &mut Lines) -> bool {
        let mut types: BTreeMap<(bool, u8, u8), Vec<RegisterId>> = BTreeMap::new();
        for register in keys(&body.registers).skip(self.in_signature) {
            if self.names[register.as_u32() as usize].is_none() {
                continue;
            }
            let RegisterType { bits, elements } = body.registers[register].ty;
            let rank = (body.registers[register].ty.is_predicate(), elements, bits);
            types.entry(rank).or_default().push(register);
        }
        for ((_, elements, bits), registers) in &types {
            let ty = RegisterType { bits: *bits, elements: *elements };
            self.declare_type(ty, registers, lines);
        }
        !types.is_empty()
    }

    fn declare_type(&self, ty: RegisterType, registers: &[RegisterId], lines: &mut Lines) {
        lines.begin(1);
        if !ty.is_predicate() {
            lines.push(".reg ");
        }
        lines.push(ty);
        let items = self.declared(registers);
        let last = items.len() - 1;
        for (index, mut item) in items.into_iter().enumerate() {
            item.push(if index == last { ';' } else { ',' });
            lines.push_item(&item, 3);
        }
        lines.end();
    }

    /// The names of registers of one type as declared: `%a`, or `%w<0~6>` for a range.
    fn declared(&self, registers: &[RegisterId]) -> Vec<String> {
        let mut numbered: Vec<(&str, u32, RegisterId)> = registers
            .iter()
            .filter_map(|register| {
                let (base, number) = split_number(self.get(*register))?;
                Some((base, number, *register))
            })
            .collect();
        numbered.sort_unstable();
        let mut in_range = FxHashSet::default();
        let mut ranges = Vec::new();
        for run in numbered.chunk_by(|one, next| one.0 == next.0 && one.1 + 1 == next.1) {
            if run.len() >= SHORTEST_RANGE {
                let (base, first, _) = run[0];
                ranges.push(format!("%{base}<{first}~{}>", first as usize + run.len()));
                in_range.extend(run.iter().map(|(_, _, register)| *register));
            }
        }
        let singles = registers.iter().filter(|register| !in_range.contains(*register));
        singles.map(|register| format!("%{}", self.get(*register))).chain(ranges).collect()
    }
}

/// Which registers the signature or an operand names.
fn used_registers(body: &Body, in_signature: usize) -> Vec<bool> {
    let mut used = vec![false; body.registers.len()];
    used[..in_signature].fill(true);
    let mut mark = |register: RegisterId| used[register.as_u32() as usize] = true;
    for operand in &body.operands {
        let mut scalar = |scalar: Scalar| match scalar {
            Scalar::Register(register) | Scalar::Element(register, _) => mark(register),
            Scalar::Special(..) => {}
        };
        match *operand {
            Operand::Scalar(one) => scalar(one),
            Operand::Address(Address { base, offset }) => {
                if let Base::Scalar(one) = base {
                    scalar(one);
                }
                if let Offset::Scalar(one) = offset {
                    scalar(one);
                }
            }
            Operand::Vector(register)
            | Operand::Swizzle(register, _)
            | Operand::Predicate { register, .. } => mark(register),
            Operand::Immediate(_)
            | Operand::UnsignedImmediate(_)
            | Operand::Variable(_)
            | Operand::Function(_)
            | Operand::Block(_)
            | Operand::Void => {}
        }
    }
    used
}

/// Whether a register of this name would hide an element of a vector or special register.
fn reads_as_element(name: &str, vectors: &FxHashSet<&str>) -> bool {
    let Some((stem, element)) = name.rsplit_once('.') else { return false };
    matches!(element, "x" | "y" | "z" | "w" | "xy" | "zw" | "xyzw")
        && (vectors.contains(stem) || SpecialRegister::from_name(stem).is_some())
}

/// The base and number of a name that a range can declare.
fn split_number(name: &str) -> Option<(&str, u32)> {
    let digits = name.len() - name.trim_end_matches(|last: char| last.is_ascii_digit()).len();
    let zeros = name[name.len() - digits..].bytes().take_while(|digit| *digit == b'0').count();
    let plain = digits - zeros.min(digits.saturating_sub(1));
    let (base, number) = name.split_at(name.len() - plain);
    let number = number.parse().ok().filter(|number| *number < RANGE_LIMIT)?;
    Some((base, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_ranges_have_no_leading_zeros() {
        assert_eq!(split_number("w12"), Some(("w", 12)));
        assert_eq!(split_number("w0"), Some(("w", 0)));
        assert_eq!(split_number("w007"), Some(("w00", 7)));
        assert_eq!(split_number("w00"), Some(("w0", 0)));
        assert_eq!(split_number("w"), None);
        assert_eq!(split_number("w16777215"), Some(("w", 16_777_215)));
        assert_eq!(split_number("w16777216"), None);
    }
}
