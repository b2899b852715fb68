//! `pisa check`

use std::path::PathBuf;

use anyhow::Result;
use campanile::language::diagnostic::Sink;
use campanile::language::verify;
use clap::Args;
use serde_json::json;

use crate::console::{Console, Tally};
use crate::{Outcome, input};

/// Check modules against every rule of the language
///
/// Reports all faults of each file with place, rule and advice. Warnings alone leave the exit status at 0.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  pisa check kernel.pisa\n  llc -mtriple=pisa kernel.ll -o - | pisa check -\n  \
                        pisa check --message-format json kernels/*.pisa\n\n\
                        Exit status: 0 no errors, 1 errors, 2 wrong usage or unreadable files."
)]
pub struct Check {
    /// Files to check; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Also refuse what is tolerated because producers print it: functions whose `return` is not their last instruction
    #[arg(long)]
    strict: bool,
    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,
}

impl Check {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        let mut tally = Tally::default();
        let mut unreadable = false;
        for path in &self.files {
            let mut sink = Sink::new();
            match input::load(path, verify::Options { strict: self.strict }, &mut sink) {
                Ok(_) => tally.files += 1,
                Err(error) => {
                    console.error(&error);
                    unreadable = true;
                }
            }
            console.diagnostics(sink, &mut tally);
        }
        console.summary("check", tally, json!({}));
        Ok(if unreadable {
            Outcome::Failed
        } else if tally.errors > 0 || (self.deny_warnings && tally.warnings > 0) {
            Outcome::Faulty
        } else {
            Outcome::Fine
        })
    }
}
