//! Special registers (spec chapter 4), by the built-in variables of the environment.

use campanile_core::isa::SpecialRegister;
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, MemoryAccess, Op, Scope, StorageClass, Word};
use rustc_hash::FxHashMap;

use super::assembly::{Assembly, Type, id};
use super::function::FunctionEmitter;
use super::value::{Bits, Truth};
use crate::built_in::{AddressWidth, BuiltInVariable};
use crate::feature::Feature;

/// The built-in variables that a module has.
#[derive(Debug, Default)]
pub(super) struct BuiltIns {
    variables: FxHashMap<BuiltIn, Word>,
    order: Vec<Word>,
}

impl BuiltIns {
    /// The variables, in the order in which they were made.
    pub fn interface(&self) -> &[Word] {
        &self.order
    }

    /// The variable of a built-in.
    fn variable(&mut self, assembly: &mut Assembly, built_in: &BuiltInVariable) -> Word {
        if let Some(found) = self.variables.get(&built_in.built_in) {
            return *found;
        }
        let ty = type_of(assembly, built_in);
        let pointer = assembly.pointer(StorageClass::Input, ty);
        let class = vec![Operand::StorageClass(StorageClass::Input)];
        let variable = assembly.global(Op::Variable, pointer, class);
        let decoration = vec![Operand::BuiltIn(built_in.built_in)];
        assembly.decorate(variable, Decoration::BuiltIn, decoration);
        assembly.decorate(variable, Decoration::Constant, vec![]);
        assembly.name(variable, &format!("{:?}", built_in.built_in));
        self.variables.insert(built_in.built_in, variable);
        self.order.push(variable);
        variable
    }
}

/// The type that the environment demands.
fn type_of(assembly: &mut Assembly, built_in: &BuiltInVariable) -> Word {
    let addresses = if assembly.pointer_bits() == 32 { AddressWidth::Bits32 } else { AddressWidth::Bits64 };
    let element = assembly.int(built_in.shape.width(addresses));
    match built_in.shape.components() {
        1 => element,
        count => assembly.ty(Type::Vector(element, count)),
    }
}

