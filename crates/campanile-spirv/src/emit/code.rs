//! A function being written: blocks, and instructions on values of known types.

use campanile_core::module::Place;
use rspirv::dr::{self, Block, Instruction, Operand};
use rspirv::spirv::{Decoration, FPRoundingMode, FunctionControl, Op, OpenclStd100Op, StorageClass, Word};

use super::assembly::{Assembly, Type, id, instruction};
use super::value::{Bits, Number, Truth};
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

/// Blocks.
impl Code<'_> {
    /// An id for a block to come.
    pub fn new_label(&mut self) -> Word {
        self.assembly.id()
    }

    /// The block that is open.
    pub fn label(&self) -> Word {
        self.label
    }

    /// Ends the block with a jump and opens the next one.
    fn close(&mut self, end: Instruction, next: Word) {
        self.instructions.push(end);
        let label = instruction(Op::Label, None, Some(self.label), vec![]);
        let instructions = std::mem::take(&mut self.instructions);
        self.blocks.push(Block { label: Some(label), instructions });
        self.label = next;
    }

    /// Writes another block than the one that was to follow, which must still be empty.
    pub fn reopen(&mut self, label: Word) {
        debug_assert!(self.instructions.is_empty());
        self.label = label;
    }

    /// Continues at `target`; `next` is the block that follows in the text.
    pub fn branch(&mut self, target: Word, next: Word) {
        self.close(instruction(Op::Branch, None, None, vec![id(target)]), next);
    }

    /// Continues at one of two blocks.
    pub fn branch_if(&mut self, condition: Truth, [yes, no]: [Word; 2], next: Word) {
        let operands = vec![id(condition.0), id(yes), id(no)];
        self.close(instruction(Op::BranchConditional, None, None, operands), next);
    }

    /// Continues at the block of a number.
    pub fn switch(&mut self, selector: Bits, cases: &[(u32, Word)], default: Word, next: Word) {
        let mut operands = vec![id(selector.id), id(default)];
        for (number, label) in cases {
            operands.extend([Operand::LiteralBit32(*number), id(*label)]);
        }
        self.close(instruction(Op::Switch, None, None, operands), next);
    }

    /// Returns, with a value or without.
    pub fn end(&mut self, value: Option<Word>, next: Word) {
        let end = match value {
            Some(value) => instruction(Op::ReturnValue, None, None, vec![id(value)]),
            None => instruction(Op::Return, None, None, vec![]),
        };
        self.close(end, next);
    }

    /// Says that control does not come here.
    pub fn unreachable(&mut self, next: Word) {
        self.close(instruction(Op::Unreachable, None, None, vec![]), next);
    }

    /// What `then` gives if a condition holds, else what `otherwise` gives: as many values of the same types.
    pub fn choose(
        &mut self,
        condition: Truth,
        then: impl FnOnce(&mut Self) -> Vec<Bits>,
        otherwise: impl FnOnce(&mut Self) -> Vec<Bits>,
    ) -> Vec<Bits> {
        let [yes, no, after] = [self.new_label(), self.new_label(), self.new_label()];
        self.branch_if(condition, [yes, no], yes);
        let chosen = then(self);
        let from_yes = self.label();
        self.branch(after, no);
        let others = otherwise(self);
        let from_no = self.label();
        self.branch(after, after);
        let both = chosen.into_iter().zip(others);
        both.map(|(one, other)| self.merged(&[(one, from_yes), (other, from_no)])).collect()
    }

    /// Does something if a condition holds.
    pub fn only_if(&mut self, condition: Truth, then: impl FnOnce(&mut Self)) {
        self.choose(
            condition,
            |code| {
                then(code);
                Vec::new()
            },
            |_| Vec::new(),
        );
    }

    /// Repeats `round`, which makes new values of old ones and says whether to go on, and gives the last values.
    pub fn repeat(
        &mut self,
        start: &[Bits],
        round: impl FnOnce(&mut Self, &[Bits]) -> (Vec<Bits>, Truth),
    ) -> Vec<Bits> {
        let [head, body, after] = std::array::from_fn(|_| self.new_label());
        let before = self.label();
        self.branch(head, head);
        let values: Vec<Bits> =
            start.iter().map(|value| Bits { id: self.assembly.id(), width: value.width }).collect();
        self.branch(body, body);
        let head_block = self.blocks.len() - 1;
        let (made, again) = round(self, &values);
        let last = self.label();
        self.branch_if(again, [head, after], after);
        for (index, (value, (first, later))) in values.iter().zip(start.iter().zip(&made)).enumerate() {
            let ty = self.assembly.int(value.width);
            let operands = [first.id, before, later.id, last].map(id).to_vec();
            let merged = instruction(Op::Phi, Some(ty), Some(value.id), operands);
            self.blocks[head_block].instructions.insert(index, merged);
        }
        made
    }

    /// The value that comes from the block where control comes from.
    pub fn merged(&mut self, values: &[(Bits, Word)]) -> Bits {
        let width = values[0].0.width;
        let ty = self.assembly.int(width);
        let operands = values.iter().flat_map(|(value, from)| [id(value.id), id(*from)]).collect();
        Bits { id: self.value(Op::Phi, ty, operands), width }
    }

    /// A variable of the function.
    pub fn variable(&mut self, pointee: Word) -> Word {
        let ty = self.assembly.pointer(StorageClass::Function, pointee);
        let made = self.assembly.id();
        let class = vec![Operand::StorageClass(StorageClass::Function)];
        self.variables.push(instruction(Op::Variable, Some(ty), Some(made), class));
        made
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

/// Integers.
impl Code<'_> {
    /// A known integer.
    pub fn constant(&mut self, width: u32, value: u64) -> Bits {
        self.assembly.constant(width, value)
    }

    /// An integer of nothing in particular.
    pub fn undefined(&mut self, width: u32) -> Bits {
        let ty = self.assembly.int(width);
        Bits { id: self.value(Op::Undef, ty, vec![]), width }
    }

    /// The result of an instruction on two integers, in the width of the first.
    pub fn binary(&mut self, op: Op, a: Bits, b: Bits) -> Bits {
        let known = [a, b].map(|value| self.assembly.known(value.id));
        if let [Some(a_known), Some(b_known)] = known
            && let Some(value) = folded(op, a_known, b_known, a.width)
        {
            return self.constant(a.width, value);
        }
        if is_neutral(op, known, a.width) {
            return a;
        }
        let ty = self.assembly.int(a.width);
        Bits { id: self.of(op, ty, &[a.id, b.id]), width: a.width }
    }

    /// `a + b`.
    pub fn add(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::IAdd, a, b)
    }

    /// `a - b`.
    pub fn sub(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::ISub, a, b)
    }

    /// `a * b`.
    pub fn mul(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::IMul, a, b)
    }

    /// `a & b`.
    pub fn and(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::BitwiseAnd, a, b)
    }

    /// `a | b`.
    pub fn or(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::BitwiseOr, a, b)
    }

    /// `a ^ b`.
    pub fn xor(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(Op::BitwiseXor, a, b)
    }

    /// `a` shifted by a count below its width.
    pub fn shift(&mut self, op: Op, a: Bits, count: Bits) -> Bits {
        self.binary(op, a, count)
    }

    /// `a` shifted by a known count below its width.
    pub fn shift_by(&mut self, op: Op, a: Bits, count: u32) -> Bits {
        let count = self.constant(a.width, count.into());
        self.binary(op, a, count)
    }

    /// `~a`.
    pub fn not(&mut self, a: Bits) -> Bits {
        let ty = self.assembly.int(a.width);
        Bits { id: self.of(Op::Not, ty, &[a.id]), width: a.width }
    }

    /// `-a`.
    pub fn negate(&mut self, a: Bits) -> Bits {
        let zero = self.constant(a.width, 0);
        self.sub(zero, a)
    }

    /// An integer of another width, made wider by zeros.
    pub fn resize(&mut self, a: Bits, width: u32) -> Bits {
        self.convert_width(Op::UConvert, a, width)
    }

    /// An integer of another width, made wider by its sign.
    pub fn resize_signed(&mut self, a: Bits, width: u32) -> Bits {
        self.convert_width(Op::SConvert, a, width)
    }

    fn convert_width(&mut self, op: Op, a: Bits, width: u32) -> Bits {
        if a.width == width {
            return a;
        }
        if let Some(known) = self.assembly.known(a.id) {
            let signed = op == Op::SConvert && a.width < 64;
            let value = if signed { sign_extended(known, a.width) as u64 } else { known };
            return self.constant(width, value);
        }
        let ty = self.assembly.int(width);
        Bits { id: self.of(op, ty, &[a.id]), width }
    }

    /// The result of an extended instruction on integers, in the width of the first.
    pub fn extended_int(&mut self, instruction: OpenclStd100Op, operands: &[Bits]) -> Bits {
        let width = operands[0].width;
        let ty = self.assembly.int(width);
        let ids: Vec<Word> = operands.iter().map(|operand| operand.id).collect();
        Bits { id: self.extended(instruction, ty, &ids), width }
    }

    /// Whether a relation holds between two integers.
    pub fn compare(&mut self, op: Op, a: Bits, b: Bits) -> Truth {
        let ty = self.assembly.ty(Type::Truth);
        Truth(self.of(op, ty, &[a.id, b.id]))
    }

    /// Whether an integer is a known one.
    pub fn is(&mut self, a: Bits, value: u64) -> Truth {
        let value = self.constant(a.width, value);
        self.compare(Op::IEqual, a, value)
    }

    /// Whether an integer is not zero.
    pub fn is_not_zero(&mut self, a: Bits) -> Truth {
        let zero = self.constant(a.width, 0);
        self.compare(Op::INotEqual, a, zero)
    }

    /// One of two integers.
    pub fn select(&mut self, condition: Truth, yes: Bits, no: Bits) -> Bits {
        if yes == no {
            return yes;
        }
        let ty = self.assembly.int(yes.width);
        Bits { id: self.of(Op::Select, ty, &[condition.0, yes.id, no.id]), width: yes.width }
    }
}

