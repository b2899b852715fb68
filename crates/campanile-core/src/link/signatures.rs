//! Whether an import agrees with what it stands for.

use super::symbols::{Entity, Symbol};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::module::{Linkage, Module, Variable};

/// Reports each way in which an import differs from an export, or from another import, of its name.
pub(super) fn check_agreement(modules: &[Module], import: Symbol, other: Symbol, sink: &mut Sink) {
    let (left, right) = (import.entity(modules), other.entity(modules));
    let (but, label) = match right {
        Entity::Function(function) if function.is_kernel() => (", but is", "defined here"),
        _ if right.linkage() == Linkage::Imported => (", but elsewhere", "imported here"),
        _ => (" and exported", "exported here"),
    };
    let (source, span) = import.place(modules);
    let (other_source, other_span) = other.place(modules);
    for Difference { wanted, given } in differences(left, right) {
        let message = format!("`@{}` is imported {wanted}{but} {given}", left.name());
        let diagnostic = Diagnostic::new(Code::ImportMismatch, source, span, message);
        sink.push(diagnostic.and_in(other_source, other_span, label));
    }
}

/// What an import says and what the other declaration says.
struct Difference {
    wanted: String,
    given: String,
}

fn differences(import: Entity<'_>, other: Entity<'_>) -> Vec<Difference> {
    let as_function = || "as a function".to_owned();
    let as_variable = || "as a variable".to_owned();
    match (import, other) {
        (Entity::Variable(import), Entity::Variable(other)) => variable_differences(import, other),
        (Entity::Function(import), Entity::Function(other)) => {
            match (import.signature(), other.signature()) {
                (Some(wanted), Some(given)) if wanted == given => Vec::new(),
                (Some(wanted), Some(given)) => {
                    vec![Difference { wanted: format!("as `{wanted}`"), given: format!("as `{given}`") }]
                }
                _ => vec![Difference { wanted: as_function(), given: kernel() }],
            }
        }
        (Entity::Variable(_), Entity::Function(other)) if other.is_kernel() => {
            vec![Difference { wanted: as_variable(), given: kernel() }]
        }
        (Entity::Variable(_), Entity::Function(_)) => {
            vec![Difference { wanted: as_variable(), given: as_function() }]
        }
        (Entity::Function(_), Entity::Variable(_)) => {
            vec![Difference { wanted: as_function(), given: as_variable() }]
        }
    }
}

fn kernel() -> String {
    "a kernel, which only the host starts".to_owned()
}

/// Alignment is compared with exports only: of several imports, the strictest holds.
fn variable_differences(import: &Variable, other: &Variable) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut differ = |wanted, given| differences.push(Difference { wanted, given });
    if import.space != other.space {
        differ(format!("from `{}` memory", import.space), format!("from `{}`", other.space));
    }
    if import.size != other.size {
        differ(format!("with {} bytes", import.size), format!("with {}", other.size));
    }
    if other.linkage == Linkage::Exported && import.alignment > other.alignment {
        let (wanted, given) = (import.alignment, other.alignment);
        differ(format!("with an alignment of {wanted} bytes"), format!("with one of only {given}"));
    }
    differences
}
