//! What an instruction makes of the shapes of its sources.
//!
//! Every opcode is named: a new instruction has to say what it does here. A source that nothing defines yet makes a
//! result that nothing defines.

mod arithmetic;
mod cross_lane;
mod memory;
mod movement;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::Scope;
use super::launch::LaunchShape;
use super::shape::Shape;
use super::values::{Elements, Known, Values, join};
use crate::analysis::call_graph::CallParts;
use crate::analysis::touches::{Touch, touches};
use crate::isa::{
    Arithmetic, Compare, ControlFlow, DataMovement, Logical, Opcode, SpecialRegister, Synchronization,
};
use crate::module::{Body, FunctionId, Instruction, Module, Operand, RegisterId, Scalar};

/// The shapes of the elements of what each function returns; nothing for a function not yet looked at.
pub(super) type Results = FxHashMap<FunctionId, Vec<Known>>;

/// What the shapes of a block's values depend on besides its instructions.
#[derive(Clone, Copy)]
pub(super) struct Transfer<'a> {
    pub module: &'a Module,
    pub body: &'a Body,
    pub elements: &'a Elements,
    pub launch: LaunchShape,
    pub scope: Scope,
    /// Whether all 32 lanes execute the block, and its function.
    pub whole: bool,
    /// Whether an address may point to private memory without saying so.
    pub has_private: bool,
    pub results: &'a Results,
    /// The functions that may wait at a barrier.
    pub synchronizing: &'a FxHashSet<FunctionId>,
}

