//! Valid lines of a form, and what breaks them.

use campanile_core::diagnostic::Code;
use campanile_core::isa::{ControlFlow, ExpectedOperand, FormId, Op, Opcode, OperandKind, Rule, Words};

use crate::line::{codes, elements, line, operands, register};
use crate::mnemonic::{Choice, breaking, operation, text, valid};

/// Checks that a line has exactly these codes, besides the warning of an extension.
fn expect(line: &str, expected: &[Code]) -> Option<String> {
    let (mut found, _) = codes(line);
    found.retain(|code| *code != Code::Extension || expected.contains(code));
    found.dedup();
    (found != expected).then(|| format!("`{line}`: expected {expected:?}, found {found:?}"))
}

/// The form accepts every word of each of its qualifiers, and immediates where it reads scalars.
pub fn accepted(form: FormId) -> Vec<String> {
    let extension = form.entry().form.extension;
    let mut problems = Vec::new();
    for (choice, op) in valid(form) {
        let mnemonic = text(form, &choice);
        let mut lines = vec![line(&mnemonic, &operands(op))];
        for (place, expected) in op.expected_operands().iter().enumerate() {
            let mut operands = operands(op);
            match expected.kind {
                OperandKind::Source => operands[place] = "1".to_owned(),
                OperandKind::Condition => operands[place] = "!%p1".to_owned(),
                OperandKind::Pointer => {
                    operands[place] = (if expected.bits == 32 { "@private" } else { "@global" }).to_owned();
                }
                _ => continue,
            }
            // A variable suits only the space it lies in; two others have the same width.
            let other_space = mnemonic.contains(".shared") || mnemonic.contains(".const");
            if expected.kind != OperandKind::Pointer || !other_space {
                lines.push(line(&mnemonic, &operands));
            }
        }
        for line in lines {
            let (found, used) = codes(&line);
            let doubts = found.iter().all(|code| extension && *code == Code::Extension);
            // A single element is a scalar, and 8 bits are never more than one.
            let scalar = mnemonic == "mov.8b";
            if !doubts || found.is_empty() == extension || (used != Some(form) && !scalar) {
                problems.push(format!("`{line}` has {found:?} and form {used:?}, not {form:?}"));
            }
        }
    }
    problems
}

/// A misspelt or repeated qualifier is refused.
pub fn wrong_qualifiers(form: FormId) -> Vec<String> {
    let Some((choice, op)) = valid(form).into_iter().next() else { return Vec::new() };
    let operands = operands(op);
    let mut problems = Vec::new();
    for slot in 0..choice.len() {
        let word = choice[slot].clone().unwrap_or_else(|| any_word(form, slot));
        for wrong in [format!("{word}z"), word.to_uppercase(), format!("{word}."), ".x".to_owned()] {
            let mut choice: Choice = choice.clone();
            choice[slot] = Some(wrong.clone());
            // A number has no case, but for its prefix.
            if operation(form, &text(form, &choice)).is_none() {
                problems.extend(expect(&line(&text(form, &choice), &operands), &[Code::InvalidQualifier]));
            }
        }
    }
    let behind = text(form, &choice) + ".32b.32b";
    problems.extend(expect(&line(&behind, &operands), &[Code::InvalidQualifier]));
    problems
}

fn any_word(form: FormId, slot: usize) -> String {
    match &form.entry().qualifiers[slot].words {
        Words::Listed(words) => words[0].to_owned(),
        Words::Number { first, .. } => format!(".{first}"),
    }
}

/// What breaks a rule of the form is refused.
pub fn broken_rules(form: FormId) -> Vec<String> {
    form.entry().form.rules.iter().flat_map(|rule| broken_rule(form, *rule)).flatten().collect()
}

fn broken_rule(form: FormId, rule: Rule) -> Vec<Option<String>> {
    let lines = |rows: &[(&str, &[&str])], code| -> Vec<Option<String>> {
        let row = |(mnemonic, operands): &(&str, &[&str])| {
            let operands: Vec<String> = operands.iter().map(ToString::to_string).collect();
            expect(&line(mnemonic, &operands), &[code])
        };
        rows.iter().map(row).collect()
    };
    match rule {
        Rule::OperandOnlyWhen { .. } => Vec::new(), // see `wrong_operands`, which is given every word
        Rule::IndexBelow { vector: "dst" } => {
            lines(&[("insert.4.32b", &["%v4_32", "%r32"])], Code::IndexRule)
        }
        Rule::IndexBelow { .. } => lines(&[("extract.4.32b", &["%r32", "%v4_32"])], Code::IndexRule),
        Rule::IndexAligned { part: "dst" } => {
            lines(&[("extract.1.v2.32b", &["%v2_32", "%v4_32"])], Code::IndexRule)
        }
        Rule::IndexAligned { .. } => lines(&[("insert.1.v2.32b", &["%v4_32", "%v2_32"])], Code::IndexRule),
        Rule::IndexFits { part: "dst", .. } => lines(
            &[("extract.4.v2.32b", &["%v2_32", "%v4_32"]), ("extract.0.v4.32b", &["%v4_32", "%v2_32"])],
            Code::IndexRule,
        ),
        Rule::IndexFits { .. } => lines(
            &[("insert.4.v2.32b", &["%v4_32", "%v2_32"]), ("insert.0.v4.32b", &["%v2_32", "%v4_32"])],
            Code::IndexRule,
        ),
        Rule::NoSwizzle => {
            let rows: [(&str, &[&str]); 2] =
                [("extract.0.32b", &["%v4_32.x", "%v4_32"]), ("insert.0.32b", &["%v4_32", "%v4_32.x"])];
            let own = usize::from(matches!(form.entry().form.syntax, syntax if syntax.starts_with("insert")));
            lines(&rows[own..=own], Code::SwizzledPart)
        }
        Rule::NotWith { .. }
        | Rule::ExactlyWith { .. }
        | Rule::CannotBe { .. }
        | Rule::Widens
        | Rule::Narrows => {
            let texts = breaking(form, rule);
            let wanted = if matches!(rule, Rule::ExactlyWith { .. }) { 2 } else { 1 };
            let missing = (texts.len() < wanted).then(|| format!("nothing breaks the rule that {rule}"));
            let broken = texts.iter().map(|text| expect(&line(text, &[]), &[Code::QualifierRule]));
            broken.chain([missing]).collect()
        }
    }
}

