//! `pisa abi --header` and `pisa abi --check`: functions as C declares them.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use campanile::amdgpu::LlvmVersion;
use campanile::amdgpu::c::{Code, Comparison, Finding, Findings, Header, Language, Prototypes};
use campanile::language::diagnostic::Sink;
use campanile::language::module::Module;
use campanile::language::source::SourceFile;
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::console::{self, Console, Tally};
use crate::render::Fault;
use crate::{input, output};

/// The languages of prototypes, as options name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dialect {
    /// HIP, as clang reads it for the device.
    Hip,
    /// OpenCL C.
    Opencl,
    /// C for an AMD GPU.
    C,
}

impl Dialect {
    fn language(self) -> Language {
        match self {
            Dialect::Hip => Language::Hip,
            Dialect::Opencl => Language::OpenCl,
            Dialect::C => Language::C,
        }
    }

    /// The one that the name of a file says.
    fn of(path: &Path) -> Self {
        let is_opencl = path.extension().is_some_and(|extension| extension == "cl" || extension == "clh");
        if is_opencl { Dialect::Opencl } else { Dialect::Hip }
    }
}

/// Writes the declarations of a module's exported functions.
///
/// # Errors
/// When they cannot be written.
pub fn header(module: &Module, path: Option<&Path>, console: &Console, tally: &mut Tally) -> Result<()> {
    let header = Header::new(module);
    let undeclared = header.undeclared.iter().map(|id| {
        let function = &module.functions[*id];
        let place = (&module.sources[function.place.source], function.place.span);
        Fault {
            severity: Code::Undeclared.severity(),
            place: Some(place),
            help: Some("give it a name of letters, digits and underlines".to_owned()),
            ..Fault::error(
                Code::Undeclared.to_string(),
                "no declaration of C can have this name, so it is left out",
            )
        }
    });
    console.faults(undeclared, tally);
    match path {
        Some(path) => output::write_whole(path, &header.text),
        None => Ok(console::print(&header.text)?),
    }
}

/// Holds the prototypes of a file against the functions of a module; returns what joins the summary.
///
/// # Errors
/// When the file cannot be read.
pub fn check(
    path: &Path,
    dialect: Option<Dialect>,
    module: &Module,
    llvm: LlvmVersion,
    console: &Console,
    tally: &mut Tally,
) -> Result<Value> {
    let mut sink = Sink::new();
    let source = input::read(path, &mut sink)?;
    console.diagnostics(sink, tally);
    tally.files += 1;
    let Some(source) = source else { return Ok(json!({})) };
    let language = dialect.unwrap_or_else(|| Dialect::of(path)).language();
    let (prototypes, findings) = Prototypes::read(&source, language);
    tell(&source, findings, console, tally);
    let Comparison { findings, matched, without_function, without_prototype } =
        prototypes.check(module, llvm);
    tell(&source, findings, console, tally);
    let prototype = |index: &usize| &prototypes.prototypes[*index];
    for prototype in without_function.iter().map(prototype) {
        let (line, column) = source.position(prototype.span.start);
        let place = format!("{}:{line}:{column}", source.name());
        console.note(&format!(
            "note: {place}: the modules export and import no function `{}`",
            prototype.symbol
        ));
    }
    for function in without_prototype.iter().map(|id| &module.functions[*id]) {
        let file = &module.sources[function.place.source];
        let (line, column) = file.position(function.place.span.start);
        console.note(&format!(
            "note: {}:{line}:{column}: `@{}` has no prototype",
            file.name(),
            function.name
        ));
    }
    console.note(&format!("{} checked", console::plural(matched, "prototype")));
    Ok(json!({
        "matched": matched,
        "without_function": without_function.iter().map(|index| &prototype(index).symbol).collect::<Vec<_>>(),
        "without_prototype":
            without_prototype.iter().map(|id| &module.functions[*id].name).collect::<Vec<_>>(),
    }))
}

fn tell(source: &Arc<SourceFile>, findings: Findings, console: &Console, tally: &mut Tally) {
    let findings = findings.into_sorted();
    console.faults(findings.iter().map(|finding| fault(source, finding)), tally);
}

fn fault<'f>(source: &'f Arc<SourceFile>, finding: &'f Finding) -> Fault<'f> {
    let labels = finding.related.iter().map(|related| (&related.source, related.span, related.text.as_str()));
    Fault {
        code: finding.code.to_string(),
        severity: finding.code.severity(),
        message: finding.message.clone(),
        place: Some((source, finding.span)),
        labels: labels.collect(),
        help: finding.help.clone(),
    }
}
