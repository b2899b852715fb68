//! Snapshot tests of the command line: every file below `tests/cli` is one.
//!
//! The first lines of a file say how `pisa` is called:
//!
//! ```text
//! // RUN: check %s
//! // FAIL(1): run %s --save out=%t/out.npy < %d/input/numbers.txt
//! // COPY: %d/input/messy.pisa %t/messy.pisa
//! // SHOW: %t/messy.pisa
//! // ENV: NO_COLOR=1
//! // NEEDS: spirv-as
//! ```
//!
//! `RUN` is a call that ends with 0, `FAIL(n)` one that ends with n; lines are followed in order. `%s` is the file
//! itself, `%d` its folder, `%t` a temporary folder that all lines of the file share; `<` gives a file as standard
//! input. `COPY` copies a file, `SHOW` prints one, in hexadecimal if it is no text, `ENV` sets a variable. `NEEDS` names
//! a program without which the test is skipped, save in continuous integration. What is printed is compared with the
//! files of the same name that end in `.stdout` and `.stderr`; what is different in every run (times, the temporary folder) is masked. `BLESS=1` writes
//! these files anew. Files in folders called `input` are no tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

/// One line of a test.
enum Step {
    /// Calls `pisa` with these words and perhaps a file as standard input; it ends with this status.
    Call { words: Vec<String>, input: Option<String>, status: i32 },
    /// Copies one file to another.
    Copy { from: String, to: String },
    /// Prints a file.
    Show { path: String },
    /// Sets a variable for the calls that follow.
    Set { name: String, value: String },
    /// Goes on only where there is this program.
    Need { program: String },
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli");
    let (mut cases, mut outputs) = (Vec::new(), Vec::new());
    collect(&root, &root, &mut cases, &mut outputs);
    let mut trials: Vec<Trial> = Vec::new();
    for name in &cases {
        let (root, name) = (root.clone(), name.clone());
        trials.push(Trial::test(name.clone(), move || run(&root, &name)));
    }
    outputs.retain(|output| {
        !cases.iter().any(|case| Path::new(case).with_extension("") == output.with_extension(""))
    });
    trials.push(Trial::test("no_output_is_left_over", move || match &outputs[..] {
        [] => Ok(()),
        left => Err(format!("outputs of no test: {left:?}").into()),
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Finds the tests and the outputs below a folder, by their paths from the root.
fn collect(root: &Path, folder: &Path, cases: &mut Vec<String>, outputs: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder of tests")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries.into_iter().filter(|path| !path.ends_with(".gitattributes")) {
        let name = path.strip_prefix(root).expect("a path below the root").to_owned();
        if path.is_dir() {
            if !path.ends_with("input") {
                collect(root, &path, cases, outputs);
            }
        } else if name.extension().is_some_and(|extension| extension == "stdout" || extension == "stderr") {
            outputs.push(name);
        } else {
            cases.push(name.to_string_lossy().replace('\\', "/"));
        }
    }
}

/// Reads the lines at the head of a test.
fn steps(text: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let Some((keyword, rest)) = line.strip_prefix("// ").and_then(|line| line.split_once(": ")) else {
            break;
        };
        let two = |separator| {
            let both = rest.split_once(separator).ok_or(format!("{keyword}: two words are expected"))?;
            Ok::<_, String>((both.0.to_owned(), both.1.to_owned()))
        };
        let status = match keyword {
            "RUN" => 0,
            "COPY" => {
                let (from, to) = two(' ')?;
                steps.push(Step::Copy { from, to });
                continue;
            }
            "SHOW" => {
                steps.push(Step::Show { path: rest.to_owned() });
                continue;
            }
            "ENV" => {
                let (name, value) = two('=')?;
                steps.push(Step::Set { name, value });
                continue;
            }
            "NEEDS" => {
                steps.push(Step::Need { program: rest.to_owned() });
                continue;
            }
            _ => match keyword.strip_prefix("FAIL(").and_then(|rest| rest.strip_suffix(')')) {
                Some(status) => status.parse().map_err(|_| format!("`{status}` is no exit status"))?,
                None => break,
            },
        };
        let (words, input) =
            rest.split_once(" < ").map_or((rest, None), |(words, input)| (words, Some(input)));
        let words = words.split_whitespace().map(str::to_owned).collect();
        steps.push(Step::Call { words, input: input.map(|input| input.trim().to_owned()), status });
    }
    if steps.is_empty() { Err("the file does not say how to call `pisa`".to_owned()) } else { Ok(steps) }
}

fn run(root: &Path, name: &str) -> Result<(), Failed> {
    let path = root.join(name);
    let folder = tempfile::tempdir()?;
    let temporary = folder.path().display().to_string();
    let own_folder = Path::new(name).parent().map(|parent| parent.display().to_string());
    let own_folder = own_folder.filter(|parent| !parent.is_empty()).unwrap_or_else(|| ".".to_owned());
    let fill = |word: &str| word.replace("%s", name).replace("%d", &own_folder).replace("%t", &temporary);
    let (mut stdout, mut stderr) = (String::new(), String::new());
    let mut variables = Vec::new();
    for step in steps(&String::from_utf8_lossy(&fs::read(&path)?))? {
        match step {
            Step::Copy { from, to } => drop(fs::copy(root.join(fill(&from)), root.join(fill(&to)))?),
            Step::Show { path } => stdout += &show(&path, &fs::read(root.join(fill(&path)))?),
            Step::Set { name, value } => variables.push((name, value)),
            Step::Need { program } => {
                let found = Command::new(&program).arg("--version").stdout(Stdio::null()).status();
                if found.is_err() && std::env::var_os("CI").is_none_or(|ci| ci != "true") {
                    eprintln!("skipped: {name}: there is no {program}");
                    return Ok(());
                }
            }
            Step::Call { words, input, status } => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_pisa"));
                command.args(words.iter().map(|word| fill(word))).current_dir(root);
                for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM"] {
                    command.env_remove(variable);
                }
                command.envs(variables.iter().cloned());
                command.stdin(match input {
                    Some(input) => Stdio::from(fs::File::open(root.join(fill(&input)))?),
                    None => Stdio::null(),
                });
                let output = command.output()?;
                stdout += &mask(&String::from_utf8_lossy(&output.stdout), &temporary);
                stderr += &mask(&String::from_utf8_lossy(&output.stderr), &temporary);
                if output.status.code() != Some(status) {
                    let words = words.join(" ");
                    let message = format!("`{words}` ended with {}, not {status}", output.status);
                    return Err(format!("{message}\n{stdout}{stderr}").into());
                }
            }
        }
    }
    compare(&path.with_extension("stdout"), &stdout)?;
    compare(&path.with_extension("stderr"), &stderr)
}

