//! Writing files: whole or not at all.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result};

use crate::advice::advised;

/// Writes a text. `-` is standard output.
///
/// # Errors
/// When the file cannot be written.
pub fn write_whole(path: &Path, text: &str) -> Result<()> {
    write_whole_bytes(path, text.as_bytes())
}

/// Writes bytes. `-` is standard output.
///
/// # Errors
/// When the file cannot be written, or standard output is a terminal, which shows no bytes.
pub fn write_whole_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    if path == Path::new("-") {
        if io::stdout().is_terminal() && std::str::from_utf8(bytes).is_err() {
            return Err(advised("a terminal shows no binary output", "name a file with `-o`"));
        }
        return crate::console::print_bytes(bytes).context("cannot write standard output");
    }
    replace(path, bytes).with_context(|| format!("cannot write `{}`", path.display()))
}

/// Writes a file under another name beside its place and moves it there, so that nobody ever sees a part of it, and a
/// failure leaves nothing behind and an older file as it was.
///
/// A link stays a link, and an older file's permissions stay. What is no file, such as a device, is written to.
///
/// # Errors
/// When the file cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let older = fs::metadata(path).ok();
    if older.as_ref().is_some_and(|older| !older.is_file() && !older.is_dir()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let target = if older.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let message = format!("there is no folder `{}`", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, message));
    }
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        // A temporary file is private unless told otherwise; this one becomes an ordinary file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // The error of a temporary file names it, which would tell nobody anything.
    let mut file = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
    file.write_all(bytes)?;
    if let Some(older) = older {
        file.as_file().set_permissions(older.permissions())?;
    }
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        assert!(replace(&folder.path().join("missing").join("a"), b"new").is_err());
        assert!(replace(folder.path(), b"new").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn files_keep_their_permissions_and_links_their_targets() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
        fs::write(path("plain"), "").unwrap();
        replace(&path("new"), b"1").unwrap();
        assert_eq!(mode("new"), mode("plain"));
        fs::set_permissions(path("new"), fs::Permissions::from_mode(0o750)).unwrap();
        std::os::unix::fs::symlink("new", path("link")).unwrap();
        replace(&path("link"), b"2").unwrap();
        assert_eq!((fs::read(path("new")).unwrap(), mode("new")), (b"2".to_vec(), 0o750));
        assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_to() {
        use std::os::unix::fs::FileTypeExt;
        replace(Path::new("/dev/null"), b"gone").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
}
