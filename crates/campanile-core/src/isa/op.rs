//! An operation: a form with its qualifiers chosen.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use super::table::{Choice, Form, Instruction, Opcode};
use super::types::*;

/// A form as matched against text: the qualifiers of its syntax line in order.
#[derive(Debug)]
pub struct FormEntry {
    /// The instruction it belongs to.
    pub instruction: &'static Instruction,
    /// The form.
    pub form: &'static Form,
    /// The qualifiers in the order of the syntax line.
    pub qualifiers: Vec<QualifierSlot>,
}

/// Place of a qualifier in a syntax line.
#[derive(Debug)]
pub struct QualifierSlot {
    /// Its name, without the dot.
    pub name: &'static str,
    /// Whether it may be left out.
    pub optional: bool,
    /// What it may be.
    pub words: Words,
    /// Index of the word meant when it is left out.
    pub default: Option<usize>,
}

/// The values a qualifier may take.
#[derive(Debug)]
pub enum Words {
    /// One of these, each with its dot; some hold several dotted parts.
    Listed(Vec<&'static str>),
    /// A number in this range, printed in decimal or as two hexadecimal digits.
    Number {
        /// The least number.
        first: u8,
        /// The greatest number.
        last: u8,
        /// Whether it is written in hexadecimal.
        hexadecimal: bool,
    },
}

impl QualifierSlot {
    fn new(name: &'static str, optional: bool, form: &'static Form) -> Self {
        let Some(Choice { words, default, .. }) = form.choices.iter().find(|choice| choice.qualifier == name)
        else {
            let words = Words::Listed(vec![dotted(name)]);
            return QualifierSlot { name, optional, words, default: None };
        };
        if let Some((first, last)) = words.split_once("..") {
            let hexadecimal = first.starts_with("0x");
            let number = |text: &str| match text.strip_prefix("0x") {
                Some(digits) => u8::from_str_radix(digits, 16),
                None => text.parse(),
            };
            let bounds = (number(first), number(last));
            let (Ok(first), Ok(last)) = bounds else { unreachable!("the table's ranges are numbers") };
            let words = Words::Number { first, last, hexadecimal };
            return QualifierSlot { name, optional, words, default: None };
        }
        let words: Vec<&'static str> = words.split(' ').collect();
        let default = default.and_then(|default| words.iter().position(|word| *word == default));
        QualifierSlot { name, optional, words: Words::Listed(words), default }
    }
}

/// `.name` for a qualifier that stands for itself.
fn dotted(name: &'static str) -> &'static str {
    const FLAGS: &[&str] = &[
        ".dsat",
        ".ftz",
        ".nanp",
        ".fast",
        ".ci",
        ".co",
        ".sg",
        ".cond",
        ".dynamic",
        ".param",
        ".workgroup",
        ".start",
    ];
    let found = FLAGS.iter().find(|flag| &flag[1..] == name);
    found.unwrap_or_else(|| unreachable!("`{name}` has neither words nor a flag of its name"))
}

/// Every form of the instruction set, chapter by chapter.
pub static FORMS: LazyLock<Vec<FormEntry>> = LazyLock::new(|| {
    let forms = super::instructions().flat_map(|instruction| {
        instruction.forms.iter().map(move |form| FormEntry {
            instruction,
            form,
            qualifiers: qualifiers_of(form),
        })
    });
    forms.collect()
});

/// Reads the qualifiers from a syntax line such as `iadd<.dsat>.type dst, src0, src1`.
fn qualifiers_of(form: &'static Form) -> Vec<QualifierSlot> {
    let mnemonic = form.syntax.split(' ').next().unwrap_or_default();
    let mut slots = Vec::new();
    let (mut rest, mut optional) = (mnemonic, false);
    while let Some(dot) = rest.find(['.', '<']) {
        if rest.as_bytes()[dot] == b'<' {
            (rest, optional) = (&rest[dot + 1..], true);
            continue;
        }
        rest = &rest[dot + 1..];
        let end = rest.find(['.', '<', '>']).unwrap_or(rest.len());
        slots.push(QualifierSlot::new(&rest[..end], optional, form));
        rest = &rest[end..];
        optional = false;
    }
    slots
}

/// Index of a form in [`FORMS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormId(pub u8);

impl FormId {
    /// The entry of this form.
    pub fn entry(self) -> &'static FormEntry {
        &FORMS[usize::from(self.0)]
    }
}

/// Most qualifiers that a form has.
pub const QUALIFIERS: usize = 7;

/// An operation: which form, and the word of each of its qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Op {
    /// The form.
    pub form: FormId,
    /// For each qualifier of the form, zero when left out, otherwise one more than the index of its word or
    /// than its number.
    pub(super) values: [u8; QUALIFIERS],
}

impl Op {
    /// The operation of this form with these raw values (see [`Op::values`]).
    pub(super) fn new(form: FormId, values: [u8; QUALIFIERS]) -> Self {
        Op { form, values }
    }

