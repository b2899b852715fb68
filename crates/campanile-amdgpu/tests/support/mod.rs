//! Reading of prototypes and modules, for tests.

use std::sync::Arc;

use campanile_amdgpu::c::{Finding, Language, Prototypes};
use campanile_core::diagnostic::Sink;
use campanile_core::module::Module;
use campanile_core::source::SourceFile;
use campanile_core::{syntax, verify};

/// The prototypes of a text with what is wrong with it, in the order of the text.
pub fn read(text: &str, language: Language) -> (Prototypes, Vec<Finding>) {
    let source = Arc::new(SourceFile::new("prototypes.h", text).expect("a short text"));
    let (prototypes, findings) = Prototypes::read(&source, language);
    (prototypes, findings.into_sorted())
}

/// The module of a text that has no faults.
#[allow(dead_code, reason = "not every test has a module")]
pub fn module(text: &str) -> Module {
    let source = Arc::new(SourceFile::new("module.pisa", text).expect("a short text"));
    let mut sink = Sink::new();
    let tree = syntax::parse(&source, &mut sink);
    let module = verify::verify(&source, tree, verify::Options::default(), &mut sink);
    module.unwrap_or_else(|| panic!("{:?}\n{text}", sink.into_sorted()))
}
