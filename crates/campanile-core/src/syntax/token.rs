//! Tokens of PISA text.

use crate::source::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name, mnemonic or directive: letters, digits, `.`, `$`, `_`, not starting with a digit.
    Word,
    /// `%` and a name.
    Register,
    /// `@` and a name, plain or in quotes.
    Symbol,
    /// A number, without sign.
    Number,
    /// A text in double quotes.
    String,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `(`
    OpenParenthesis,
    /// `)`
    CloseParenthesis,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `~`
    Tilde,
    /// `=`
    Equals,
    /// Bytes that belong to no token; already reported.
    Invalid,
    /// The end of the text.
    End,
}

impl TokenKind {
    /// How to name it in a message.
    pub const fn describe(self) -> &'static str {
        match self {
            TokenKind::Word => "a word",
            TokenKind::Register => "a register",
            TokenKind::Symbol => "a name with `@`",
            TokenKind::Number => "a number",
            TokenKind::String => "a text in quotes",
            TokenKind::Comma => "`,`",
            TokenKind::Semicolon => "`;`",
            TokenKind::Colon => "`:`",
            TokenKind::OpenParenthesis => "`(`",
            TokenKind::CloseParenthesis => "`)`",
            TokenKind::OpenBracket => "`[`",
            TokenKind::CloseBracket => "`]`",
            TokenKind::OpenBrace => "`{`",
            TokenKind::CloseBrace => "`}`",
            TokenKind::Plus => "`+`",
            TokenKind::Minus => "`-`",
            TokenKind::Not => "`!`",
            TokenKind::Less => "`<`",
            TokenKind::Greater => "`>`",
            TokenKind::Tilde => "`~`",
            TokenKind::Equals => "`=`",
            TokenKind::Invalid => "an invalid character",
            TokenKind::End => "the end of the file",
        }
    }
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}
