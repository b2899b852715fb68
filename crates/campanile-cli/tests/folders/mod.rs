//! Folders that tests work in.

use std::fs;
use std::path::Path;

/// Copies a file, or a folder and all below it.
///
/// # Panics
/// When anything cannot be copied.
pub fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}
