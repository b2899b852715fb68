//! Moves, parts of vectors, addresses (spec chapter 4 of the instruction set).

use campanile_core::isa::{DataMovement, Space};
use campanile_core::module::{Instruction, Operand, RegisterId, generic};
use rspirv::spirv::{Op, OpenclStd100Op, StorageClass, Word};

use super::assembly::Type;
use super::function::{FunctionEmitter, parts_of};
use super::value::{Bits, Truth};

/// A mask of the bits of a generic address that tell its space.
const SPACE: u64 = 0xffff_ffff_0000_0000;

impl FunctionEmitter<'_, '_, '_> {
    pub(super) fn data_movement(&mut self, opcode: DataMovement, instruction: &Instruction) {
        let operands = self.body.operands(instruction);
        match opcode {
            DataMovement::F2i
            | DataMovement::Fext
            | DataMovement::Frnd
            | DataMovement::Ftrunc
            | DataMovement::Ftrunc2
            | DataMovement::I2f
            | DataMovement::Pf2i => self.conversion(opcode, instruction),
            DataMovement::Sext | DataMovement::Zext | DataMovement::Trunc => {
                let width = instruction.op.expected_operands()[0].bits;
                self.elementwise(instruction, |emitter, sources| match opcode {
                    DataMovement::Sext => emitter.code.resize_signed(sources[0], width),
                    _ => emitter.code.resize(sources[0], width),
                });
            }
            DataMovement::LifetimeStart => {}
            DataMovement::Mov => self.copy(&operands[0], &operands[1]),
            DataMovement::Extract => {
                let count = self.named(&operands[0]).map_or(1, |(_, _, count)| count);
                let source = self.operand(&operands[1], 32);
                let first = index_of(instruction);
                self.assign(&operands[0], &source[first as usize..(first + count) as usize]);
            }
            DataMovement::Insert => {
                let source = self.operand(&operands[1], 32);
                let (register, _) = self.vector(&operands[0]);
                for (index, value) in (index_of(instruction)..).zip(source) {
                    self.write(register, index, value);
                }
            }
            DataMovement::ExtractDynamic => self.extract_dynamic(operands),
            DataMovement::InsertDynamic => self.insert_dynamic(operands),
            DataMovement::Addrof => {
                let value = self.single(&operands[1], 64);
                self.assign(&operands[0], &[value]);
            }
            DataMovement::Addrcast => self.cast_address(instruction, operands),
            DataMovement::Isaddr => {
                let address = self.single(&operands[1], 64);
                let space = instruction.op.space().unwrap_or(Space::Global);
                let is_there = self.points_into(address, space);
                let ones = self.code.ones_if(is_there, 32);
                self.assign(&operands[0], &[ones]);
            }
        }
    }

    /// `mov`: bits of registers of one size, whatever their elements are.
    fn copy(&mut self, to: &Operand, from: &Operand) {
        let Some((register, _, count)) = self.named(to) else { unreachable!("results are registers") };
        if self.is_predicate(to) {
            let truth = self.condition(from);
            return self.assign_truth(to, truth);
        }
        let width = parts_of(self.body.registers[register].ty).1;
        let source = self.operand(from, width * count);
        let values = self.recut(&source, width, count);
        self.assign(to, &values);
    }

    /// The bits of integers in order, as so many integers of another width.
    fn recut(&mut self, source: &[Bits], width: u32, count: u32) -> Vec<Bits> {
        let from = source[0].width;
        if from == width {
            return source.to_vec();
        }
        if from > width {
            let pieces = from / width;
            let piece = |emitter: &mut Self, index: u32| {
                let down = emitter.code.shift_by(
                    Op::ShiftRightLogical,
                    source[(index / pieces) as usize],
                    index % pieces * width,
                );
                emitter.code.resize(down, width)
            };
            return (0..count).map(|index| piece(self, index)).collect();
        }
        let pieces = (width / from) as usize;
        let joined = source.chunks(pieces).map(|chunk| {
            let mut joined = self.code.resize(chunk[0], width);
            for (index, piece) in chunk.iter().enumerate().skip(1) {
                let piece = self.code.resize(*piece, width);
                let up = self.code.shift_by(Op::ShiftLeftLogical, piece, index as u32 * from);
                joined = self.code.or(joined, up);
            }
            joined
        });
        joined.collect()
    }

    /// The register of a vector operand and the number of its elements.
    fn vector(&self, operand: &Operand) -> (RegisterId, u32) {
        let (register, _, count) = self.named(operand).unwrap_or_else(|| unreachable!("a vector"));
        (register, count)
    }

    /// Elements in memory, where an index finds them. An index out of range, which PISA does not define, is the last.
    fn indexed(&mut self, elements: &[Bits], index: Bits) -> Word {
        let int = self.code.assembly.int(32);
        let array = self.code.assembly.ty(Type::Array(int, elements.len() as u64));
        let memory = self.code.variable(array);
        let pointer = self.code.assembly.pointer(StorageClass::Function, int);
        for (position, element) in elements.iter().enumerate() {
            let position = self.code.constant(32, position as u64);
            let place = self.code.of(Op::InBoundsAccessChain, pointer, &[memory, position.id]);
            self.code.store_home(place, *element);
        }
        let last = self.code.constant(32, elements.len() as u64 - 1);
        let index = self.code.extended_int(OpenclStd100Op::u_min, &[index, last]);
        self.code.of(Op::InBoundsAccessChain, pointer, &[memory, index.id])
    }

    fn extract_dynamic(&mut self, operands: &[Operand]) {
        let elements = self.operand(&operands[1], 32);
        let index = self.single(&operands[2], 32);
        let place = self.indexed(&elements, index);
        let element = self.code.load_home(place, 32);
        self.assign(&operands[0], &[element]);
    }

    fn insert_dynamic(&mut self, operands: &[Operand]) {
        let (register, count) = self.vector(&operands[0]);
        let value = self.single(&operands[1], 32);
        let index = self.single(&operands[2], 32);
        for element in 0..count {
            let old = self.read(register, element);
            let is_meant = self.code.is(index, element.into());
            let new = self.code.select(is_meant, value, old);
            self.write(register, element, new);
        }
    }

    /// `addrcast`: private and shared addresses lie in two ranges of generic ones.
    fn cast_address(&mut self, instruction: &Instruction, operands: &[Operand]) {
        let op = instruction.op;
        match (op.to_space(), op.from_space()) {
            (Some(Space::Generic), Some(space)) => {
                let address = self.single(&operands[1], space.address_bits());
                let cast = self.generic_address(space, address);
                self.assign(&operands[0], &[cast]);
            }
            (Some(Space::Private | Space::Shared), _) => {
                let address = self.single(&operands[1], 64);
                let low = self.code.resize(address, 32);
                let is_null = self.code.is(address, 0);
                let null = self.code.constant(32, u64::MAX);
                let cast = self.code.select(is_null, null, low);
                self.assign(&operands[0], &[cast]);
            }
            _ => {
                let address = self.single(&operands[1], 64);
                self.assign(&operands[0], &[address]);
            }
        }
    }

    /// The generic address of an address in a space.
    pub(super) fn generic_address(&mut self, space: Space, address: Bits) -> Bits {
        match space {
            Space::Private | Space::Shared => {
                let wide = self.code.resize(address, 64);
                let base = self.code.constant(64, generic(space, 0));
                self.code.or(base, wide)
            }
            Space::Global | Space::Const | Space::Generic => address,
        }
    }

    /// Whether a generic address points into a space; constants count as global.
    pub(super) fn points_into(&mut self, address: Bits, space: Space) -> Truth {
        let mask = self.code.constant(64, SPACE);
        let high = self.code.and(address, mask);
        match space {
            Space::Private | Space::Shared => self.code.is(high, generic(space, 0)),
            _ => {
                let [private, shared] =
                    [Space::Private, Space::Shared].map(|space| self.code.is(high, generic(space, 0)));
                let either = self.code.either(private, shared);
                self.code.is_not(either)
            }
        }
    }
}

/// `.index` of an `extract` or `insert`.
fn index_of(instruction: &Instruction) -> u32 {
    u32::from(instruction.op.number("index").unwrap_or(0))
}
