//! `pisa emit --to spirv`: time by the number of instructions, the reading of the text included.

use std::fs::File;
use std::io::{BufWriter, Write, sink};
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::generate::generate;
use crate::process::{Usage, measure, median};

/// Bytes of text that an instruction takes, about.
const INSTRUCTION: usize = 30;

/// Measures and prints a table.
pub fn run(pisa: &Path, runs: usize, quick: bool) -> Result<()> {
    let most = if quick { 10_000 } else { 640_000 };
    let folder = tempfile::tempdir()?;
    let (module, words) = (folder.path().join("module.pisa"), folder.path().join("module.spv"));
    println!("pisa emit --to spirv: time by the size of the module (median of {runs})");
    println!("{:>14} {:>10} {:>20} {:>14}", "instructions", "ms", "ms per 10,000", "words");
    for size in [10_000, 40_000, 160_000, 640_000].into_iter().filter(|size| *size <= most) {
        let mut file = BufWriter::new(File::create(&module)?);
        let written = generate(size * INSTRUCTION, &mut file, &mut sink())?;
        file.flush()?;
        let emit =
            || measure(Command::new(pisa).args(["emit", "--to", "spirv", "-o"]).args([&words, &module]));
        let usages: Vec<Usage> = (0..runs).map(|_| emit()).collect::<Result<_>>()?;
        let milliseconds = 1e3 * median(usages.iter().map(|usage| usage.seconds).collect());
        let count = written.pisa_instructions;
        let each = milliseconds / count as f64 * 1e4;
        let words = std::fs::metadata(&words)?.len() / 4;
        println!("{count:>14} {milliseconds:>10.1} {each:>20.1} {words:>14}");
    }
    Ok(())
}
