//! Faults of interfaces, plans and layouts as they are told: with code, place and advice.

use std::sync::Arc;

use campanile::contract::finalize::WayStep;
use campanile::contract::{FinalizeFault, FormFault, InvariantFault, LoadFault, ProofFault};
use campanile::language::module::Module;
use campanile::language::source::{SourceFile, Span};

use crate::console::{Console, Tally};
use crate::render::Fault;

/// A fault of an interface or plan, at the place that the reader of TOML names, if it names one.
pub(super) fn description_fault<'a>(
    source: &'a Arc<SourceFile>,
    form: Option<&FormFault>,
    code: &str,
    message: &str,
) -> Fault<'a> {
    let Some(form) = form else {
        let message = format!("{}: {message}", source.name());
        return Fault::error(code, message);
    };
    let end = source.text().len();
    let bytes = form.bytes().filter(|bytes| bytes.end <= end);
    let place = bytes.map(|bytes| (source, Span::new(bytes.start, bytes.end)));
    let message = match place {
        Some(_) => form.message().to_owned(),
        None => format!("{}: {}", source.name(), form.message()),
    };
    Fault { place, ..Fault::error(form.code(), message) }
}

/// Tells why a kernel has no layout; `subject` is what faults without a place are of. Where only the interface is
/// known, there is no module.
pub fn finalize_faults<'m>(
    subject: &str,
    module: Option<&'m Module>,
    faults: &'m [FinalizeFault],
    console: &Console,
    tally: &mut Tally,
) {
    let faults = faults.iter().map(|fault| {
        let place =
            module.zip(fault.place()).map(|(module, place)| (&module.sources[place.source], place.span));
        let message = without_code(&fault.to_string(), &fault.code());
        let message = match fault {
            FinalizeFault::UnknownKernel { .. } => message,
            _ if place.is_some() => message,
            _ => format!("{subject}: {message}"),
        };
        let label = |module: &'m Module, step: &'m WayStep| {
            (&module.sources[step.place.source], step.place.span, step.what)
        };
        let labels =
            module.into_iter().flat_map(|module| fault.way().iter().map(move |step| label(module, step)));
        Fault { place, labels: labels.collect(), help: fault.hint(), ..Fault::error(fault.code(), message) }
    });
    console.faults(faults, tally);
}

/// Why a text is no saved layout.
pub(super) fn load_faults<'a>(source: &'a Arc<SourceFile>, fault: &LoadFault) -> Vec<Fault<'a>> {
    match fault {
        LoadFault::Form(form) => vec![json_fault(source, form)],
        LoadFault::Invariants(faults) => {
            let described = |one: &InvariantFault| {
                let code = format!("invariant.{}", one.invariant.name());
                Fault::error(code, format!("{}: {}", source.name(), one.message))
            };
            faults.iter().map(described).collect()
        }
    }
}

/// A fault of the form of a saved layout, at the word or sign that the reader of JSON had come to.
fn json_fault<'a>(source: &'a Arc<SourceFile>, fault: &serde_json::Error) -> Fault<'a> {
    let (text, whole) = (source.text(), fault.to_string());
    let message = whole.rsplit_once(" at line ").map_or(&whole[..], |(message, _)| message).to_owned();
    let code = match &message {
        text if text.starts_with("unknown field") => "unknown_field",
        text if text.contains("campanile.layout/") => "schema_version",
        _ => "form",
    };
    let lines = text.split_inclusive('\n').take(fault.line().saturating_sub(1));
    let end = (lines.map(str::len).sum::<usize>() + fault.column()).min(text.len());
    let apart = |byte: &u8| byte.is_ascii_whitespace() || b",:[]{}".contains(byte);
    let word = text.as_bytes()[..end].iter().rev().take_while(|byte| !apart(byte)).count();
    let start = end - word.max(1).min(end);
    let place = text.get(start..end).map(|_| (source, Span::new(start, end)));
    Fault { place, ..Fault::error(code, message) }
}

/// Why a saved layout is none for the module.
pub(super) fn proof_fault<'a>(name: &str, module: &'a Module, fault: &ProofFault) -> Fault<'a> {
    let (code, place, help) = match fault {
        ProofFault::Stale { .. } => {
            let help = "make it again: `pisa layout`".to_owned();
            ("stale_layout".to_owned(), None, Some(help))
        }
        ProofFault::Unbound => {
            let help = "make it with the module: `pisa layout FILE --interface …`".to_owned();
            ("unbound_layout".to_owned(), None, Some(help))
        }
        ProofFault::Kernel(fault) => (fault.code(), fault.place(), fault.hint()),
        ProofFault::Claim { fault, place } => (format!("invariant.{}", fault.invariant.name()), *place, None),
    };
    let place = place.map(|place| (&module.sources[place.source], place.span));
    let message = format!("{name}: {}", without_code(&fault.to_string(), &code));
    Fault { place, help, ..Fault::error(code, message) }
}

/// A message that does not begin with its own code.
fn without_code(message: &str, code: &str) -> String {
    message.strip_prefix(&format!("{code}: ")).unwrap_or(message).to_owned()
}
