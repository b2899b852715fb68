//! The restrictions that the operand slots of a form cannot say, as data.

use std::fmt;

/// A statement about one qualifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Name of the qualifier, without its dot.
    pub qualifier: &'static str,
    /// Words separated by spaces.
    pub words: &'static str,
    /// Whether the qualifier must be, or must not be, one of the words.
    pub holds: bool,
}

impl Condition {
    /// Whether a qualifier whose (written or default) word is `word`, with its dot, meets the condition.
    pub fn admits(&self, word: Option<&str>) -> bool {
        word.is_some_and(|word| self.words.split(' ').any(|one| one == word)) == self.holds
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.holds { "" } else { " not" };
        if self.words.contains(' ') {
            let list = self.words.replace(' ', ", ");
            write!(formatter, "`.{}` is{not} one of {list}", self.qualifier)
        } else {
            write!(formatter, "`.{}` is{not} {}", self.qualifier, self.words)
        }
    }
}

/// A restriction of a form. `Display` gives the sentence used in documentation and diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The qualifier must not be written where the condition holds.
    NotWith {
        /// The qualifier.
        qualifier: &'static str,
        /// Where it is out of place.
        condition: Condition,
    },
    /// The qualifier must be written exactly where the condition holds.
    ExactlyWith {
        /// The qualifier.
        qualifier: &'static str,
        /// Where it is needed.
        condition: Condition,
    },
    /// The qualifier cannot have the word, unless all (or any) of the conditions hold.
    CannotBe {
        /// The qualifier.
        qualifier: &'static str,
        /// The word in question.
        word: &'static str,
        /// All must hold; empty when `unless_any` is used.
        unless_all: &'static [Condition],
        /// One must hold; empty when `unless_all` is used.
        unless_any: &'static [Condition],
    },
    /// The operand stands exactly where the condition holds.
    OperandOnlyWhen {
        /// Role of the operand.
        role: &'static str,
        /// Where it stands.
        condition: Condition,
    },
    /// `.to` is wider than `.from`.
    Widens,
    /// `.to` is narrower than `.from`.
    Narrows,
    /// No operand is an element of a vector register. Producers do not keep to it, so it is no more than a doubt.
    NoSwizzle,
    /// `.index` is less than the number of elements of the vector.
    IndexBelow {
        /// Role of the vector.
        vector: &'static str,
    },
    /// `.index` is a multiple of the number of elements of the part.
    IndexAligned {
        /// Role of the part.
        part: &'static str,
    },
    /// `.index` plus the elements of the part is within the whole.
    IndexFits {
        /// Role of the part.
        part: &'static str,
        /// Role of the vector it belongs to.
        whole: &'static str,
    },
}

impl Rule {
    /// The qualifier that is at fault where the rule is broken.
    pub fn qualifier(&self) -> Option<&'static str> {
        match self {
            Rule::NotWith { qualifier, .. }
            | Rule::ExactlyWith { qualifier, .. }
            | Rule::CannotBe { qualifier, .. } => Some(qualifier),
            Rule::IndexBelow { .. } | Rule::IndexAligned { .. } | Rule::IndexFits { .. } => Some("index"),
            Rule::OperandOnlyWhen { .. } | Rule::Widens | Rule::Narrows | Rule::NoSwizzle => None,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::NotWith { qualifier, condition } => {
                write!(formatter, "`.{qualifier}` must not be given when {condition}")
            }
            Rule::ExactlyWith { qualifier, condition } => {
                write!(formatter, "`.{qualifier}` must be given when {condition}, and only then")
            }
            Rule::CannotBe { qualifier, word, unless_all, unless_any } => {
                write!(formatter, "`.{qualifier}` cannot be {word} unless ")?;
                let (conditions, joint) =
                    if unless_any.is_empty() { (unless_all, " and ") } else { (unless_any, " or ") };
                let conditions: Vec<String> = conditions.iter().map(Condition::to_string).collect();
                formatter.write_str(&conditions.join(joint))
            }
            Rule::OperandOnlyWhen { role, condition } => {
                write!(formatter, "`{role}` stands exactly when {condition}")
            }
            Rule::Widens => formatter.write_str("`.to` must be wider than `.from`"),
            Rule::Narrows => formatter.write_str("`.to` must be narrower than `.from`"),
            Rule::NoSwizzle => formatter.write_str("no operand should have a swizzle"),
            Rule::IndexBelow { vector } => {
                write!(formatter, "`.index` must be less than the number of elements of `{vector}`")
            }
            Rule::IndexAligned { part } => {
                write!(formatter, "`.index` must be a multiple of the number of elements of `{part}`")
            }
            Rule::IndexFits { part, whole } => {
                write!(
                    formatter,
                    "`.index` plus the elements of `{part}` must not exceed the elements of `{whole}`"
                )
            }
        }
    }
}
