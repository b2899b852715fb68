//! Launch plans give the same results and move the same bytes on both engines.

mod folders;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use campanile::llvm::JitEngine;
use folders::copy;

/// All files below a folder.
fn files(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>, root: &Path) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files(&path, found, root);
        } else {
            found.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap());
        }
    }
}

/// What a run of a plan leaves: what it prints of arrays and transfers, and the files; none if it does not end well.
fn outcome(plan: &Path, engine: &str) -> Option<(String, BTreeMap<PathBuf, Vec<u8>>)> {
    let folder = tempfile::tempdir().unwrap();
    copy(plan.parent().unwrap(), folder.path());
    let mut run = Command::new(env!("CARGO_BIN_EXE_pisa"));
    let run = run.args(["run", "--engine", engine, "--explain-transfers", "--message-format", "json"]);
    let output = run.arg(plan.file_name().unwrap()).current_dir(folder.path()).output().unwrap();
    let mut left = BTreeMap::new();
    files(folder.path(), &mut left, folder.path());
    output.status.success().then(|| (String::from_utf8(output.stdout).unwrap(), left))
}

#[test]
fn both_engines_do_the_same() {
    if JitEngine::available().is_err() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut plans = 0;
    for folder in ["examples/heat", "tests/cli/run/input/plan"] {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        for plan in entries.filter(|path| path.extension().is_some_and(|extension| extension == "toml")) {
            // Interfaces stand here too, and plans that are refused or find faults.
            let Some(expected) = outcome(&plan, "checked") else { continue };
            plans += usize::from(expected.0.contains("\"type\":\"transfer\""));
            assert_eq!(outcome(&plan, "jit"), Some(expected), "{}", plan.display());
        }
    }
    assert!(plans >= 4, "{plans} plans move bytes");
}
