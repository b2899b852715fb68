//! Where messages go: people read them on standard error, in colour on a terminal; scripts get one JSON object a line.

use std::io::{IsTerminal, Write};

use anstream::AutoStream;
use campanile::engine::Finding;
use campanile::language::diagnostic::{Severity, Sink};
use campanile::language::module::Module;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::advice::{self, Message};
use crate::render::{self, Fault};

/// Options of every command that say how to talk.
#[derive(Debug, Args)]
pub struct ConsoleOptions {
    /// Form of messages: text for people, or one JSON object a line
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t = MessageFormat::Human,
        value_name = "FORMAT",
        help_heading = "Messages"
    )]
    pub message_format: MessageFormat,
    /// Whether to use colours
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t = Colour::Auto,
        value_name = "WHEN",
        help_heading = "Messages"
    )]
    pub color: Colour,
}

/// Form of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// Text with excerpts of the source.
    Human,
    /// One JSON object a line.
    Json,
}

/// Whether to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How many files a command has looked at, and how much it has shown of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Files.
    pub files: usize,
    /// Errors in all of them.
    pub errors: usize,
    /// Warnings in all of them.
    pub warnings: usize,
}

/// The way messages of one run go.
pub struct Console {
    format: MessageFormat,
    choice: anstream::ColorChoice,
    terminal: bool,
}

impl Console {
    /// A console that talks as the options say.
    pub fn new(options: &ConsoleOptions) -> Self {
        let choice = match options.color {
            Colour::Auto => anstream::ColorChoice::Auto,
            Colour::Always => anstream::ColorChoice::Always,
            Colour::Never => anstream::ColorChoice::Never,
        };
        Console { format: options.message_format, choice, terminal: std::io::stderr().is_terminal() }
    }

    /// Whether scripts listen.
    pub fn is_json(&self) -> bool {
        self.format == MessageFormat::Json
    }

    /// Whether a progress bar has a place to be.
    pub fn shows_progress(&self) -> bool {
        self.terminal && !self.is_json()
    }

    /// Writes to standard error. That nobody listens is no fault of the input.
    fn write(&self, text: &str) {
        let mut stream = AutoStream::new(std::io::stderr().lock(), self.choice);
        let _ = writeln!(stream, "{text}");
    }

    /// Writes a JSON object on a line of its own.
    pub fn json(&self, object: &Value) {
        self.write(&object.to_string());
    }

    /// Findings about source texts, which are counted too.
    pub fn diagnostics(&self, sink: Sink, tally: &mut Tally) {
        let (errors, warnings) = (sink.errors(), sink.warnings());
        tally.errors += errors;
        tally.warnings += warnings;
        for diagnostic in sink.into_sorted() {
            match self.format {
                MessageFormat::Human => self.write(&format!("{}\n", render::diagnostic(&diagnostic))),
                MessageFormat::Json => self.json(&render::diagnostic_json(&diagnostic)),
            }
        }
        self.note_limit(errors, warnings);
    }

    /// Faults of layouts, interfaces, plans and SPIR-V modules, which are counted too.
    pub fn faults<'a>(&self, faults: impl IntoIterator<Item = Fault<'a>>, tally: &mut Tally) {
        let (mut errors, mut warnings) = (0, 0);
        for fault in faults {
            let count = match fault.severity {
                Severity::Error => &mut errors,
                Severity::Warning => &mut warnings,
            };
            *count += 1;
            if *count > Sink::LIMIT {
                continue;
            }
            match self.format {
                MessageFormat::Human => self.write(&format!("{}\n", render::fault(&fault))),
                MessageFormat::Json => self.json(&render::fault_json(&fault)),
            }
        }
        tally.errors += errors;
        tally.warnings += warnings;
        self.note_limit(errors, warnings);
    }

    /// Tells people that more errors or warnings are not shown, or not even looked for.
    fn note_limit(&self, errors: usize, warnings: usize) {
        for (count, what) in [(errors, "errors"), (warnings, "warnings")] {
            if count >= Sink::LIMIT {
                self.note(&format!("only the first {} {what} are shown\n", Sink::LIMIT));
            }
        }
    }

    /// Tells how much was wrong with the files of a command: people when anything was, scripts always. `more` joins
    /// the object that scripts get.
    pub fn summary(&self, command: &str, tally: Tally, more: Value) {
        let Tally { files, errors, warnings } = tally;
        if self.is_json() {
            let mut object = json!({
                "type": "summary", "command": command, "files": files, "errors": errors, "warnings": warnings,
            });
            if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
                object.extend(more);
            }
            self.json(&object);
        } else if errors + warnings > 0 {
            self.note(&format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")));
        }
    }

    /// Findings about a running kernel.
    pub fn findings(&self, module: &Module, findings: &[Finding]) {
        for finding in findings {
            match self.format {
                MessageFormat::Human => self.write(&format!("{}\n", render::finding(module, finding))),
                MessageFormat::Json => self.json(&render::finding_json(module, finding)),
            }
        }
    }

    /// What made the command impossible, with its causes.
    pub fn error(&self, error: &anyhow::Error) {
        for Message { code, text, help } in advice::messages(error) {
            match self.format {
                MessageFormat::Human => self.write(&render::error(code, &text, help.as_deref())),
                MessageFormat::Json => self.json(&render::error_json(code, &text, help.as_deref())),
            }
        }
    }

    /// What is wrong with a launch plan, which is counted too: its launches, or what it says of arrays.
    pub fn plan_error(&self, error: &anyhow::Error, tally: &mut Tally) {
        let faults = advice::messages(error)
            .into_iter()
            .map(|Message { code, text, help }| Fault { help, ..Fault::error(code.unwrap_or("plan"), text) });
        self.faults(faults, tally);
    }

    /// A line for people only.
    pub fn note(&self, text: &str) {
        if !self.is_json() {
            self.write(text);
        }
    }
}

/// `1 error`, `2 errors`.
pub fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Writes a command's result to standard output; that the reader has gone is no fault.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn print(text: &str) -> std::io::Result<()> {
    print_bytes(text.as_bytes())
}

/// Prints bytes, as texts are printed.
pub fn print_bytes(bytes: &[u8]) -> std::io::Result<()> {
    let mut stream = std::io::stdout().lock();
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
