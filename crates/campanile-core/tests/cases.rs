//! The texts of `tests/cases/accept` and `tests/cases/reject`, a test for each file.
//!
//! A text says itself what is wrong with it. A faulty line ends in a comment such as `// error[P0206]`, which may go
//! on with `: words of the message`; several markers may share a line, and `warning[P0230]` marks a doubt. Where no
//! marker can stand, at the end of a file say, a line `// fault: P0113 line 7` takes its place. A comment line of
//! carets below a faulty line pins a finding to their columns: `//   ^^^^ P0206`, or with `|` in place of carets to
//! the empty place before that column.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use campanile_core::diagnostic::{Code, Diagnostic, Severity, Sink};
use campanile_core::source::SourceFile;
use campanile_core::{syntax, verify};
use libtest_mimic::{Arguments, Failed, Trial};

/// Codes that no short text of its own can show: bytes that are no text, depth, strictness, links of several modules, and
/// translations (`tests/cli/emit`).
const ELSEWHERE: [Code; 12] = [
    Code::InvalidText,
    Code::DeepScopes,
    Code::ReturnNotLastStrict,
    Code::DuplicateSymbol,
    Code::UnresolvedImport,
    Code::ImportMismatch,
    Code::IncompatibleVersions,
    Code::TargetLacks,
    Code::DeviceRecursion,
    Code::Inexpressible,
    Code::DeviceDecides,
    Code::NotExported,
];

/// A finding that a text claims to have.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fault {
    line: usize,
    code: Code,
    /// Words of its message; empty if the text gives none.
    words: String,
}

/// A place that a line of carets gives: columns from one, the last one excluded.
#[derive(Debug)]
struct Caret {
    line: usize,
    columns: (usize, usize),
    code: Code,
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut paths = Vec::new();
    for verdict in ["accept", "reject"] {
        collect(&folder.join(verdict), &mut paths);
    }
    paths.sort();
    let mut trials: Vec<Trial> = paths.iter().map(|path| trial(&folder, path.clone())).collect();
    trials.push(Trial::test("every_code_has_a_case_with_its_place", move || every_code(&paths)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "pisa") {
            paths.push(path);
        }
    }
}

fn trial(folder: &Path, path: PathBuf) -> Trial {
    let name = path.strip_prefix(folder).unwrap_or(&path).with_extension("");
    Trial::test(name.to_string_lossy().replace('\\', "/"), move || check_file(&path))
}

fn check_file(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let accepted = path.components().any(|part| part.as_os_str() == "accept");
    let verdict = if accepted { "// expect: accept" } else { "// expect: reject" };
    if !text.lines().any(|line| line.starts_with(verdict)) {
        return Err(format!("there is no line `{verdict}`").into());
    }
    let marked = markers(&text)?;
    if accepted != marked.iter().all(|fault| fault.code.severity() == Severity::Warning) {
        return Err("the markers and the verdict of the file do not agree".into());
    }
    if accepted && marked.is_empty() {
        return check_findings(&text, &marked, true, false);
    }
    check_findings(&text, &marked, false, false)?;
    // Strictness turns this one warning into an error, at the same place.
    let strict = marked.into_iter().map(|fault| match fault.code {
        Code::ReturnNotLast => Fault { code: Code::ReturnNotLastStrict, ..fault },
        _ => fault,
    });
    check_findings(&text, &strict.collect::<Vec<_>>(), false, true)
}

