//! Diagnostics and findings as text for people and as JSON for scripts.

use std::sync::Arc;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use campanile::engine::Finding;
use campanile::language::diagnostic::{Diagnostic, Severity};
use campanile::language::module::{Module, Place};
use campanile::language::source::{SourceFile, Span};
use serde_json::{Value, json};

/// Lines shown around a place.
const CONTEXT: usize = 1;
/// Longest line shown whole; of a longer one only the part around the place is shown.
const LONGEST_LINE: usize = 400;

/// A place to show, with what it is.
struct Mark<'a> {
    source: &'a Arc<SourceFile>,
    span: Span,
    text: String,
    primary: bool,
}

/// A diagnostic as a compiler shows it.
pub fn diagnostic(diagnostic: &Diagnostic) -> String {
    let marks: Vec<Mark<'_>> = diagnostic
        .labels
        .iter()
        .enumerate()
        .map(|(index, label)| Mark {
            source: label.source.as_ref().unwrap_or(&diagnostic.source),
            span: label.span,
            text: label.text.clone(),
            primary: index == 0,
        })
        .collect();
    let code = diagnostic.code.to_string();
    report(level(diagnostic.severity), &code, &diagnostic.message, &marks, diagnostic.help.as_deref(), &[])
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    }
}

fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// A finding of the checked engine.
pub fn finding(module: &Module, finding: &Finding) -> String {
    let place = |place: &Place| (&module.sources[place.source], place.span);
    let (source, span) = place(&finding.place);
    let mut marks = vec![Mark { source, span, text: String::new(), primary: true }];
    if let Some(other) = &finding.other {
        let (source, span) = place(&other.place);
        let item = other.work_item.map_or(String::new(), |item| format!(", by {item}"));
        marks.push(Mark { source, span, text: format!("{}{item}", other.role), primary: false });
    }
    let kernel = &module.functions[finding.kernel].name;
    let item = finding.work_item.map_or(String::new(), |item| format!(", {item}"));
    let mut notes = vec![format!("kernel `@{kernel}`{item}")];
    if finding.function != finding.kernel {
        notes[0].push_str(&format!(", in `@{}`", module.functions[finding.function].name));
    }
    if finding.count > 1 {
        notes.push(format!("{} times in all", finding.count));
    }
    let code = finding_code(finding);
    report(Level::ERROR, &code, &finding.kind.to_string(), &marks, None, &notes)
}

fn finding_code(finding: &Finding) -> String {
    format!("C{:04}", finding.kind.code())
}

/// A fault that no text of the language has: of a layout, an interface, a plan or a SPIR-V module. Only some have a
/// place.
pub struct Fault<'a> {
    /// Its stable code.
    pub code: String,
    /// Error or warning.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// Where it shows.
    pub place: Option<(&'a Arc<SourceFile>, Span)>,
    /// Other places that belong to it, in order, each with what is there.
    pub labels: Vec<(&'a Arc<SourceFile>, Span, &'a str)>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Fault<'_> {
    /// An error without place or advice.
    pub fn error(code: impl Into<String>, message: impl Into<String>) -> Self {
        let (code, message) = (code.into(), message.into());
        Fault { code, severity: Severity::Error, message, place: None, labels: Vec::new(), help: None }
    }
}

/// A fault as a compiler shows it.
pub fn fault(fault: &Fault<'_>) -> String {
    let mark = |(source, span)| Mark { source, span, text: String::new(), primary: true };
    let labels = fault.labels.iter().map(|(source, span, text)| {
        let text = (*text).to_owned();
        Mark { source, span: *span, text, primary: false }
    });
    let marks: Vec<Mark<'_>> = fault.place.map(mark).into_iter().chain(labels).collect();
    report(level(fault.severity), &fault.code, &fault.message, &marks, fault.help.as_deref(), &[])
}

