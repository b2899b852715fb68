//! Chapter 4: moves of elements and parts of elements, extensions, addresses.

use smallvec::SmallVec;

use super::{DataMovement, Transfer, join};
use crate::analysis::divergence::shape::{Shape, extend, ones, truncate};
use crate::analysis::divergence::values::{Known, Values};
use crate::isa::{Space, Type};
use crate::module::{Instruction, Operand, RegisterId};

/// The shapes of neighbouring elements.
type Parts = SmallVec<[Known; 4]>;

impl Transfer<'_> {
    pub(super) fn data_movement(&self, opcode: DataMovement, values: &mut Values, instruction: &Instruction) {
        let op = instruction.op;
        let operands = self.body.operands(instruction);
        match opcode {
            DataMovement::F2i
            | DataMovement::Fext
            | DataMovement::Frnd
            | DataMovement::Ftrunc
            | DataMovement::Ftrunc2
            | DataMovement::I2f
            | DataMovement::Isaddr
            | DataMovement::Pf2i => self.pure(values, instruction),
            DataMovement::Sext | DataMovement::Zext => {
                let bits = |ty: Option<Type>| ty.map_or(64, Type::bits);
                let (from, to) = (bits(op.from()), bits(op.to()));
                let shape = self.operand(values, &operands[1]);
                let shape = shape.map(|shape| extend(shape, opcode == DataMovement::Sext, from, to));
                self.write(values, instruction, shape);
            }
            DataMovement::Trunc => {
                let to = op.to().map_or(64, Type::bits);
                let shape = self.operand(values, &operands[1]);
                self.write(values, instruction, shape.map(|shape| truncate(shape, to)));
            }
            DataMovement::LifetimeStart => {}
            DataMovement::Mov | DataMovement::Extract | DataMovement::Insert => {
                self.copy(values, instruction)
            }
            DataMovement::ExtractDynamic => self.extract_dynamic(values, instruction),
            DataMovement::InsertDynamic => self.insert_dynamic(values, instruction),
            // Private memory begins at the same address in all lanes of an activation.
            DataMovement::Addrof => self.write(values, instruction, Some(Shape::UNIFORM)),
            DataMovement::Addrcast => {
                let shape = self.operand(values, &operands[1]);
                let is_same = |space| matches!(space, Some(Space::Global | Space::Const));
                let keeps = is_same(op.from_space()) || is_same(op.to_space());
                let shape = shape.map(|shape| match shape {
                    shape if keeps => shape,
                    shape if shape.is_uniform() => Shape::UNIFORM,
                    _ => Shape::Varying,
                });
                self.write(values, instruction, shape);
            }
        }
    }

    /// Copies elements, or cuts their bits anew.
    fn copy(&self, values: &mut Values, instruction: &Instruction) {
        let Some(target) = self.writes(instruction).next() else { return };
        let to_bits = u32::from(self.body.registers[target.register].ty.bits);
        let (parts, from_bits) = self.parts(values, instruction, target.count);
        let parts = match parts.len() == target.count as usize && to_bits <= 64 {
            true => parts,
            false if from_bits > to_bits => split(&parts, from_bits, to_bits),
            false => {
                parts.chunks((to_bits / from_bits) as usize).map(|parts| joined(parts, to_bits)).collect()
            }
        };
        for (element, part) in (target.first..).zip(parts) {
            values.set(self.elements.index(target.register, element), part);
        }
    }

    /// What a `mov`, `extract` or `insert` reads: the shapes of the elements, and how wide they are.
    fn parts(&self, values: &Values, instruction: &Instruction, count: u32) -> (Parts, u32) {
        let index = u32::from(instruction.op.number("index").unwrap_or_default());
        let bits = |register: RegisterId| u32::from(self.body.registers[register].ty.bits);
        let run = |register: RegisterId, first: u32, count: u32| {
            let elements = first..first + count;
            elements.map(|element| values.get(self.elements.index(register, element))).collect()
        };
        match self.body.operands(instruction)[1] {
            Operand::Vector(register) => match instruction.op.opcode() {
                crate::isa::Opcode::DataMovement(DataMovement::Extract) => {
                    (run(register, index, count), bits(register))
                }
                _ => (run(register, 0, count), bits(register)),
            },
            Operand::Swizzle(register, swizzle) => {
                (run(register, swizzle.first(), swizzle.count()), bits(register))
            }
            Operand::Scalar(scalar) => {
                (SmallVec::from_elem(self.scalar(values, scalar), 1), self.body.scalar_bits(scalar))
            }
            operand => (SmallVec::from_elem(self.operand(values, &operand), 1), 64),
        }
    }

    /// Lanes with one index read one element.
    fn extract_dynamic(&self, values: &mut Values, instruction: &Instruction) {
        let [_, Operand::Vector(vector), index] = self.body.operands(instruction) else { return };
        let count = u32::from(self.body.registers[*vector].ty.elements);
        let element = |element: u32| values.get(self.elements.index(*vector, element));
        let any = || (0..count).fold(None, |all, index| join(all, element(index)));
        let shape = self.operand(values, index).and_then(|index| match index.known() {
            Some(index) if index < u64::from(count) => element(index as u32),
            _ if index.is_uniform() => any(),
            _ => Some(Shape::Varying),
        });
        self.write(values, instruction, shape);
    }

    /// Each element is what it was, or what is inserted.
    fn insert_dynamic(&self, values: &mut Values, instruction: &Instruction) {
        let [Operand::Vector(vector), new, index] = self.body.operands(instruction) else { return };
        let (new, index) = (self.operand(values, new), self.operand(values, index));
        for element in 0..u32::from(self.body.registers[*vector].ty.elements) {
            let place = self.elements.index(*vector, element);
            let all = join(values.get(place), new);
            let shape = match index {
                Some(index) if !index.is_uniform() => all.map(Shape::at_different_times),
                _ => all,
            };
            values.set(place, shape);
        }
    }
}

/// Values cut into narrower ones. The low parts keep strides; what is carried into the others is not known.
fn split(values: &[Known], from_bits: u32, to_bits: u32) -> Parts {
    let part = |whole: Shape, index: u32| match (index, whole.known()) {
        _ if from_bits > 64 => together(whole.is_uniform()),
        (_, Some(value)) => Shape::constant(value >> (index * to_bits) & ones(to_bits)),
        (0, None) => truncate(whole, to_bits),
        _ => together(whole.is_uniform()),
    };
    let cut = |whole: &Known| {
        let whole = *whole;
        (0..from_bits / to_bits).map(move |index| whole.map(|whole| part(whole, index)))
    };
    values.iter().flat_map(cut).collect()
}

/// Parts put together are uniform if all are; a low part with zeros above it is extended.
fn joined(parts: &[Known], bits: u32) -> Known {
    let uniform = parts.iter().try_fold(true, |all, part| Some(all & (*part)?.is_uniform()))?;
    match parts {
        [Some(low), above @ ..]
            if !uniform && bits <= 64 && above.iter().all(|part| part.and_then(Shape::known) == Some(0)) =>
        {
            Some(extend(*low, false, bits / parts.len() as u32, bits))
        }
        _ => Some(together(uniform)),
    }
}

fn together(uniform: bool) -> Shape {
    if uniform { Shape::UNIFORM } else { Shape::Varying }
}
