//! Strides: by how much registers grow from one iteration of a loop to the next.
//!
//! A register grows if one instruction of the loop adds to it what the loop does not change, and so does what is computed
//! of it by sums, and products with constants. This is a forecast, for those who look ahead: an iteration may leave out the
//! instructions that it comes from, and a sum that wraps around before it is extended jumps back.

use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

use super::touches::touches;
use super::{ControlFlowGraph, RegionId, Regions};
use crate::isa::{Arithmetic, DataMovement, Logical, Opcode, SpecialRegister, Type};
use crate::module::{BlockId, Body, Instruction, Operand, RegisterId, Scalar, keys};

/// How many instructions are followed from a register to what is added in the loop.
const LONGEST_WAY: u32 = 8;

/// What a register grows by in each iteration: a multiple of what the loop does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stride {
    /// A scalar that has the same value in all iterations, of its own width; 1 without.
    pub step: Option<Scalar>,
    /// How often it is added.
    pub factor: i64,
}

/// The strides of a body's registers.
#[derive(Clone, Debug)]
pub struct Strides<'body> {
    body: &'body Body,
    regions: Regions,
    /// The instructions that write each register, with their blocks.
    writes: SecondaryMap<RegisterId, SmallVec<[(BlockId, u32); 2]>>,
}

impl Stride {
    const NONE: Stride = Stride { step: None, factor: 0 };

    fn constant(factor: i64) -> Stride {
        Stride { step: None, factor }
    }

    fn times(self, factor: i64) -> Option<Stride> {
        Some(Stride { factor: self.factor.checked_mul(factor)?, ..self })
    }

    /// The stride of a sum, if it has but one step.
    fn plus(self, other: Stride) -> Option<Stride> {
        match (self.factor, other.factor) {
            (0, _) => Some(other),
            (_, 0) => Some(self),
            (a, b) if self.step == other.step => match a.checked_add(b)? {
                0 => Some(Stride::NONE),
                factor => Some(Stride { factor, ..self }),
            },
            _ => None,
        }
    }
}

impl<'body> Strides<'body> {
    /// The strides of a body with this graph.
    pub fn new(body: &'body Body, graph: &ControlFlowGraph) -> Self {
        let mut writes: SecondaryMap<RegisterId, SmallVec<[(BlockId, u32); 2]>> = SecondaryMap::new();
        for block in keys(&body.blocks).filter(|block| graph.is_reachable(*block)) {
            for (index, instruction) in (body.blocks[block].first..).zip(body.block_instructions(block)) {
                for touch in touches(body, instruction).into_iter().filter(|touch| touch.written) {
                    writes[touch.register].push((block, index));
                }
            }
        }
        Strides { body, regions: graph.regions(), writes }
    }

    /// Whether there is a loop around a block.
    pub fn is_in_loop(&self, block: BlockId) -> bool {
        self.regions.innermost(block).is_some()
    }

    /// What a scalar register that a block reads grows by in each iteration of the innermost loop around the block; none
    /// if there is no loop, or it is not known.
    pub fn of(&self, block: BlockId, register: RegisterId) -> Option<Stride> {
        let region = self.regions.innermost(block)?;
        self.of_register(region, register, LONGEST_WAY)
    }

    fn of_register(&self, region: RegionId, register: RegisterId, way: u32) -> Option<Stride> {
        let mut writes =
            self.writes[register].iter().filter(|(block, _)| self.regions.contains(region, *block));
        let Some((block, index)) = writes.next() else { return Some(Stride::NONE) };
        let is_each_time = self.regions.innermost(*block) == Some(region);
        if writes.next().is_some() || !is_each_time || way == 0 {
            return None;
        }
        self.of_result(region, register, &self.body.instructions[*index as usize], way - 1)
    }

    /// What the only result of an instruction grows by, if that follows from its sources.
    fn of_result(
        &self,
        region: RegionId,
        register: RegisterId,
        instruction: &Instruction,
        way: u32,
    ) -> Option<Stride> {
        let op = instruction.op;
        let (result, sources) = self.body.operands(instruction).split_first()?;
        let is_packed = op.ty().is_some_and(Type::is_packed);
        if *result != Operand::Scalar(Scalar::Register(register)) || is_packed || op.has("dsat") {
            return None;
        }
        // Extensions have two types, and no constants.
        let bits = op.ty().map_or(64, Type::bits);
        let stride = |operand: &Operand| self.of_operand(region, operand, way);
        let number = |operand: &Operand| constant(operand, bits);
        match (op.opcode(), sources) {
            (Opcode::Arithmetic(Arithmetic::Iadd), [a, b]) if a == result => self.step(region, b, bits),
            (Opcode::Arithmetic(Arithmetic::Iadd), [a, b]) if b == result => self.step(region, a, bits),
            (Opcode::Arithmetic(Arithmetic::Iadd), [a, b]) => stride(a)?.plus(stride(b)?),
            (Opcode::Arithmetic(Arithmetic::Isub), [a, b]) if a == result => {
                self.step(region, b, bits)?.times(-1)
            }
            (Opcode::Arithmetic(Arithmetic::Isub), [a, b]) => stride(a)?.plus(stride(b)?.times(-1)?),
            (Opcode::Arithmetic(Arithmetic::Smul | Arithmetic::Umul), [a, b]) => stride(a)?.times(number(b)?),
            (Opcode::Arithmetic(Arithmetic::Smad | Arithmetic::Umad), [a, b, c]) => {
                stride(a)?.times(number(b)?)?.plus(stride(c)?)
            }
            (Opcode::Logical(Logical::Shl), [a, count]) => {
                let count = number(count).filter(|count| (0..32).contains(count))?;
                stride(a)?.times(1 << count)
            }
            (Opcode::DataMovement(DataMovement::Mov | DataMovement::Zext | DataMovement::Sext), [source]) => {
                stride(source)
            }
            _ => None,
        }
    }

    fn of_operand(&self, region: RegionId, operand: &Operand, way: u32) -> Option<Stride> {
        match operand {
            Operand::Scalar(Scalar::Register(register)) => self.of_register(region, *register, way),
            Operand::Scalar(Scalar::Special(special, _)) => {
                (*special != SpecialRegister::ActiveMask).then_some(Stride::NONE)
            }
            Operand::Immediate(_) => Some(Stride::NONE),
            _ => None,
        }
    }

    /// What is added in each iteration, if the loop does not change it.
    fn step(&self, region: RegionId, operand: &Operand, bits: u32) -> Option<Stride> {
        if let Some(number) = constant(operand, bits) {
            return Some(Stride::constant(number));
        }
        let Operand::Scalar(scalar) = operand else { return None };
        let is_same = self.of_operand(region, operand, 0) == Some(Stride::NONE);
        is_same.then_some(Stride { step: Some(*scalar), factor: 1 })
    }
}

/// The number that an operand of so many bits is, with its sign.
fn constant(operand: &Operand, bits: u32) -> Option<i64> {
    match operand {
        Operand::Immediate(number) if bits <= 64 => Some(((number << (64 - bits)) as i64) >> (64 - bits)),
        _ => None,
    }
}
