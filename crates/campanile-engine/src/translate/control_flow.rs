//! Chapter 6: control flow.

use campanile_core::isa::ControlFlow;
use campanile_core::module::{Instruction, Operand, RegisterType, Scalar, Signature};
use cranelift_entity::EntityRef;

use super::FunctionTranslator;
use super::instruction::only;
use crate::program::{Assigned, Call, Return, Source, Step, Target};

impl FunctionTranslator<'_> {
    pub(super) fn control_flow(&self, opcode: ControlFlow, instruction: &Instruction) -> Step {
        let (condition, operands) = self.body.conditional(instruction);
        let condition = condition.map(|condition| self.source(condition));
        match opcode {
            ControlFlow::Goto => {
                let Operand::Block(block) = only(operands) else { unreachable!("`goto` names a label") };
                let block = block.index() as u32;
                match condition {
                    Some(condition) => Step::GotoIf { condition, block },
                    None => Step::Goto(block),
                }
            }
            ControlFlow::Return => {
                let value = operands.first().filter(|operand| **operand != Operand::Void);
                let value = value.map(|operand| match self.slots(operand) {
                    Some(slots) => Assigned::Register(slots),
                    None => Assigned::Value(self.source(operand)),
                });
                Step::Return(Box::new(Return { condition, value }))
            }
            ControlFlow::Call => self.call(condition, operands),
        }
    }

    fn call(&self, condition: Option<Source>, operands: &[Operand]) -> Step {
        let [result, target, arguments @ ..] = operands else { unreachable!("calls have result and target") };
        let target = match target {
            Operand::Function(function) => match self.symbols.by_function[function.index()] {
                Some(code) => Target::Direct(code),
                None => unreachable!("called functions are reachable"),
            },
            register => Target::Indirect(self.source(register)),
        };
        let signature = Signature {
            parameters: arguments.iter().map(|argument| self.register_type(argument)).collect(),
            result: (*result != Operand::Void).then(|| self.register_type(result)),
        };
        Step::Call(Box::new(Call {
            condition,
            target,
            result: self.slots(result),
            arguments: arguments.iter().map(|argument| self.written(argument)).collect(),
            signature,
        }))
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
