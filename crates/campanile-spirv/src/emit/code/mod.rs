//! A function being written: blocks, and instructions on values of known types.

mod blocks;
mod integers;
mod numbers;

use campanile_core::module::Place;
use rspirv::dr::{self, Block, Instruction, Operand};
use rspirv::spirv::{FunctionControl, Op, OpenclStd100Op, Word};

use super::assembly::{Assembly, Type, id, instruction};
use super::value::Bits;
use crate::feature::Feature;

/// A function being written.
pub(super) struct Code<'a> {
    /// The module it belongs to.
    pub assembly: &'a mut Assembly,
    /// The instruction that is being translated, for what is needed of the device.
    pub place: Option<Place>,
    definition: Instruction,
    parameters: Vec<Instruction>,
    /// The variables of the function, which stand at the start of its first block.
    variables: Vec<Instruction>,
    blocks: Vec<Block>,
    label: Word,
    instructions: Vec<Instruction>,
}

impl<'a> Code<'a> {
    /// A function of this type, with its first block open. The ids of its parameters come with it.
    pub fn new(
        assembly: &'a mut Assembly,
        function: Word,
        result: Word,
        parameters: &[Word],
    ) -> (Self, Vec<Word>) {
        let ty = assembly.ty(Type::Function(result, parameters.to_vec()));
        let operands = vec![Operand::FunctionControl(FunctionControl::NONE), id(ty)];
        let definition = instruction(Op::Function, Some(result), Some(function), operands);
        let ids: Vec<Word> = parameters.iter().map(|_| assembly.id()).collect();
        let parameter =
            |(ty, id): (&Word, &Word)| instruction(Op::FunctionParameter, Some(*ty), Some(*id), vec![]);
        let parameters = parameters.iter().zip(&ids).map(parameter).collect();
        let label = assembly.id();
        let code = Code {
            assembly,
            place: None,
            definition,
            parameters,
            variables: Vec::new(),
            blocks: Vec::new(),
            label,
            instructions: Vec::new(),
        };
        (code, ids)
    }

    /// A function that is defined elsewhere.
    pub fn declare(assembly: &mut Assembly, function: Word, result: Word, parameters: &[Word]) {
        let (code, _) = Code::new(assembly, function, result, parameters);
        let Code { assembly, definition, parameters, .. } = code;
        let end = instruction(Op::FunctionEnd, None, None, vec![]);
        assembly.function(dr::Function {
            def: Some(definition),
            end: Some(end),
            parameters,
            blocks: Vec::new(),
        });
    }

    /// Adds the function, whose last block is closed, to the module.
    pub fn finish(mut self) {
        if let Some(first) = self.blocks.first_mut() {
            first.instructions.splice(0..0, self.variables);
        }
        let end = instruction(Op::FunctionEnd, None, None, vec![]);
        self.assembly.function(dr::Function {
            def: Some(self.definition),
            end: Some(end),
            parameters: self.parameters,
            blocks: self.blocks,
        });
    }

    /// Notes that the device must have something.
    pub fn need(&mut self, feature: Feature) {
        self.assembly.need(feature, self.place);
    }

    /// Writes an instruction with a result.
    pub fn value(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        let made = self.assembly.id();
        self.instructions.push(instruction(op, Some(ty), Some(made), operands));
        made
    }

    /// Writes an instruction whose operands are all ids.
    pub fn of(&mut self, op: Op, ty: Word, operands: &[Word]) -> Word {
        self.value(op, ty, operands.iter().copied().map(id).collect())
    }

    /// Writes an instruction without result.
    pub fn effect(&mut self, op: Op, operands: Vec<Operand>) {
        self.instructions.push(instruction(op, None, None, operands));
    }

    /// Writes an extended instruction of OpenCL.
    pub fn extended(&mut self, instruction: OpenclStd100Op, ty: Word, operands: &[Word]) -> Word {
        let set = self.assembly.opencl();
        let mut all = vec![id(set), Operand::LiteralExtInstInteger(instruction as u32)];
        all.extend(operands.iter().copied().map(id));
        self.value(Op::ExtInst, ty, all)
    }
}

/// Variables that hold registers between blocks, and lines.
impl Code<'_> {
    /// Reads such a variable.
    pub fn load_home(&mut self, variable: Word, width: u32) -> Bits {
        let ty = self.assembly.int(width);
        Bits { id: self.of(Op::Load, ty, &[variable]), width }
    }

    /// Writes such a variable.
    pub fn store_home(&mut self, variable: Word, value: Bits) {
        self.effect(Op::Store, vec![id(variable), id(value.id)]);
    }

    /// Says which line the next instructions stand for.
    pub fn line(&mut self, file: Word, line: u32, column: u32) {
        let position = vec![id(file), Operand::LiteralBit32(line), Operand::LiteralBit32(column)];
        self.effect(Op::Line, position);
    }
}

/// Subroutines: what takes many instructions is written once.
impl Code<'_> {
    /// The result of a subroutine, which has the width of its sources.
    pub fn subroutine(
        &mut self,
        name: &str,
        sources: &[Bits],
        body: impl FnOnce(&mut Code<'_>, &[Bits]) -> Bits,
    ) -> Bits {
        let width = sources[0].width;
        let ty = self.assembly.int(width);
        let (function, is_new) = self.assembly.subroutine(name);
        if is_new {
            let parameters = vec![ty; sources.len()];
            let place = self.place;
            let (mut code, ids) = Code::new(self.assembly, function, ty, &parameters);
            code.place = place;
            let given: Vec<Bits> = ids.into_iter().map(|id| Bits { id, width }).collect();
            let result = body(&mut code, &given);
            let next = code.new_label();
            code.end(Some(result.id), next);
            code.finish();
        }
        let mut operands = vec![function];
        operands.extend(sources.iter().map(|source| source.id));
        Bits { id: self.of(Op::FunctionCall, ty, &operands), width }
    }
}

/// Vectors and arrays.
impl Code<'_> {
    /// A vector or array of these elements, put in one by one: not every consumer can make one at once of what is known only
    /// when it runs.
    pub fn composite(&mut self, ty: Word, elements: &[Bits]) -> Word {
        let nothing = self.value(Op::Undef, ty, vec![]);
        (0..).zip(elements).fold(nothing, |whole, (index, element)| {
            let operands = vec![id(element.id), id(whole), Operand::LiteralBit32(index)];
            self.value(Op::CompositeInsert, ty, operands)
        })
    }

    /// The elements of a vector or array of integers.
    pub fn elements(&mut self, whole: Word, width: u32, count: u32) -> Vec<Bits> {
        let element = self.assembly.int(width);
        let place = |index| vec![id(whole), Operand::LiteralBit32(index)];
        (0..count)
            .map(|index| Bits { id: self.value(Op::CompositeExtract, element, place(index)), width })
            .collect()
    }
}
