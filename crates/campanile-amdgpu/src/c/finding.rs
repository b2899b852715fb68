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
}

impl Findings {
    /// Most findings that are kept.
    pub const LIMIT: usize = 1000;

    /// Takes a finding.
    pub(super) fn push(&mut self, finding: Finding) {
        if self.findings.len() < Self::LIMIT {
            self.findings.push(finding);
        }
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
