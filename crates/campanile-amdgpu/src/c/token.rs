//! Text to tokens, as far as declarations have them.

use campanile_core::source::{SourceFile, Span};

use super::code::Code;
use super::finding::{Finding, Findings};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A keyword or a name.
    Word,
    /// A number, with whatever suffix it has.
    Number,
    /// A text in double quotes.
    Text,
    /// A character in single quotes.
    Character,
    /// One or more signs.
    Punctuation,
    /// The name of a macro that is not replaced, which has been reported.
    Unreplaced,
    /// The end of the file.
    End,
}

/// A token. One that stands in a macro has its text there, and its place where the macro is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is written.
    pub text: Span,
    /// Where it takes effect.
    pub place: Span,
    /// Whether it is the first of its line.
    pub first_of_line: bool,
}

/// Signs of more than one character, the longest first.
const LONG_PUNCTUATION: [&str; 14] =
    ["...", "<<=", ">>=", "::", "->", "<<", ">>", "&&", "||", "==", "!=", "<=", ">=", "##"];

/// Cuts a text into tokens; the last is the end of the file. What is no token is reported and left out.
pub(super) fn tokens(source: &SourceFile, findings: &mut Findings) -> Vec<Token> {
    let mut lexer = Lexer { text: source.text(), at: 0, first_of_line: true, findings };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.token();
        tokens.push(token);
        if token.kind == TokenKind::End {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    first_of_line: bool,
    findings: &'a mut Findings,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The bytes from the current place while a condition holds.
    fn while_true(&self, condition: impl Fn(char) -> bool) -> usize {
        let rest = self.rest();
        rest.find(|character| !condition(character)).unwrap_or(rest.len())
    }

    fn token(&mut self) -> Token {
        loop {
            self.skip_blanks();
            let Some(first) = self.rest().chars().next() else { return self.take(TokenKind::End, 0) };
            if is_word_start(first) {
                return self.take(TokenKind::Word, self.while_true(is_word));
            }
            let second = self.rest().chars().nth(1).unwrap_or(' ');
            if first.is_ascii_digit() || first == '.' && second.is_ascii_digit() {
                return self.take(TokenKind::Number, self.number());
            }
            match first {
                '"' => return self.quoted('"', TokenKind::Text),
                '\'' => return self.quoted('\'', TokenKind::Character),
                _ => {}
            }
            if let Some(long) = LONG_PUNCTUATION.iter().find(|long| self.rest().starts_with(**long)) {
                return self.take(TokenKind::Punctuation, long.len());
            }
            if first.is_ascii_punctuation() && !matches!(first, '@' | '`' | '\\' | '$') {
                return self.take(TokenKind::Punctuation, 1);
            }
            let span = Span::new(self.at, self.at + first.len_utf8());
            let message = format!("`{}` belongs to no token of C", first.escape_default());
            self.findings.push(Finding::new(Code::InvalidCharacter, span, message));
            self.at += first.len_utf8();
        }
    }

    fn take(&mut self, kind: TokenKind, length: usize) -> Token {
        let span = Span::new(self.at, self.at + length);
        let token = Token { kind, text: span, place: span, first_of_line: self.first_of_line };
        self.at += length;
        self.first_of_line = false;
        token
    }

    /// White space, comments, and line ends behind a backslash.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += self.while_true(|character| character != '\n');
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let length = comment.find("*/").map(|end| end + 4);
                let to_end = rest.len();
                if length.is_none() {
                    let span = Span::new(self.at, self.at + 2);
                    let message = "this comment is not closed";
                    self.findings.push(Finding::new(Code::Unclosed, span, message).help("add `*/`"));
                }
                self.at += length.unwrap_or(to_end);
            } else if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
                self.at += rest.find('\n').map_or(1, |end| end + 1);
            } else if let Some(blank) =
                rest.chars().next().filter(|one| one.is_whitespace() || *one == '\u{feff}')
            {
                self.first_of_line |= blank == '\n';
                self.at += blank.len_utf8();
            } else {
                return;
            }
        }
    }

    /// The length of a number: digits, letters, points, and signs behind an exponent.
    fn number(&self) -> usize {
        let mut before = ' ';
        let rest = self.rest();
        let end = rest.find(|character: char| {
            let exponent = matches!(before, 'e' | 'E' | 'p' | 'P') && matches!(character, '+' | '-');
            before = character;
            !(is_word(character) || character == '.' || character == '\'' || exponent)
        });
        end.unwrap_or(rest.len())
    }

    /// A text or character, which ends on its line.
    fn quoted(&mut self, quote: char, kind: TokenKind) -> Token {
        let mut escaped = false;
        let end = self.rest().char_indices().skip(1).find(|(_, character)| {
            let ends = !escaped && (*character == quote || *character == '\n');
            escaped = !escaped && *character == '\\';
            ends
        });
        match end {
            Some((end, character)) if character == quote => self.take(kind, end + 1),
            end => {
                let length = end.map_or(self.rest().len(), |(end, _)| end);
                let span = Span::new(self.at, self.at + 1);
                let message = "this text is not closed on its line";
                self.findings
                    .push(Finding::new(Code::Unclosed, span, message).help(format!("add `{quote}`")));
                self.take(kind, length)
            }
        }
    }
}

fn is_word_start(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}
