//! `pisa spirv-check`

mod assemble;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use campanile::language::source::SourceFile;
use campanile::spirv::environment::{self, Code, Finding, Listing, Module};
use clap::Args;
use serde_json::json;

use crate::console::{Console, Tally};
use crate::render::Fault;
use crate::{Outcome, input};

/// Check SPIR-V modules against the rules of OpenCL
///
/// Takes kernels from any compiler, as binaries or as assembly text, which `spirv-as` assembles. Checks what `spirv-val`
/// leaves to the OpenCL environment: the type, storage class and capability of every built-in variable, and what
/// kernels may return, take and call. What producers do differently without harm is a warning; warnings alone leave the
/// exit status at 0.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pisa spirv-check kernel.spv
  spirv-dis kernel.spv | pisa spirv-check -
  llvm-spirv kernel.bc -o - | pisa spirv-check --deny-warnings -
  pisa spirv-check --message-format json build/*.spv
  pisa explain S0301

Exit status: 0 no errors, 1 errors, 2 wrong usage, unreadable files, or no `spirv-as` for text.")]
pub struct SpirvCheck {
    /// Modules to check; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,
}

impl SpirvCheck {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        let mut tally = Tally::default();
        let mut unreadable = false;
        for path in &self.files {
            let checked =
                input::bytes(path).and_then(|bytes| check(&input::name(path), bytes, console, &mut tally));
            match checked {
                Ok(()) => tally.files += 1,
                Err(error) => {
                    console.error(&error);
                    unreadable = true;
                }
            }
        }
        console.summary("spirv-check", tally, json!({}));
        Ok(if unreadable {
            Outcome::Failed
        } else if tally.errors > 0 || (self.deny_warnings && tally.warnings > 0) {
            Outcome::Faulty
        } else {
            Outcome::Fine
        })
    }
}

/// Checks one file, and tells what is wrong with it.
fn check(name: &str, bytes: Vec<u8>, console: &Console, tally: &mut Tally) -> Result<()> {
    if environment::is_binary(&bytes) {
        check_module(name, &bytes, None, console, tally);
        return Ok(());
    }
    let Some(text) = String::from_utf8(bytes).ok().filter(|text| !text.is_empty() && !text.contains('\0'))
    else {
        let message = format!("`{name}` is neither a SPIR-V module nor text");
        console.faults([Fault::error(Code::NotSpirv.to_string(), message)], tally);
        return Ok(());
    };
    let source = SourceFile::new(name, text).with_context(|| format!("`{name}` is longer than 4 GiB"))?;
    let source = Arc::new(source);
    match assemble::assemble(&source)? {
        Ok(assembled) => check_module(name, &assembled, Some(&source), console, tally),
        Err(fault) => console.faults([fault.fault(&source)], tally),
    }
    Ok(())
}

/// Checks a binary module. Messages point at the text that it was assembled from, or at its disassembly.
fn check_module(
    name: &str,
    bytes: &[u8],
    source: Option<&Arc<SourceFile>>,
    console: &Console,
    tally: &mut Tally,
) {
    let mut module = match Module::read(bytes) {
        Ok(module) => module,
        Err(finding) => {
            let message = format!("{name}: {}", finding.message);
            return console.faults([Fault::error(finding.code.to_string(), message)], tally);
        }
    };
    let written = source.and_then(|source| Listing::written(source, &mut module));
    let findings = environment::check(&module);
    if findings.is_empty() {
        return;
    }
    let listing = written.or_else(|| Listing::disassembled(name, &module));
    console.faults(findings.iter().map(|finding| fault(name, finding, listing.as_ref())), tally);
}

fn fault<'l>(name: &str, finding: &'l Finding, listing: Option<&'l Listing>) -> Fault<'l> {
    let place = listing.map(|listing| (&listing.source, listing.span(finding.place)));
    let labels = listing.into_iter().flat_map(|listing| {
        let label = |(place, text): &'l (_, String)| (&listing.source, listing.span(*place), text.as_str());
        finding.labels.iter().map(label)
    });
    let message = match place {
        Some(_) => finding.message.clone(),
        None => format!("{name}: {}", finding.message),
    };
    Fault {
        code: finding.code.to_string(),
        severity: finding.severity(),
        message,
        place,
        labels: labels.collect(),
        help: finding.help.clone(),
    }
}
