//! Every form of every instruction is executed by a self-checking file, with every word of every qualifier and every
//! pair of words of two qualifiers that may stand together.
//!
//! An instruction counts when a kernel that a run names reaches it: in its own body or in that of a function that it
//! calls or takes the address of.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use campanile_core::diagnostic::Sink;
use campanile_core::isa::{FORMS, FormId, Op, OperandKind, QualifierSlot, Rule, Type, Words, resolve};
use campanile_core::module::{
    Base, Body, FunctionId, Initializer, InitializerItem, Module, Operand, VariableId,
};
use campanile_core::source::SourceFile;

/// Every `.pisa` file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pisa") {
            found.push(path);
        }
    }
}

/// The kernels that the comments of a text ask to be run; none if it is no self-checking run.
fn kernels(text: &str, module: &Module) -> Vec<FunctionId> {
    let comments =
        || text.lines().filter_map(|line| line.trim_start().strip_prefix("//")?.trim_start().split_once(':'));
    if !comments().any(|(word, rest)| word == "expect" && rest.trim_start().starts_with("run")) {
        return Vec::new();
    }
    let named: Vec<&str> = comments()
        .filter(|(word, _)| *word == "kernel")
        .filter_map(|(_, rest)| rest.split_whitespace().next())
        .collect();
    if named.is_empty() {
        return module.kernels().collect();
    }
    named.iter().filter_map(|name| module.kernel(name.trim_start_matches('@'))).collect()
}

/// Functions that a body mentions, itself or by the variables it uses.
fn mentioned(module: &Module, body: &Body) -> Vec<FunctionId> {
    let mut found = Vec::new();
    let mut variables: Vec<VariableId> = Vec::new();
    for operand in &body.operands {
        match operand {
            Operand::Function(function) => found.push(*function),
            Operand::Variable(variable) => variables.push(*variable),
            Operand::Address(address) => {
                if let Base::Variable(variable) = address.base {
                    variables.push(variable);
                }
            }
            _ => {}
        }
    }
    let mut seen = HashSet::new();
    while let Some(variable) = variables.pop() {
        if !seen.insert(variable) {
            continue;
        }
        for item in module.variables[variable].initializer.iter().flat_map(|Initializer { items, .. }| items)
        {
            match item {
                InitializerItem::Function { function, .. } => found.push(*function),
                InitializerItem::Variable { variable, .. } => variables.push(*variable),
                _ => {}
            }
        }
    }
    found
}

/// Every operation that the runs of a text reach.
fn reached(text: &str, operations: &mut HashSet<Op>) {
    let source = Arc::new(SourceFile::new("case", text).expect("short"));
    let Some(module) = campanile_core::load(&source, &mut Sink::new()) else { return };
    let mut open = kernels(text, &module);
    let mut seen = HashSet::new();
    while let Some(function) = open.pop() {
        let Some(body) = module.functions[function].body.as_ref().filter(|_| seen.insert(function)) else {
            continue;
        };
        operations.extend(body.instructions.iter().map(|instruction| instruction.op));
        open.extend(mentioned(&module, body));
    }
}

/// How an operation writes a qualifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Written {
    Not,
    Word(&'static str),
    Number { number: u8, hexadecimal: bool },
}

impl std::fmt::Display for Written {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Written::Not => Ok(()),
            Written::Word(word) => formatter.write_str(word),
            Written::Number { number, hexadecimal: true } => write!(formatter, ".{number:#04x}"),
            Written::Number { number, .. } => write!(formatter, ".{number}"),
        }
    }
}

/// The ways to write a qualifier.
fn choices(slot: &'static QualifierSlot) -> Vec<Written> {
    let present: Vec<Written> = match slot.words {
        Words::Listed(ref words) => words.iter().map(|word| Written::Word(word)).collect(),
        Words::Number { first, last, hexadecimal } => {
            (first..=last).map(|number| Written::Number { number, hexadecimal }).collect()
        }
    };
    slot.optional.then_some(Written::Not).into_iter().chain(present).collect()
}

