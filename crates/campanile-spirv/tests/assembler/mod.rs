//! SPIRV-Tools, for tests that need them.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Gives a tool its standard input and waits for it. `None` where there is no such tool, which continuous integration
/// has.
///
/// # Panics
/// When the tool cannot be run for another reason.
pub fn run(tool: &str, arguments: &[&str], input: &[u8]) -> Option<Output> {
    let mut command = Command::new(tool);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if std::env::var_os("CI").is_none_or(|ci| ci != "true") => {
            eprintln!("skipped: there is no {tool}: {error}");
            return None;
        }
        Err(error) => panic!("{tool} (Debian's spirv-tools): {error}"),
    };
    child.stdin.take().expect("a pipe").write_all(input).expect("a tool that reads");
    Some(child.wait_with_output().expect("a tool that ends"))
}