/// Conditions.
impl Code<'_> {
    /// A known condition.
    pub fn truth(&mut self, value: bool) -> Truth {
        Truth(self.assembly.truth_constant(value))
    }

    fn logical(&mut self, op: Op, operands: &[Word]) -> Truth {
        let ty = self.assembly.ty(Type::Truth);
        Truth(self.of(op, ty, operands))
    }

    /// Whether both hold.
    pub fn both(&mut self, a: Truth, b: Truth) -> Truth {
        self.logical(Op::LogicalAnd, &[a.0, b.0])
    }

    /// Whether one of both holds.
    pub fn either(&mut self, a: Truth, b: Truth) -> Truth {
        self.logical(Op::LogicalOr, &[a.0, b.0])
    }

    /// Whether a condition does not hold.
    pub fn is_not(&mut self, a: Truth) -> Truth {
        self.logical(Op::LogicalNot, &[a.0])
    }

    /// One of two conditions.
    pub fn select_truth(&mut self, condition: Truth, yes: Truth, no: Truth) -> Truth {
        self.logical(Op::Select, &[condition.0, yes.0, no.0])
    }

    /// A condition as an integer: all ones, or zero.
    pub fn ones_if(&mut self, condition: Truth, width: u32) -> Bits {
        let [yes, no] = [u64::MAX, 0].map(|value| self.constant(width, value));
        self.select(condition, yes, no)
    }

    /// A condition as an integer: one or zero.
    pub fn one_if(&mut self, condition: Truth, width: u32) -> Bits {
        let [yes, no] = [1, 0].map(|value| self.constant(width, value));
        self.select(condition, yes, no)
    }
}

