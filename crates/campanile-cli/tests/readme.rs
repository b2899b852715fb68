//! The commands that the documentation shows do what it says they do.
//!
//! Every `console` block and every command in the head of an example is run in a copy of the files it may name. A
//! command succeeds unless the output shown has an error in it. `…` in the output stands for any text.

mod folders;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use folders::copy;

/// A command with the output shown under it.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    command: String,
    output: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with everything that the commands read.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for part in ["examples", "docs", "tests/cases"] {
        copy(&root().join(part), &folder.path().join(part));
    }
    folder
}

/// The commands of the `console` blocks.
fn console_blocks(text: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let (mut inside, mut continued) = (false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if !inside {
        } else if let Some(command) = line.strip_prefix("$ ") {
            continued = command.ends_with('\\');
            shown.push(Shown { command: command.to_owned(), output: String::new() });
        } else if let Some(last) = shown.last_mut() {
            let text = if continued { &mut last.command } else { &mut last.output };
            *text += &format!("\n{line}");
            continued &= line.ends_with('\\');
        }
    }
    shown
}

/// The command in the head of an example.
fn head_command(text: &str) -> Option<Shown> {
    let comments = text.lines().map_while(|line| line.strip_prefix("//"));
    let mut lines = comments.map(str::trim).skip_while(|line| !line.starts_with("cargo run"));
    let mut command = String::new();
    loop {
        let line = lines.next()?;
        command += line;
        if !line.ends_with('\\') {
            return Some(Shown { command, output: "…".to_owned() });
        }
    }
}

/// Whether `text` is `pattern` with any text in place of each `…`.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.trim(), text.trim());
    let Some((start, rest)) = pattern.split_once('…') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('…').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, after)) = text.split_once(part) else { return false };
        text = after;
    }
    text.ends_with(end)
}

/// Runs what is shown; says how it differs.
fn run(shown: &Shown, folder: &Path) -> Option<String> {
    let command = shown.command.replace('\\', " ");
    let words: Vec<&str> = command.split_whitespace().collect();
    let arguments = match words.as_slice() {
        ["pisa", arguments @ ..] | ["cargo", "run", "--release", "--", arguments @ ..] => arguments,
        ["cargo", "test", ..] => return None,
        _ => return Some(format!("the test does not know how to run `{command}`")),
    };
    let run = Command::new(env!("CARGO_BIN_EXE_pisa")).args(arguments).current_dir(folder).output().unwrap();
    let output = String::from_utf8_lossy(&run.stdout) + String::from_utf8_lossy(&run.stderr);
    let expected = i32::from(shown.output.starts_with("error") || shown.output.contains("\nerror"));
    if run.status.code() != Some(expected) {
        Some(format!("`{command}` ended with {}, not {expected}:\n{output}", run.status))
    } else if !matches(&shown.output, &output) {
        Some(format!("`{command}` printed\n{output}\nbut the text shows\n{}", shown.output))
    } else {
        None
    }
}

fn run_all(shown: &[Shown]) {
    let folder = workplace();
    let faults: Vec<String> = shown.iter().filter_map(|one| run(one, folder.path())).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_readme() {
    let shown = console_blocks(&fs::read_to_string(root().join("README.md")).unwrap());
    assert!(shown.len() > 8);
    run_all(&shown);
}

#[test]
fn the_page_on_running_kernels() {
    let shown = console_blocks(&fs::read_to_string(root().join("docs/running.md")).unwrap());
    assert_eq!(shown.len(), 3);
    run_all(&shown);
}

#[test]
fn the_page_on_spirv() {
    let shown = console_blocks(&fs::read_to_string(root().join("docs/spirv.md")).unwrap());
    assert!(shown.len() > 1);
    run_all(&shown);
}

#[test]
fn the_page_on_the_amdgpu_abi() {
    let shown = console_blocks(&fs::read_to_string(root().join("docs/amdgpu-abi.md")).unwrap());
    assert_eq!(shown.len(), 1);
    run_all(&shown);
}

#[test]
fn the_page_on_functions_of_c() {
    let shown = console_blocks(&fs::read_to_string(root().join("docs/amdgpu-c.md")).unwrap());
    assert_eq!(shown.len(), 2);
    run_all(&shown);
}

#[test]
fn the_readme_of_the_examples() {
    let shown = console_blocks(&fs::read_to_string(root().join("examples/README.md")).unwrap());
    assert_eq!(shown.len(), 1);
    run_all(&shown);
}

#[test]
fn the_heads_of_the_examples() {
    let entries = |folder: &str| {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let files = [entries("examples"), entries("examples/heat")].concat().into_iter();
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "pisa"));
    let shown: Vec<Shown> =
        files.map(|path| head_command(&fs::read_to_string(path).unwrap()).expect("a command")).collect();
    assert!(shown.len() >= 10);
    run_all(&shown);
}

#[test]
fn wildcards_stand_for_any_text() {
    assert!(matches("a … c\n…", "a b c\nmore\n") && matches("…", "") && matches("same", "same\n"));
    assert!(!matches("a … c", "a b") && !matches("same", "same more") && !matches("… b …", "a c"));
}

#[test]
fn commands_may_go_on_in_the_next_line() {
    let shown = console_blocks("```console\n$ pisa \\\n  check\nfine\n```\n```\n$ no\n```\n");
    assert_eq!(shown, [Shown { command: "pisa \\\n  check".to_owned(), output: "\nfine".to_owned() }]);
}
