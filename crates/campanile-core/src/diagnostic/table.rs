//! How a table of codes is declared.

/// Declares the codes of one kind with the letter that they are shown with: of each its number, severity, title, explanation,
/// and a wrong and a right example, which are tests. A code is never reused for another fault.
#[macro_export]
macro_rules! code_table {
    ($(#[$about:meta])* $letter:literal
        $($variant:ident = $number:literal, $severity:ident, $title:literal, $explanation:literal,
        $wrong:literal, $right:literal;)+) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum Code { $($variant),+ }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$variant),+];

            /// Its number.
            pub const fn number(self) -> u32 { match self { $(Code::$variant => $number),+ } }

            /// Whether what it stands for is an error or a warning.
            pub const fn severity(self) -> $crate::diagnostic::Severity {
                match self { $(Code::$variant => $crate::diagnostic::Severity::$severity),+ }
            }

            /// What it stands for, in a few words.
            pub const fn title(self) -> &'static str { match self { $(Code::$variant => $title),+ } }

            /// The rule behind it.
            pub const fn explanation(self) -> &'static str { match self { $(Code::$variant => $explanation),+ } }

            /// A module, or as much of one, that has the fault; empty where none can show it.
            pub const fn wrong(self) -> &'static str { match self { $(Code::$variant => $wrong),+ } }

            /// The same without the fault.
            pub const fn right(self) -> &'static str { match self { $(Code::$variant => $right),+ } }

            /// The code written as `text`: the letter, which may be small, and the number.
            pub fn from_text(text: &str) -> Option<Code> {
                let number = text.strip_prefix([$letter, $letter.to_ascii_lowercase()])?.parse().ok()?;
                Code::ALL.iter().copied().find(|code| code.number() == number)
            }
        }

        impl std::fmt::Display for Code {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, "{}{:04}", $letter, self.number())
            }
        }
    };
}