/// Numbers.
impl Code<'_> {
    /// The type of numbers, which the device must have.
    pub fn float(&mut self, width: u32) -> Word {
        match width {
            16 => self.need(Feature::Halves),
            64 => self.need(Feature::Doubles),
            _ => {}
        }
        self.assembly.ty(Type::Float(width))
    }

    /// The number that a pattern stands for.
    pub fn number(&mut self, pattern: Bits) -> Number {
        let ty = self.float(pattern.width);
        Number { id: self.of(Op::Bitcast, ty, &[pattern.id]), width: pattern.width }
    }

    /// The pattern of a number.
    pub fn pattern(&mut self, number: Number) -> Bits {
        let ty = self.assembly.int(number.width);
        Bits { id: self.of(Op::Bitcast, ty, &[number.id]), width: number.width }
    }

    /// A known number, by its pattern.
    pub fn number_constant(&mut self, width: u32, pattern: u64) -> Number {
        self.float(width);
        Number { id: self.assembly.float_constant(width, pattern), width }
    }

    /// The result of an instruction on numbers of one width.
    pub fn calculate(&mut self, op: Op, operands: &[Number]) -> Number {
        let width = operands[0].width;
        let ty = self.float(width);
        let ids: Vec<Word> = operands.iter().map(|operand| operand.id).collect();
        Number { id: self.of(op, ty, &ids), width }
    }

    /// The result of an extended instruction on numbers of one width.
    pub fn extended_number(&mut self, instruction: OpenclStd100Op, operands: &[Number]) -> Number {
        let width = operands[0].width;
        let ty = self.float(width);
        let ids: Vec<Word> = operands.iter().map(|operand| operand.id).collect();
        Number { id: self.extended(instruction, ty, &ids), width }
    }

    /// A number in another width, rounded to the nearest.
    pub fn resize_number(&mut self, number: Number, width: u32) -> Number {
        if number.width == width {
            return number;
        }
        let ty = self.float(width);
        let made = self.of(Op::FConvert, ty, &[number.id]);
        if width < number.width {
            self.round(made, FPRoundingMode::RTE);
        }
        Number { id: made, width }
    }

    /// Says how a conversion rounds.
    pub fn round(&mut self, conversion: Word, mode: FPRoundingMode) {
        let mode = vec![Operand::FPRoundingMode(mode)];
        self.assembly.decorate(conversion, Decoration::FPRoundingMode, mode);
    }

    /// Whether a relation holds between two numbers.
    pub fn compare_numbers(&mut self, op: Op, a: Number, b: Number) -> Truth {
        let ty = self.assembly.ty(Type::Truth);
        Truth(self.of(op, ty, &[a.id, b.id]))
    }
}

/// The value of an integer with its sign.
fn sign_extended(value: u64, width: u32) -> i64 {
    (value << (64 - width)) as i64 >> (64 - width)
}

/// What an instruction makes of known integers, if that is worth knowing.
fn folded(op: Op, a: u64, b: u64, width: u32) -> Option<u64> {
    Some(match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::BitwiseAnd => a & b,
        Op::BitwiseOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::ShiftLeftLogical if b < u64::from(width) => a << b,
        Op::ShiftRightLogical if b < u64::from(width) => a >> b,
        Op::ShiftRightArithmetic if b < u64::from(width) => (sign_extended(a, width) >> b) as u64,
        _ => return None,
    })
}

/// Whether an instruction leaves its first operand as it is.
fn is_neutral(op: Op, [_, b]: [Option<u64>; 2], width: u32) -> bool {
    match op {
        Op::IAdd
        | Op::ISub
        | Op::BitwiseOr
        | Op::BitwiseXor
        | Op::ShiftLeftLogical
        | Op::ShiftRightLogical
        | Op::ShiftRightArithmetic => b == Some(0),
        Op::BitwiseAnd => b == Some(u64::MAX >> (64 - width)),
        _ => false,
    }
}
