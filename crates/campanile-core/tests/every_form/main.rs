//! Every form of the instruction table: a valid line is made from its entry and accepted, and each way to break that
//! line, operand by operand, qualifier by qualifier and rule by rule, is refused with its code.

mod line;
mod mnemonic;
mod mutation;

use campanile_core::isa::{FORMS, FormEntry, FormId, instructions};
use libtest_mimic::{Arguments, Failed, Trial};

/// Instructions and forms in the syntax blocks of the specification.
const SPECIFIED: (usize, usize) = (86, 143);

/// Sections in the nine chapters of the instruction set.
const SECTIONS: [usize; 9] = [16, 18, 16, 18, 4, 3, 4, 5, 2];

fn main() {
    let forms = FORMS.iter().enumerate().map(|(index, entry)| {
        let form = FormId(u8::try_from(index).expect("few forms"));
        Trial::test(name(entry), move || check(form))
    });
    let mut trials: Vec<Trial> = forms.collect();
    trials.push(Trial::test("the_table_covers_the_specification", counts));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// `uaddc carry in`, `not`
fn name(entry: &FormEntry) -> String {
    format!("{} {}", entry.instruction.opcode.mnemonic(), entry.form.title).trim_end().to_owned()
}

fn check(form: FormId) -> Result<(), Failed> {
    let mut problems = mutation::accepted(form);
    problems.extend(mutation::wrong_qualifiers(form));
    problems.extend(mutation::broken_rules(form));
    problems.extend(mutation::wrong_operands(form));
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
}

fn counts() -> Result<(), Failed> {
    let specified = || FORMS.iter().filter(|entry| !entry.form.extension);
    let mut sections: Vec<&str> = specified().map(|entry| entry.instruction.section).collect();
    let forms = sections.len();
    sections.dedup();
    let expected: Vec<String> = SECTIONS
        .iter()
        .enumerate()
        .flat_map(|(chapter, count)| (1..=*count).map(move |section| format!("{}.{section}", chapter + 1)))
        .collect();
    let missing: Vec<&String> = expected.iter().filter(|one| !sections.contains(&one.as_str())).collect();
    if (sections.len(), forms) != SPECIFIED || !missing.is_empty() {
        return Err(format!("{} sections with {forms} forms; missing are {missing:?}", sections.len()).into());
    }
    match instructions().find(|one| one.forms.is_empty() || one.summary.is_empty()) {
        Some(empty) => Err(format!("the entry of {} is not complete", empty.opcode.mnemonic()).into()),
        None => Ok(()),
    }
}
