//! Compile times: whole runs of `pisa`, and what OpenCL needs from text to the end of a first launch.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::cases::saxpy;
use crate::measure::milliseconds;
use crate::opencl::{OpenCl, Peers, Platform};
use crate::runner::Runner;
use crate::statistics::{median, ratio};
use crate::table::number;

const TEXT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/saxpy.pisa");

/// Measures and prints compile times of saxpy.
///
/// # Errors
/// When a program does not run.
pub fn run(peers: &Peers, runs: usize) -> Result<()> {
    let [mut empty, mut cold, mut cached, mut intel, mut pocl] = [const { Vec::new() }; 5];
    for _ in 0..runs {
        // A folder of its own is a cache with nothing in it.
        let cache = tempfile::tempdir()?;
        empty.push(pisa(&["--version"], cache.path())?);
        cold.push(pisa(&LAUNCH, cache.path())?);
        cached.push(pisa(&LAUNCH, cache.path())?);
        intel.extend(first_launch("intel", peers.intel.as_ref())?);
        pocl.extend(first_launch("pocl", peers.pocl.as_ref())?);
    }
    let pocl_ratio = ratio(&pocl, &cold);
    let middle = |times| number(median(times));
    println!("saxpy, milliseconds from text to the end of a first small launch:");
    println!("  pisa run, the whole process: cold {}, cached {}", middle(cold), middle(cached));
    println!("  pisa --version, for comparison: {}", middle(empty));
    println!("  Intel's runtime, once it is loaded: {}", middle(intel));
    println!("  pocl, once it is loaded: {} ({} times pisa's cold run)", middle(pocl), number(pocl_ratio));
    Ok(())
}

/// A launch of one work-group, so that its work does not count.
const LAUNCH: [&str; 9] = [
    "run",
    TEXT,
    "--engine=jit",
    "--grid=256",
    "--local=256",
    "--arg=x=zeros:f32[256]",
    "--arg=y=zeros:f32[256]",
    "--arg=a=2f32",
    "--arg=count=256u32",
];

/// Milliseconds of a run of the command line that was built beside this program.
fn pisa(arguments: &[impl AsRef<OsStr>], cache: &Path) -> Result<f64> {
    let program = std::env::current_exe()?.with_file_name("pisa");
    let mut command = Command::new(&program);
    command.args(arguments).env("CAMPANILE_CACHE", cache).stdin(Stdio::null());
    let start = Instant::now();
    let output = command.output().with_context(|| format!("cannot run {}", program.display()))?;
    let time = milliseconds(start.elapsed());
    ensure!(output.status.success(), "pisa fails: {}", String::from_utf8_lossy(&output.stderr));
    Ok(time)
}

/// Milliseconds of a first launch in a process of its own, if the platform is there.
fn first_launch(name: &str, platform: Option<&Platform>) -> Result<Option<f64>> {
    if platform.is_none() {
        return Ok(None);
    }
    let output = Command::new(std::env::current_exe()?).args(["--first-launch", name]).output()?;
    ensure!(output.status.success(), "{name} fails: {}", String::from_utf8_lossy(&output.stderr));
    Ok(Some(String::from_utf8(output.stdout)?.trim().parse()?))
}

/// Builds and launches saxpy on a platform and prints how long that took.
///
/// # Errors
/// When there is no such platform or the kernel does not run.
pub fn print_first_launch(name: &str) -> Result<()> {
    let platform = match name {
        "intel" => Platform::intel()?,
        "pocl" => Platform::pocl()?,
        _ => bail!("there is no platform {name}"),
    };
    let case = saxpy(true);
    let platform = platform.with_context(|| format!("{name} is not there"))?;
    let start = Instant::now();
    OpenCl::new(&case, &platform)?.launch()?;
    println!("{}", milliseconds(start.elapsed()));
    Ok(())
}