/// The same as one JSON object.
pub fn fault_json(fault: &Fault<'_>) -> Value {
    let mut object = fault.place.map_or_else(|| json!({}), |(source, span)| place_json(source, span));
    object["type"] = json!("diagnostic");
    object["code"] = json!(fault.code);
    object["severity"] = json!(severity_word(fault.severity));
    object["message"] = json!(fault.message);
    object["help"] = json!(fault.help);
    let labels = fault.labels.iter().map(|(source, span, text)| {
        let mut label = place_json(source, *span);
        label["text"] = json!(text);
        label
    });
    object["labels"] = labels.collect();
    object
}

/// An error without a place; those of launches have codes.
pub fn error(code: Option<&str>, message: &str, help: Option<&str>) -> String {
    let title = Level::ERROR.primary_title(message);
    let mut group = Group::with_title(match code {
        Some(code) => title.id(code),
        None => title,
    });
    if let Some(help) = help {
        group = group.element(Level::HELP.message(help));
    }
    Renderer::styled().render(&[group])
}

/// The same as one JSON object.
pub fn error_json(code: Option<&str>, message: &str, help: Option<&str>) -> Value {
    json!({ "type": "error", "code": code, "message": message, "help": help })
}

fn report(
    level: Level<'_>,
    code: &str,
    message: &str,
    marks: &[Mark<'_>],
    help: Option<&str>,
    notes: &[String],
) -> String {
    let windows: Vec<Window<'_>> = marks.iter().map(Window::around).collect();
    let mut group = Group::with_title(level.primary_title(message).id(code));
    let mut shown = vec![false; marks.len()];
    let mut corrections = Vec::new();
    for first in 0..marks.len() {
        if shown[first] {
            continue;
        }
        // Places whose windows touch share an excerpt.
        let mut window = windows[first].clone();
        let mut members = vec![first];
        for other in first + 1..marks.len() {
            if !shown[other] && window.touches(&windows[other]) {
                window = window.joined(&windows[other]);
                members.push(other);
            }
        }
        let annotations = members.iter().map(|member| {
            shown[*member] = true;
            window.annotation(&marks[*member])
        });
        let annotations: Vec<Annotation<'_>> = annotations.collect();
        corrections.extend(window.correction(&marks[first]));
        group = group.element(window.snippet().annotations(annotations));
    }
    for note in notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = help {
        group = group.element(Level::HELP.message(help));
    }
    let report = Renderer::styled().render(&[group]);
    corrections.iter().fold(report, |report, (wrong, right)| report.replacen(wrong, right, 1))
}

/// The part of a source text that an excerpt shows.
#[derive(Clone)]
struct Window<'a> {
    source: &'a Arc<SourceFile>,
    first_line: usize,
    last_line: usize,
    bytes: Span,
}

impl<'a> Window<'a> {
    fn around(mark: &Mark<'a>) -> Self {
        let (line, _) = mark.source.position(mark.span.start);
        let (end_line, _) = mark.source.position(mark.span.end.max(mark.span.start + 1) - 1);
        let first_line = line.saturating_sub(CONTEXT).max(1);
        let last_line = end_line.min(line + 10).max(line);
        let mut bytes = mark.source.line(first_line).to(mark.source.line(last_line));
        let mut first_line = first_line;
        if (bytes.end - bytes.start) as usize > LONGEST_LINE {
            bytes = mark.source.line(line);
            first_line = line;
        }
        let text = mark.source.text();
        if (bytes.end - bytes.start) as usize > LONGEST_LINE {
            let reach = (LONGEST_LINE / 2) as u32;
            bytes.start = bytes.start.max(mark.span.start.saturating_sub(reach));
            bytes.end = bytes.end.min(mark.span.end.min(mark.span.start + reach) + reach);
            while !text.is_char_boundary(bytes.start as usize) {
                bytes.start -= 1;
            }
            while !text.is_char_boundary(bytes.end as usize) {
                bytes.end += 1;
            }
        }
        Window { source: mark.source, first_line, last_line: last_line.max(first_line), bytes }
    }

