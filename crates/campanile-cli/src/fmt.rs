//! `pisa fmt`

use std::path::PathBuf;

use anyhow::Result;
use campanile_core::diagnostic::Sink;
use campanile_core::{format, syntax};
use clap::Args;

use crate::console::Console;
use crate::{Outcome, input, output};

/// Lay out modules in the canonical way
///
/// Keeps comments, names, scopes and the base of numbers. Files are rewritten in place; standard input is printed.
/// A file with syntax errors is reported and left alone.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  pisa fmt kernel.pisa\n  pisa fmt --check kernels/*.pisa\n  pisa fmt - < kernel.pisa\n\n\
                        Exit status: 0 fine, 1 a file has errors or, with --check, another layout, 2 wrong usage."
)]
pub struct Fmt {
    /// Files to format; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only tell which files have another layout, and change nothing
    #[arg(long)]
    check: bool,
}

impl Fmt {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        let mut outcome = Outcome::Fine;
        for path in &self.files {
            let mut sink = Sink::new();
            let source = input::read(path, &mut sink)?;
            let tree = source.as_ref().map(|source| syntax::parse(source, &mut sink));
            if sink.errors() > 0 {
                outcome = Outcome::Faulty;
                console.diagnostics(&sink.into_sorted());
                continue;
            }
            let (Some(source), Some(tree)) = (source, tree) else { continue };
            let formatted = format::format(&source, &tree);
            if self.check {
                if formatted != source.text() {
                    outcome = Outcome::Faulty;
                    console.note(&format!("{} would be changed", source.name()));
                }
            } else if path == std::path::Path::new("-") || formatted != source.text() {
                output::write_whole(path, &formatted)?;
            }
        }
        Ok(outcome)
    }
}
