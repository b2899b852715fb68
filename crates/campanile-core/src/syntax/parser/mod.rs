//! The parser: one token of look-ahead, recovery at `;`, `}` and line ends.

mod body;
mod declaration;
mod function;

use std::sync::Arc;

use super::lexer::Lexer;
use super::token::{Token, TokenKind};
use super::tree::{Header, Item, Tree};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::{SourceFile, Span};

/// Reads a text into a tree and reports every fault to `sink`.
pub fn parse(source: &Arc<SourceFile>, sink: &mut Sink) -> Tree {
    let mut parser = Parser::new(source, sink);
    let mut items = Vec::new();
    while parser.token.kind != TokenKind::End {
        if let Some(item) = parser.item() {
            items.push(item);
        }
    }
    parser.finish();
    Tree { items, comments: std::mem::take(&mut parser.lexer.comments) }
}

/// Marker of a fault that has been reported; the caller recovers.
struct Faulty;

type Parsed<T> = Result<T, Faulty>;

struct Parser<'a> {
    source: &'a Arc<SourceFile>,
    sink: &'a mut Sink,
    lexer: Lexer<'a>,
    /// The token to read next.
    token: Token,
    /// The token read last.
    previous: Span,
}

impl<'a> Parser<'a> {
    fn new(source: &'a Arc<SourceFile>, sink: &'a mut Sink) -> Self {
        let mut lexer = Lexer::new(source.text());
        let token = lexer.next_token();
        Parser { source, sink, lexer, token, previous: Span::default() }
    }

