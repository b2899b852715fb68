//! Memory (spec chapter 8 of the instruction set): addresses as pointers, loads and stores.
//!
//! Global and constant addresses are the device's own. Private and shared addresses are places in the block of memory
//! that the kernel holds; shared memory whose size the host says is told apart by the upper bits of an address.

mod atomic;
mod parameter;

use campanile_core::isa::{Memory, Op as Operation, Order, Space, Type as OperandType};
use campanile_core::module::{Address, Base, Instruction, Offset, Operand};
use rspirv::dr;
use rspirv::spirv::{MemoryAccess, Op, StorageClass, Word};

use super::assembly::{Type, id};
use super::function::FunctionEmitter;
use super::plan::REGION_BITS;
use super::value::Bits;
use crate::feature::Feature;

/// A pointer to bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    /// Its id.
    pub id: Word,
    /// The storage class that it points into.
    pub class: StorageClass,
}

impl FunctionEmitter<'_, '_, '_> {
    pub(super) fn memory_access(&mut self, opcode: Memory, instruction: &Instruction) {
        let operands = self.body.operands(instruction);
        let op = instruction.op;
        match (opcode, operands) {
            (Memory::LdParam, [to, Operand::Address(address)]) => self.load_parameter(op, to, address),
            (Memory::Ld, [to, Operand::Address(address)]) if op.order() != Order::Weak => {
                self.atomic_load(op, to, address);
            }
            (Memory::St, [Operand::Address(address), value]) if op.order() != Order::Weak => {
                self.atomic_store(op, address, value);
            }
            (Memory::Ld, [to, Operand::Address(address)]) => {
                let address = self.address(address, space_of(op));
                let values = self.load(op, address);
                self.assign(to, &values);
            }
            (Memory::St, [Operand::Address(address), value]) => {
                let address = self.address(address, space_of(op));
                let values = self.operand(value, element_bits(op));
                self.store(op, address, &values);
            }
            (Memory::Iatom | Memory::Fatom, [to, Operand::Address(address), sources @ ..]) => {
                self.atomic_change(op, to, address, sources);
            }
            _ => unreachable!("`{op}` has other operands"),
        }
    }

    /// The value of an address in a space.
    pub(super) fn address(&mut self, address: &Address, space: Space) -> Bits {
        let base = match address.base {
            Base::Scalar(scalar) => self.scalar(scalar),
            Base::Variable(variable) => {
                let own = self.shared.plan.module.variables[variable].space;
                let place = self.variable_address(variable);
                if space == Space::Generic { self.generic_address(own, place) } else { place }
            }
            Base::Parameter(_) => unreachable!("parameters are no memory"),
        };
        let offset = match address.offset {
            Offset::Immediate(offset) => self.code.constant(base.width, offset as i64 as u64),
            Offset::Scalar(scalar) => {
                let offset = self.scalar(scalar);
                self.code.resize_signed(offset, base.width)
            }
        };
        self.code.add(base, offset)
    }

    /// A pointer to the byte at an address of a space.
    pub(super) fn pointer(&mut self, space: Space, address: Bits) -> Pointer {
        match space {
            Space::Private => self.private_pointer(address),
            Space::Shared => self.shared_pointer(address),
            Space::Global => self.device_pointer(StorageClass::CrossWorkgroup, address),
            Space::Const => self.device_pointer(self.shared.plan.constant_class(), address),
            Space::Generic => self.generic_pointer(address),
        }
    }

    fn bytes_of(&mut self, class: StorageClass) -> Word {
        let byte = self.code.assembly.int(8);
        self.code.assembly.pointer(class, byte)
    }

    fn device_pointer(&mut self, class: StorageClass, address: Bits) -> Pointer {
        let width = self.code.assembly.pointer_bits();
        let address = self.code.resize(address, width);
        let ty = self.bytes_of(class);
        Pointer { id: self.code.of(Op::ConvertUToPtr, ty, &[address.id]), class }
    }

    /// The byte at a place in a block of memory.
    fn place_in(&mut self, class: StorageClass, block: Word, place: Bits) -> Pointer {
        let width = self.code.assembly.pointer_bits();
        let place = self.code.resize(place, width);
        let ty = self.bytes_of(class);
        Pointer { id: self.code.of(Op::InBoundsPtrAccessChain, ty, &[block, place.id]), class }
    }

    fn private_pointer(&mut self, address: Bits) -> Pointer {
        let block =
            self.memory.private.unwrap_or_else(|| unreachable!("the function is told of private memory"));
        self.place_in(StorageClass::Function, block, address)
    }

    fn shared_pointer(&mut self, address: Bits) -> Pointer {
        let class = StorageClass::Workgroup;
        let regions = self.memory.shared.clone();
        let [first, others @ ..] = &regions[..] else { return self.null_pointer(class) };
        if others.is_empty() {
            return self.place_in(class, *first, address);
        }
        let number = self.code.shift_by(Op::ShiftRightLogical, address, REGION_BITS);
        let mask = self.code.constant(32, (1 << REGION_BITS) - 1);
        let place = self.code.and(address, mask);
        let ty = self.bytes_of(class);
        let mut block = *first;
        for (index, other) in others.iter().enumerate() {
            let is_there = self.code.is(number, index as u64 + 1);
            block = self.code.of(Op::Select, ty, &[is_there.0, *other, block]);
        }
        self.place_in(class, block, place)
    }

    /// Where there is no memory, no access is allowed either.
    fn null_pointer(&mut self, class: StorageClass) -> Pointer {
        let ty = self.bytes_of(class);
        Pointer { id: self.code.value(Op::Undef, ty, vec![]), class }
    }

    /// Where no address of private or shared memory was made generic, generic ones are global.
    fn generic_pointer(&mut self, address: Bits) -> Pointer {
        let [private, shared] = self.shared.plan.generic;
        let global = self.device_pointer(StorageClass::CrossWorkgroup, address);
        if !private && !shared {
            return global;
        }
        self.code.need(Feature::GenericAddresses);
        let class = StorageClass::Generic;
        let ty = self.bytes_of(class);
        let low = self.code.resize(address, 32);
        let mut chosen = self.code.of(Op::PtrCastToGeneric, ty, &[global.id]);
        for space in
            [private.then_some(Space::Private), shared.then_some(Space::Shared)].into_iter().flatten()
        {
            let is_there = self.points_into(address, space);
            // An address elsewhere is no place in this memory.
            let start = self.code.constant(32, 0);
            let place = self.code.select(is_there, low, start);
            let pointer = self.pointer(space, place);
            let cast = self.code.of(Op::PtrCastToGeneric, ty, &[pointer.id]);
            chosen = self.code.of(Op::Select, ty, &[is_there.0, cast, chosen]);
        }
        Pointer { id: chosen, class }
    }

    /// A pointer as one to a type.
    pub(super) fn typed(&mut self, pointer: Pointer, ty: Word) -> Word {
        let ty = self.code.assembly.pointer(pointer.class, ty);
        self.code.of(Op::Bitcast, ty, &[pointer.id])
    }

    /// The pointer to a byte that follows.
    fn behind(&mut self, pointer: Pointer, bytes: u32) -> Pointer {
        if bytes == 0 {
            return pointer;
        }
        let width = self.code.assembly.pointer_bits();
        let bytes = self.code.constant(width, bytes.into());
        self.place_in(pointer.class, pointer.id, bytes)
    }

    /// Reads the elements of a load.
    fn load(&mut self, op: Operation, address: Bits) -> Vec<Bits> {
        let pointer = self.pointer(space_of(op), address);
        self.load_elements(pointer, element_bits(op), op.vector(), alignment(op))
    }

    /// Reads so many elements of a width. Three are read singly, as a vector of them has the size of four.
    pub(super) fn load_elements(
        &mut self,
        pointer: Pointer,
        width: u32,
        count: u32,
        alignment: u32,
    ) -> Vec<Bits> {
        let element = self.code.assembly.int(width);
        if !is_vector(count) {
            let single = |emitter: &mut Self, index: u32| {
                let place = emitter.behind(pointer, index * width / 8);
                let place = emitter.typed(place, element);
                let value = emitter.code.value(Op::Load, element, access(place, None, alignment));
                Bits { id: value, width }
            };
            return (0..count).map(|index| single(self, index)).collect();
        }
        let ty = self.code.assembly.ty(Type::Vector(element, count));
        let place = self.typed(pointer, ty);
        let whole = self.code.value(Op::Load, ty, access(place, None, alignment));
        self.code.elements(whole, width, count)
    }

    /// Writes the elements of a store.
    fn store(&mut self, op: Operation, address: Bits, values: &[Bits]) {
        let pointer = self.pointer(space_of(op), address);
        let (width, count) = (element_bits(op), op.vector());
        let element = self.code.assembly.int(width);
        if !is_vector(count) {
            for (index, value) in values.iter().enumerate() {
                let place = self.behind(pointer, index as u32 * width / 8);
                let place = self.typed(place, element);
                self.code.effect(Op::Store, access(place, Some(value.id), alignment(op)));
            }
            return;
        }
        let ty = self.code.assembly.ty(Type::Vector(element, count));
        let whole = self.code.composite(ty, values);
        let place = self.typed(pointer, ty);
        self.code.effect(Op::Store, access(place, Some(whole), alignment(op)));
    }
}

/// Whether so many elements are accessed as a vector.
fn is_vector(count: u32) -> bool {
    matches!(count, 2 | 4 | 8 | 16)
}

/// The operands of a load or store.
fn access(place: Word, value: Option<Word>, alignment: u32) -> Vec<dr::Operand> {
    let aligned = [dr::Operand::MemoryAccess(MemoryAccess::ALIGNED), dr::Operand::LiteralBit32(alignment)];
    std::iter::once(place).chain(value).map(id).chain(aligned).collect()
}

/// The space that an access names.
pub(super) fn space_of(op: Operation) -> Space {
    op.space().unwrap_or(Space::Generic)
}

fn element_bits(op: Operation) -> u32 {
    op.ty().map_or(32, OperandType::bits)
}

/// Alignment of an access in bytes: of elements below 32 bits that of all together (spec 5.2).
fn alignment(op: Operation) -> u32 {
    let bytes = element_bits(op) / 8;
    if bytes < 4 { (bytes * op.vector()).next_power_of_two() } else { bytes }
}
