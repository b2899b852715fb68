//! Matching of mnemonics: from `fadd.ru.ftz.f` to the operations it can mean.

use smallvec::SmallVec;

use super::op::{FORMS, FormEntry, FormId, Op, QUALIFIERS, QualifierSlot, Words};
use super::rule::Rule;

/// Other spellings that producers use, and what they stand for.
const ALIASES: &[(&str, &str)] = &[
    ("bfe.32b", "ubfe.32b"),
    ("sel.f", "sel.32b"),
    ("sel.df", "sel.64b"),
    ("sel.hf", "sel.16b"),
    ("sel.bf", "sel.16b"),
];

/// What other assembly languages call the instructions.
const SYNONYMS: &[(&str, &str)] = &[
    ("add", "iadd"),
    ("sub", "isub"),
    ("mul", "smul"),
    ("mad", "smad"),
    ("fma", "fmad"),
    ("div", "sdiv"),
    ("rem", "sdiv.rem"),
    ("min", "smin"),
    ("max", "smax"),
    ("abs", "iabs"),
    ("neg", "ineg"),
    ("cmp", "scmp"),
    ("setp", "scmp"),
    ("select", "sel"),
    ("selp", "sel"),
    ("popc", "cbit"),
    ("clz", "fbh"),
    ("ctz", "fbl"),
    ("bfe", "ubfe"),
    ("cvt", "i2f"),
    ("load", "ld"),
    ("store", "st"),
    ("atom", "iatom"),
    ("bar", "barrier.workgroup"),
    ("barrier", "barrier.workgroup"),
    ("membar", "fence"),
    ("bra", "goto"),
    ("br", "goto"),
    ("jmp", "goto"),
    ("ret", "return"),
    ("exit", "return"),
];

/// What a mnemonic means.
#[derive(Clone, Debug)]
pub struct Mnemonic {
    /// The operations of this text, which differ in their operands.
    pub candidates: SmallVec<[Op; 2]>,
    /// The spelling of the specification, when the text is another one.
    pub alias_of: Option<&'static str>,
}

/// Why a mnemonic means nothing. Offsets are bytes from its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MnemonicFault {
    /// No instruction has this name.
    UnknownInstruction {
        /// The most similar name.
        similar: Option<&'static str>,
    },
    /// A qualifier is missing, unknown or out of order.
    Qualifier {
        /// The offending part, empty at the end when one is missing.
        offset: usize,
        /// Length of the offending part.
        length: usize,
        /// What could stand there.
        expected: Vec<String>,
        /// A whole mnemonic that would be right.
        similar: Option<String>,
    },
    /// The qualifiers contradict a rule of the instruction.
    Rule {
        /// The operation as written.
        op: Op,
        /// The rule.
        rule: Rule,
    },
}

/// Finds what the mnemonic `text` means.
///
/// # Errors
/// Says what is wrong with it.
pub fn resolve(text: &str) -> Result<Mnemonic, MnemonicFault> {
    let alias_of = ALIASES.iter().find(|(alias, _)| *alias == text).map(|(_, meaning)| *meaning);
    let text = alias_of.unwrap_or(text);
    let head = &text[..text.find('.').unwrap_or(text.len())];
    let mut candidates = SmallVec::new();
    let mut furthest: Option<Mismatch> = None;
    let mut broken = None;
    for (index, entry) in FORMS.iter().enumerate() {
        if head_of(entry) != head {
            continue;
        }
        match match_form(FormId(index as u8), entry, text) {
            Ok(op) => match broken_rule(op) {
                None => candidates.push(op),
                Some(rule) => broken = Some(MnemonicFault::Rule { op, rule }),
            },
            Err(mismatch) => match &mut furthest {
                Some(best) if mismatch.offset < best.offset => {}
                Some(best) if mismatch.offset == best.offset => best.join(mismatch),
                _ => furthest = Some(mismatch),
            },
        }
    }
    if !candidates.is_empty() {
        return Ok(Mnemonic { candidates, alias_of });
    }
    if let Some(fault) = broken {
        return Err(fault);
    }
    match furthest {
        Some(mismatch) => Err(mismatch.into_fault(text)),
        None => Err(MnemonicFault::UnknownInstruction { similar: similar_instruction(head) }),
    }
}

/// The part of the mnemonic before the first dot.
fn head_of(entry: &FormEntry) -> &'static str {
    let syntax = entry.form.syntax;
    &syntax[..syntax.find(['.', '<', ' ']).unwrap_or(syntax.len())]
}

/// Length of a text beyond any mnemonic, near which no right one is looked for.
const LONGEST: usize = 200;

/// Where a form and a text part ways.
struct Mismatch {
    offset: usize,
    length: usize,
    expected: Vec<String>,
}

impl Mismatch {
    fn join(&mut self, other: Mismatch) {
        for word in other.expected {
            if !self.expected.contains(&word) {
                self.expected.push(word);
            }
        }
    }

    fn into_fault(self, text: &str) -> MnemonicFault {
        let similar = if text.len() <= LONGEST { self.similar(text) } else { None };
        let Mismatch { offset, length, expected } = self;
        MnemonicFault::Qualifier { offset, length, expected, similar }
    }