    /// Which instruction it is.
    pub fn opcode(self) -> Opcode {
        self.form.entry().instruction.opcode
    }

    fn slot(self, name: &str) -> Option<(&'static QualifierSlot, u8)> {
        let slots = &self.form.entry().qualifiers;
        let index = slots.iter().position(|slot| slot.name == name)?;
        Some((&slots[index], self.values[index]))
    }

    /// The word of a qualifier as written, with its dot.
    pub fn written(self, name: &str) -> Option<&'static str> {
        match self.slot(name) {
            Some((QualifierSlot { words: Words::Listed(words), .. }, value)) if value > 0 => {
                Some(words[usize::from(value) - 1])
            }
            _ => None,
        }
    }

    /// The word of a qualifier, written or by default, with its dot.
    pub fn word(self, name: &str) -> Option<&'static str> {
        self.written(name).or_else(|| match self.slot(name)?.0 {
            QualifierSlot { words: Words::Listed(words), default: Some(default), .. } => {
                Some(words[*default])
            }
            _ => None,
        })
    }

    /// Whether a flag such as `ftz` is written.
    pub fn has(self, flag: &str) -> bool {
        self.written(flag).is_some()
    }

    /// The number of a numeric qualifier (`.index` of extract and insert, `.operation` of bfn).
    pub fn number(self, name: &str) -> Option<u8> {
        match self.slot(name) {
            Some((QualifierSlot { words: Words::Number { .. }, .. }, value)) => value.checked_sub(1),
            _ => None,
        }
    }

    /// The number of elements given by `.vec`; one without.
    pub fn vector(self) -> u32 {
        self.word("vec").and_then(|word| word[2..].parse().ok()).unwrap_or(1)
    }

    /// The memory order; [`Order::Weak`] where the form knows none.
    pub fn order(self) -> Order {
        self.parsed("memorder", Order::from_text).unwrap_or(Order::Weak)
    }

    /// Whether the access is atomic: every order but `weak`.
    pub fn is_atomic(self) -> bool {
        self.order() != Order::Weak
    }

    fn parsed<T>(self, name: &str, parse: fn(&str) -> Option<T>) -> Option<T> {
        self.word(name).and_then(|word| parse(&word[1..]))
    }
}

/// Declares accessors for typed qualifiers.
macro_rules! accessors {
    ($($(#[$meta:meta])* $name:ident: $type:ident = $qualifier:literal;)+) => {
        impl Op {
            $($(#[$meta])*
            pub fn $name(self) -> Option<$type> {
                self.parsed($qualifier, $type::from_text)
            })+
        }
    };
}

accessors! {
    /// `.type`.
    ty: Type = "type";
    /// `.to` of a conversion.
    to: Type = "to";
    /// `.from` of a conversion.
    from: Type = "from";
    /// `.to` of an address cast.
    to_space: Space = "to";
    /// `.from` of an address cast.
    from_space: Space = "from";
    /// `.rndmode`, written or by default.
    rounding: Rounding = "rndmode";
    /// `.addrspace`, written or by default.
    space: Space = "addrspace";
    /// `.memscope`, written or by default.
    scope: Scope = "memscope";
    /// `.cop`.
    comparison: Comparison = "cop";
    /// `.op`.
    operation: Operation = "op";
    /// `.signedness`.
    signedness: Signedness = "signedness";
    /// `.output`, written or by default.
    output: Output = "output";
    /// `.dir`.
    direction: Direction = "dir";
}

impl Op {
    /// The parts of the mnemonic: its first word, then each qualifier that is written, by name.
    fn parts(self) -> impl Iterator<Item = (&'static str, Cow<'static, str>)> {
        let entry = self.form.entry();
        let syntax = entry.form.syntax;
        let head = syntax.find(['.', '<', ' ']).unwrap_or(syntax.len());
        let qualifiers = entry.qualifiers.iter().zip(self.values).filter(|(_, value)| *value > 0);
        let qualifiers = qualifiers.map(|(slot, value)| {
            let text = match &slot.words {
                Words::Listed(words) => Cow::Borrowed(words[usize::from(value) - 1]),
                Words::Number { hexadecimal: true, .. } => Cow::Owned(format!(".{:#04x}", value - 1)),
                Words::Number { .. } => Cow::Owned(format!(".{}", value - 1)),
            };
            (slot.name, text)
        });
        std::iter::once(("", Cow::Borrowed(&syntax[..head]))).chain(qualifiers)
    }

    /// Offset and length of a written qualifier in the mnemonic.
    pub fn place(self, name: &str) -> Option<(usize, usize)> {
        let mut offset = 0;
        for (part, text) in self.parts() {
            if part == name {
                return Some((offset, text.len()));
            }
            offset += text.len();
        }
        None
    }
}

impl fmt::Display for Op {
    /// The mnemonic with its qualifiers as written.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().try_for_each(|(_, text)| formatter.write_str(&text))
    }
}