    fn text(&self, span: Span) -> &'a str {
        self.source.slice(span)
    }

    /// The text of the next token.
    fn word(&self) -> &'a str {
        self.text(self.token.span)
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    /// Takes the next token.
    fn take(&mut self) -> Span {
        self.previous = self.token.span;
        self.token = self.lexer.next_token();
        self.previous
    }

    fn take_if(&mut self, kind: TokenKind) -> Option<Span> {
        self.at(kind).then(|| self.take())
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) -> Faulty {
        self.sink.push(Diagnostic::new(code, self.source, span, message));
        Faulty
    }

    /// Reports that something else was expected at the next token.
    fn expected(&mut self, what: &str) -> Faulty {
        let found = self.describe_token();
        let span = if self.at(TokenKind::End) { self.previous.after() } else { self.token.span };
        let unterminated = (Code::UnterminatedText, self.previous);
        match self.token.kind {
            TokenKind::Invalid => Faulty, // the lexer has reported it
            _ if self.lexer.faults.iter().rev().take(2).any(|fault| *fault == unterminated) => Faulty,
            _ => self.report(Code::UnexpectedToken, span, format!("expected {what}, found {found}")),
        }
    }

    /// The next token as a reader would name it.
    fn describe_token(&self) -> String {
        match self.token.kind {
            TokenKind::Word
            | TokenKind::Register
            | TokenKind::Symbol
            | TokenKind::Number
            | TokenKind::String => {
                let text = self.word();
                let shown: String = text.chars().take(40).collect();
                let dots = if shown.len() < text.len() { "…" } else { "" };
                format!("`{shown}{dots}`")
            }
            kind => kind.describe().to_owned(),
        }
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Parsed<Span> {
        if self.at(kind) { Ok(self.take()) } else { Err(self.expected(what)) }
    }

    /// The `;` that ends a statement. A missing one before a line end is reported there, and reading goes on.
    fn semicolon(&mut self) -> Parsed<Span> {
        if self.at(TokenKind::Semicolon) {
            return Ok(self.take());
        }
        if self.on_new_line() || matches!(self.token.kind, TokenKind::CloseBrace | TokenKind::End) {
            let diagnostic = Diagnostic::new(
                Code::MissingSemicolon,
                self.source,
                self.previous.after(),
                "expected `;` at the end of the statement",
            );
            self.sink.push(diagnostic.help("add `;` here"));
            return Ok(self.previous);
        }
        Err(self.expected("`;`"))
    }

    /// Whether a line ends between the last token and the next.
    fn on_new_line(&self) -> bool {
        let between = self.previous.end as usize..self.token.span.start as usize;
        self.source.text().as_bytes()[between].contains(&b'\n')
    }

    /// Passes over the rest of a faulty statement: to behind its `;`, or to a line end or brace.
    fn recover(&mut self) {
        loop {
            match self.token.kind {
                TokenKind::End | TokenKind::OpenBrace | TokenKind::CloseBrace => return,
                TokenKind::Semicolon => {
                    self.take();
                    return;
                }
                _ => {
                    self.take();
                    if self.on_new_line() && !self.at(TokenKind::Semicolon) {
                        return;
                    }
                }
            }
        }
    }

    /// A directive or declaration at module scope, or nothing if it was unreadable.
    fn item(&mut self) -> Option<Item> {
        let start = self.token;
        let parsed = match self.module_item() {
            Ok(item) => return Some(item),
            Err(Faulty) => None,
        };
        self.recover_at_module_scope(start);
        parsed
    }

    fn module_item(&mut self) -> Parsed<Item> {
        if !self.at(TokenKind::Word) {
            return Err(self.expected("a directive such as `.kernel`, `.function` or `.global`"));
        }
        match self.word() {
            ".version" | ".target" => self.header().map(Item::Header),
            ".export" | ".import" => {
                let linkage = self.take();
                match self.word() {
                    ".kernel" | ".function" => self.function(Some(linkage)).map(Item::Function),
                    _ => self.variable(Some(linkage)).map(Item::Variable),
                }
            }
            ".kernel" | ".function" => self.function(None).map(Item::Function),
            ".global" | ".const" | ".private" | ".shared" => self.variable(None).map(Item::Variable),
            word => {
                let message = format!("`{word}` does not start a declaration");
                let known = [
                    ".version",
                    ".target",
                    ".kernel",
                    ".function",
                    ".global",
                    ".const",
                    ".export",
                    ".import",
                ];
                let similar = known.iter().min_by_key(|known| crate::isa::distance(known, word));
                let near = similar.filter(|known| crate::isa::distance(known, word) <= 2);
                let mut diagnostic =
                    Diagnostic::new(Code::UnknownDirective, self.source, self.token.span, message);
                diagnostic = match near {
                    Some(known) => diagnostic.help(format!("did you mean `{known}`?")),
                    None => diagnostic.help(format!("at module scope stand {}", known.join(", "))),
                };
                self.sink.push(diagnostic);
                Err(Faulty)
            }
        }
    }

    /// Goes on at something that starts a declaration; a body in braces on the way is passed over whole.
    fn recover_at_module_scope(&mut self, start: Token) {
        if self.token == start {
            self.take();
        }
        let mut depth = 0usize;
        loop {
            match self.token.kind {
                TokenKind::End => return,
                TokenKind::OpenBrace => depth += 1,
                TokenKind::CloseBrace => depth = depth.saturating_sub(1),
                TokenKind::Word
                    if (depth == 0 && is_module_directive(self.word())) || self.starts_function() =>
                {
                    return;
                }
                _ => {}
            }
            self.take();
        }
    }

    /// Whether the next token can only stand at module scope.
    fn starts_function(&self) -> bool {
        self.at(TokenKind::Word)
            && matches!(self.word(), ".kernel" | ".function" | ".export" | ".import" | ".version" | ".target")
    }

    fn header(&mut self) -> Parsed<Header> {
        let directive = self.take();
        let value = self.expect(TokenKind::Number, "a number such as `0.1` or `100`")?;
        let end = self.semicolon()?;
        Ok(Header { directive, value, span: directive.to(end) })
    }

    /// Hands the lexer's faults on.
    fn finish(&mut self) {
        for (code, span) in std::mem::take(&mut self.lexer.faults) {
            let text = self.text(span);
            let shown: String = text.chars().take(20).collect();
            let message = match code {
                Code::UnterminatedText => "this text is not closed on its line".to_owned(),
                Code::InvalidName => format!("`{shown}` is not a name"),
                _ => format!("`{}` belongs to no token", shown.escape_debug()),
            };
            let mut diagnostic = Diagnostic::new(code, self.source, span, message);
            if code == Code::InvalidName {
                diagnostic =
                    diagnostic.help("a name starts with a letter, `$`, `.` or `_`; digits may follow");
            }
            self.sink.push(diagnostic);
        }
    }
}

/// Words that start something at module scope.
fn is_module_directive(word: &str) -> bool {
    matches!(
        word,
        ".version"
            | ".target"
            | ".export"
            | ".import"
            | ".kernel"
            | ".function"
            | ".global"
            | ".const"
            | ".private"
            | ".shared"
    )
}
