//! Writing files: whole or not at all.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// Writes a file under another name beside its place and moves it there, so that a failure leaves nothing behind and an
/// older file as it was. `-` is standard output.
///
/// # Errors
/// When the file cannot be written.
pub fn write_whole(path: &Path, text: &str) -> Result<()> {
    if path == Path::new("-") {
        return crate::console::print(text).context("cannot write standard output");
    }
    let name = path.display();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(folder)
        .with_context(|| format!("cannot write `{name}`"))?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write `{name}`"))?;
    file.persist(path).with_context(|| format!("cannot write `{name}`"))?;
    Ok(())
}
