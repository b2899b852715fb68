//! Memory (spec chapter 8 of the instruction set).

use campanile_core::isa::{Memory, Op, Space, Type};
use campanile_core::module::{Address, Base, FunctionKind, Instruction, Offset, Operand};

use super::function::FunctionLowering;
use crate::lower::compute::writer::Width;

/// What an access moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// The space that the instruction names.
    pub space: Space,
    /// Bits of an element in memory.
    pub bits: u32,
    /// Elements, one after another.
    pub count: u32,
}

impl Access {
    pub fn of(op: Op) -> Access {
        let space = op.space().unwrap_or(Space::Generic);
        Access { space, bits: op.ty().map_or(32, Type::bits), count: op.vector() }
    }

    /// Bytes of an element.
    pub fn element_bytes(self) -> u64 {
        u64::from(self.bits / 8)
    }

    /// The alignment that the access has by the rules of the language: that of its elements, or of the whole where these
    /// are narrower than a word.
    fn alignment(self) -> u64 {
        match self.element_bytes() {
            bytes if bytes < 4 => (bytes * u64::from(self.count)).next_power_of_two(),
            bytes => bytes,
        }
    }
}

impl FunctionLowering<'_> {
    pub(super) fn memory(&mut self, opcode: Memory, instruction: &Instruction) {
        match opcode {
            Memory::Ld => self.load(instruction),
            Memory::St => self.store(instruction),
            Memory::LdParam => self.load_parameter(instruction),
            Memory::Iatom | Memory::Fatom => self.atomic(instruction),
        }
    }

    /// The address of an access in its space, and how many bytes behind it the access is.
    pub(super) fn address(&mut self, address: &Address, space: Space) -> (String, i32) {
        let (base, bits) = match address.base {
            Base::Scalar(scalar) => (self.scalar(scalar), self.scalar_bits(scalar)),
            Base::Variable(variable) => {
                let own = self.program.module.variables[variable].space;
                let place = self.platform.variable(self, variable);
                if space == Space::Generic && own.address_bits() == 32 {
                    (self.platform.generic_address(&mut self.code, own, &place), 64)
                } else {
                    (place, own.address_bits())
                }
            }
            Base::Parameter(_) => unreachable!("parameters are no memory"),
        };
        let offset = match address.offset {
            Offset::Immediate(offset) => return (base, offset),
            Offset::Scalar(scalar) => {
                let (offset, from) = (self.scalar(scalar), self.scalar_bits(scalar));
                self.code.extend(Width::One, &offset, from, bits, true)
            }
        };
        (self.code.binary(Width::One, "add", bits, &base, &offset), 0)
    }

    /// A pointer, with its type, to an element of an access.
    fn element_pointer(&mut self, pointer: &str, bytes: u64) -> String {
        if bytes == 0 {
            return pointer.to_owned();
        }
        let moved = self.code.writer.value(&format!("getelementptr i8, {pointer}, i64 {bytes}"));
        format!("{} {moved}", pointer_type(pointer))
    }

    fn load(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let Operand::Address(address) = &operands[1] else { unreachable!("an address") };
        let access = Access::of(instruction.op);
        let (address, bytes) = self.address(address, access.space);
        self.platform.before_access(self, access.space);
        let pointer = self.platform.pointer(&mut self.code, access.space, &address, bytes);
        if instruction.op.is_atomic() {
            let value = self.atomic_load(instruction.op, access, &pointer);
            return self.write_all(&operands[0], vec![value]);
        }
        let values = self.load_elements(access, &pointer, "");
        self.write_all(&operands[0], values);
    }

    fn load_elements(&mut self, access: Access, pointer: &str, said: &str) -> Vec<String> {
        let elements = (0..u64::from(access.count)).map(|element| {
            let place = element * access.element_bytes();
            let alignment = alignment_at(access.alignment(), place);
            let pointer = self.element_pointer(pointer, place);
            let load = format!("load i{}, {pointer}, align {alignment}{said}", access.bits);
            self.code.writer.value(&load)
        });
        elements.collect()
    }

    fn store(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let Operand::Address(address) = &operands[0] else { unreachable!("an address") };
        let access = Access::of(instruction.op);
        let (address, bytes) = self.address(address, access.space);
        let values = self.operand(&operands[1], access.bits);
        self.platform.before_access(self, access.space);
        let pointer = self.platform.pointer(&mut self.code, access.space, &address, bytes);
        if instruction.op.is_atomic() {
            return self.atomic_store(instruction.op, access, &pointer, &values[0]);
        }
        for (element, value) in values.iter().enumerate() {
            let place = element as u64 * access.element_bytes();
            let alignment = alignment_at(access.alignment(), place);
            let pointer = self.element_pointer(&pointer, place);
            let store = format!("store i{} {value}, {pointer}, align {alignment}", access.bits);
            self.code.writer.line(&store);
        }
    }

    /// `ld.param` (spec 8.4): nothing changes the argument buffer.
    fn load_parameter(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let Operand::Address(address) = &operands[1] else { unreachable!("an address") };
        let Base::Parameter(position) = address.base else { unreachable!("a parameter") };
        let FunctionKind::Kernel(kernel) = &self.program.module.functions[self.id].kind else {
            unreachable!("kernels have parameters")
        };
        let access = Access::of(instruction.op);
        let parameter = &kernel.parameters[position as usize];
        let room = u64::from(parameter.size.next_multiple_of(4));
        let arguments = self.platform.arguments(&mut self.code);
        let pointer = self.element_pointer(&arguments, u64::from(parameter.offset));
        let bytes = access.element_bytes() * u64::from(access.count);
        let (pointer, alignment) = match address.offset {
            Offset::Immediate(offset) if offset < 0 || offset as u64 + bytes > room => {
                let zeros = vec!["0".to_owned(); access.count as usize];
                return self.write_all(&operands[0], zeros);
            }
            Offset::Immediate(offset) => {
                let place = u64::from(parameter.offset) + offset as u64;
                (self.element_pointer(&pointer, offset as u64), alignment_at(1 << 16, place))
            }
            Offset::Scalar(scalar) => {
                let (offset, bits) = (self.scalar(scalar), self.scalar_bits(scalar));
                let moved = self.code.writer.value(&format!("getelementptr i8, {pointer}, i{bits} {offset}"));
                (format!("{} {moved}", pointer_type(&pointer)), 1)
            }
        };
        let elements = (0..u64::from(access.count)).map(|element| {
            let place = element * access.element_bytes();
            let alignment = alignment_at(alignment, place).min(self.platform.argument_alignment());
            let pointer = self.element_pointer(&pointer, place);
            let load = format!("load i{}, {pointer}, align {alignment}, !invariant.load !0", access.bits);
            self.code.writer.value(&load)
        });
        let values = elements.collect();
        self.write_all(&operands[0], values);
    }
}

/// The type of a typed pointer.
pub(super) fn pointer_type(pointer: &str) -> &str {
    pointer.rsplit_once(' ').map_or(pointer, |(ty, _)| ty)
}

/// The alignment of a place so many bytes behind one of a certain alignment.
fn alignment_at(alignment: u64, bytes: u64) -> u64 {
    if bytes == 0 { alignment } else { alignment.min(1 << bytes.trailing_zeros()) }
}
