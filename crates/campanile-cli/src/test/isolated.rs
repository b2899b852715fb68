//! Tests on an OpenCL device in a process of their own, as runtimes may end the process that they are in, or wait for ever.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use super::runner::Tested;

/// Time that a file has before its process is ended. Runtimes take seconds to build large modules.
const PATIENCE: Duration = Duration::from_secs(120);

/// Lines that are quoted of what a runtime says at its end.
const QUOTED: usize = 4;

/// Tests a file on the OpenCL device of this name, or on any.
///
/// # Errors
/// Says what differs from the expectations, or how the process ended.
pub fn test(path: &Path, device: Option<&str>) -> Result<Tested> {
    let mut command = Command::new(std::env::current_exe().context("this program cannot be found")?);
    command.args(["test", "--in-process", "--engine", "opencl", "--message-format", "json"]);
    if let Some(name) = device {
        command.arg("--device").arg(format!("opencl:{name}"));
    }
    let (mut results, mut messages) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.arg("--").arg(path).stdout(results.try_clone()?).stderr(messages.try_clone()?);
    let mut child = command.spawn().context("the process for the device cannot be started")?;
    let status = wait(&mut child)?;
    let (results, messages) = (contents(&mut results)?, contents(&mut messages)?);
    let object = results.lines().find_map(|line| serde_json::from_str(line).ok().filter(is_result));
    match (object, status) {
        (Some(object), Some(_)) => told(&object),
        (_, None) => bail!("it has not ended after {} seconds", PATIENCE.as_secs()),
        (None, Some(status)) => Err(ended(status, &messages)),
    }
}

fn is_result(object: &Value) -> bool {
    object["type"] == "test"
}

/// Waits for the end of a process; none if it had to be ended.
fn wait(child: &mut Child) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

fn contents(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What the process has told of its only file.
fn told(object: &Value) -> Result<Tested> {
    let detail = object["detail"].as_str().unwrap_or_default().to_owned();
    match object["result"].as_str() {
        Some("passed") => Ok(Tested::Passed),
        Some("skipped") => Ok(Tested::Nothing),
        Some("left out") => Ok(Tested::LeftOut(detail)),
        _ => Err(anyhow!(detail)),
    }
}

/// The error of a process that has ended without a result.
fn ended(status: ExitStatus, messages: &str) -> anyhow::Error {
    let (own, others): (Vec<&str>, Vec<&str>) =
        messages.lines().filter(|line| !line.trim().is_empty()).partition(|line| line.starts_with("error: "));
    let what = match own.first().and_then(|line| line.strip_prefix("error: ")) {
        Some(message) => message.to_owned(),
        None => format!("the runtime of the OpenCL device ended the process ({status})"),
    };
    let lines: Vec<&str> = others.into_iter().take(QUOTED).collect();
    let said = if lines.is_empty() { "nothing".to_owned() } else { lines.join("\n  ") };
    anyhow!("{what}; what it said:\n  {said}")
}
