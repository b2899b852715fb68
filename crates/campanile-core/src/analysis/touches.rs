//! Which registers an instruction reads and writes.

use smallvec::SmallVec;

use crate::isa::{ControlFlow, CrossLane, DataMovement, Opcode};
use crate::module::{Address, Base, Body, Instruction, Offset, Operand, RegisterId, Scalar};

/// Neighbouring elements of a register that an instruction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    pub register: RegisterId,
    pub first: u32,
    pub count: u32,
    pub written: bool,
}

impl Touch {
    /// Whether it is all of the register.
    pub fn is_whole(self, body: &Body) -> bool {
        self.count == u32::from(body.registers[self.register].ty.elements)
    }
}

/// All that an instruction touches, in the order of its operands. What it writes it reads before.
pub(super) fn touches(body: &Body, instruction: &Instruction) -> SmallVec<[Touch; 6]> {
    let mut touches = SmallVec::new();
    for position in 0..body.operands(instruction).len() {
        each_touch(body, instruction, position, |touch| touches.push(touch));
    }
    touches
}

/// What an instruction touches by one of its operands.
pub(super) fn operand_touches(
    body: &Body,
    instruction: &Instruction,
    position: usize,
) -> SmallVec<[Touch; 2]> {
    let mut touches = SmallVec::new();
    each_touch(body, instruction, position, |touch| touches.push(touch));
    touches
}

fn each_touch(body: &Body, instruction: &Instruction, position: usize, mut each: impl FnMut(Touch)) {
    let op = instruction.op;
    let opcode = op.opcode();
    if opcode == Opcode::DataMovement(DataMovement::LifetimeStart) {
        return;
    }
    let written = match opcode == Opcode::ControlFlow(ControlFlow::Call) {
        true => position == usize::from(op.has("cond")),
        false => op.form.entry().form.operands.get(position).is_some_and(|slot| slot.written),
    };
    let mut touch = |register, first, count| each(Touch { register, first, count, written });
    match body.operands(instruction)[position] {
        Operand::Scalar(scalar) => scalar_touch(scalar, touch),
        Operand::Vector(register) | Operand::Predicate { register, .. } => {
            match written && opcode == Opcode::DataMovement(DataMovement::Insert) {
                true => {
                    let index = u32::from(op.number("index").unwrap_or_default());
                    touch(register, index, inserted(body, instruction));
                }
                false => touch(register, 0, u32::from(body.registers[register].ty.elements)),
            }
        }
        Operand::Swizzle(register, swizzle) => touch(register, swizzle.first(), swizzle.count()),
        Operand::Address(Address { base, offset }) => {
            if let Base::Scalar(scalar) = base {
                scalar_touch(scalar, &mut touch);
            }
            if let Offset::Scalar(scalar) = offset {
                scalar_touch(scalar, touch);
            }
        }
        Operand::Immediate(_)
        | Operand::UnsignedImmediate(_)
        | Operand::Variable(_)
        | Operand::Function(_)
        | Operand::Block(_)
        | Operand::Void => {}
    }
}

fn scalar_touch(scalar: Scalar, mut touch: impl FnMut(RegisterId, u32, u32)) {
    match scalar {
        Scalar::Register(register) => touch(register, 0, 1),
        Scalar::Element(register, element) => touch(register, u32::from(element), 1),
        Scalar::Special(..) => {}
    }
}

/// Whether an instruction writes all that it may write whenever it runs, in every active lane.
pub(super) fn writes_surely(body: &Body, instruction: &Instruction) -> bool {
    match instruction.op.opcode() {
        Opcode::ControlFlow(ControlFlow::Call) => !instruction.op.has("cond"),
        Opcode::DataMovement(opcode) => opcode != DataMovement::InsertDynamic,
        // Work-items that the mask leaves out keep what they had.
        Opcode::CrossLane(opcode) => opcode == CrossLane::Redfirstidx || takes_part(body, instruction),
        Opcode::Arithmetic(_)
        | Opcode::FloatingPoint(_)
        | Opcode::Logical(_)
        | Opcode::Compare(_)
        | Opcode::ControlFlow(ControlFlow::Goto | ControlFlow::Return)
        | Opcode::Memory(_)
        | Opcode::Synchronization(_) => true,
    }
}

/// Whether the mask of a reduction or shuffle, its last operand, says that all active lanes take part.
fn takes_part(body: &Body, instruction: &Instruction) -> bool {
    body.operands(instruction).last() == Some(&Operand::Immediate(0xffff_ffff))
}

/// How many elements an `insert` writes.
fn inserted(body: &Body, instruction: &Instruction) -> u32 {
    match body.operands(instruction) {
        [_, Operand::Vector(source)] => u32::from(body.registers[*source].ty.elements),
        _ => 1,
    }
}
