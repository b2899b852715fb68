//! Text to tokens, one at a time. Comments are set aside, faults are noted; nothing fails.

use super::token::{Token, TokenKind};
use crate::diagnostic::Code;
use crate::source::Span;

/// Reads tokens from a text.
pub struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    /// Comments in order, each from `//` to before the line end.
    pub comments: Vec<Span>,
    /// Faults in order.
    pub faults: Vec<(Code, Span)>,
    /// Whether no `*/` follows any more.
    no_comment_end: bool,
}

/// Most faults noted of one text; then it is taken to end.
const FAULT_LIMIT: usize = 1000;

/// Whether a byte can be part of a name.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `text`; a byte order mark there is passed over.
    pub fn new(text: &'a str) -> Self {
        let position = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let (comments, faults) = (Vec::new(), Vec::new());
        Lexer { text, bytes: text.as_bytes(), position, comments, faults, no_comment_end: false }
    }

    /// Passes over all that is left.
    pub fn skip_to_end(&mut self) {
        self.position = self.bytes.len();
    }

    fn fault(&mut self, code: Code, start: usize, end: usize) {
        self.faults.push((code, Span::new(start, end)));
        if self.faults.len() >= FAULT_LIMIT {
            self.skip_to_end();
        }
    }

    /// The next token; [`TokenKind::End`] for ever at the end of the text.
    pub fn next_token(&mut self) -> Token {
        self.skip_blanks();
        let start = self.position;
        let Some(&byte) = self.bytes.get(start) else {
            return self.token(TokenKind::End, start);
        };
        let kind = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' | b'$' => {
                self.skip_while(is_name);
                TokenKind::Word
            }
            b'%' => self.name(TokenKind::Register),
            b'@' if self.bytes.get(start + 1) == Some(&b'"') => {
                self.position += 1;
                self.string(TokenKind::Symbol)
            }
            b'@' => self.name(TokenKind::Symbol),
            b'0'..=b'9' => self.number(),
            b'"' => self.string(TokenKind::String),
            _ => self.punctuation(byte),
        };
        self.token(kind, start)
    }

    fn token(&self, kind: TokenKind, start: usize) -> Token {
        Token { kind, span: Span::new(start, self.position) }
    }

    fn skip_while(&mut self, condition: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.position..];
        self.position += rest.iter().position(|byte| !condition(*byte)).unwrap_or(rest.len());
    }

    fn skip_blanks(&mut self) {
        loop {
            self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c | 0x0b));
            let start = self.position;
            if self.bytes[start..].starts_with(b"/*") {
                self.block_comment();
                continue;
            }
            if !self.bytes[start..].starts_with(b"//") {
                return;
            }
            self.skip_while(|byte| byte != b'\n');
            let end =
                if self.bytes[..self.position].ends_with(b"\r") { self.position - 1 } else { self.position };
            self.comments.push(Span::new(start, end));
        }
    }

    /// A comment as in C, which the language does not have: one fault, and passed over to its `*/` if there is one.
    fn block_comment(&mut self) {
        let start = self.position;
        let end = if self.no_comment_end { None } else { self.text[start + 2..].find("*/") };
        self.no_comment_end = end.is_none();
        match end {
            Some(end) => self.position = start + 2 + end + 2,
            None => self.skip_while(|byte| byte != b'\n'),
        }
        self.fault(Code::InvalidCharacter, start, self.position);
    }

    /// A name behind its prefix character.
    fn name(&mut self, kind: TokenKind) -> TokenKind {
        let start = self.position;
        self.position += 1;
        self.skip_while(is_name);
        let first = self.bytes.get(start + 1).filter(|_| self.position > start + 1);
        if first.is_none_or(u8::is_ascii_digit) {
            self.skip_while(|byte| is_name(byte) || !byte.is_ascii());
            self.fault(Code::InvalidName, start, self.position);
            return TokenKind::Invalid;
        }
        kind
    }

    /// Digits, letters and dots; a sign behind the exponent letter of a decimal number.
    fn number(&mut self) -> TokenKind {
        let start = self.position;
        let hexadecimal = matches!(self.bytes.get(start..start + 2), Some(b"0x" | b"0X"));
        self.skip_while(is_name);
        let exponent = matches!(self.bytes[self.position - 1], b'e' | b'E') && !hexadecimal;
        let signed = matches!(self.bytes.get(self.position), Some(b'+' | b'-'));
        if exponent && signed && self.bytes.get(self.position + 1).is_some_and(u8::is_ascii_digit) {
            self.position += 1;
            self.skip_while(is_name);
        }
        TokenKind::Number
    }

    /// A text in double quotes, up to the end of the line if it is not closed.
    fn string(&mut self, kind: TokenKind) -> TokenKind {
        let start = self.position;
        self.position += 1;
        loop {
            self.skip_while(|byte| !matches!(byte, b'"' | b'\\' | b'\n'));
            match self.bytes.get(self.position) {
                Some(b'"') => {
                    self.position += 1;
                    return kind;
                }
                Some(b'\\') => self.escape(),
                _ => {
                    self.fault(Code::UnterminatedText, start, self.position);
                    return TokenKind::Invalid;
                }
            }
        }
    }

    /// `\n`, `\"`, `\\`, or a backslash with two hexadecimal digits; the next byte is the backslash.
    fn escape(&mut self) {
        let start = self.position;
        let behind = &self.text[start + 1..];
        let digits = behind.bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
        let length = match behind.chars().next() {
            Some('n' | '"' | '\\') => 1,
            _ if digits == 2 => 2,
            None | Some('\n' | '\r') => 0,
            Some(other) => {
                let length = other.len_utf8();
                self.position = start + 1 + length;
                return self.fault(Code::InvalidEscape, start, start + 1 + length);
            }
        };
        self.position = start + 1 + length;
    }

    fn punctuation(&mut self, byte: u8) -> TokenKind {
        let kind = match byte {
            b',' => TokenKind::Comma,
            b';' => TokenKind::Semicolon,
            b':' => TokenKind::Colon,
            b'(' => TokenKind::OpenParenthesis,
            b')' => TokenKind::CloseParenthesis,
            b'[' => TokenKind::OpenBracket,
            b']' => TokenKind::CloseBracket,
            b'{' => TokenKind::OpenBrace,
            b'}' => TokenKind::CloseBrace,
            b'+' => TokenKind::Plus,
            b'-' => TokenKind::Minus,
            b'!' => TokenKind::Not,
            b'<' => TokenKind::Less,
            b'>' => TokenKind::Greater,
            b'~' => TokenKind::Tilde,
            b'=' => TokenKind::Equals,
            _ => return self.invalid(),
        };
        self.position += 1;
        kind
    }

    /// A run of bytes that start no token is one fault.
    fn invalid(&mut self) -> TokenKind {
        let start = self.position;
        self.skip_while(|byte| {
            !byte.is_ascii_whitespace() && !is_name(byte) && !b"%@\",;:()[]{}+-!<>~=/".contains(&byte)
        });
        self.position = self.position.max(start + 1);
        self.fault(Code::InvalidCharacter, start, self.position);
        TokenKind::Invalid
    }
}
