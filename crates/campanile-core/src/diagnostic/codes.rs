//! The table of diagnostic codes: number, title, explanation, a wrong and a right example.

use super::Severity;

/// Declares the codes. A code is never reused for another fault.
macro_rules! codes {
    ($($(#[$meta:meta])* $variant:ident = $number:literal, $severity:ident, $title:literal, $explanation:literal,
        $wrong:literal, $right:literal;)+) => {
        /// A stable diagnostic code, shown as `P0123`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum Code { $($variant),+ }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$variant),+];

            /// Its number.
            pub const fn number(self) -> u32 { match self { $(Code::$variant => $number),+ } }

            /// Whether what it stands for is an error or a warning.
            pub const fn severity(self) -> Severity { match self { $(Code::$variant => Severity::$severity),+ } }

            /// What it stands for, in a few words.
            pub const fn title(self) -> &'static str { match self { $(Code::$variant => $title),+ } }

            /// The rule behind it.
            pub const fn explanation(self) -> &'static str { match self { $(Code::$variant => $explanation),+ } }

            /// A text that has the fault.
            pub const fn wrong(self) -> &'static str { match self { $(Code::$variant => $wrong),+ } }

            /// The same without the fault.
            pub const fn right(self) -> &'static str { match self { $(Code::$variant => $right),+ } }
        }
    };
}

codes! {
    InvalidCharacter = 101, Error, "character that belongs to no token",
        "PISA text is made of names, numbers, strings in double quotes, and the punctuation `, ; : ( ) [ ] { } + - ! < > ~ =`. Comments start with `//`.",
        "#version 0.1;", ".version 0.1;";
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "P{:04}", self.number())
    }
}

impl Code {
    /// The code written as `text`, such as `P0123` (also `p123`).
    pub fn from_text(text: &str) -> Option<Code> {
        let number = text.strip_prefix(['P', 'p'])?.parse().ok()?;
        Code::ALL.iter().copied().find(|code| code.number() == number)
    }
}
