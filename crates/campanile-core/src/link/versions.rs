//! Versions of the language that can stand in one program (spec 6.1.1).
//!
//! Targets need no check: of any two known ones, one executes the other (spec 6.2).

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::module::{Module, Version};
use crate::source::{SourceFile, Span};
use crate::syntax::Lexer;

/// Major versions must be equal; `1` is another name of `0`.
pub(super) fn check(modules: &[Module], sink: &mut Sink) {
    let Some((first, others)) = modules.split_first() else { return };
    for other in others {
        if generation(other.version) == generation(first.version) {
            continue;
        }
        let ((source, span), (first_source, first_span)) = (header(other), header(first));
        let message = format!(
            "version {} of the language cannot be linked with version {}",
            text(other.version),
            text(first.version)
        );
        let diagnostic = Diagnostic::new(Code::IncompatibleVersions, source, span, message);
        sink.push(diagnostic.and_in(first_source, first_span, "the first module has this version"));
    }
}

fn generation(version: Version) -> u16 {
    version.major.max(1)
}

fn text(version: Version) -> String {
    format!("{}.{}", version.major, version.minor)
}

/// Where a module gives its version: the first statement.
fn header(module: &Module) -> (&Arc<SourceFile>, Span) {
    let source = &module.sources[crate::module::SourceId::from_u32(0)];
    let mut lexer = Lexer::new(source.text());
    let directive = lexer.next_token().span;
    (source, directive.to(lexer.next_token().span))
}
