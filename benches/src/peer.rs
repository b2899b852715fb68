//! The programs that `pisa` is measured against.

use std::process::{Command, Stdio};

/// What a program says with `--version`; without it, that the comparison is skipped.
pub fn version(program: &str, package: &str) -> Option<String> {
    let mut version = Command::new(program);
    version.arg("--version").stdin(Stdio::null());
    let output = version.output().ok().filter(|output| output.status.success());
    if output.is_none() {
        println!("\n{program} is not installed (Debian package {package}): the comparison is skipped");
    }
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
}
