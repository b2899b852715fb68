//! The shapes at each place of a body, by going through its blocks again.

use cranelift_entity::EntityRef;

use super::program::across;
use super::shape::Shape;
use super::transfer::Transfer;
use super::values::Values;
use super::{BodyDivergence, Entry};
use crate::analysis::call_graph::CallParts;
use crate::module::{Address, BlockId, FunctionId, Instruction, Operand, RegisterId};

/// Goes through the blocks of a body and tells the shapes at each instruction.
pub struct Cursor<'a> {
    pub(super) found: &'a BodyDivergence,
    pub(super) transfer: Transfer<'a>,
    pub(super) values: Values,
    block: BlockId,
    next: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(found: &'a BodyDivergence, transfer: Transfer<'a>) -> Self {
        let values = Values::new(&found.elements);
        let mut cursor = Cursor { found, transfer, values, block: BlockId::new(0), next: 0 };
        cursor.enter(BlockId::new(0));
        cursor
    }

    /// Goes to the start of a block.
    pub fn enter(&mut self, block: BlockId) {
        self.block = block;
        self.next = self.transfer.body.blocks[block].first;
        self.transfer.whole = self.found.is_whole(block);
        self.found.load(block, self.transfer.body, &mut self.values);
    }

    /// The instruction before which the cursor stands; none at the end of the block.
    pub fn next(&self) -> Option<&'a Instruction> {
        let body = self.transfer.body;
        let end = body.blocks[self.block].end;
        (self.next < end).then(|| &body.instructions[self.next as usize])
    }

    /// Goes over an instruction.
    pub fn advance(&mut self) {
        let Some(instruction) = self.next() else { return };
        self.transfer.step(&mut self.values, instruction);
        if self.scatters(instruction) {
            self.values.scatter();
        }
        self.next += 1;
    }

    /// Whether lanes may wait for others in an instruction, whatever these do meanwhile.
    pub(super) fn scatters(&self, instruction: &Instruction) -> bool {
        self.found.blocks[self.block].scattered && self.transfer.synchronizes(instruction)
    }

    /// Whether an element of a register is defined on any way to here and, unless its block defines it, may be read.
    pub fn is_followed(&self, register: RegisterId, element: u32) -> bool {
        self.values.get(self.found.elements.index(register, element)).is_some()
    }

    /// The shape of an element of a register here. One that is not followed counts as uniform.
    pub fn shape(&self, register: RegisterId, element: u32) -> Shape {
        self.values.get(self.found.elements.index(register, element)).unwrap_or(Shape::UNIFORM)
    }

    /// The shape of an operand here: for one of several elements uniform if they all are, otherwise varying.
    pub fn operand(&self, operand: &Operand) -> Shape {
        self.transfer.operand(&self.values, operand).unwrap_or(Shape::UNIFORM)
    }

    /// The shape of an address here.
    pub fn address(&self, address: &Address) -> Shape {
        self.transfer.address(&self.values, address).unwrap_or(Shape::UNIFORM)
    }

    /// The function that an instruction calls by name, and how it is entered.
    pub(super) fn call(&self, instruction: &Instruction) -> Option<(FunctionId, Entry)> {
        let body = self.transfer.body;
        let parts = CallParts::of(body, instruction)?;
        let Operand::Function(callee) = *parts.target else { return None };
        let mut arguments = Vec::new();
        for argument in parts.arguments {
            let elements = match *argument {
                Operand::Vector(register) => u32::from(body.registers[register].ty.elements),
                _ => 1,
            };
            let shapes = (0..elements).map(|index| self.transfer.returned(&self.values, argument, index));
            arguments.extend(shapes.map(across));
        }
        let all_call = parts.condition.is_none_or(|condition| self.operand(condition).is_uniform());
        Some((callee, Entry { arguments, whole: self.transfer.whole && all_call }))
    }
}
