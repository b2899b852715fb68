//! A function being written: blocks, and instructions on values of known types.

mod blocks;
mod integers;
mod numbers;

use campanile_core::module::Place;
use rspirv::spirv::{FunctionControl, Op, OpenclStd100Op, Word};

use super::assembly::{Assembly, Type};
use super::value::Bits;
use super::words::Words;
use crate::feature::Feature;

/// A function being written.
pub(super) struct Code<'a> {
    /// The module it belongs to.
    pub assembly: &'a mut Assembly,
    /// The instruction that is being translated, for what is needed of the device.
    pub place: Option<Place>,
    /// The function with its parameters and the label of its first block.
    head: Words,
    /// The variables of the function, which stand at the start of its first block.
    variables: Words,
    /// All else.
    blocks: Words,
    /// The block that is open, and whether its label is written: another may be begun instead as long as it is empty.
    label: Word,
    is_labelled: bool,
}

impl<'a> Code<'a> {
    /// A function of this type, with its first block open. The ids of its parameters come with it.
    pub fn new(
        assembly: &'a mut Assembly,
        function: Word,
        result: Word,
        parameters: &[Word],
    ) -> (Self, Vec<Word>) {
        let (mut head, ids) = head(assembly, function, result, parameters);
        let label = assembly.id();
        head.push(Op::Label, &[&[label]]);
        let (variables, blocks) = (Words::default(), Words::default());
        let code = Code { assembly, place: None, head, variables, blocks, label, is_labelled: true };
        (code, ids)
    }

    /// A function that is defined elsewhere.
    pub fn declare(assembly: &mut Assembly, function: Word, result: Word, parameters: &[Word]) {
        let (head, _) = head(assembly, function, result, parameters);
        assembly.function(&[&head]);
    }

    /// Adds the function, whose last block is closed, to the module.
    pub fn finish(self) {
        debug_assert!(!self.is_labelled, "a block is open");
        self.assembly.function(&[&self.head, &self.variables, &self.blocks]);
    }

    /// Notes that the device must have something.
    pub fn need(&mut self, feature: Feature) {
        self.assembly.need(feature, self.place);
    }

    /// Writes an instruction with the words of its operands, which come in parts. Returns its place.
    fn write(&mut self, op: Op, parts: &[&[Word]]) -> usize {
        if !std::mem::replace(&mut self.is_labelled, true) {
            self.blocks.push(Op::Label, &[&[self.label]]);
        }
        self.blocks.push(op, parts)
    }

    /// Writes an instruction with a result.
    pub fn value(&mut self, op: Op, ty: Word, operands: &[Word]) -> Word {
        let made = self.assembly.id();
        self.write(op, &[&[ty, made], operands]);
        made
    }

    /// Writes an instruction without result.
    pub fn effect(&mut self, op: Op, operands: &[Word]) {
        self.write(op, &[operands]);
    }

    /// Writes an extended instruction of OpenCL.
    pub fn extended(&mut self, instruction: OpenclStd100Op, ty: Word, operands: &[Word]) -> Word {
        let set = self.assembly.opencl();
        let made = self.assembly.id();
        self.write(Op::ExtInst, &[&[ty, made, set, instruction as Word], operands]);
        made
    }
}

/// The start of a function, and the ids of its parameters.
fn head(assembly: &mut Assembly, function: Word, result: Word, parameters: &[Word]) -> (Words, Vec<Word>) {
    let ty = assembly.ty(Type::Function(result, parameters.to_vec()));
    let mut head = Words::default();
    head.push(Op::Function, &[&[result, function, FunctionControl::NONE.bits(), ty]]);
    let ids: Vec<Word> = parameters.iter().map(|_| assembly.id()).collect();
    for (ty, id) in parameters.iter().zip(&ids) {
        head.push(Op::FunctionParameter, &[&[*ty, *id]]);
    }
    (head, ids)
}

/// Variables that hold registers between blocks, and lines.
impl Code<'_> {
    /// Reads such a variable.
    pub fn load_home(&mut self, variable: Word, width: u32) -> Bits {
        let ty = self.assembly.int(width);
        Bits { id: self.value(Op::Load, ty, &[variable]), width }
    }

    /// Writes such a variable.
    pub fn store_home(&mut self, variable: Word, value: Bits) {
        self.effect(Op::Store, &[variable, value.id]);
    }

    /// Says which line the next instructions stand for.
    pub fn line(&mut self, file: Word, line: u32, column: u32) {
        self.effect(Op::Line, &[file, line, column]);
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
        Bits { id: self.value(Op::FunctionCall, ty, &operands), width }
    }
}

/// Vectors and arrays.
impl Code<'_> {
    /// A vector or array of these elements, put in one by one: not every consumer can make one at once of what is known only
    /// when it runs.
    pub fn composite(&mut self, ty: Word, elements: &[Bits]) -> Word {
        let nothing = self.value(Op::Undef, ty, &[]);
        (0..).zip(elements).fold(nothing, |whole, (index, element)| {
            self.value(Op::CompositeInsert, ty, &[element.id, whole, index])
        })
    }

    /// The elements of a vector or array of integers.
    pub fn elements(&mut self, whole: Word, width: u32, count: u32) -> Vec<Bits> {
        let element = self.assembly.int(width);
        (0..count)
            .map(|index| Bits { id: self.value(Op::CompositeExtract, element, &[whole, index]), width })
            .collect()
    }
}