/// How an operation writes its qualifiers.
fn written(op: Op) -> Vec<Written> {
    let written = |slot: &'static QualifierSlot| match slot.words {
        Words::Listed(_) => op.written(slot.name).map(Written::Word),
        Words::Number { hexadecimal, .. } => {
            op.number(slot.name).map(|number| Written::Number { number, hexadecimal })
        }
    };
    op.form.entry().qualifiers.iter().map(|slot| written(slot).unwrap_or(Written::Not)).collect()
}

/// Whether a form has an operation that writes the qualifiers so; one without a choice may be written in any way.
fn is_possible(form: FormId, fixed: &[Option<Written>]) -> bool {
    let Some(open) = fixed.iter().position(Option::is_none) else {
        let syntax = form.entry().form.syntax;
        let mut mnemonic = syntax[..syntax.find(['.', '<', ' ']).unwrap_or(syntax.len())].to_owned();
        fixed.iter().flatten().for_each(|choice| mnemonic += &choice.to_string());
        let candidates = resolve(&mnemonic).map(|found| found.candidates).unwrap_or_default();
        return candidates.iter().any(|op| op.form == form && has_operands(*op));
    };
    choices(&form.entry().qualifiers[open]).into_iter().any(|choice| {
        let mut fixed = fixed.to_vec();
        fixed[open] = Some(choice);
        is_possible(form, &fixed)
    })
}

/// Whether there are operands for an operation.
fn has_operands(op: Op) -> bool {
    let form = op.form.entry().form;
    // A part lies at a multiple of its elements, in a vector of at most 64.
    let part = form.rules.iter().any(|rule| matches!(rule, Rule::IndexAligned { .. }));
    let (index, elements) = (op.number("index").map_or(0, u32::from), op.vector());
    // A swizzle names several elements: one alone is a scalar, which the plain form moves.
    let swizzled = form.operands.iter().any(|slot| slot.kind == OperandKind::Swizzled);
    let bits = op.ty().map_or(0, Type::bits);
    (!part || (index.is_multiple_of(elements) && index + elements <= 64)) && (!swizzled || bits > 8)
}

/// What of a form is never run: choices of a qualifier, and pairs of choices of two.
fn gaps(form: FormId, run: &[Vec<Written>]) -> Vec<String> {
    let entry = form.entry();
    let slots = &entry.qualifiers;
    let syntax = entry.form.syntax;
    if run.is_empty() {
        return vec![format!("{syntax}: never run")];
    }
    let name = |slot: usize, choice: Written| match choice {
        Written::Not => format!("no `.{}`", slots[slot].name),
        _ => format!("`.{}` {choice}", slots[slot].name),
    };
    let mut gaps = Vec::new();
    for first in 0..slots.len() {
        let pairs: HashSet<(Written, usize, Written)> = run
            .iter()
            .flat_map(|op| (first..slots.len()).map(move |second| (op[first], second, op[second])))
            .collect();
        for one in choices(&slots[first]) {
            for second in first..slots.len() {
                let others = if second == first { vec![one] } else { choices(&slots[second]) };
                for other in others.into_iter().filter(|other| !pairs.contains(&(one, second, *other))) {
                    let mut fixed = vec![None; slots.len()];
                    (fixed[first], fixed[second]) = (Some(one), Some(other));
                    if is_possible(form, &fixed) {
                        gaps.push(format!("{syntax}: {} with {}", name(first, one), name(second, other)));
                    }
                }
            }
        }
    }
    gaps
}

#[test]
fn every_form_runs_with_every_pair_of_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    files(&root.join("tests/cases/run"), &mut paths);
    files(&root.join("examples"), &mut paths);
    let mut operations = HashSet::new();
    for path in &paths {
        reached(&std::fs::read_to_string(path).expect("a text"), &mut operations);
    }
    let forms = (0..FORMS.len()).map(|index| FormId(u8::try_from(index).expect("few forms")));
    let gaps: Vec<String> = forms
        .flat_map(|form| {
            let own = operations.iter().filter(|op| op.form == form);
            gaps(form, &own.map(|op| written(*op)).collect::<Vec<_>>())
        })
        .collect();
    assert!(
        gaps.is_empty(),
        "{} gaps among {} operations:\n{}",
        gaps.len(),
        operations.len(),
        gaps.join("\n")
    );
}
