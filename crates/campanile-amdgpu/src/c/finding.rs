//! What is wrong with prototypes, as data.

use std::sync::Arc;

use campanile_core::diagnostic::Severity;
use campanile_core::source::{SourceFile, Span};

use super::code::Code;

/// Another place that belongs to a finding.
#[derive(Clone, Debug)]
pub struct Related {
    /// The file.
    pub source: Arc<SourceFile>,
    /// The place.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// Something about a prototype.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Stable code.
    pub code: Code,
    /// One sentence, without a full stop.
    pub message: String,
    /// The place at fault, in the file of prototypes.
    pub span: Span,
    /// Other places that belong to it, of the same file and of modules.
    pub related: Vec<Related>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Finding {
    /// A finding at a place.
    pub(super) fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Finding { code, message: message.into(), span, related: Vec::new(), help: None }
    }

    /// Adds another place.
    pub(super) fn and(mut self, related: Related) -> Self {
        self.related.push(related);
        self
    }

    /// Adds advice.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Findings about one file. Beyond [`Findings::LIMIT`] they are dropped, as no one reads so many.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    findings: Vec<Finding>,
    /// Parts of the text of which nothing is told, in order.
    left_out: Vec<Span>,
}

impl Findings {
    /// Most findings that are kept.
    pub const LIMIT: usize = 1000;

    /// Takes a finding.
    pub(super) fn push(&mut self, finding: Finding) {
        if self.findings.len() < Self::LIMIT && !lies_in(&self.left_out, finding.span) {
            self.findings.push(finding);
        }
    }

    /// Leaves out what is found in these parts, which are in order.
    pub(super) fn leave_out(&mut self, parts: Vec<Span>) {
        self.left_out = parts;
        let findings = std::mem::take(&mut self.findings);
        self.findings =
            findings.into_iter().filter(|finding| !lies_in(&self.left_out, finding.span)).collect();
    }

    /// Whether any is an error.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.code.severity() == Severity::Error)
    }

    /// The findings in the order of the text.
    pub fn into_sorted(mut self) -> Vec<Finding> {
        self.findings.sort_by_key(|finding| (finding.span, finding.code));
        self.findings
    }
}

/// Whether a place begins in one of these parts, which are in order.
pub(super) fn lies_in(parts: &[Span], place: Span) -> bool {
    let before = parts.partition_point(|part| part.start <= place.start);
    before > 0 && place.start < parts[before - 1].end
}