    /// A whole mnemonic that would be right, made with one change.
    fn similar(&self, text: &str) -> Option<String> {
        let (before, after) = (&text[..self.offset], &text[self.offset + self.length..]);
        let wrong = &text[self.offset..self.offset + self.length];
        let mut words: Vec<&String> = self.expected.iter().collect();
        words.sort_by_key(|word| distance(word, wrong));
        let replaced = words.iter().map(|word| format!("{before}{word}{after}"));
        let inserted = words.iter().map(|word| format!("{before}{word}{wrong}{after}"));
        let without = format!("{before}{after}");
        let dots = without.match_indices('.').map(|(dot, _)| dot).filter(|_| !wrong.is_empty());
        let moved = dots.map(|dot| format!("{}{wrong}{}", &without[..dot], &without[dot..]));
        let dropped = (!wrong.is_empty()).then(|| without.clone());
        let mut attempts = replaced.chain(inserted).chain(moved).chain(dropped);
        attempts.find(|attempt| is_valid(attempt))
    }
}

/// Whether some form has exactly this mnemonic and its rules hold.
fn is_valid(text: &str) -> bool {
    let head = &text[..text.find('.').unwrap_or(text.len())];
    let mut forms = FORMS.iter().enumerate().filter(|(_, entry)| head_of(entry) == head);
    forms.any(|(index, entry)| {
        match_form(FormId(index as u8), entry, text).is_ok_and(|op| broken_rule(op).is_none())
    })
}

/// Matches the qualifiers of `text` against one form, in order.
fn match_form(form: FormId, entry: &'static FormEntry, text: &str) -> Result<Op, Mismatch> {
    let mut offset = head_of(entry).len();
    let mut values = [0; QUALIFIERS];
    let mut skipped = Vec::new();
    for (value, slot) in values.iter_mut().zip(&entry.qualifiers) {
        match match_qualifier(slot, &text[offset..]) {
            Some((found, length)) => {
                *value = found;
                offset += length;
                skipped.clear();
            }
            None if slot.optional => skipped.extend(words_of(slot)),
            None => {
                skipped.extend(words_of(slot));
                return Err(Mismatch { offset, length: part_length(&text[offset..]), expected: skipped });
            }
        }
    }
    if offset < text.len() {
        return Err(Mismatch { offset, length: part_length(&text[offset..]), expected: skipped });
    }
    Ok(Op::new(form, values))
}

/// Length of the first dotted part of `rest`.
fn part_length(rest: &str) -> usize {
    rest[1.min(rest.len())..].find('.').map_or(rest.len(), |dot| dot + 1)
}

/// The raw value and length of the qualifier at the start of `rest`.
fn match_qualifier(slot: &QualifierSlot, rest: &str) -> Option<(u8, usize)> {
    match &slot.words {
        Words::Listed(words) => words.iter().enumerate().find_map(|(index, word)| {
            let after = rest.strip_prefix(word)?;
            (after.is_empty() || after.starts_with('.')).then_some((index as u8 + 1, word.len()))
        }),
        Words::Number { first, last, hexadecimal } => {
            let length = part_length(rest);
            let digits = rest[..length].strip_prefix('.')?;
            let number = if *hexadecimal {
                let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))?;
                (digits.len() <= 2).then(|| u8::from_str_radix(digits, 16).ok())??
            } else {
                let plain = digits == "0" || !digits.starts_with(['0', '+']);
                plain.then(|| digits.parse().ok())??
            };
            (*first..=*last).contains(&number).then(|| (number + 1, length))
        }
    }
}

fn words_of(slot: &QualifierSlot) -> Vec<String> {
    match &slot.words {
        Words::Listed(words) => words.iter().map(ToString::to_string).collect(),
        Words::Number { first, last, hexadecimal: true } => vec![format!(".{first:#04x} to .{last:#04x}")],
        Words::Number { first, last, .. } => vec![format!(".{first} to .{last}")],
    }
}

/// The first rule that the qualifiers of an operation break, of those that need no operands.
fn broken_rule(op: Op) -> Option<Rule> {
    op.form.entry().form.rules.iter().copied().find(|rule| !qualifiers_obey(op, rule))
}

fn qualifiers_obey(op: Op, rule: &Rule) -> bool {
    let holds = |condition: &super::rule::Condition| condition.admits(op.word(condition.qualifier));
    match rule {
        Rule::NotWith { qualifier, condition } => !(op.has(qualifier) && holds(condition)),
        Rule::ExactlyWith { qualifier, condition } => op.has(qualifier) == holds(condition),
        Rule::CannotBe { qualifier, word, unless_all, unless_any } => {
            op.word(qualifier) != Some(word)
                || (unless_any.is_empty() && unless_all.iter().all(holds))
                || unless_any.iter().any(holds)
        }
        Rule::Widens | Rule::Narrows => match (op.to(), op.from()) {
            (Some(to), Some(from)) if matches!(rule, Rule::Widens) => to.bits() > from.bits(),
            (Some(to), Some(from)) => to.bits() < from.bits(),
            _ => true,
        },
        Rule::OperandOnlyWhen { .. }
        | Rule::NoSwizzle
        | Rule::IndexBelow { .. }
        | Rule::IndexAligned { .. }
        | Rule::IndexFits { .. } => true,
    }
}

/// The instruction name nearest to `head`, if it is near at all.
fn similar_instruction(head: &str) -> Option<&'static str> {
    if head.len() > 24 {
        return None;
    }
    let head = head.to_ascii_lowercase();
    if let Some((_, name)) = SYNONYMS.iter().find(|(synonym, _)| *synonym == head) {
        return Some(name);
    }
    let names = FORMS.iter().map(|entry| (distance(head_of(entry), &head), head_of(entry)));
    let (distance, name) = names.min_by_key(|(distance, _)| *distance)?;
    (distance <= (head.len() + 2) / 4).then_some(name)
}

/// Number of single-character edits between two short texts.
pub fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, one) in left.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (column, other) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(one != *other);
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}