impl FunctionEmitter<'_, '_, '_> {
    /// The value of a special register.
    pub(super) fn special(&mut self, special: SpecialRegister, dimension: u8) -> Bits {
        let built_in = match special {
            SpecialRegister::ActiveMask => return self.active_mask(),
            SpecialRegister::SubgroupSize => return self.code.constant(32, 32),
            SpecialRegister::PrintfBuffer => {
                return self
                    .memory
                    .printf
                    .unwrap_or_else(|| unreachable!("the function is told of the buffer"));
            }
            _ if self.memory.shape.is_some() && special != SpecialRegister::LaneId => {
                let value = self.shaped(special, dimension);
                return self.code.resize(value, special.bits());
            }
            SpecialRegister::LaneId => {
                self.code.need(Feature::Subgroups);
                BuiltIn::SubgroupLocalInvocationId
            }
            SpecialRegister::EnqueuedLocalSize if self.shared.uniform_groups => BuiltIn::WorkgroupSize,
            SpecialRegister::EnqueuedLocalSize => BuiltIn::EnqueuedWorkgroupSize,
            SpecialRegister::GlobalOffset => BuiltIn::GlobalOffset,
            SpecialRegister::GlobalSize => BuiltIn::GlobalSize,
            SpecialRegister::GroupCount => BuiltIn::NumWorkgroups,
            SpecialRegister::GroupId => BuiltIn::WorkgroupId,
            SpecialRegister::LocalId => BuiltIn::LocalInvocationId,
            SpecialRegister::LocalSize => BuiltIn::WorkgroupSize,
            SpecialRegister::WorkDim => BuiltIn::WorkDim,
        };
        let value = self.built_in(built_in, dimension);
        self.code.resize(value, special.bits())
    }

    /// A special register of a launch that the device makes in one dimension, in 64 bits.
    fn shaped(&mut self, special: SpecialRegister, dimension: u8) -> Bits {
        let dimension = usize::from(dimension);
        match special {
            SpecialRegister::LocalSize | SpecialRegister::EnqueuedLocalSize => self.shape_number(dimension),
            SpecialRegister::GroupCount => self.shape_number(3 + dimension),
            SpecialRegister::GlobalOffset => self.shape_number(6 + dimension),
            SpecialRegister::WorkDim => self.shape_number(9),
            SpecialRegister::GlobalSize => {
                let [local, groups] = [dimension, 3 + dimension].map(|number| self.shape_number(number));
                self.code.mul(local, groups)
            }
            SpecialRegister::GroupId => self.in_dimension(BuiltIn::WorkgroupId, 3, dimension),
            _ => self.in_dimension(BuiltIn::LocalInvocationId, 0, dimension),
        }
    }

    /// A number of the shape of the launch.
    fn shape_number(&mut self, index: usize) -> Bits {
        let shape = self.memory.shape.unwrap_or_else(|| unreachable!("the function is told of the shape"));
        let long = self.code.assembly.int(64);
        let pointer = self.code.assembly.pointer(StorageClass::Function, long);
        let width = self.code.assembly.pointer_bits();
        let index = self.code.constant(width, index as u64);
        let place = self.code.of(Op::InBoundsPtrAccessChain, pointer, &[shape, index.id]);
        let aligned = [Operand::MemoryAccess(MemoryAccess::ALIGNED), Operand::LiteralBit32(8)];
        let operands = std::iter::once(id(place)).chain(aligned).collect();
        Bits { id: self.code.value(Op::Load, long, operands), width: 64 }
    }

    /// An id that counts through all dimensions, x fastest, in one of them; the sizes start at this number of the shape.
    fn in_dimension(&mut self, built_in: BuiltIn, sizes: usize, dimension: usize) -> Bits {
        let linear = self.built_in(built_in, 0);
        let mut rest = self.code.resize(linear, 64);
        for before in 0..dimension {
            let size = self.shape_number(sizes + before);
            rest = self.code.binary(Op::UDiv, rest, size);
        }
        if dimension == 2 {
            return rest;
        }
        let size = self.shape_number(sizes + dimension);
        self.code.binary(Op::UMod, rest, size)
    }

    /// The value of a built-in variable, in one dimension.
    fn built_in(&mut self, built_in: BuiltIn, dimension: u8) -> Bits {
        let row =
            BuiltInVariable::of(built_in).unwrap_or_else(|| unreachable!("{built_in:?} is in the table"));
        if built_in == BuiltIn::EnqueuedWorkgroupSize {
            self.code.assembly.use_opencl_20();
        }
        let variable = self.shared.built_ins.variable(self.code.assembly, row);
        let ty = type_of(self.code.assembly, row);
        let whole = self.code.of(Op::Load, ty, &[variable]);
        let width = if row.shape.is_size() { self.code.assembly.pointer_bits() } else { 32 };
        if row.shape.components() == 1 {
            return Bits { id: whole, width };
        }
        let element = self.code.assembly.int(width);
        let operands = vec![id(whole), Operand::LiteralBit32(dimension.into())];
        Bits { id: self.code.value(Op::CompositeExtract, element, operands), width }
    }

    /// The work-item's number in its sub-group.
    pub(super) fn lane(&mut self) -> Bits {
        self.special(SpecialRegister::LaneId, 0)
    }

    /// A bit for each active work-item of the sub-group for which a condition holds.
    pub(super) fn ballot(&mut self, condition: Truth) -> Bits {
        self.code.need(Feature::Subgroups);
        self.code.need(Feature::SubgroupBallot);
        let word = self.code.assembly.int(32);
        let words = self.code.assembly.ty(Type::Vector(word, 4));
        let scope = self.code.constant(32, Scope::Subgroup as u64);
        let operands = vec![Operand::IdScope(scope.id), id(condition.0)];
        let all = self.code.value(Op::GroupNonUniformBallot, words, operands);
        let first = vec![id(all), Operand::LiteralBit32(0)];
        Bits { id: self.code.value(Op::CompositeExtract, word, first), width: 32 }
    }

    /// `%activemask`.
    pub(super) fn active_mask(&mut self) -> Bits {
        let always = self.code.truth(true);
        self.ballot(always)
    }
}

#[cfg(test)]
mod tests;
