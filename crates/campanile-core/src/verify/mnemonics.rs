//! Mnemonics of a text, each matched once however often it occurs.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Verifier;
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{ExpectedOperands, MnemonicFault, Op, resolve};
use crate::source::Span;

/// An operation that a mnemonic can mean, with what it expects.
pub(super) struct Candidate {
    pub op: Op,
    pub expected: ExpectedOperands,
}

/// Meaning of a mnemonic, or why it has none.
pub(super) type Meaning = Result<SmallVec<[Candidate; 2]>, MnemonicFault>;

struct Entry {
    meaning: Rc<Meaning>,
    /// What to warn about at each use.
    doubt: Option<Doubt>,
}

#[derive(Clone, Copy)]
enum Doubt {
    Alias(&'static str),
    Extension,
}

/// The mnemonics met so far, by their text.
#[derive(Default)]
pub(super) struct Cache<'a> {
    entries: FxHashMap<&'a str, Entry>,
}

impl<'a> Verifier<'a, '_> {
    /// The meaning of the mnemonic at `span`; its faults and doubts are reported.
    pub(super) fn mnemonic(&mut self, span: Span) -> Rc<Meaning> {
        let text = self.text(span);
        let entry = self.mnemonics.entries.entry(text).or_insert_with(|| Entry::new(text));
        let (meaning, doubt) = (entry.meaning.clone(), entry.doubt);
        if let Err(fault) = meaning.as_ref() {
            let diagnostic = self.describe_mnemonic_fault(text, span, fault);
            self.sink.push(diagnostic);
            return meaning;
        }
        match doubt {
            None => {}
            Some(Doubt::Alias(meaning)) => {
                let message = format!("`{text}` is not in the specification, `{meaning}` is meant");
                let diagnostic = self.diagnostic(Code::Alias, span, message);
                self.sink.push(diagnostic.help(format!("write `{meaning}`")));
            }
            Some(Doubt::Extension) => {
                let message = format!("`{text}` is an extension printed by LLVM, not in version 0.1");
                self.report(Code::Extension, span, message);
            }
        }
        meaning
    }

    fn describe_mnemonic_fault(&self, text: &'a str, span: Span, fault: &MnemonicFault) -> Diagnostic {
        let shown: String = text.chars().take(60).collect();
        match fault {
            MnemonicFault::UnknownInstruction { similar } => {
                let head = &shown[..shown.find('.').unwrap_or(shown.len())];
                let place = span.part(0, head.len());
                let message = format!("no instruction is called `{head}`");
                let diagnostic = self.diagnostic(Code::UnknownInstruction, place, message);
                match similar {
                    Some(similar) => diagnostic.help(format!("did you mean `{similar}`?")),
                    None => diagnostic,
                }
            }
            MnemonicFault::Qualifier { offset, length, expected, similar } => {
                let place = span.part(*offset, *length);
                let wrong = text[*offset..*offset + *length].chars().take(60).collect::<String>();
                let mut list = expected.iter().take(12).cloned().collect::<Vec<_>>().join(", ");
                if expected.len() > 12 {
                    list.push_str(", …");
                }
                let message = match (wrong.as_str(), list.as_str()) {
                    ("", list) => format!("`{shown}` lacks a qualifier: expected one of {list}"),
                    (wrong, "") => format!("`{wrong}` has no place in this mnemonic"),
                    (wrong, list) => format!("`{wrong}` has no place here: expected one of {list}"),
                };
                let diagnostic = self.diagnostic(Code::InvalidQualifier, place, message);
                match similar {
                    Some(similar) => diagnostic.help(format!("did you mean `{similar}`?")),
                    None => diagnostic,
                }
            }
            MnemonicFault::Rule { op, rule } => {
                let mnemonic = op.opcode().mnemonic();
                let qualifier = rule.qualifier().and_then(|qualifier| op.place(qualifier));
                let place = qualifier.map_or(span, |(offset, length)| span.part(offset, length));
                self.diagnostic(Code::QualifierRule, place, rule.to_string())
                    .help(format!("`pisa explain {mnemonic}` shows the forms of the instruction"))
            }
        }
    }
}

impl Entry {
    fn new(text: &str) -> Entry {
        match resolve(text) {
            Err(fault) => Entry { meaning: Rc::new(Err(fault)), doubt: None },
            Ok(mnemonic) => {
                let extension = mnemonic.candidates.iter().all(|op| op.form.entry().form.extension);
                let alias = mnemonic.alias_of.map(Doubt::Alias);
                let candidates = mnemonic.candidates.into_iter();
                let candidates =
                    candidates.map(|op| Candidate { op, expected: op.expected_operands() }).collect();
                Entry {
                    meaning: Rc::new(Ok(candidates)),
                    doubt: alias.or(extension.then_some(Doubt::Extension)),
                }
            }
        }
    }
}
