//! Reading of prototypes and modules, for tests.

use std::sync::Arc;

use campanile_amdgpu::c::{Finding, Language, Prototypes};
use campanile_core::source::SourceFile;

/// The prototypes of a text with what is wrong with it, in the order of the text.
pub fn read(text: &str, language: Language) -> (Prototypes, Vec<Finding>) {
    let source = Arc::new(SourceFile::new("prototypes.h", text).expect("a short text"));
    let (prototypes, findings) = Prototypes::read(&source, language);
    (prototypes, findings.into_sorted())
}
