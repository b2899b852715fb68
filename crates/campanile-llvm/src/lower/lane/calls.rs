//! Calls (spec chapter 6 of the instruction set).

use campanile_core::analysis::CallParts;
use campanile_core::module::{Instruction, Operand, RegisterType, Signature};

use super::function::{FunctionLowering, passed_type};

/// What a call passes and takes back.
pub(super) struct Passed {
    /// The type of the result; `void` if there is none.
    pub result: String,
    /// The arguments with their types.
    pub arguments: Vec<String>,
}

impl Passed {
    /// The arguments, behind others.
    pub fn arguments_after(&self, others: &[String]) -> String {
        let all: Vec<&str> = others.iter().chain(&self.arguments).map(String::as_str).collect();
        all.join(", ")
    }
}

impl FunctionLowering<'_> {
    /// A call; `index` is that of its instruction.
    pub(super) fn call(&mut self, instruction: &Instruction, index: u32) {
        let Some(CallParts { condition, result, target, arguments }) = CallParts::of(self.body, instruction)
        else {
            unreachable!("a call")
        };
        let after = condition.map(|condition| {
            let condition = self.condition(condition);
            let [calling, after] = ["calling", "called"].map(|stem| self.code.writer.label(stem));
            self.code.writer.line(&format!("br i1 {condition}, label %{calling}, label %{after}"));
            self.code.writer.place(&calling);
            after
        });
        self.call_target(result, target, arguments, index);
        if let Some(after) = after {
            self.code.writer.line(&format!("br label %{after}"));
            self.code.writer.place(&after);
            self.enter();
        }
    }

    fn call_target(&mut self, result: &Operand, target: &Operand, arguments: &[Operand], index: u32) {
        let types: Vec<RegisterType> = arguments.iter().map(|argument| self.operand_type(argument)).collect();
        let result_type = (*result != Operand::Void).then(|| self.operand_type(result));
        let signature = match target {
            Operand::Function(function) => {
                self.program.module.functions[*function].signature().cloned().unwrap_or_default()
            }
            _ => Signature { parameters: types, result: result_type },
        };
        let values = arguments.iter().zip(&signature.parameters).map(|(argument, ty)| {
            let elements = self.operand(argument, ty.bits.into());
            format!("{} {}", passed_type(*ty), self.passed(*ty, &elements))
        });
        let arguments = values.collect();
        let passed =
            Passed { result: signature.result.map_or_else(|| "void".to_owned(), passed_type), arguments };
        let returned = match target {
            Operand::Function(callee) => self.platform.call(self, *callee, &passed),
            register => {
                let target = self.operand(register, 64).remove(0);
                self.platform.call_indirect(self, &target, &passed, index)
            }
        };
        if let (Some(ty), Some(returned), true) = (signature.result, returned, *result != Operand::Void) {
            let elements = self.elements(ty, &returned);
            self.write_all(result, elements);
        }
    }

    /// Writes a call; gives the result, if there is one.
    pub(super) fn write_call(&mut self, callee: &str, passed: &Passed, arguments: &str) -> Option<String> {
        let call = format!("call {} {callee}({arguments})", passed.result);
        if passed.result == "void" {
            self.code.writer.line(&call);
            return None;
        }
        Some(self.code.writer.value(&call))
    }
}
