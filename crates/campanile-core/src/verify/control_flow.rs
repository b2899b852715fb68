//! Where control can get in a body, and whether a valued function always returns a value (spec 4.5).

use super::body::BodyVerifier;
use crate::diagnostic::Code;
use crate::isa::{ControlFlow, Opcode};

impl BodyVerifier<'_, '_, '_> {
    /// A valued function must not reach its end without a value.
    pub(super) fn check_end(&mut self) {
        if !self.flow_is_known || !self.signature_is_known() {
            return;
        }
        let function = &self.verifier.module.functions[self.function];
        let Some(result) = function.signature().and_then(|signature| signature.result) else { return };
        let name = function.name.clone();
        let (close, strict) = (self.tree.close, self.verifier.options.strict);
        let last_is_return = self.body.instructions.last().is_some_and(|last| {
            last.op.opcode() == Opcode::ControlFlow(ControlFlow::Return) && !last.op.has("cond")
        });
        let end_block = self.body.blocks.last().map(|(block, _)| block);
        if end_block.is_some_and(|end| self.body.reachable_blocks()[end.as_u32() as usize]) {
            let message = format!("`@{name}` can end without returning its `{result}` value");
            let diagnostic = self.verifier.diagnostic(Code::MissingReturn, close, message);
            self.verifier.sink.push(diagnostic.help("add `return` with a value as the last instruction"));
        } else if !last_is_return {
            let code = if strict { Code::ReturnNotLastStrict } else { Code::ReturnNotLast };
            let message = format!("`return` should be the last instruction of `@{name}`");
            self.verifier.report(code, close, message);
        }
    }
}
