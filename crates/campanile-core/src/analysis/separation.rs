//! Registers that are used again for something else, as several ones.

use std::collections::{BTreeMap, BTreeSet};

use super::touches::operand_touches;
use super::webs::{Web, Webs};
use crate::module::{Address, Base, Body, Instruction, Offset, Operand, RegisterId, Scalar, keys};

/// The same body with a register of its own for all that belongs together: what is written to one may be read as that.
/// Instructions and blocks stay as they are, and so do the parameters, which are the first registers.
pub fn separate_registers(body: &Body) -> Body {
    let mut webs = Webs::new(body);
    for (index, instruction) in (0..).zip(&body.instructions) {
        for position in 0..body.operands(instruction).len() {
            merge_operand(&mut webs, body, index, instruction, position);
        }
    }
    let mut separation =
        Separation { webs, body: body.clone(), owners: BTreeMap::new(), taken: BTreeSet::new() };
    for register in keys(&body.registers) {
        separation.keep_parameter(register);
    }
    for (index, instruction) in (0..).zip(&body.instructions) {
        separation.rename(index, instruction);
    }
    separation.body
}

/// The elements of one operand are in one register.
fn merge_operand(webs: &mut Webs, body: &Body, index: u32, instruction: &Instruction, position: usize) {
    let operand = &body.operands(instruction)[position];
    if !matches!(operand, Operand::Vector(_) | Operand::Swizzle(..)) {
        return;
    }
    for touch in operand_touches(body, instruction, position) {
        let elements = touch.first..touch.first + touch.count;
        let own: Vec<Web> =
            elements.filter_map(|element| webs.of(index, touch.register, element, touch.written)).collect();
        for pair in own.windows(2) {
            webs.merge(pair[0], pair[1]);
        }
    }
}

struct Separation {
    webs: Webs,
    body: Body,
    /// The register of each web.
    owners: BTreeMap<Web, RegisterId>,
    /// The registers that are some web's.
    taken: BTreeSet<RegisterId>,
}

impl Separation {
    /// What a register holds at the start stays in it.
    fn keep_parameter(&mut self, register: RegisterId) {
        for element in 0..u32::from(self.body.registers[register].ty.elements) {
            if let Some(web) = self.webs.parameter(register, element) {
                self.owners.insert(web, register);
                self.taken.insert(register);
            }
        }
    }

    fn rename(&mut self, index: u32, instruction: &Instruction) {
        for position in 0..usize::from(instruction.operand_count) {
            let touches = operand_touches(&self.body, instruction, position);
            let Some(written) = touches.first().map(|touch| touch.written) else { continue };
            let place = instruction.first_operand as usize + position;
            let first = touches[0].first;
            self.body.operands[place] = match self.body.operands[place] {
                Operand::Scalar(scalar) => Operand::Scalar(self.scalar(index, scalar, written)),
                Operand::Vector(register) => Operand::Vector(self.owner(index, register, first, written)),
                Operand::Swizzle(register, swizzle) => {
                    Operand::Swizzle(self.owner(index, register, first, written), swizzle)
                }
                Operand::Predicate { register, negated } => {
                    Operand::Predicate { register: self.owner(index, register, 0, written), negated }
                }
                Operand::Address(address) => Operand::Address(self.address(index, address)),
                other => other,
            };
        }
    }

    fn address(&mut self, index: u32, address: Address) -> Address {
        let base = match address.base {
            Base::Scalar(scalar) => Base::Scalar(self.scalar(index, scalar, false)),
            base => base,
        };
        let offset = match address.offset {
            Offset::Scalar(scalar) => Offset::Scalar(self.scalar(index, scalar, false)),
            offset => offset,
        };
        Address { base, offset }
    }

    fn scalar(&mut self, index: u32, scalar: Scalar, written: bool) -> Scalar {
        match scalar {
            Scalar::Register(register) => Scalar::Register(self.owner(index, register, 0, written)),
            Scalar::Element(register, element) => {
                Scalar::Element(self.owner(index, register, u32::from(element), written), element)
            }
            Scalar::Special(..) => scalar,
        }
    }

    /// The register of the web that an instruction reads or writes.
    fn owner(&mut self, index: u32, register: RegisterId, element: u32, written: bool) -> RegisterId {
        let Some(web) = self.webs.of(index, register, element, written) else { return register };
        if let Some(owner) = self.owners.get(&web) {
            return *owner;
        }
        let owner = match self.taken.insert(register) {
            true => register,
            false => {
                let again = self.body.registers[register].clone();
                self.body.registers.push(again)
            }
        };
        self.owners.insert(web, owner);
        owner
    }
}
