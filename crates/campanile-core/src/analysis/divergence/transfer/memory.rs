//! Chapter 8: what lanes load from one address at one time is the same, if they have the memory in common.

use super::Transfer;
use crate::analysis::divergence::Scope;
use crate::analysis::divergence::shape::{Shape, add, extend};
use crate::analysis::divergence::values::{Known, Values};
use crate::isa::{Memory, Space};
use crate::module::{Address, Base, Instruction, Offset};

impl Transfer<'_> {
    pub(super) fn memory(&self, opcode: Memory, values: &mut Values, instruction: &Instruction) {
        let op = instruction.op;
        match opcode {
            // Each lane's operation is one step by itself.
            Memory::Fatom | Memory::Iatom => self.write(values, instruction, Some(Shape::Varying)),
            Memory::Ld => {
                let in_common = match op.space() {
                    Some(Space::Global | Space::Const | Space::Shared) => true,
                    Some(Space::Private) => false,
                    Some(Space::Generic) | None => !self.has_private,
                } && self.scope == Scope::Subgroup;
                let address = self.operand(values, &self.body.operands(instruction)[1]);
                let shape = address.map(|address| match in_common && !op.is_atomic() {
                    true => Shape::of_sources([address]),
                    false => Shape::Varying,
                });
                self.write(values, instruction, shape);
            }
            Memory::LdParam => {
                let address = self.operand(values, &self.body.operands(instruction)[1]);
                self.write(values, instruction, address.map(|address| Shape::of_sources([address])));
            }
            Memory::St => {}
        }
    }

    /// The shape of an address.
    pub(in crate::analysis::divergence) fn address(&self, values: &Values, address: &Address) -> Known {
        let (base, bits) = match address.base {
            Base::Scalar(scalar) => (self.scalar(values, scalar)?, self.body.scalar_bits(scalar)),
            Base::Variable(variable) => {
                (Shape::UNIFORM, self.module.variables[variable].space.address_bits())
            }
            Base::Parameter(_) => (Shape::UNIFORM, 64),
        };
        let offset = match address.offset {
            Offset::Immediate(offset) => Shape::constant(i64::from(offset) as u64),
            Offset::Scalar(scalar) => {
                let (shape, own) = (self.scalar(values, scalar)?, self.body.scalar_bits(scalar));
                if own < bits { extend(shape, true, own, bits) } else { shape }
            }
        };
        Some(add(base, offset, bits))
    }
}
