//! `pisa fmt`

use std::path::{Path, PathBuf};

use anyhow::Result;
use campanile::language::diagnostic::Sink;
use campanile::language::{format, syntax};
use clap::Args;
use serde_json::json;

use crate::console::{Console, Tally};
use crate::{Outcome, input, output};

/// Lay out modules in the canonical way
///
/// Keeps comments, names, scopes and the base of numbers. Files are rewritten in place; standard input is printed.
/// A file with syntax errors is reported and left alone.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  pisa fmt kernel.pisa\n  pisa fmt --check kernels/*.pisa\n  pisa fmt - < kernel.pisa\n\n\
                        Exit status: 0 fine, 1 a file has errors or, with --check, another layout, 2 wrong usage or\nunreadable files."
)]
pub struct Fmt {
    /// Files to format; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only tell which files have another layout, and change nothing
    #[arg(long)]
    check: bool,
}

/// What became of a file.
enum Layout {
    Canonical,
    Other,
    /// It has errors, and none that can be told.
    Unknown,
}

impl Fmt {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        let mut tally = Tally::default();
        let mut others = Vec::new();
        let mut outcome = Outcome::Fine;
        for path in &self.files {
            match self.format(path, console, &mut tally) {
                Ok(Layout::Canonical) => {}
                Ok(Layout::Other) => {
                    others.push(input::name(path));
                    if self.check {
                        outcome = outcome.max(Outcome::Faulty);
                    }
                }
                Ok(Layout::Unknown) => outcome = outcome.max(Outcome::Faulty),
                Err(error) => {
                    console.error(&error);
                    outcome = Outcome::Failed;
                }
            }
        }
        if self.check {
            others.iter().for_each(|name| console.note(&format!("{name} would be changed")));
        }
        console.summary("fmt", tally, json!({ "changed": others }));
        Ok(outcome)
    }

    /// Formats one file, and writes it unless it is only to be checked.
    fn format(&self, path: &Path, console: &Console, tally: &mut Tally) -> Result<Layout> {
        let mut sink = Sink::new();
        let source = input::read(path, &mut sink)?;
        tally.files += 1;
        let tree = source.as_ref().map(|source| syntax::parse(source, &mut sink));
        let (Some(source), Some(tree), 0) = (source, tree, sink.errors()) else {
            console.diagnostics(sink, tally);
            return Ok(Layout::Unknown);
        };
        let formatted = format::format(&source, &tree);
        let changed = formatted != source.text();
        if !self.check && (changed || path == Path::new("-")) {
            output::write_whole(path, &formatted)?;
        }
        Ok(if changed { Layout::Other } else { Layout::Canonical })
    }
}
