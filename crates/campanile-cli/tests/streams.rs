//! What snapshots cannot show: closed pipes, and texts with more faults than anyone reads.

use std::fmt::Write;
use std::io::Read;
use std::process::{Command, Output, Stdio};

fn pisa(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pisa"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// A module with this many instructions that do not exist.
fn faulty(count: usize) -> String {
    let mut text = ".version 0.1;\n.target 100;\n.kernel @k() {\n".to_owned();
    (0..count).for_each(|_| text.push_str("  retrun;\n"));
    text + "}\n"
}

#[test]
fn nobody_listening_is_no_fault() {
    let mut child = pisa(&["explain"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn nobody_listening_to_errors_changes_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("faulty.pisa");
    std::fs::write(&path, faulty(500)).unwrap();
    for format in ["human", "json"] {
        let mut command = pisa(&["check", "--message-format", format]);
        let mut child = command.arg(&path).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(1), "{format}");
    }
}

/// What `check` says about a text, with its exit status.
fn checked(text: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("faulty.pisa");
    std::fs::write(&path, text).unwrap();
    let Output { status, stderr, .. } = pisa(&["check"]).args(arguments).arg(&path).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_thousand_faults_are_enough() {
    let (status, stderr) = checked(&faulty(1200), &["--message-format=json"]);
    assert_eq!((status, stderr.lines().count()), (Some(1), 1001));
    assert!(stderr.lines().last().unwrap().contains("\"type\":\"summary\""), "{stderr}");
    let (_, stderr) = checked(&faulty(1200), &[]);
    let end = "\n\nonly the first 1000 errors are shown\n\n1000 errors, 0 warnings\n";
    assert!(stderr.ends_with(end), "{}", &stderr[stderr.len() - 200..]);
}

#[test]
fn warnings_leave_room_for_errors() {
    let mut text =
        ".version 0.1;\n.target 100;\n.kernel @k() {\n  .reg .32b %a;\n  mov.32b %a, 1;\n".to_owned();
    text += &"  bfe.32b %a, %a, 8, 0;\n".repeat(1200);
    text += "  mov.32b %a, %b;\n  return;\n}\n";
    let (status, stderr) = checked(&text, &[]);
    assert_eq!((status, stderr.matches("warning[P0231]").count()), (Some(1), 1000));
    assert!(stderr.contains("error[P0301]: `%b` is not declared"));
    assert!(stderr.ends_with("\nonly the first 1000 warnings are shown\n\n1 error, 1200 warnings\n"));
}

#[test]
fn every_message_for_scripts_is_an_object_with_a_type() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.pisa");
    let mut text = ".version 0.1;\n.target 100;\n".to_owned();
    let body = "bfe.32b %a, %b, 8, 0; return;";
    write!(text, ".kernel @k() {{ .reg .32b %a, %b; {body} }}\n// expect: accept\n").unwrap();
    std::fs::write(&path, text).unwrap();
    let path = path.display().to_string();
    let calls: [&[&str]; 8] = [
        &["check", &path],
        &["fmt", "--check", &path],
        &["link", "-o", &path, &path],
        &["run", "--engine", "checked", &path],
        &["test", &path],
        &["check", "no such file"],
        &["spirv-check", &path],
        &["chekc"],
    ];
    let mut types = std::collections::BTreeSet::new();
    for call in calls {
        let Output { stdout, stderr, .. } = pisa(call).arg("--message-format=json").output().unwrap();
        let text = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
        assert!(!text.is_empty(), "{call:?} says nothing");
        for line in text.lines() {
            let object: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|_| panic!("{call:?}: {line}"));
            types.insert(object["type"].as_str().expect("a type").to_owned());
        }
    }
    assert_eq!(types.into_iter().collect::<Vec<_>>(), ["diagnostic", "error", "finding", "summary", "test"]);
}
