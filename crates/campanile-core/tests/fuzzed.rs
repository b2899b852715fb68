//! Texts found by the fuzz targets that once made the reader panic.

use std::sync::Arc;

use campanile_core::diagnostic::Sink;
use campanile_core::load;
use campanile_core::source::SourceFile;

/// Whether there is a module must follow from the errors, and nothing panics.
#[track_caller]
fn survives(text: &str) {
    let source = Arc::new(SourceFile::new("a test", text).expect("a short text"));
    let mut sink = Sink::new();
    let module = load(&source, &mut sink);
    assert_eq!(module.is_some(), sink.errors() == 0);
}

#[test]
fn attribute_of_one_letter() {
    survives(".global b @x[4];");
}
