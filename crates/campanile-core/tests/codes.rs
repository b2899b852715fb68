//! Every diagnostic code: its wrong example has exactly that fault, its right one has none.

use std::collections::HashSet;
use std::sync::Arc;

use campanile_core::diagnostic::{Code, Diagnostic, Severity, Sink};
use campanile_core::source::SourceFile;
use campanile_core::{syntax, verify};

fn diagnostics(text: &str, strict: bool) -> Vec<Diagnostic> {
    let source = Arc::new(SourceFile::new("example", text).expect("short"));
    let mut sink = Sink::new();
    let tree = syntax::parse(&source, &mut sink);
    let module = verify::verify(&source, tree, verify::Options { strict }, &mut sink);
    assert_eq!(module.is_some(), sink.errors() == 0);
    sink.into_sorted()
}

/// Codes whose fault no single text can show: bytes that are no text, and links of several modules.
fn has_example(code: Code) -> bool {
    code != Code::InvalidText && !code.wrong().is_empty()
}

#[test]
fn numbers_are_unique() {
    let numbers: HashSet<u32> = Code::ALL.iter().map(|code| code.number()).collect();
    assert_eq!(numbers.len(), Code::ALL.len());
}

#[test]
fn wrong_examples_have_the_fault_and_no_other() {
    for code in Code::ALL.iter().copied().filter(|code| has_example(*code)) {
        let text = Code::example_module(code.wrong());
        let found = diagnostics(&text, code == Code::ReturnNotLastStrict);
        let others: Vec<_> = found
            .iter()
            .filter(|one| {
                one.code != code && (one.severity == Severity::Error || code.severity() == Severity::Warning)
            })
            .map(|one| format!("{} {}", one.code, one.message))
            .collect();
        assert!(found.iter().any(|one| one.code == code), "{code} is not found in\n{text}\nbut {found:#?}");
        assert!(others.is_empty(), "{code} comes with {others:?} in\n{text}");
    }
}

#[test]
fn right_examples_have_no_fault() {
    for code in Code::ALL.iter().copied().filter(|code| has_example(*code)) {
        let text = Code::example_module(code.right());
        let found = diagnostics(&text, false);
        let found: Vec<_> = found.iter().map(|one| format!("{} {}", one.code, one.message)).collect();
        assert!(found.is_empty(), "the right example of {code} has {found:?}\n{text}");
    }
}
