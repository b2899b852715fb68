//! Findings about a source text, as data. Rendering is the caller's business.

mod codes;
mod table;

use std::sync::Arc;

pub use codes::Code;

use crate::source::{SourceFile, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The text is refused.
    Error,
    /// The text is accepted, but something about it is doubtful.
    Warning,
}

/// A place with a remark.
#[derive(Clone, Debug)]
pub struct Label {
    /// The file, if it is another one than the diagnostic's.
    pub source: Option<Arc<SourceFile>>,
    /// The place.
    pub span: Span,
    /// What it is; may be empty for the first label.
    pub text: String,
}

/// One finding. The first label is the place that is at fault.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Stable code.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// One sentence, without a full stop.
    pub message: String,
    /// The file that the labels are in, unless they say otherwise.
    pub source: Arc<SourceFile>,
    /// At least one place, the one at fault first.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding at one place; its severity follows from its code.
    pub fn new(code: Code, source: &Arc<SourceFile>, span: Span, message: impl Into<String>) -> Self {
        let labels = vec![Label { source: None, span, text: String::new() }];
        let (severity, message) = (code.severity(), message.into());
        Diagnostic { code, severity, message, source: source.clone(), labels, help: None }
    }

    /// Adds another place.
    pub fn and(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { source: None, span, text: text.into() });
        self
    }

    /// Adds a place in another file.
    pub fn and_in(mut self, source: &Arc<SourceFile>, span: Span, text: impl Into<String>) -> Self {
        let source = (!Arc::ptr_eq(source, &self.source)).then(|| source.clone());
        self.labels.push(Label { source, span, text: text.into() });
        self
    }

    /// Adds advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The place at fault.
    pub fn span(&self) -> Span {
        self.labels[0].span
    }
}

/// Collects findings, up to a limit beyond which errors are only counted.
#[derive(Debug, Default)]
pub struct Sink {
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Sink {
    /// Most errors, and most warnings, kept of one run; a text with more is beyond reading them.
    pub const LIMIT: usize = 1000;

    /// An empty sink.
    pub fn new() -> Self {
        Sink::default()
    }

    /// Takes a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= Self::LIMIT {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Number of errors so far, kept or not.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Number of warnings so far, kept or not.
    pub fn warnings(&self) -> usize {
        self.warnings
    }

    /// The findings, by file in order of appearance and by place.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        let mut files: Vec<Arc<SourceFile>> = Vec::new();
        for diagnostic in &self.diagnostics {
            if !files.iter().any(|file| Arc::ptr_eq(file, &diagnostic.source)) {
                files.push(diagnostic.source.clone());
            }
        }
        let rank = |source: &Arc<SourceFile>| files.iter().position(|file| Arc::ptr_eq(file, source));
        self.diagnostics.sort_by_key(|one| (rank(&one.source), one.span(), one.severity));
        self.diagnostics
    }
}
