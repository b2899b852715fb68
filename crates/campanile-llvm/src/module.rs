//! Modules of LLVM's IR.

use crate::error::CompileError;
use crate::ffi::fatal::guarded;
use crate::ffi::module::RawModule;
use crate::llvm::Llvm;

/// A module that has been read and verified, alone in its context.
pub struct Module {
    pub(crate) raw: RawModule,
}

impl Module {
    /// Reads IR text and verifies it.
    ///
    /// # Errors
    ///
    /// Where the text is no IR, or which rule the module breaks.
    pub fn parse(llvm: &'static Llvm, text: &str) -> Result<Self, CompileError> {
        let (functions, text) = (llvm.functions, text.to_owned());
        let parsed = guarded(move || {
            let raw = RawModule::parse(functions, &text).map_err(|message| syntax_error(&message))?;
            raw.verify().map_err(|message| CompileError::Invalid(message.trim_end().to_owned()))?;
            Ok(Self { raw })
        });
        parsed.map_err(CompileError::Fatal)?
    }

    /// The module as IR text.
    pub fn text(&self) -> String {
        self.raw.text()
    }
}

/// LLVM's message with the place taken out of it: `ir:LINE:COLUMN: error: text`, then an excerpt.
fn syntax_error(message: &str) -> CompileError {
    let placed = || {
        let rest = message.strip_prefix(RawModule::NAME)?.strip_prefix(':')?;
        let (line, rest) = rest.split_once(':')?;
        let (column, rest) = rest.split_once(':')?;
        Some((line.parse().ok()?, column.parse().ok()?, rest))
    };
    let (line, column, rest) = placed().unwrap_or((0, 0, message));
    let message = rest.trim().trim_start_matches("error: ").to_owned();
    CompileError::Syntax { line, column, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_from_messages() {
        let error = syntax_error("ir:3:11: error: expected type\n  %r = add\n          ^\n");
        let message = "expected type\n  %r = add\n          ^".to_owned();
        assert_eq!(error, CompileError::Syntax { line: 3, column: 11, message });
        let error = syntax_error("something else: odd\n");
        assert_eq!(
            error,
            CompileError::Syntax { line: 0, column: 0, message: "something else: odd".to_owned() }
        );
    }
}
