//! The checked engine against Oclgrind: the same kernels in PISA and in OpenCL C, each on one thread.
//!
//! The time of a launch of the least size is taken off on both sides: reading the text, and compiling OpenCL C.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::peer;
use crate::process::{Usage, compare, measure};

/// A kernel that both sides have.
struct Kernel {
    name: &'static str,
    /// Size of the problem, when measured in earnest and in a hurry.
    sizes: [usize; 2],
    /// Least size that can be launched.
    least: usize,
    /// The arguments of `pisa run` for a size.
    pisa: fn(usize) -> String,
    /// The launch in the language of `oclgrind-kernel`, below the name of the kernel.
    launch: fn(usize) -> String,
}

const KERNELS: [Kernel; 2] = [
    Kernel {
        name: "matmul",
        sizes: [96, 32],
        least: 16,
        pisa: |size| {
            format!(
                "--grid {size},{size} --local 16,16 --arg left=random:f32[{size}x{size}]:1 \
                 --arg right=random:f32[{size}x{size}]:2 --arg product=zeros:f32[{size}x{size}] \
                 --arg rows={size}u32 --arg inner={size}u32 --arg columns={size}u32"
            )
        },
        launch: |size| {
            let bytes = 4 * size * size;
            format!(
                "{size} {size} 1\n16 16 1\n\n<size={bytes} float fill=0.5>\n<size={bytes} float fill=0.25>\n\
                 <size={bytes} float fill=0>\n<size=4 uint>\n{size}\n"
            )
        },
    },
    Kernel {
        name: "nbody",
        sizes: [512, 128],
        least: 64,
        pisa: |size| {
            format!(
                "--grid {size} --local 64 --arg bodies=random:f32[{size}x4]:1 --arg velocities=zeros:f32[{size}x4] \
                 --arg moved=zeros:f32[{size}x4] --arg count={size}u32 --arg time_step=0.001f32 \
                 --arg softening_squared=0.0001f32"
            )
        },
        launch: |size| {
            let (bytes, numbers) = (16 * size, 4 * size);
            format!(
                "{size} 1 1\n64 1 1\n\n<size={bytes} float range=1:1:{numbers}>\n<size={bytes} float fill=0>\n\
                 <size={bytes} float fill=0>\n<size=4 uint>\n{size}\n<size=4 float>\n0.001\n<size=4 float>\n0.0001\n"
            )
        },
    },
];

/// What Oclgrind watches: accesses only, or what `pisa run` watches too.
const WATCHED: [(&str, &[&str]); 2] =
    [("accesses", &[]), ("also races, undefined values", &["--data-races", "--uninitialized"])];

/// Measures and prints a table.
pub fn run(pisa: &Path, runs: usize, quick: bool) -> Result<()> {
    println!(
        "pisa run, all checks of the default, against oclgrind-kernel, one thread (median of {runs} pairs)"
    );
    let oclgrind = peer::version("oclgrind-kernel", "oclgrind").is_some();
    println!(
        "{:<8} {:>6}  {:<30} {:>10} {:>12} {:>8}",
        "kernel", "size", "oclgrind watches", "pisa s", "oclgrind s", "ratio"
    );
    for kernel in &KERNELS {
        let size = kernel.sizes[usize::from(quick)];
        let bench = Bench { pisa, kernel, size, folder: tempfile::tempdir()? };
        if !oclgrind {
            println!("{:<8} {size:>6}  {:<30} {:>10.3}", kernel.name, "-", bench.ours()?.seconds);
            continue;
        }
        for (watched, options) in WATCHED {
            let pair = compare(runs, || bench.ours(), || bench.theirs(options))?;
            println!(
                "{:<8} {size:>6}  {watched:<30} {:>10.3} {:>12.3} {:>8.1}",
                kernel.name, pair.ours, pair.theirs, pair.ratio
            );
        }
    }
    Ok(())
}

struct Bench<'b> {
    pisa: &'b Path,
    kernel: &'b Kernel,
    size: usize,
    folder: tempfile::TempDir,
}

impl Bench<'_> {
    fn ours(&self) -> Result<Usage> {
        let file = root().join("examples").join(self.kernel.name).with_extension("pisa");
        self.beyond_start(|size| {
            let mut command = Command::new(self.pisa);
            command.arg("run").arg(&file).args(["--threads", "1"]);
            command.args((self.kernel.pisa)(size).split_whitespace());
            Ok(command)
        })
    }

    fn theirs(&self, options: &[&str]) -> Result<Usage> {
        let source = root().join("benches/kernels").join(self.kernel.name).with_extension("cl");
        self.beyond_start(|size| {
            let simulation = self.folder.path().join(format!("{size}.sim"));
            let name = self.kernel.name;
            let launch = (self.kernel.launch)(size);
            fs::write(&simulation, format!("{name}.cl\n{name}\n{launch}"))?;
            let copied = self.folder.path().join(name).with_extension("cl");
            fs::copy(&source, copied).with_context(|| format!("cannot copy {}", source.display()))?;
            let mut command = Command::new("oclgrind-kernel");
            command
                .args(["--num-threads", "1"])
                .args(options)
                .arg(simulation)
                .current_dir(self.folder.path());
            Ok(command)
        })
    }

    /// What the full size takes beyond the least one.
    fn beyond_start(&self, command: impl Fn(usize) -> Result<Command>) -> Result<Usage> {
        let full = measure(&mut command(self.size)?)?;
        let start = measure(&mut command(self.kernel.least)?)?;
        Ok(Usage { seconds: (full.seconds - start.seconds).max(1e-3), ..full })
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
