//! Chapter 4: moves, parts of vectors, addresses.

use campanile_core::isa::{DataMovement, Space};
use campanile_core::module::{Instruction, Operand};

use super::FunctionTranslator;
use super::operand::part;
use crate::memory::function_address;
use crate::program::{Assign, Care, Copy, Dynamic, Slots, Source, Step};

impl FunctionTranslator<'_> {
    pub(super) fn data_movement(&self, opcode: DataMovement, instruction: &Instruction) -> Step {
        let operands = self.body.operands(instruction);
        match opcode {
            DataMovement::F2i
            | DataMovement::Fext
            | DataMovement::Frnd
            | DataMovement::Ftrunc
            | DataMovement::Ftrunc2
            | DataMovement::I2f
            | DataMovement::Pf2i
            | DataMovement::Sext
            | DataMovement::Zext => self.compute(instruction, Care::None),
            DataMovement::Trunc => self.truncate(instruction),
            DataMovement::LifetimeStart => Step::Nothing,
            DataMovement::Mov => {
                let [to, from] = operands else { unreachable!("`mov` has two operands") };
                self.copy(self.written(to), from)
            }
            DataMovement::Extract => {
                let [to, from] = operands else { unreachable!("`extract` has two operands") };
                let (to, from) = (self.written(to), self.written(from));
                let from = part(from, index(instruction), to.count);
                Step::Copy(Box::new(Copy { to, from }))
            }
            DataMovement::Insert => {
                let [to, from] = operands else { unreachable!("`insert` has two operands") };
                let count = self.slots(from).map_or(1, |from| from.count);
                self.copy(part(self.written(to), index(instruction), count), from)
            }
            DataMovement::ExtractDynamic => {
                let [element, vector, index] = operands else { unreachable!("three operands") };
                Step::ExtractDynamic(self.dynamic(vector, element, index))
            }
            DataMovement::InsertDynamic => {
                let [vector, element, index] = operands else { unreachable!("three operands") };
                Step::InsertDynamic(self.dynamic(vector, element, index))
            }
            DataMovement::Addrof => {
                let [to, of] = operands else { unreachable!("`addrof` has two operands") };
                let value = match of {
                    Operand::Function(function) => Source::Constant(function_address(*function)),
                    _ => self.source(of),
                };
                assign(self.written(to), vec![value])
            }
            DataMovement::Addrcast => {
                let [to, from] = operands else { unreachable!("`addrcast` has two operands") };
                let (to, from) = (self.written(to).first, self.source(from));
                match (instruction.op.to_space(), instruction.op.from_space()) {
                    (Some(Space::Generic), Some(space)) => Step::ToGeneric { space, from, to },
                    (Some(space), _) => Step::FromGeneric { space, from, to },
                    (None, _) => unreachable!("`addrcast` names two spaces"),
                }
            }
            DataMovement::Isaddr => {
                let [to, from] = operands else { unreachable!("`isaddr` has two operands") };
                let Some(space) = instruction.op.space() else { unreachable!("`isaddr` names a space") };
                Step::IsAddress { space, from: self.source(from), to: self.written(to).first }
            }
        }
    }

    /// A copy of registers, or of a value that lies in none.
    fn copy(&self, to: Slots, from: &Operand) -> Step {
        match self.slots(from) {
            Some(from) => Step::Copy(Box::new(Copy { to, from })),
            None => assign(to, self.pieces(to, from)),
        }
    }

    /// A value that lies in no register, as it goes into slots. Immediates are cut here, other values when they are known.
    fn pieces(&self, to: Slots, from: &Operand) -> Vec<Source> {
        let value = match *from {
            Operand::Immediate(value) => i128::from(value as i64) as u128,
            Operand::UnsignedImmediate(value) => value.into(),
            _ => return vec![self.source(from)],
        };
        let bits = 8 * to.element_bytes;
        let piece =
            |index| (value >> (bits * index)) as u64 & u64::MAX.checked_shr(64 - bits).unwrap_or(u64::MAX);
        match to.count {
            1 => vec![self.source(from)],
            count => (0..count).map(piece).map(Source::Constant).collect(),
        }
    }

    /// `trunc` needs only the bytes that it keeps.
    fn truncate(&self, instruction: &Instruction) -> Step {
        let mut step = self.compute(instruction, Care::None);
        if let Step::Compute(compute) = &mut step
            && let (Source::Slot { needed, .. }, [result]) = (&mut compute.sources[0], &compute.results[..])
        {
            *needed = (1 << result.element_bytes) - 1;
        }
        step
    }

    fn dynamic(&self, vector: &Operand, element: &Operand, index: &Operand) -> Box<Dynamic> {
        Box::new(Dynamic {
            vector: self.written(vector),
            element: self.source(element),
            index: self.source(index),
        })
    }
}

/// `.index` of an `extract` or `insert`.
fn index(instruction: &Instruction) -> u32 {
    u32::from(instruction.op.number("index").unwrap_or(0))
}

fn assign(to: Slots, parts: Vec<Source>) -> Step {
    Step::Assign(Box::new(Assign { to, parts }))
}
