//! The rules on `.index` that depend on the vectors given.

use super::body::BodyVerifier;
use super::mnemonics::Candidate;
use crate::diagnostic::Code;
use crate::isa::Rule;
use crate::module::Operand;
use crate::source::Span;

impl BodyVerifier<'_, '_, '_> {
    /// Whether the index of an `extract` or `insert` suits its vectors; what does not is reported.
    pub(super) fn index_rules_hold(
        &mut self,
        candidate: &Candidate,
        operands: &[Operand],
        whole: Span,
    ) -> bool {
        let rules = candidate.op.form.entry().form.rules;
        let Some(index) = candidate.op.number("index").map(u32::from) else { return true };
        let elements = |role: &str| {
            let place = candidate.expected.iter().position(|expected| expected.role == role);
            match place.map(|place| operands[place]) {
                Some(Operand::Vector(register)) => u32::from(self.body.registers[register].ty.elements),
                _ => 1,
            }
        };
        let broken = rules.iter().find_map(|rule| match rule {
            Rule::IndexBelow { vector } => {
                let count = elements(vector);
                (index >= count).then(|| format!("`{vector}` has {count} elements, the index is {index}"))
            }
            Rule::IndexAligned { part } => {
                let count = elements(part);
                let message = || format!("`{part}` has {count} elements, so the index cannot be {index}");
                (!index.is_multiple_of(count)).then(message)
            }
            Rule::IndexFits { part, whole } => {
                let (count, limit) = (elements(part), elements(whole));
                let message = || {
                    format!("elements {index} to {} are not all in `{whole}` of {limit}", index + count - 1)
                };
                (index + count > limit).then(message)
            }
            _ => None,
        });
        if let Some(message) = &broken {
            let rule = rules.iter().find(|rule| {
                matches!(
                    (rule, message),
                    (Rule::IndexBelow { .. } | Rule::IndexAligned { .. } | Rule::IndexFits { .. }, _)
                )
            });
            let diagnostic = self.verifier.diagnostic(Code::IndexRule, whole, message.clone());
            let help = rule.map(ToString::to_string).unwrap_or_default();
            self.verifier.sink.push(diagnostic.help(help));
        }
        broken.is_none()
    }
}
