//! Bodies of kernels and functions: registers, blocks, instructions.

use cranelift_entity::{PrimaryMap, entity_impl};

use super::operand::{Operand, Scalar};
use super::{RegisterType, VariableId};
use crate::isa::Op;
use crate::source::Span;

/// A register of a body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterId(u32);
entity_impl!(RegisterId, "register");

/// A basic block; blocks are numbered in the order of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(u32);
entity_impl!(BlockId, "block");

/// The body of a kernel or function.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Registers in order of declaration; a function's parameters come first.
    pub registers: PrimaryMap<RegisterId, Register>,
    /// Local memory variables in order of declaration.
    pub variables: Vec<VariableId>,
    /// Basic blocks in the order of the text; their instructions are adjacent. There is always a last block
    /// without instructions, where control that falls off the end returns.
    pub blocks: PrimaryMap<BlockId, Block>,
    /// All instructions in the order of the text.
    pub instructions: Vec<Instruction>,
    /// Operands of all instructions.
    pub operands: Vec<Operand>,
}

impl Body {
    /// The operands of an instruction, in the order of its syntax.
    pub fn operands(&self, instruction: &Instruction) -> &[Operand] {
        let first = instruction.first_operand as usize;
        &self.operands[first..first + usize::from(instruction.operand_count)]
    }

    /// The condition of an instruction with `.cond`, and the other operands of any instruction.
    pub fn conditional(&self, instruction: &Instruction) -> (Option<&Operand>, &[Operand]) {
        match self.operands(instruction) {
            [condition, others @ ..] if instruction.op.has("cond") => (Some(condition), others),
            operands => (None, operands),
        }
    }

    /// The instructions of a block.
    pub fn block_instructions(&self, block: BlockId) -> &[Instruction] {
        let block = &self.blocks[block];
        &self.instructions[block.first as usize..block.end as usize]
    }

    /// The registers and elements that an operand names.
    ///
    /// # Panics
    /// If it names none.
    pub fn elements(&self, operand: &Operand) -> Vec<(RegisterId, u32)> {
        match *operand {
            Operand::Scalar(Scalar::Register(register)) | Operand::Predicate { register, .. } => {
                vec![(register, 0)]
            }
            Operand::Scalar(Scalar::Element(register, element)) => vec![(register, u32::from(element))],
            Operand::Vector(register) => {
                let elements = u32::from(self.registers[register].ty.elements);
                (0..elements).map(|element| (register, element)).collect()
            }
            Operand::Swizzle(register, swizzle) => {
                let elements = swizzle.first()..swizzle.first() + swizzle.count();
                elements.map(|element| (register, element)).collect()
            }
            _ => unreachable!("{operand:?} names no register"),
        }
    }

    /// The type of a scalar operand.
    pub fn scalar_bits(&self, scalar: Scalar) -> u32 {
        match scalar {
            Scalar::Register(register) | Scalar::Element(register, _) => {
                u32::from(self.registers[register].ty.bits)
            }
            Scalar::Special(special, _) => special.bits(),
        }
    }
}

/// A register or predicate.
#[derive(Clone, Debug)]
pub struct Register {
    /// Name without `%`; names may repeat where scopes shadow.
    pub name: Box<str>,
    /// Its type.
    pub ty: RegisterType,
    /// Its declaration.
    pub span: Span,
}

/// A basic block: instructions that run one after another. Control may enter only at its start; a `goto`,
/// `goto.cond`, `return` or `return.cond` is always the last of its block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Labels at its start, without colon.
    pub labels: Vec<Box<str>>,
    /// Index of its first instruction.
    pub first: u32,
    /// One past its last instruction.
    pub end: u32,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// Number of operands.
    pub operand_count: u16,
    /// Index of the first operand in [`Body::operands`].
    pub first_operand: u32,
    /// From the mnemonic to the last operand.
    pub span: Span,
}