/// An operand too few or too many, of the wrong kind or of the wrong width is refused.
pub fn wrong_operands(form: FormId) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = Vec::new();
    for (choice, op) in valid(form) {
        let wanted = (op.expected_operands(), op.space());
        if seen.contains(&wanted) {
            continue;
        }
        seen.push(wanted);
        let mnemonic = text(form, &choice);
        let right = operands(op);
        let (few, many) = count_codes(op);
        if let Some((_, fewer)) = right.split_last() {
            problems.extend(expect(&line(&mnemonic, fewer), &[few]));
        }
        let more: Vec<String> = right.iter().cloned().chain(["%r32".to_owned()]).collect();
        problems.extend(expect(&line(&mnemonic, &more), &[many]));
        for (place, expected) in op.expected_operands().iter().enumerate() {
            for (wrong, code) in wrong_operand(expected) {
                let mut operands = right.clone();
                operands.truncate(place.max(operands.len()));
                match operands.get_mut(place) {
                    Some(operand) => *operand = wrong,
                    None => operands.push(wrong),
                }
                problems.extend(expect(&line(&mnemonic, &operands), &[code]));
            }
        }
    }
    problems
}

/// The codes of an operand too few and one too many.
fn count_codes(op: Op) -> (Code, Code) {
    match op.opcode() {
        Opcode::ControlFlow(ControlFlow::Call) => (Code::CallForm, Code::UnexpectedToken),
        Opcode::ControlFlow(ControlFlow::Return) => (Code::OperandCount, Code::ReturnValue),
        _ => (Code::OperandCount, Code::OperandCount),
    }
}

/// Operands that do not suit a place, and with which code.
fn wrong_operand(expected: &ExpectedOperand) -> Vec<(String, Code)> {
    let bits = expected.bits;
    let other = |bits| if bits == 32 { 64 } else { 32 };
    let mut wrong: Vec<(String, Code)> = match expected.kind {
        OperandKind::Register | OperandKind::Source | OperandKind::Pointer => {
            let widths = [8, 16, 32, 64, 128].into_iter().filter(|other| *other != bits);
            widths.map(|width| (register(1, width), Code::WidthMismatch)).collect()
        }
        OperandKind::Data if expected.elements == 1 => {
            vec![(register(1, other(bits)), Code::WidthMismatch), (register(2, bits), Code::OperandKind)]
        }
        OperandKind::Packed | OperandKind::Data | OperandKind::Vector { .. } => {
            let mut wrong = vec![(register(2, other(bits)), Code::WidthMismatch)];
            if expected.elements > 0 {
                let count = if expected.elements == 3 { 4 } else { 3 };
                wrong.push((register(count, bits), Code::ElementCount));
            }
            wrong
        }
        OperandKind::Swizzled => {
            let width = if bits == 64 { 128 } else { 64 };
            vec![(elements(width).to_owned(), Code::WidthMismatch)]
        }
        OperandKind::Address => {
            vec![("[%r16]".to_owned(), Code::AddressWidth), ("[5]".to_owned(), Code::AddressForm)]
        }
        OperandKind::ParameterAddress => vec![("[%nothing]".to_owned(), Code::UnknownParameter)],
        OperandKind::Variable if bits == 32 => vec![("@global".to_owned(), Code::AddressWidth)],
        OperandKind::Variable => vec![("@private".to_owned(), Code::AddressWidth)],
        OperandKind::Function => vec![("@kernel".to_owned(), Code::CallTarget)],
        OperandKind::Label => vec![("nowhere".to_owned(), Code::UnknownLabel)],
        OperandKind::Target => {
            return vec![("@kernel".to_owned(), Code::CallTarget), ("%r32".to_owned(), Code::CallTarget)];
        }
        OperandKind::Arguments => {
            return vec![("(5)".to_owned(), Code::OperandKind), ("(%r32)".to_owned(), Code::ArgumentCount)];
        }
        OperandKind::Result => {
            vec![("%r32".to_owned(), Code::ResultType), ("%p0".to_owned(), Code::PredicateValue)]
        }
        OperandKind::ReturnValue => return vec![("%r32".to_owned(), Code::ReturnValue)],
        OperandKind::Predicate | OperandKind::Condition | OperandKind::AnyRegister => Vec::new(),
    };
    if expected.written {
        wrong.push(("5".to_owned(), Code::OperandKind));
        if matches!(expected.kind, OperandKind::Register | OperandKind::Data) {
            wrong.push(("%laneid".to_owned(), Code::ReadOnly));
        }
    }
    let kind = if expected.kind == OperandKind::Variable || expected.kind == OperandKind::Function {
        "%r64"
    } else {
        "@function"
    };
    wrong.push((kind.to_owned(), Code::OperandKind));
    wrong.push(("%nothing".to_owned(), Code::UnknownRegister));
    wrong
}
