//! What the tests share.

use std::sync::Arc;

use campanile_core::diagnostic::{Severity, Sink};
use campanile_core::module::Module;
use campanile_core::source::SourceFile;
use campanile_smith::Sample;

/// The module of a sample, or its text with what is wrong about it.
pub fn load(sample: &Sample) -> Result<Module, String> {
    load_text(&sample.text)
}

/// The module of a text, or the text with what is wrong about it.
pub fn load_text(text: &str) -> Result<Module, String> {
    let source = Arc::new(SourceFile::new("sample", text).expect("a short text"));
    let mut sink = Sink::new();
    let module = campanile_core::load(&source, &mut sink);
    let diagnostics = sink.into_sorted();
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let errors: Vec<String> = errors
        .map(|error| {
            let (line, column) = source.position(error.span().start);
            format!("{line}:{column}: {}: {}", error.message, source.slice(source.line(line)))
        })
        .collect();
    module.ok_or_else(|| format!("{text}\n{}", errors.join("\n")))
}
