//! `pisa check`

use std::path::PathBuf;

use anyhow::Result;
use campanile_core::diagnostic::Sink;
use campanile_core::verify;
use clap::Args;

use crate::console::Console;
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
    /// Also refuse what is tolerated only because producers print it, such as a last block without `return`
    #[arg(long)]
    strict: bool,
    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,
}

impl Check {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        let (mut errors, mut warnings, mut faulty) = (0, 0, 0);
        for path in &self.files {
            let mut sink = Sink::new();
            input::load(path, verify::Options { strict: self.strict }, &mut sink)?;
            errors += sink.errors();
            warnings += sink.warnings();
            let refused = sink.errors() > 0 || (self.deny_warnings && sink.warnings() > 0);
            faulty += usize::from(refused);
            let found = sink.errors() + sink.warnings();
            console.diagnostics(&sink.into_sorted());
            if found > Sink::LIMIT {
                let name = path.display();
                console.note(&format!(
                    "{name}: only the first {} of at least {found} findings are shown",
                    Sink::LIMIT
                ));
            }
        }
        if errors + warnings > 0 {
            let plural =
                |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
            console.note(&format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")));
        }
        Ok(if faulty > 0 { Outcome::Faulty } else { Outcome::Fine })
    }
}
