//! Reading source texts and modules.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use campanile::language::diagnostic::{Code, Diagnostic, Sink};
use campanile::language::module::Module;
use campanile::language::source::{SourceFile, Span};
use campanile::language::{link, syntax, verify};

use crate::console::{Console, Tally};

/// The name of an input as messages say it.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// When there is no such file or it cannot be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        Ok(bytes)
    } else {
        std::fs::read(path).with_context(|| format!("cannot read `{}`", name(path)))
    }
}

/// Reads a text. One that is not UTF-8 is reported to `sink`.
///
/// # Errors
/// As [`bytes`].
pub fn read(path: &Path, sink: &mut Sink) -> Result<Option<Arc<SourceFile>>> {
    let name = name(path);
    let (text, fault) = match String::from_utf8(bytes(path)?) {
        Ok(text) => (text, None),
        Err(error) => {
            let start = error.utf8_error().valid_up_to();
            let length = error.utf8_error().error_len().unwrap_or(error.as_bytes().len() - start);
            let span = Span::new(start, start + length);
            (shown(error.as_bytes()), Some((span, other_kind(error.as_bytes()))))
        }
    };
    let source = SourceFile::new(&name, text).with_context(|| format!("`{name}` is longer than 4 GiB"))?;
    let source = Arc::new(source);
    if let Some((span, help)) = fault {
        sink.push(Diagnostic::new(Code::InvalidText, &source, span, "this is not UTF-8 text").help(help));
        return Ok(None);
    }
    Ok(Some(source))
}

/// Bytes as a text of as many, with `?` for those that are no UTF-8, so that places in it are those of the file.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    text
}

/// What a file that is no text may be, by its first bytes, and what can be done.
fn other_kind(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "this looks like UTF-16; save it as UTF-8",
        [0x03, 0x02, 0x23, 0x07, ..] | [0x07, 0x23, 0x02, 0x03, ..] => {
            "this is a SPIR-V module; `pisa spirv-check` reads those"
        }
        [0x7f, b'E', b'L', b'F', ..] => {
            "this is an object file or a program; give the text that it was made from"
        }
        _ => "save the file as UTF-8",
    }
}

/// Reads and verifies one file. With any error in `sink`, earlier ones included, there is no module.
///
/// # Errors
/// As [`read`].
pub fn load(path: &Path, options: verify::Options, sink: &mut Sink) -> Result<Option<Module>> {
    let Some(source) = read(path, sink)? else { return Ok(None) };
    let tree = syntax::parse(&source, sink);
    Ok(verify::verify(&source, tree, options, sink))
}

/// Reads, verifies and links files into one module; what is wrong is reported to the console and counted.
///
/// # Errors
/// As [`read`].
pub fn load_program(
    paths: &[std::path::PathBuf],
    library: bool,
    console: &Console,
    tally: &mut Tally,
) -> Result<Option<Module>> {
    let mut sink = Sink::new();
    let mut modules = Vec::new();
    for path in paths {
        modules.extend(load(path, verify::Options::default(), &mut sink)?);
    }
    let complete = modules.len() == paths.len();
    let program = match modules.len() {
        _ if !complete => None,
        1 if library => modules.pop(),
        _ => link::link(modules, link::Options { library }, &mut sink),
    };
    console.diagnostics(sink, tally);
    tally.files += paths.len();
    Ok(program)
}
