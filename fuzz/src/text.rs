//! Reading texts, and what must hold of every text that is read.

use std::sync::Arc;

use campanile_core::diagnostic::{Diagnostic, Sink};
use campanile_core::format::format;
use campanile_core::link::link;
use campanile_core::module::{Module, print};
use campanile_core::source::SourceFile;
use campanile_core::syntax;
use campanile_core::verify::{Options, verify};

/// What has become of a text.
pub struct Reading {
    /// Its layout, if it is free of syntax errors.
    pub formatted: Option<String>,
    /// Its module, if it has no error at all.
    pub module: Option<Module>,
}

/// A text as a file.
pub fn source(text: &str) -> Arc<SourceFile> {
    Arc::new(SourceFile::new("fuzzed", text).expect("a text of less than 4 GiB"))
}

/// Reads a text, verifies it and lays it out. Whatever is reported must lie within the text.
pub fn read(text: &str) -> Reading {
    let file = source(text);
    let mut sink = Sink::new();
    let tree = syntax::parse(&file, &mut sink);
    let formatted = (sink.errors() == 0).then(|| format(&file, &tree));
    let module = verify(&file, tree, Options::default(), &mut sink);
    assert_eq!(module.is_none(), sink.errors() > 0, "a text is refused with errors, and only then");
    sink.into_sorted().iter().for_each(check_diagnostic);
    Reading { formatted, module }
}

/// The labels of a diagnostic lie within the text, at the bounds of characters, and can be counted in lines.
fn check_diagnostic(diagnostic: &Diagnostic) {
    assert!(!diagnostic.message.is_empty() && !diagnostic.labels.is_empty(), "{diagnostic:?}");
    for label in &diagnostic.labels {
        let (text, range) = (diagnostic.source.text(), label.span.range());
        assert!(range.start <= range.end && text.get(range).is_some(), "{label:?} of {diagnostic:?}");
        let (line, column) = diagnostic.source.position(label.span.start);
        let whole = diagnostic.source.slice(diagnostic.source.line(line));
        assert!(column <= whole.chars().count() + 2, "{label:?} of {diagnostic:?}");
    }
}

/// The module of a text that must have one.
pub fn must_load(text: &str) -> Module {
    let mut sink = Sink::new();
    let module = campanile_core::load(&source(text), &mut sink);
    module.unwrap_or_else(|| panic!("refused: {:#?}\n{text}", sink.into_sorted()))
}

/// The module linked of texts that must fit together.
pub fn must_link(texts: &[String]) -> Module {
    let mut sink = Sink::new();
    let modules = texts.iter().map(|text| must_load(text)).collect();
    let linked = link(modules, Default::default(), &mut sink);
    linked.unwrap_or_else(|| panic!("refused: {:#?}\n{}", sink.into_sorted(), texts.join("\n---\n")))
}

/// The layout of a text that must be free of syntax errors.
pub fn formatted(text: &str) -> String {
    let reading = read(text);
    reading.formatted.unwrap_or_else(|| panic!("unreadable:\n{text}"))
}

/// The canonical text of a module, which must mean the same.
pub fn check_printed(module: &Module) -> String {
    let printed = print(module);
    let again = print(&must_load(&printed));
    assert_eq!(again, printed, "printing again gives another text");
    printed
}
