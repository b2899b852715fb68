//! `pisa test` over everything in the repository that checks itself, on every engine there is here.

use std::path::Path;
use std::process::Command;

#[test]
fn every_self_checking_file_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut test = Command::new(env!("CARGO_BIN_EXE_pisa"));
    let test = test
        .args(["test", "--engine", "all", "--color", "never", "tests/cases", "examples"])
        .current_dir(root);
    let output = test.output().expect("the built program");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let passed = text.lines().last().and_then(|line| line.split(' ').next()?.parse::<usize>().ok());
    assert!(passed.is_some_and(|passed| passed > 300), "{text}");
}
