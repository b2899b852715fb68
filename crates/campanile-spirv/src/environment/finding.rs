//! What is wrong with a module, as data.

use campanile_core::diagnostic::Severity;

use super::Code;

/// A place in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// The five words before the first instruction.
    Header,
    /// An instruction, counted from zero.
    Instruction(usize),
    /// Behind the last instruction.
    End,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its stable code, which its severity follows from.
    pub code: Code,
    /// One sentence, without a full stop: what is there, and what is expected.
    pub message: String,
    /// The place at fault.
    pub place: Place,
    /// Other places that belong to it, each with what is there.
    pub labels: Vec<(Place, String)>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Finding {
    /// A finding at one place.
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        Finding { code, message: message.into(), place, labels: Vec::new(), help: None }
    }

    /// A finding at an instruction.
    pub fn at(code: Code, instruction: usize, message: impl Into<String>) -> Self {
        Finding::new(code, Place::Instruction(instruction), message)
    }

    /// Adds another instruction.
    pub fn and(mut self, instruction: usize, text: impl Into<String>) -> Self {
        self.labels.push((Place::Instruction(instruction), text.into()));
        self
    }

    /// Adds advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}
