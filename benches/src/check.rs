//! `pisa check` against `llvm-as`: a module of PISA text and a module of LLVM IR text with as many instructions.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::generate::{Written, generate};
use crate::peer;
use crate::process::{Usage, compare, measure, median};

/// Measures and prints a table.
pub fn run(pisa: &Path, runs: usize, quick: bool) -> Result<()> {
    let full = if quick { 2_000_000 } else { 50_000_000 };
    let folder = tempfile::tempdir()?;
    let (ours, theirs) = (folder.path().join("module.pisa"), folder.path().join("module.ll"));
    let check = || measure(Command::new(pisa).arg("check").arg(&ours));
    println!("pisa check: time and memory by size of the text (median of {runs})");
    println!(
        "{:>10} {:>14} {:>10} {:>12} {:>16} {:>14}",
        "text MB", "instructions", "seconds", "MB/s", "instructions/s", "memory/text"
    );
    let mut written = Written::default();
    for size in [full / 4, full / 2, full] {
        let (mut pisa_file, mut llvm_file) = (create(&ours)?, create(&theirs)?);
        written = generate(size, &mut pisa_file, &mut llvm_file)?;
        pisa_file.flush()?;
        llvm_file.flush()?;
        let usages: Vec<Usage> = (0..runs).map(|_| check()).collect::<Result<_>>()?;
        let seconds = median(usages.iter().map(|usage| usage.seconds).collect());
        let peak = median(usages.iter().map(|usage| usage.peak as f64).collect());
        let (bytes, instructions) = (written.pisa_bytes as f64, written.pisa_instructions as f64);
        println!(
            "{:>10.1} {instructions:>14} {seconds:>10.3} {:>12.1} {:>16.0} {:>14.2}",
            bytes / 1e6,
            bytes / 1e6 / seconds,
            instructions / seconds,
            peak / bytes
        );
    }
    if let Some(version) = peer::version("llvm-as", "llvm") {
        // Untyped pointers are the only ones since LLVM 17, and not the default in 14.
        let options: &[&str] = if version.contains("version 14.") { &["-opaque-pointers"] } else { &[] };
        let assemble =
            || measure(Command::new("llvm-as").args(options).arg(&theirs).args(["-o", "/dev/null"]));
        let pair = compare(runs, check, assemble)?;
        let (ours, theirs) = (written.pisa_instructions as f64, written.llvm_instructions as f64);
        println!(
            "\npisa check against llvm-as: {ours} and {theirs} instructions in {:.1} and {:.1} MB (median of {runs} pairs)",
            written.pisa_bytes as f64 / 1e6,
            written.llvm_bytes as f64 / 1e6
        );
        println!("{:>22} {:>22} {:>8}", "pisa instructions/s", "llvm-as instructions/s", "ratio");
        println!(
            "{:>22.0} {:>22.0} {:>8.2}",
            ours / pair.ours,
            theirs / pair.theirs,
            pair.ratio * ours / theirs
        );
    }
    Ok(())
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    Ok(BufWriter::new(File::create(path)?))
}