/// A file as text, or its bytes if it is none.
fn show(path: &str, bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => format!("--- {path}\n{text}"),
        _ => {
            let lines = bytes
                .chunks(32)
                .map(|line| line.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
            format!("--- {path}\n{}\n", lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Compares with a file, or writes it when asked to.
fn compare(path: &Path, got: &str) -> Result<(), Failed> {
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected == got {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        if got.is_empty() {
            fs::remove_file(path)?
        } else {
            fs::write(path, got)?
        }
        return Ok(());
    }
    let differs = expected.lines().zip(got.lines()).position(|(expected, got)| expected != got);
    let line = differs.unwrap_or_else(|| expected.lines().count().min(got.lines().count())) + 1;
    Err(format!(
        "{} differs in line {line}; BLESS=1 writes it anew\n--- expected\n{expected}\n--- got\n{got}",
        path.file_name().unwrap_or_default().display()
    )
    .into())
}

/// Replaces what is different in every run.
fn mask(text: &str, temporary: &str) -> String {
    let text = text.replace(temporary, "%t");
    let mut masked = String::new();
    for line in text.split_inclusive('\n') {
        let mut line = line.to_owned();
        if line.contains(" work-groups, ") {
            line = mask_between(&line, " work-groups, ", " s, ");
            line = mask_between(&line, " engine (", " million");
        } else if line.contains("\"type\":\"summary\"") {
            line = mask_between(&line, "\"seconds\":", ",");
        } else if line.starts_with("kernel `") {
            line = mask_between(&line, " launch, ", " s");
            line = mask_between(&line, "compiled in ", " s");
        } else if line.contains(" bytes loaded and ") {
            line = mask_between(&line, "stored (", " GB/s");
            line = mask_between(&line, "operations (", " GFLOP/s");
        } else if line.contains("\"type\":\"profile\"") {
            line = mask_between(&line, "\"compile_seconds\":", ",");
            line = mask_between(&line, "\"seconds\":", ",");
        }
        masked.push_str(&line);
    }
    masked
}

fn mask_between(line: &str, start: &str, end: &str) -> String {
    let parts = line.split_once(start).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    parts.map_or_else(|| line.to_owned(), |(before, after)| format!("{before}{start}[masked]{end}{after}"))
}
