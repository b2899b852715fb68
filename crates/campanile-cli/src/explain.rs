//! `pisa explain`

use std::fmt::Write;

use anyhow::Result;
use campanile::amdgpu::c as prototypes;
use campanile::engine::{Check, Explanation, FindingKind};
use campanile::language::diagnostic::Code;
use campanile::language::isa::{self, Instruction, SpecialRegister};
use campanile::spirv::environment as spirv;
use clap::Args;

use crate::Outcome;
use crate::advice::advised;
use crate::console::{self, Console};

/// Explain an instruction, a code, a special register or the checks
///
/// Without a topic, lists every instruction.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  pisa explain fmad\n  pisa explain P0206\n  pisa explain C0101\n  pisa explain S0301\n  pisa explain %laneid\n  \
                        pisa explain checks\n  pisa explain\n\nExit status: 0 explained, 2 no such topic."
)]
pub struct Explain {
    /// A mnemonic, perhaps with qualifiers, a code such as P0206, C0101, S0301 or H0201, a special register, or `checks`
    topic: Option<String>,
}

impl Explain {
    /// Runs the command.
    pub fn execute(&self, _console: &Console) -> Result<Outcome> {
        let text = match self.topic.as_deref() {
            None => overview(),
            Some(topic) => explain(topic)?,
        };
        console::print(&text)?;
        Ok(Outcome::Fine)
    }
}

fn explain(topic: &str) -> Result<String> {
    if let Some(code) = Code::from_text(topic) {
        let title = format!("{code}: {}", code.title());
        return Ok(coded(&title, code.explanation(), code.wrong(), code.right()));
    }
    if let Some(finding) = FindingKind::explain(topic) {
        let Explanation { code, title, rule, wrong, right } = finding;
        return Ok(coded(&format!("C{code:04}: {title}"), rule, wrong, right));
    }
    if let Some(code) = spirv::Code::from_text(topic) {
        let title = format!("{code}: {}", code.title());
        return Ok(coded(&title, code.explanation(), code.wrong(), code.right()));
    }
    if let Some(code) = prototypes::Code::from_text(topic) {
        let title = format!("{code}: {}", code.title());
        return Ok(coded(&title, code.explanation(), code.wrong(), code.right()));
    }
    if topic == "checks" {
        return Ok(checks());
    }
    if let Some(name) = topic.strip_prefix('%') {
        let name = name.split('.').next().unwrap_or_default();
        return match SpecialRegister::from_name(name) {
            Some(special) => Ok(special_register(special)),
            None => {
                let help = format!("the special registers are {}", special_register_names());
                Err(advised(format!("there is no special register `{topic}`"), help))
            }
        };
    }
    // The longest mnemonic that the topic starts with: `extract.dynamic` before `extract`.
    let names = |instruction: &&Instruction| {
        let mnemonic = instruction.opcode.mnemonic();
        topic.strip_prefix(mnemonic).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    match isa::instructions().filter(names).max_by_key(|one| one.opcode.mnemonic().len()) {
        Some(found) => Ok(instruction(found)),
        None => {
            let head = topic.split('.').next().unwrap_or_default();
            let names = isa::instructions().map(|one| one.opcode.mnemonic());
            let nearest = names.map(|name| (isa::distance(name, head), name)).min();
            let help = match nearest {
                Some((distance, name)) if distance <= 1 + head.len() / 4 => format!("did you mean `{name}`?"),
                _ => "`pisa explain` lists all instructions and special registers".to_owned(),
            };
            Err(advised(format!("there is no instruction, code or special register `{topic}`"), help))
        }
    }
}

fn overview() -> String {
    let mut text = String::new();
    let mut chapter = 0;
    for instruction in isa::instructions() {
        let (number, title) = instruction.opcode.chapter();
        if number != chapter {
            let blank = if chapter > 0 { "\n" } else { "" };
            let _ = writeln!(text, "{blank}{number}. {title}");
            chapter = number;
        }
        let _ = writeln!(text, "  {:<18} {}", instruction.opcode.mnemonic(), instruction.summary);
    }
    let _ = writeln!(text, "\nSpecial registers: {}", special_register_names());
    text
}

fn special_register_names() -> String {
    let names: Vec<String> =
        SpecialRegister::ALL.iter().map(|special| format!("%{}", special.name())).collect();
    names.join(", ")
}

/// An instruction with its forms, the words of their qualifiers, and their rules.
fn instruction(instruction: &Instruction) -> String {
    let mut text = String::new();
    let (name, summary) = (instruction.opcode.mnemonic(), instruction.summary);
    let _ = writeln!(text, "{name} ({})\n{summary}", instruction.origin());
    for form in instruction.forms {
        let title = if form.title.is_empty() { String::new() } else { format!("  ({})", form.title) };
        let _ = writeln!(text, "\n  {}{title}", form.syntax);
        for choice in form.choices {
            let default = choice.default.map_or(String::new(), |word| format!("   (default {word})"));
            let _ = writeln!(text, "    .{} = {}{default}", choice.qualifier, choice.words);
        }
        for operand in form.operands {
            let _ = writeln!(text, "    {}: {}", operand.role, operand.describe());
        }
        for rule in form.rules {
            let _ = writeln!(text, "    rule: {rule}");
        }
    }
    text
}

/// The checks of the checked engine, for `--check`.
fn checks() -> String {
    let mut text =
        "Checks of the checked engine, for `pisa run --check=LIST`; those with * are on by default.\n"
            .to_owned();
    for check in Check::ALL {
        let mark = if check.by_default() { '*' } else { ' ' };
        let _ = writeln!(text, "{mark} {:<10} {}", check.name(), check.summary());
    }
    text.push_str("A list adds to the default; `-name` takes away, `all` and `none` begin anew.\n");
    text
}

fn special_register(special: SpecialRegister) -> String {
    format!("%{}: {}, read-only\n{}\n", special.name(), special.describe(), special.summary())
}

/// What a code stands for, with its examples.
fn coded(title: &str, rule: &str, wrong: &str, right: &str) -> String {
    let mut text = format!("{title}\n\n{rule}\n");
    for (heading, example) in [("wrong", wrong), ("right", right)] {
        if !example.is_empty() {
            let _ = writeln!(text, "\n{heading}:");
            for line in example.lines() {
                let _ = writeln!(text, "  {}", line.strip_prefix("  ").unwrap_or(line));
            }
        }
    }
    text
}
