//! `pisa link`

use std::path::PathBuf;

use anyhow::Result;
use campanile::language::module;
use clap::Args;
use serde_json::json;

use crate::console::{Console, Tally};
use crate::{Outcome, input, output};

/// Join modules into one
///
/// Imports are matched with exports by name, type and size; internal names are renamed where they clash.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pisa link main.pisa library.pisa -o program.pisa\n  \
                        pisa link --library part1.pisa part2.pisa -o library.pisa\n\n\
                        Exit status: 0 linked, 1 the modules do not fit, 2 wrong usage or unreadable files.")]
pub struct Link {
    /// Modules to join; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Where to write the result; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Keep imports that no module exports
    #[arg(long)]
    library: bool,
}

impl Link {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        let mut tally = Tally::default();
        let program = input::load_program(&self.files, self.library, console, &mut tally)?;
        if let Some(program) = &program {
            output::write_whole(&self.output, &module::print(program))?;
        }
        console.summary("link", tally, json!({}));
        Ok(if program.is_some() { Outcome::Fine } else { Outcome::Faulty })
    }
}
