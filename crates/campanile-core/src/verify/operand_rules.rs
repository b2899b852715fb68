//! The rules of `extract` and `insert` that depend on the operands given.

use super::body::BodyVerifier;
use super::mnemonics::Candidate;
use crate::diagnostic::Code;
use crate::isa::Rule;
use crate::module::{Operand, Scalar};
use crate::source::Span;

impl BodyVerifier<'_, '_, '_> {
    /// Whether an instruction keeps the rules on its operands; what does not is reported.
    pub(super) fn operand_rules_hold(
        &mut self,
        candidate: &Candidate,
        operands: &[Operand],
        mnemonic: Span,
        spans: &[Span],
    ) -> bool {
        let rules = candidate.op.form.entry().form.rules;
        if rules.is_empty() {
            return true;
        }
        let broken = rules.iter().find_map(|rule| {
            let fault = self.broken_index_rule(rule, candidate, operands)?;
            Some((rule, fault))
        });
        if let Some((rule, fault)) = &broken {
            let (offset, length) = candidate.op.place("index").unwrap_or((0, mnemonic.length()));
            let place = mnemonic.part(offset, length);
            let diagnostic = self.verifier.diagnostic(Code::IndexRule, place, fault.clone());
            self.verifier.sink.push(diagnostic.help(rule.to_string()));
        }
        if rules.contains(&Rule::NoSwizzle) {
            self.check_swizzles(candidate, operands, spans);
        }
        broken.is_none()
    }

    /// How the index of an operation breaks a rule, if it does.
    fn broken_index_rule(&self, rule: &Rule, candidate: &Candidate, operands: &[Operand]) -> Option<String> {
        let index = u32::from(candidate.op.number("index")?);
        let elements = |role: &str| {
            let place = candidate.expected.iter().position(|expected| expected.role == role);
            match place.map(|place| operands[place]) {
                Some(Operand::Vector(register)) => u32::from(self.body.registers[register].ty.elements),
                _ => 1,
            }
        };
        match rule {
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
                let last = index + count - 1;
                (last >= limit)
                    .then(|| format!("elements {index} to {last} are not all in `{whole}` of {limit}"))
            }
            _ => None,
        }
    }

    fn check_swizzles(&mut self, candidate: &Candidate, operands: &[Operand], spans: &[Span]) {
        for (operand, span) in operands.iter().zip(spans) {
            if matches!(operand, Operand::Scalar(Scalar::Element(..))) {
                let message =
                    format!("the operands of `{}` should have no swizzle", candidate.op.opcode().mnemonic());
                let diagnostic = self.verifier.diagnostic(Code::SwizzledPart, *span, message);
                self.verifier.sink.push(diagnostic.help("move the element with `mov`"));
            }
        }
    }
}
