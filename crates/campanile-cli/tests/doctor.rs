//! `pisa doctor` tells what this machine is, so its answers have no snapshots.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Calls it, with LLVM looked for in this path if one is given.
fn doctor(arguments: &[&str], llvm: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pisa"));
    command.arg("doctor").args(arguments);
    if let Some(path) = llvm {
        command.env("CAMPANILE_LLVM", path);
    }
    command.output().unwrap()
}

fn json(output: &Output) -> Value {
    let text = str::from_utf8(&output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(text).unwrap()
}

#[test]
fn scripts_get_one_object() {
    let output = doctor(&["--message-format", "json"], None);
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    let object = json(&output);
    assert_eq!(object["type"], "doctor");
    let host = &object["host"];
    assert!(host["threads"].as_u64() > Some(0), "{object}");
    assert!(host["vector"]["bits"].as_u64() >= Some(128), "{object}");
    assert!(host["vector"]["class"].is_string() && host["caches"].is_array(), "{object}");
    if object["llvm"].is_null() {
        assert!(object["looked_at"][0]["fault"].is_string(), "{object}");
        assert!(host["cpu"].is_null(), "{object}");
    } else {
        assert_eq!(object["looked_at"], Value::Array(Vec::new()));
        for key in ["path", "version"] {
            assert!(object["llvm"][key].is_string(), "{object}");
        }
        assert!(object["llvm"]["targets"][0].is_string(), "{object}");
        assert!(host["cpu"]["name"].is_string() && host["cpu"]["features"].is_array(), "{object}");
    }
}

#[test]
fn people_get_lines() {
    let output = doctor(&[], None);
    let text = str::from_utf8(&output.stdout).unwrap();
    for name in ["LLVM ", "vectors ", "threads "] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{text}");
    }
}

#[test]
fn without_llvm_it_says_where_it_looked() {
    let folder = tempfile::tempdir().unwrap();
    let output = doctor(&[], Some(folder.path()));
    assert_eq!(output.status.code(), Some(0));
    let text = str::from_utf8(&output.stdout).unwrap();
    let place = format!("{} (CAMPANILE_LLVM): no libLLVM there", folder.path().display());
    assert!(text.contains("checked engine") && text.contains(&place), "{text}");
    let output = doctor(&["--require-llvm", "--message-format=json"], Some(folder.path()));
    assert_eq!(output.status.code(), Some(1));
    let object = json(&output);
    assert!(object["llvm"].is_null(), "{object}");
    assert_eq!(object["looked_at"][0]["source"], "CAMPANILE_LLVM");
    assert_eq!(object["looked_at"][0]["fault"], "no libLLVM there");
}
