//! Measures `pisa` against programs that do the same work. See README.md beside this crate.

mod check;
mod emit;
mod engine;
mod generate;
mod peer;
mod process;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};

/// Measure `pisa` against programs that do the same work
#[derive(Debug, Parser)]
struct Arguments {
    /// What to measure
    #[arg(value_enum)]
    what: What,
    /// Measure once, on little input: only to see that everything works
    #[arg(long)]
    quick: bool,
    /// Number of paired runs, of which the median counts
    #[arg(long, default_value_t = 5)]
    runs: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Reading and checking text, against `llvm-as`.
    Check,
    /// Translating to SPIR-V.
    Emit,
    /// Running kernels on the checked engine, against `oclgrind-kernel`.
    Engine,
}

fn main() -> Result<()> {
    let Arguments { what, quick, runs } = Arguments::parse();
    let runs = if quick { 1 } else { runs.max(1) };
    let pisa = build_pisa()?;
    match what {
        What::Check => check::run(&pisa, runs, quick),
        What::Emit => emit::run(&pisa, runs, quick),
        What::Engine => engine::run(&pisa, runs, quick),
    }
}

/// Builds the command line beside this program, with the same profile.
fn build_pisa() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "-p", "campanile-cli"]);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    build.current_dir(env!("CARGO_MANIFEST_DIR"));
    ensure!(build.status().context("cannot start cargo")?.success(), "the command line does not build");
    Ok(std::env::current_exe()?.with_file_name("pisa"))
}