/// Compares what is found in a text with what it is marked to have.
fn check_findings(text: &str, marked: &[Fault], errors_only: bool, strict: bool) -> Result<(), Failed> {
    let (source, findings) = findings(text, strict);
    let considered = findings.iter().filter(|finding| !errors_only || finding.severity == Severity::Error);
    let mut found: Vec<(usize, Code, &Diagnostic)> =
        considered.map(|finding| (source.position(finding.span().start).0, finding.code, finding)).collect();
    found.sort_by_key(|(line, code, _)| (*line, *code));
    let mut problems = Vec::new();
    for fault in marked.iter().filter(|fault| !errors_only || fault.code.severity() == Severity::Error) {
        let fits = |(line, code, finding): &(usize, Code, &Diagnostic)| {
            *line == fault.line && *code == fault.code && finding.message.contains(&fault.words)
        };
        match found.iter().position(fits) {
            Some(position) => drop(found.remove(position)),
            None => {
                problems.push(format!("line {}: {} {} is not found", fault.line, fault.code, fault.words))
            }
        }
    }
    problems.extend(
        found
            .iter()
            .map(|(line, code, finding)| format!("line {line}: {code} is not marked: {}", finding.message)),
    );
    if !strict {
        problems.extend(carets(text)?.iter().filter_map(|caret| misplaced(caret, &source, &findings)));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
}

fn findings(text: &str, strict: bool) -> (Arc<SourceFile>, Vec<Diagnostic>) {
    let source = Arc::new(SourceFile::new("case.pisa", text).expect("a short text"));
    let mut sink = Sink::new();
    let tree = syntax::parse(&source, &mut sink);
    let module = verify::verify(&source, tree, verify::Options { strict }, &mut sink);
    assert_eq!(module.is_some(), sink.errors() == 0, "there is a module exactly when there is no error");
    (source, sink.into_sorted())
}

/// Why no finding stands where the carets are, if so.
fn misplaced(caret: &Caret, source: &SourceFile, findings: &[Diagnostic]) -> Option<String> {
    let place = |finding: &Diagnostic| {
        let (line, start) = source.position(finding.span().start);
        let (last, end) = source.position(finding.span().end);
        (line, (start, if last == line { end } else { usize::MAX }))
    };
    let on_line: Vec<_> = findings
        .iter()
        .filter(|finding| finding.code == caret.code)
        .map(place)
        .filter(|(line, _)| *line == caret.line)
        .map(|(_, columns)| columns)
        .collect();
    let (line, code, columns) = (caret.line, caret.code, caret.columns);
    (!on_line.contains(&columns))
        .then(|| format!("line {line}: {code} is expected at columns {columns:?}, found at {on_line:?}"))
}

/// The findings that a text is marked to have.
fn markers(text: &str) -> Result<Vec<Fault>, Failed> {
    let mut faults = Vec::new();
    for (line, content) in text.lines().enumerate().map(|(index, content)| (index + 1, content)) {
        if let Some(stated) = content.strip_prefix("// fault: ") {
            let (code, line) =
                stated.split_once(" line ").ok_or("`// fault: CODE line NUMBER` is malformed")?;
            faults.push(Fault { line: line.trim().parse()?, code: code_of(code)?, words: String::new() });
        }
        let comment = ["// error[", "// warning["].iter().filter_map(|start| content.find(start)).min();
        let mut rest = comment.map_or("", |start| &content[start + 3..]);
        while let Some(opened) = rest.find('[') {
            let (severity, tail) = (&rest[..opened], &rest[opened + 1..]);
            let (code, tail) = tail.split_once(']').ok_or("a marker is not closed")?;
            let next = [" error[P", " warning[P"].iter().filter_map(|start| tail.find(start)).min();
            let (words, tail) = tail.split_at(next.unwrap_or(tail.len()));
            let fault =
                Fault { line, code: code_of(code)?, words: words.trim_start_matches(':').trim().to_owned() };
            if (severity.trim() == "error") != (fault.code.severity() == Severity::Error) {
                return Err(format!("line {line}: {} is no {}", fault.code, severity.trim()).into());
            }
            faults.push(fault);
            rest = tail;
        }
    }
    Ok(faults)
}

/// The places that lines of carets give.
fn carets(text: &str) -> Result<Vec<Caret>, Failed> {
    let mut carets = Vec::new();
    let mut above = 0;
    for (index, content) in text.lines().enumerate() {
        match caret(content, above)? {
            Some(caret) => carets.push(caret),
            None => above = index + 1,
        }
    }
    Ok(carets)
}

fn caret(content: &str, line: usize) -> Result<Option<Caret>, Failed> {
    let Some(comment) = content.trim_start().strip_prefix("//") else { return Ok(None) };
    let Some((marks, code)) = comment.trim().split_once(' ') else { return Ok(None) };
    if marks != "|" && !marks.bytes().all(|byte| byte == b'^') {
        return Ok(None);
    }
    let start = content.chars().position(|one| matches!(one, '^' | '|')).unwrap_or(0) + 1;
    let end = if marks == "|" { start } else { start + marks.len() };
    Ok(Some(Caret { line, columns: (start, end), code: code_of(code.trim())? }))
}

fn code_of(text: &str) -> Result<Code, Failed> {
    Code::from_text(text).ok_or_else(|| format!("there is no code `{text}`").into())
}

/// Every code is marked in some file, and pinned to its columns in some file.
fn every_code(paths: &[PathBuf]) -> Result<(), Failed> {
    let (mut marked, mut pinned) = (BTreeSet::new(), BTreeSet::new());
    for path in paths {
        let text = std::fs::read_to_string(path)?;
        marked.extend(markers(&text)?.into_iter().map(|fault| fault.code));
        pinned.extend(carets(&text)?.into_iter().map(|caret| caret.code));
    }
    let missing = |seen: &BTreeSet<Code>| {
        let codes = Code::ALL.iter().filter(|code| !ELSEWHERE.contains(code) && !seen.contains(code));
        codes.map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    match (missing(&marked).as_str(), missing(&pinned).as_str()) {
        ("", "") => Ok(()),
        (marked, pinned) => {
            Err(format!("codes without a marker: {marked}\ncodes without carets: {pinned}").into())
        }
    }
}
