//! Jumps, returns and calls (spec chapter 6 of the instruction set).

use campanile_core::isa::{ControlFlow, Opcode};
use campanile_core::module::{BlockId, FunctionId, Instruction, Operand, RegisterType, Scalar, Signature};
use rspirv::spirv::{Op, Word};

use super::assembly::{Assembly, Type};
use super::code::Code;
use super::function::{FunctionEmitter, parts_of};
use super::plan::Hidden;
use super::value::{Bits, Truth};

/// The type in which a register is passed: an integer, a vector, or an array where no vector has so many elements.
pub(super) fn passed_type(assembly: &mut Assembly, ty: RegisterType) -> Word {
    let (count, width) = parts_of(ty);
    let element = assembly.int(width);
    match count {
        1 => element,
        2 | 3 | 4 | 8 | 16 => assembly.ty(Type::Vector(element, count)),
        _ => assembly.ty(Type::Array(element, count.into())),
    }
}

/// The elements of a value that is passed.
pub(super) fn unpacked(code: &mut Code<'_>, ty: RegisterType, value: Word) -> Vec<Bits> {
    let (count, width) = parts_of(ty);
    if count == 1 {
        return vec![Bits { id: value, width }];
    }
    code.elements(value, width, count)
}

/// Elements as one value that can be passed.
fn packed(code: &mut Code<'_>, ty: RegisterType, elements: &[Bits]) -> Word {
    if let [single] = elements {
        return single.id;
    }
    let ty = passed_type(code.assembly, ty);
    code.composite(ty, elements)
}

impl FunctionEmitter<'_, '_, '_> {
    /// Translates an instruction of this chapter that does not end its block: a call.
    pub(super) fn control_flow(&mut self, opcode: ControlFlow, instruction: &Instruction) {
        match opcode {
            ControlFlow::Call => self.call(instruction),
            ControlFlow::Goto | ControlFlow::Return => unreachable!("these end blocks"),
        }
    }

    /// Goes where a block goes that does not jump.
    pub(super) fn fall_through(&mut self, block: BlockId, next: Word) {
        match self.follower(block) {
            Some(follower) => {
                let label = self.labels[follower];
                self.code.branch(label, next);
            }
            None if self.result_type().is_some() => self.code.unreachable(next),
            None => self.code.end(None, next),
        }
    }

    /// Translates the jump or return at the end of a block.
    pub(super) fn end_block(&mut self, last: &Instruction, block: BlockId, next: Word) {
        let (condition, operands) = self.body.conditional(last);
        let condition = condition.map(|condition| self.condition(condition));
        match last.op.opcode() {
            Opcode::ControlFlow(ControlFlow::Goto) => {
                let [Operand::Block(target)] = operands else { unreachable!("`goto` names a label") };
                let target = self.labels[*target];
                self.leave(block);
                let other = self.follower(block).map(|follower| self.labels[follower]);
                match (condition, other) {
                    (Some(condition), Some(other)) if other != target => {
                        self.code.branch_if(condition, [target, other], next);
                    }
                    _ => self.code.branch(target, next),
                }
            }
            _ => self.return_from(condition, operands, block, next),
        }
    }

    fn result_type(&self) -> Option<RegisterType> {
        self.shared.plan.module.functions[self.function].signature().and_then(|signature| signature.result)
    }

    fn return_from(&mut self, condition: Option<Truth>, operands: &[Operand], block: BlockId, next: Word) {
        let value = self.result_type().map(|ty| {
            let operand = operands.last().unwrap_or_else(|| unreachable!("the function has a value"));
            let (count, width) = parts_of(ty);
            let elements = self.operand(operand, if ty.bits == 128 { 128 } else { width });
            debug_assert_eq!(elements.len(), count as usize);
            packed(&mut self.code, ty, &elements)
        });
        match condition {
            None => self.code.end(value, next),
            Some(condition) => {
                self.leave(block);
                let leaves = self.code.new_label();
                let stays = self.follower(block).map_or(leaves, |follower| self.labels[follower]);
                self.code.branch_if(condition, [leaves, stays], leaves);
                self.code.end(value, next);
            }
        }
    }

    /// `call` and `call.cond`; where lanes make no call, the result register keeps its value.
    fn call(&mut self, instruction: &Instruction) {
        let (condition, operands) = self.body.conditional(instruction);
        let condition = condition.map(|condition| self.condition(condition));
        let [result, target, arguments @ ..] = operands else { unreachable!("calls have result and target") };
        let signature = Signature {
            parameters: arguments.iter().map(|argument| self.register_type(argument)).collect(),
            result: (*result != Operand::Void).then(|| self.register_type(result)),
        };
        let arguments: Vec<Word> = arguments
            .iter()
            .zip(&signature.parameters)
            .map(|(argument, ty)| {
                let elements = self.operand(argument, 64);
                packed(&mut self.code, *ty, &elements)
            })
            .collect();
        let targets = match target {
            Operand::Function(function) => Targets::One(*function),
            register => {
                let functions = self.shared.plan.taken(&signature);
                Targets::Several(self.single(register, 64), functions)
            }
        };
        let old = signature.result.filter(|_| condition.is_some()).map(|_| self.operand(result, 64));
        let calls = self.prepared(&targets, &signature, arguments);
        let code = &mut self.code;
        let values = match (condition, old) {
            (Some(condition), old) => code.choose(
                condition,
                |code| make_calls(code, &signature, &targets, &calls),
                |_| old.unwrap_or_default(),
            ),
            (None, _) => make_calls(code, &signature, &targets, &calls),
        };
        if signature.result.is_some() {
            self.assign(result, &values);
        }
    }

    /// The functions that a call may reach, with their arguments.
    fn prepared(&mut self, targets: &Targets, signature: &Signature, arguments: Vec<Word>) -> Vec<Prepared> {
        let functions = match targets {
            Targets::One(function) => std::slice::from_ref(function),
            Targets::Several(_, functions) => &functions[..],
        };
        let result = signature.result.map(|ty| passed_type(self.code.assembly, ty));
        let result = result.unwrap_or_else(|| self.code.assembly.ty(Type::Void));
        let prepared = functions.iter().map(|function| {
            let mut all = self.hidden_arguments(self.shared.plan.hidden(*function));
            all.extend(&arguments);
            let address = self.shared.plan.function_address(*function);
            Prepared { function: self.shared.functions[function], address, result, arguments: all }
        });
        prepared.collect()
    }

    /// What a function is told besides its arguments, in the order of [`hidden_types`].
    fn hidden_arguments(&self, hidden: Hidden) -> Vec<Word> {
        let private = self.memory.private.filter(|_| hidden.private);
        let shared = self.memory.shared.iter().copied().filter(|_| hidden.shared);
        let printf = self.memory.printf.map(|address| address.id).filter(|_| hidden.printf);
        let shape = self.memory.shape.filter(|_| hidden.shape);
        private.into_iter().chain(shared).chain(printf).chain(shape).collect()
    }

    fn register_type(&self, operand: &Operand) -> RegisterType {
        match *operand {
            Operand::Scalar(Scalar::Register(register)) | Operand::Vector(register) => {
                self.body.registers[register].ty
            }
            _ => unreachable!("arguments and results are whole registers"),
        }
    }
}