    /// Whether one excerpt can show both. Places far apart on one endless line are shown apart.
    fn touches(&self, other: &Self) -> bool {
        let both = self.bytes.to(other.bytes);
        Arc::ptr_eq(self.source, other.source)
            && ((both.end - both.start) as usize) < 8 * LONGEST_LINE
            && self.first_line <= other.last_line + 2
            && other.first_line <= self.last_line + 2
    }

    fn joined(&self, other: &Self) -> Self {
        let first_line = self.first_line.min(other.first_line);
        let last_line = self.last_line.max(other.last_line);
        let bytes = self.bytes.to(other.bytes);
        Window { source: self.source, first_line, last_line, bytes }
    }

    fn snippet(&self) -> Snippet<'a, Annotation<'a>> {
        let text = self.source.slice(self.bytes);
        Snippet::source(text).line_start(self.first_line).path(self.source.name())
    }

    /// The place that the renderer names for a mark, and the right one, where these differ: columns count from the
    /// start of the excerpt, which may lie within a line.
    fn correction(&self, mark: &Mark<'_>) -> Option<(String, String)> {
        let cut = self.bytes.start > self.source.line(self.first_line).start;
        let (line, column) = self.source.position(mark.span.start);
        let (_, before) = self.source.position(self.bytes.start);
        let place = |column: usize| format!("{}:{line}:{column}", self.source.name());
        cut.then(|| (place(column + 1 - before), place(column)))
    }

    fn annotation<'b>(&self, mark: &Mark<'_>) -> Annotation<'b> {
        let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let clamp =
            |offset: u32| (offset.clamp(self.bytes.start, self.bytes.end) - self.bytes.start) as usize;
        let annotation = kind.span(clamp(mark.span.start)..clamp(mark.span.end));
        if mark.text.is_empty() { annotation } else { annotation.label(mark.text.clone()) }
    }
}

fn place_json(source: &SourceFile, span: Span) -> Value {
    let ((line, column), (end_line, end_column)) = (source.position(span.start), source.position(span.end));
    json!({
        "file": source.name(), "line": line, "column": column, "end_line": end_line, "end_column": end_column,
        "byte_start": span.start, "byte_end": span.end,
    })
}

/// A diagnostic as one JSON object.
pub fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    let labels: Vec<Value> = diagnostic
        .labels
        .iter()
        .map(|label| {
            let source = label.source.as_ref().unwrap_or(&diagnostic.source);
            let mut place = place_json(source, label.span);
            place["text"] = json!(label.text);
            place
        })
        .collect();
    let mut object = place_json(&diagnostic.source, diagnostic.span());
    object["type"] = json!("diagnostic");
    object["code"] = json!(diagnostic.code.to_string());
    object["severity"] = json!(severity_word(diagnostic.severity));
    object["message"] = json!(diagnostic.message);
    object["labels"] = json!(labels);
    object["help"] = json!(diagnostic.help);
    object
}

/// A finding as one JSON object.
pub fn finding_json(module: &Module, finding: &Finding) -> Value {
    let place = |place: &Place| place_json(&module.sources[place.source], place.span);
    let item = |item: &campanile::engine::ndrange::WorkItem| json!({ "global": item.global, "local": item.local, "group": item.group });
    let mut object = place(&finding.place);
    object["type"] = json!("finding");
    object["code"] = json!(finding_code(finding));
    object["check"] = json!(finding.kind.check().name());
    object["message"] = json!(finding.kind.to_string());
    object["kernel"] = json!(module.functions[finding.kernel].name);
    object["function"] = json!(module.functions[finding.function].name);
    object["work_item"] = finding.work_item.as_ref().map_or(Value::Null, item);
    object["count"] = json!(finding.count);
    object["other"] = match &finding.other {
        None => Value::Null,
        Some(other) => {
            let mut value = place(&other.place);
            value["role"] = json!(other.role.to_string());
            value["work_item"] = other.work_item.as_ref().map_or(Value::Null, item);
            value
        }
    };
    object
}
