//! Assembly text to a module, by the `spirv-as` of SPIRV-Tools.

use std::io::{ErrorKind, Write};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result};
use campanile::language::source::{SourceFile, Span};
use campanile::spirv::environment::{Code, stated_version};

use crate::advice::advised;
use crate::render::Fault;

/// Why a text is not assembled.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AssemblyFault {
    /// Line and column, both counted from one, where the tool names them.
    place: Option<(usize, usize)>,
    message: String,
    /// The version that the text was assembled for, where it tells one.
    version: Option<(u8, u8)>,
}

/// Assembles a text. Its version is the one that a comment `; Version: 1.2` at its head tells, or the newest.
///
/// # Errors
/// When `spirv-as` cannot be run.
pub(super) fn assemble(source: &SourceFile) -> Result<Result<Vec<u8>, AssemblyFault>> {
    let mut command = Command::new("spirv-as");
    command.arg("--preserve-numeric-ids");
    let version = stated_version(source.text()).filter(|version| ((1, 0)..=(1, 6)).contains(version));
    if let Some((major, minor)) = version {
        command.arg("--target-env").arg(format!("spv{major}.{minor}"));
    }
    command.args(["-", "-o", "-"]);
    let Output { status, stdout, stderr } = match piped(&mut command, source.text().as_bytes()) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let name = source.name();
            return Err(advised(
                format!("`{name}` is assembly text, and there is no `spirv-as` to assemble it"),
                "install SPIRV-Tools (`apt install spirv-tools`, or Khronos' releases), or give the binary module",
            ));
        }
        output => output.context("cannot run `spirv-as`")?,
    };
    let fault = || AssemblyFault { version, ..AssemblyFault::read(&String::from_utf8_lossy(&stderr)) };
    Ok(if status.success() { Ok(stdout) } else { Err(fault()) })
}

/// Runs a command with this standard input.
fn piped(command: &mut Command, input: &[u8]) -> std::io::Result<Output> {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn()?;
    let pipe = child.stdin.take();
    std::thread::scope(|scope| {
        // One that stops reading says why.
        scope.spawn(move || pipe.map(|mut pipe| pipe.write_all(input)));
        child.wait_with_output()
    })
}

impl AssemblyFault {
    /// Reads what the tool says: `error: LINE: COLUMN: MESSAGE`, or anything else.
    fn read(output: &str) -> Self {
        let line =
            output.lines().find(|line| !line.trim().is_empty()).unwrap_or("`spirv-as` gives no reason");
        let line = line.strip_prefix("error: ").unwrap_or(line);
        let mut parts = line.splitn(3, ": ");
        let number = |part: Option<&str>| part.and_then(|part| part.parse().ok());
        let (place, message) = match (number(parts.next()), number(parts.next()), parts.next()) {
            (Some(line), Some(column), Some(message)) => (Some((line, column)), message),
            _ => (None, line),
        };
        AssemblyFault { place, message: message.to_owned(), version: None }
    }

    /// The fault with the word of the text that it is at.
    pub fn fault<'s>(&self, source: &'s Arc<SourceFile>) -> Fault<'s> {
        let message = self.message.trim_end_matches('.');
        let span = self.place.and_then(|(line, column)| word(source, line, column));
        let message = match span {
            Some(_) => message.to_owned(),
            None => format!("{}: {message}", source.name()),
        };
        let help = self.version.map(|(major, minor)| {
            format!("this is assembled as SPIR-V {major}.{minor}, which the comment `; Version:` at its head tells")
        });
        let place = span.map(|span| (source, span));
        Fault { place, help, ..Fault::error(Code::AssemblyFault.to_string(), message) }
    }
}

/// The word at a place, or the end of its line.
fn word(source: &SourceFile, line: usize, column: usize) -> Option<Span> {
    let lines = source.text().split('\n').count();
    let line = (1..=lines).contains(&line).then(|| source.line(line))?;
    let text = source.slice(line);
    let start = text.len().min(column.saturating_sub(1));
    let start = (0..=start).rev().find(|start| text.is_char_boundary(*start))?;
    let length = text[start..].find(char::is_whitespace).unwrap_or(text.len() - start);
    Some(line.part(start, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_where_there_are_any() {
        let read = |text| AssemblyFault::read(text);
        let found = read("error: 9: 12: Invalid Opcode name 'OpTypVoid': or so\n");
        assert_eq!(
            (found.place, &found.message[..]),
            (Some((9, 12)), "Invalid Opcode name 'OpTypVoid': or so")
        );
        let found = read("error: Unrecognized target env: spv1.7\n");
        assert_eq!((found.place, &found.message[..]), (None, "Unrecognized target env: spv1.7"));
        assert_eq!(read("").message, "`spirv-as` gives no reason");
    }

    #[test]
    fn words_lie_within_the_text() {
        let source = SourceFile::new("x", "OpNop\n%ä = OpFoo\n").expect("short");
        let at = |line, column| word(&source, line, column).map(|span| source.slice(span));
        assert_eq!(at(2, 7), Some("OpFoo"));
        assert_eq!(at(2, 3), Some("ä"));
        assert_eq!(at(1, 99), Some(""));
        assert_eq!(at(3, 1), Some(""));
        assert_eq!((at(4, 1), at(0, 0)), (None, None));
    }
}