/// What a call calls.
enum Targets {
    /// The function that it names.
    One(FunctionId),
    /// That of these functions which has an address.
    Several(Bits, Vec<FunctionId>),
}

/// A function that may be called, with its arguments.
struct Prepared {
    function: Word,
    address: u64,
    result: Word,
    arguments: Vec<Word>,
}

impl Prepared {
    /// Writes the call.
    fn make(&self, code: &mut Code<'_>, signature: &Signature) -> Vec<Bits> {
        let mut operands = vec![self.function];
        operands.extend(&self.arguments);
        let value = code.of(Op::FunctionCall, self.result, &operands);
        signature.result.map(|ty| unpacked(code, ty, value)).unwrap_or_default()
    }
}

/// Writes a call, by a switch over addresses where its target is known only when it runs.
fn make_calls(
    code: &mut Code<'_>,
    signature: &Signature,
    targets: &Targets,
    calls: &[Prepared],
) -> Vec<Bits> {
    let Targets::Several(address, _) = targets else { return calls[0].make(code, signature) };
    let undefined = |code: &mut Code<'_>| -> Vec<Bits> {
        let (count, width) = signature.result.map_or((0, 32), parts_of);
        (0..count).map(|_| code.undefined(width)).collect()
    };
    // Addresses of functions are small numbers.
    let selector = code.resize(*address, 32);
    let cases: Vec<(u32, Word)> = calls.iter().map(|call| (call.address as u32, code.new_label())).collect();
    let [default, after] = [code.new_label(), code.new_label()];
    code.switch(selector, &cases, default, default);
    let mut ways = vec![(undefined(code), code.label())];
    code.branch(after, after);
    for (call, (_, label)) in calls.iter().zip(&cases) {
        code.reopen(*label);
        let values = call.make(code, signature);
        ways.push((values, code.label()));
        code.branch(after, after);
    }
    let count = ways[0].0.len();
    (0..count)
        .map(|index| {
            let values: Vec<(Bits, Word)> =
                ways.iter().map(|(values, from)| (values[index], *from)).collect();
            code.merged(&values)
        })
        .collect()
}
