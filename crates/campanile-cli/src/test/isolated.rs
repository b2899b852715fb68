//! Tests in processes of their own: on an OpenCL device, as runtimes may end the process that they are in, or wait for ever;
//! and on any engine that runs compiled code, as kernels may crash.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use super::runner::{Method, Tested};
use crate::Outcome;

/// Time that a file has before its process is ended. Runtimes take seconds to build large modules.
const PATIENCE: Duration = Duration::from_secs(120);

/// Lines that are quoted of what a process says at its end.
const QUOTED: usize = 4;

/// Tests all files of this command line in another process, with the same output; none if that process crashes, before it has
/// told of any file.
///
/// # Errors
/// When no process can be started.
pub fn test_all() -> Result<Option<Outcome>> {
    let mut command = this_program()?;
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let after_name = words.iter().position(|word| word == "test").map_or(0, |place| place + 1);
    command.args(&words[..after_name]).args(["--process", "all"]).args(&words[after_name..]);
    let status = command.status().context(NOT_STARTED)?;
    Ok(match status.code() {
        Some(0) => Some(Outcome::Fine),
        Some(1) => Some(Outcome::Faulty),
        Some(_) => Some(Outcome::Failed),
        None => None,
    })
}

const NOT_STARTED: &str = "a process for tests cannot be started";

fn this_program() -> Result<Command> {
    Ok(Command::new(std::env::current_exe().context("this program cannot be found")?))
}

/// Tests a file on the engines for which it has a process of its own.
///
/// # Errors
/// Says what differs from the expectations, or how the process ended.
pub fn test(path: &Path, method: &Method) -> Result<Tested> {
    let mut command = this_program()?;
    command.args(["test", "--process", "one", "--message-format", "json"]).args(&method.options);
    for (engine, _) in method.engines.iter().filter(|(engine, _)| method.isolates(*engine)) {
        command.args(["--engine", engine.name()]);
    }
    let (mut results, mut messages) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.arg("--").arg(path).stdout(results.try_clone()?).stderr(messages.try_clone()?);
    let mut child = command.spawn().context(NOT_STARTED)?;
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

/// The error of a process that has ended without a result: its own message with what belongs to it, or what else was said.
fn ended(status: ExitStatus, messages: &str) -> anyhow::Error {
    let mut lines = messages.lines().filter(|line| !line.trim().is_empty());
    let mut others: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("error: ")).collect();
    let own = messages.lines().find_map(|line| line.strip_prefix("error: "));
    let what = own.map_or_else(|| format!("the process ended by itself ({status})"), str::to_owned);
    let (more, later): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with(' '));
    others.extend(later);
    let mut text = more.iter().fold(what, |text, line| format!("{text}\n  {line}"));
    if own.is_none() || !others.is_empty() {
        let said = if others.is_empty() { vec!["nothing"] } else { others };
        text += "\n  it said:";
        said.iter().take(QUOTED).for_each(|line| text += &format!("\n    {line}"));
    }
    anyhow!(text)
}
