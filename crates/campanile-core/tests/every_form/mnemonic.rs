//! Mnemonics of a form: choices of words for its qualifiers.

use campanile_core::isa::{FormId, MnemonicFault, Op, Rule, Words, resolve};

/// The word chosen for each qualifier of a form, with its dot; `None` where it is left out.
pub type Choice = Vec<Option<String>>;

/// The words that the qualifier at `slot` can have, in the order to try them: first to be left out, if it may be.
fn words(form: FormId, slot: usize) -> Vec<Option<String>> {
    let qualifier = &form.entry().qualifiers[slot];
    let words = match &qualifier.words {
        Words::Listed(words) => words.iter().map(ToString::to_string).collect(),
        Words::Number { first, last, hexadecimal: true } => {
            vec![format!(".{first:#04x}"), format!(".{last:#04x}")]
        }
        // An even number, so that a part of two elements can stand there.
        Words::Number { first, last, .. } => vec![format!(".{first}"), format!(".{}", last - last % 2)],
    };
    let absent = qualifier.optional.then_some(None);
    absent.into_iter().chain(words.into_iter().map(Some)).collect()
}

/// Every choice of words, right or wrong; of numbers only the least and the greatest.
pub fn choices(form: FormId) -> impl Iterator<Item = Choice> {
    let slots: Vec<_> = (0..form.entry().qualifiers.len()).map(|slot| words(form, slot)).collect();
    let count: usize = slots.iter().map(Vec::len).product();
    (0..count).map(move |mut index| {
        let mut choice: Choice = Vec::with_capacity(slots.len());
        for words in slots.iter().rev() {
            choice.push(words[index % words.len()].clone());
            index /= words.len();
        }
        choice.reverse();
        choice
    })
}

/// The text of a choice.
pub fn text(form: FormId, choice: &Choice) -> String {
    let syntax = form.entry().form.syntax;
    let head = &syntax[..syntax.find(['.', '<', ' ']).unwrap_or(syntax.len())];
    choice.iter().flatten().fold(head.to_owned(), |text, word| text + word)
}

/// The operation of this form that a text means, if it means one.
pub fn operation(form: FormId, text: &str) -> Option<Op> {
    resolve(text).ok()?.candidates.into_iter().find(|op| op.form == form)
}

/// Choices that mean an operation of the form; together they have every word of every qualifier.
pub fn valid(form: FormId) -> Vec<(Choice, Op)> {
    let mut wanted: Vec<(usize, Option<String>)> = (0..form.entry().qualifiers.len())
        .flat_map(|slot| words(form, slot).into_iter().map(move |word| (slot, word)))
        .collect();
    let mut found = Vec::new();
    for choice in choices(form) {
        let covers = |(slot, word): &(usize, Option<String>)| choice[*slot] == *word;
        if found.is_empty() || wanted.iter().any(covers) {
            let Some(op) = operation(form, &text(form, &choice)) else { continue };
            wanted.retain(|one| !covers(one));
            found.push((choice, op));
        }
        if wanted.is_empty() {
            break;
        }
    }
    assert!(wanted.is_empty(), "no valid mnemonic of {} has {wanted:?}", form.entry().form.syntax);
    found
}

/// Texts that break this rule and none before it: one, or where a qualifier can be missing as well as out of place,
/// one of each.
pub fn breaking(form: FormId, rule: Rule) -> Vec<String> {
    let slot = form.entry().qualifiers.iter().position(|slot| Some(slot.name) == rule.qualifier());
    let mut found: Vec<(bool, String)> = Vec::new();
    for choice in choices(form) {
        let written = slot.is_some_and(|slot| choice[slot].is_some());
        if found.iter().any(|(other, _)| *other == written) {
            continue;
        }
        let text = text(form, &choice);
        if matches!(resolve(&text), Err(MnemonicFault::Rule { rule: broken, .. }) if broken == rule) {
            found.push((written, text));
        }
        if found.len() == if matches!(rule, Rule::ExactlyWith { .. }) { 2 } else { 1 } {
            break;
        }
    }
    found.into_iter().map(|(_, text)| text).collect()
}
