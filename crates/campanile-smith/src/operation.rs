//! Choosing an operation of the instruction table: a form and the words of its qualifiers.

use std::fmt::Write as _;

use campanile_core::isa::{
    FORMS, FloatingPoint, FormEntry, FormId, Op, Opcode, QualifierSlot, Words, resolve,
};

use crate::Options;
use crate::choices::Choices;

/// Attempts to find words that no rule forbids.
const ATTEMPTS: usize = 24;
/// Elements of the longest vector.
const LONGEST: usize = 64;

/// Any form that samples with these options may contain.
pub(crate) fn any_form(choices: &mut Choices<'_>, options: &Options) -> FormId {
    let mut form = choices.below(FORMS.len());
    while FORMS[form].form.extension && !options.extensions {
        form = (form + 1) % FORMS.len();
    }
    FormId(form as u8)
}

/// The form of this syntax line.
pub(crate) fn form_of(opcode: Opcode, title: &str) -> FormId {
    let found =
        FORMS.iter().position(|entry| entry.instruction.opcode == opcode && entry.form.title == title);
    FormId(found.unwrap_or(0) as u8)
}

/// An operation of this form that the options allow.
pub(crate) fn any_operation(choices: &mut Choices<'_>, form: FormId, options: &Options) -> Option<Op> {
    let entry = form.entry();
    (0..ATTEMPTS).find_map(|_| {
        let mnemonic = any_mnemonic(choices, entry);
        let candidates = resolve(&mnemonic).ok()?.candidates;
        let op = candidates.into_iter().find(|op| op.form == form)?;
        (options.approximate || !is_approximate(op)).then_some(op)
    })
}

fn any_mnemonic(choices: &mut Choices<'_>, entry: &FormEntry) -> String {
    let syntax = entry.form.syntax;
    let mut mnemonic = syntax[..syntax.find(['.', '<', ' ']).unwrap_or(syntax.len())].to_owned();
    let mut index_at = None;
    let mut part = 1;
    for slot in &entry.qualifiers {
        if slot.optional && choices.chance(50) {
            continue;
        }
        match &slot.words {
            Words::Listed(words) => {
                let word = choices.one_of(words);
                if slot.name == "vec" {
                    part = word[2..].parse().unwrap_or(1);
                }
                mnemonic.push_str(word);
            }
            Words::Number { .. } if slot.name == "index" => index_at = Some(mnemonic.len()),
            Words::Number { .. } => push_number(choices, slot, &mut mnemonic),
        }
    }
    if let Some(place) = index_at {
        // A whole number of parts of this size fits before the index.
        let parts = choices.one_of(&[4, 8, 16, LONGEST]) / part;
        mnemonic.insert_str(place, &format!(".{}", part * choices.below(parts.max(1))));
    }
    mnemonic
}

fn push_number(choices: &mut Choices<'_>, slot: &QualifierSlot, mnemonic: &mut String) {
    let Words::Number { first, last, hexadecimal } = slot.words else { return };
    let number = choices.between(u32::from(first), u32::from(last));
    let written = match hexadecimal {
        true => write!(mnemonic, ".{number:#04x}"),
        false => write!(mnemonic, ".{number}"),
    };
    debug_assert!(written.is_ok(), "a text takes all that is written to it");
}

/// Whether only an error bound of the result is specified.
fn is_approximate(op: Op) -> bool {
    use FloatingPoint::{Fcos, Fexp2, Flog2, Frcp, Frsqrt, Fsin, Ftanh};
    let Opcode::FloatingPoint(opcode) = op.opcode() else { return false };
    op.has("fast") || matches!(opcode, Fcos | Fexp2 | Flog2 | Frcp | Frsqrt | Fsin | Ftanh)
}