impl Transfer<'_> {
    /// Goes over an instruction.
    pub fn step(&self, values: &mut Values, instruction: &Instruction) {
        match instruction.op.opcode() {
            Opcode::Arithmetic(opcode) => self.arithmetic(opcode, values, instruction),
            Opcode::FloatingPoint(_) => self.pure(values, instruction),
            Opcode::Logical(opcode) => self.logical(opcode, values, instruction),
            Opcode::DataMovement(opcode) => self.data_movement(opcode, values, instruction),
            Opcode::Compare(opcode) => self.compare(opcode, values, instruction),
            Opcode::ControlFlow(ControlFlow::Call) => self.call(values, instruction),
            Opcode::ControlFlow(ControlFlow::Goto | ControlFlow::Return) => {}
            Opcode::CrossLane(opcode) => self.cross_lane(opcode, values, instruction),
            Opcode::Memory(opcode) => self.memory(opcode, values, instruction),
            Opcode::Synchronization(Synchronization::BarrierWorkgroup | Synchronization::Fence) => {}
        }
    }

    /// Whether an instruction may wait at a barrier.
    pub fn synchronizes(&self, instruction: &Instruction) -> bool {
        match CallParts::of(self.body, instruction) {
            Some(parts) => match parts.target {
                Operand::Function(callee) => self.synchronizing.contains(callee),
                _ => !self.synchronizing.is_empty(),
            },
            None => {
                let barrier = Opcode::Synchronization(Synchronization::BarrierWorkgroup);
                instruction.op.opcode() == barrier
            }
        }
    }

    /// The shape of an element of what is returned.
    pub fn returned(&self, values: &Values, operand: &Operand, element: u32) -> Known {
        match *operand {
            Operand::Vector(register) => values.get(self.elements.index(register, element)),
            _ => self.operand(values, operand),
        }
    }

    /// The shape of an operand; that of all elements together, if it has several.
    pub fn operand(&self, values: &Values, operand: &Operand) -> Known {
        match *operand {
            Operand::Scalar(scalar) => self.scalar(values, scalar),
            Operand::Vector(register) => {
                let count = u32::from(self.body.registers[register].ty.elements);
                self.together(values, register, 0, count)
            }
            Operand::Swizzle(register, swizzle) => {
                self.together(values, register, swizzle.first(), swizzle.count())
            }
            Operand::Immediate(value) => Some(Shape::constant(value)),
            Operand::Predicate { register, negated } => {
                let shape = values.get(self.elements.index(register, 0))?;
                Some(match shape.known() {
                    Some(value) if negated => Shape::constant(value ^ 1),
                    _ => shape,
                })
            }
            Operand::Address(address) => self.address(values, &address),
            Operand::UnsignedImmediate(_)
            | Operand::Variable(_)
            | Operand::Function(_)
            | Operand::Block(_)
            | Operand::Void => Some(Shape::UNIFORM),
        }
    }

    pub fn scalar(&self, values: &Values, scalar: Scalar) -> Known {
        match scalar {
            Scalar::Register(register) => values.get(self.elements.index(register, 0)),
            Scalar::Element(register, element) => {
                values.get(self.elements.index(register, u32::from(element)))
            }
            Scalar::Special(special, dimension) => Some(self.special(special, dimension)),
        }
    }

    fn special(&self, special: SpecialRegister, dimension: u8) -> Shape {
        let shape = self.launch.special(special, dimension);
        let is_own = matches!(
            special,
            SpecialRegister::LaneId | SpecialRegister::LocalId | SpecialRegister::ActiveMask
        );
        let differs = self.scope == Scope::WorkGroup && is_own && shape.known().is_none();
        if differs { Shape::Varying } else { shape }
    }

    /// The same where these elements all are.
    fn together(&self, values: &Values, register: RegisterId, first: u32, count: u32) -> Known {
        let mut elements =
            (first..first + count).map(|element| values.get(self.elements.index(register, element)));
        if count == 1 {
            return elements.next()?;
        }
        let shapes: Option<SmallVec<[Shape; 4]>> = elements.collect();
        shapes.map(Shape::of_sources)
    }

    /// The operands that are read, by their shapes.
    fn sources<const N: usize>(&self, values: &Values, operands: &[Operand]) -> Option<[Shape; N]> {
        let shapes: Option<SmallVec<[Shape; 4]>> =
            operands.iter().map(|operand| self.operand(values, operand)).collect();
        shapes?.as_slice().try_into().ok()
    }

    /// What an instruction writes.
    fn writes(&self, instruction: &Instruction) -> impl Iterator<Item = Touch> + use<> {
        touches(self.body, instruction).into_iter().filter(|touch| touch.written)
    }

    /// Gives all that an instruction writes a shape.
    fn write(&self, values: &mut Values, instruction: &Instruction, shape: Known) {
        for touch in self.writes(instruction) {
            for element in touch.first..touch.first + touch.count {
                values.set(self.elements.index(touch.register, element), shape);
            }
        }
    }

    /// Each lane's results come from its own sources, and equal sources give equal results.
    fn pure(&self, values: &mut Values, instruction: &Instruction) {
        let written = self.writes(instruction).count();
        let sources = &self.body.operands(instruction)[written..];
        let shapes: Option<SmallVec<[Shape; 4]>> =
            sources.iter().map(|operand| self.operand(values, operand)).collect();
        self.write(values, instruction, shapes.map(Shape::of_sources));
    }

    fn compare(&self, opcode: Compare, values: &mut Values, instruction: &Instruction) {
        match opcode {
            Compare::Scmp | Compare::Ucmp | Compare::Fcmp => self.pure(values, instruction),
            Compare::Sel => {
                let sources = self.sources(values, &self.body.operands(instruction)[1..]);
                let shape = sources.map(|[yes, no, condition]| match condition.known() {
                    Some(0) => no,
                    Some(_) => yes,
                    None if condition.is_uniform() => yes.join(no),
                    None if yes == no => yes.at_different_times(),
                    None => Shape::Varying,
                });
                self.write(values, instruction, shape);
            }
        }
    }

    /// A call by name gives what the function returns; lanes that do not make it keep what they had.
    fn call(&self, values: &mut Values, instruction: &Instruction) {
        let Some(parts) = CallParts::of(self.body, instruction) else { return };
        let condition = parts.condition.map(|condition| self.operand(values, condition));
        let result = match *parts.target {
            Operand::Function(callee) => self.results.get(&callee).map(Vec::as_slice).unwrap_or_default(),
            _ => &[Some(Shape::Varying)],
        };
        for touch in self.writes(instruction) {
            for element in 0..touch.count {
                let place = self.elements.index(touch.register, touch.first + element);
                let new = result.get(element as usize).or(result.last()).copied().flatten();
                let shape = match condition {
                    None => new,
                    Some(condition) => {
                        let all = join(values.get(place), new);
                        let agree = condition.is_none_or(Shape::is_uniform);
                        if agree { all } else { all.map(Shape::at_different_times) }
                    }
                };
                values.set(place, shape);
            }
        }
    }
}
