//! `pisa test` over everything in the repository that checks itself, on every engine there is here, and as compiled for
//! lesser processors.

mod devices;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs `pisa test` with these words.
fn tested(words: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut test = Command::new(env!("CARGO_BIN_EXE_pisa"));
    let output = test.args(["test", "--color", "never"]).args(words).current_dir(root).output();
    output.expect("the built program")
}

/// Runs `pisa test` with these words. Returns how many files pass.
///
/// # Panics
/// When any fails.
fn passing(words: &[&str]) -> usize {
    let output = tested(words);
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {}\n{text}", output.status);
    let passed = text.lines().last().and_then(|line| line.split(' ').next()?.parse().ok());
    passed.unwrap_or_else(|| panic!("{words:?}: {text}"))
}

#[test]
fn every_self_checking_file_passes() {
    assert!(passing(&["tests/cases", "examples"]) > 300);
}

/// Files that run, on every engine that this processor is for.
#[test]
fn every_file_runs_on_this_machine() {
    let mut words = vec!["--engine", "checked", "--no-cache", "tests/cases/run", "examples"];
    if campanile::llvm::JitEngine::available().is_ok() {
        words.extend(["--engine", "jit"]);
    }
    assert!(passing(&words) > 300);
}

/// Files that run, on an OpenCL device: as many as it has everything for.
#[test]
fn files_run_on_a_device() {
    if !devices::available() {
        return;
    }
    let output = tested(&["--engine", "opencl", "--message-format", "json", "tests/cases/run", "examples"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let objects: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of = |result: &'static str| objects.iter().filter(move |object| object["result"] == result);
    let failed: Vec<String> = of("failed").map(Value::to_string).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(of("left out").all(|object| object["detail"].is_string()), "{text}");
    let all = of("passed").count() + of("left out").count();
    assert!(of("passed").count() > 100 && all > 300, "{text}");
}

/// Those that run, compiled for processors without what most of today's have, and as for GPUs.
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

    /// As compiled for AMD GPUs, a lane at a time.
    #[test]
    fn every_file_runs_lane_by_lane() {
        let suits = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        if suits && campanile::llvm::JitEngine::available().is_ok() {
            let words = ["--engine", "scalar", "--no-cache", "tests/cases/run", "examples"];
            assert!(passing(&words) > 300);
        }
    }

    #[test]
    fn every_file_runs_with_avx2_only() {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            runs_as("x86-64-v3");
        }
    }
}
