//! `pisa test` over everything in the repository that checks itself, on every engine there is here, and as compiled for
//! lesser processors.

use std::path::Path;
use std::process::Command;

/// Runs `pisa test` with these words. Returns how many files pass.
///
/// # Panics
/// When any fails.
fn passing(words: &[&str]) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut test = Command::new(env!("CARGO_BIN_EXE_pisa"));
    let output = test.args(["test", "--color", "never"]).args(words).current_dir(root).output();
    let output = output.expect("the built program");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {}\n{text}", output.status);
    let passed = text.lines().last().and_then(|line| line.split(' ').next()?.parse().ok());
    passed.unwrap_or_else(|| panic!("{words:?}: {text}"))
}

#[test]
fn every_self_checking_file_passes() {
    assert!(passing(&["tests/cases", "examples"]) > 300);
}

/// Files that run, on every engine.
#[test]
fn every_file_runs_on_this_machine() {
    assert!(passing(&["--engine", "all", "--no-cache", "tests/cases/run", "examples"]) > 300);
}

/// Those that run, compiled for processors without what most of today's have.
#[cfg(target_arch = "x86_64")]
mod lesser_processors {
    use super::passing;

    fn runs_as(cpu: &str) {
        if campanile::llvm::JitEngine::available().is_ok() {
            let words = ["--engine", "jit", "--no-cache", "--cpu", cpu, "tests/cases/run", "examples"];
            assert!(passing(&words) > 300);
        }
    }

    #[test]
    fn every_file_runs_without_more_than_all_have() {
        runs_as("x86-64");
    }

    #[test]
    fn every_file_runs_with_avx2_only() {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            runs_as("x86-64-v3");
        }
    }
}
