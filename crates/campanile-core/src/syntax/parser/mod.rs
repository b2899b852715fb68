//! The parser: one token of look-ahead, recovery at `;`, `}` and line ends.

mod body;
mod declaration;
mod function;

use std::sync::Arc;

use super::lexer::Lexer;
use super::token::{Token, TokenKind};
use super::tree::{Header, Item, Tree, Unreadable};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::{SourceFile, Span};

/// Reads a text into a tree and reports every fault to `sink`.
pub fn parse(source: &Arc<SourceFile>, sink: &mut Sink) -> Tree {
    let mut parser = Parser::new(source, sink);
    let mut tree = Tree::default();
    while parser.token.kind != TokenKind::End {
        parser.item(&mut tree);
    }
    parser.finish();
    tree.comments = std::mem::take(&mut parser.lexer.comments);
    tree
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
    /// Whether a body was left open, so that its rest may stand at module scope.
    left_open: bool,
    /// Whether the rest of the text is passed over, as there are too many faults.
    given_up: bool,
}

impl<'a> Parser<'a> {
    fn new(source: &'a Arc<SourceFile>, sink: &'a mut Sink) -> Self {
        let mut lexer = Lexer::new(source.text());
        let token = lexer.next_token();
        Parser { source, sink, lexer, token, previous: Span::default(), left_open: false, given_up: false }
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

    /// Reads items with commas between them, perhaps none, up to a closing token, which is not taken.
    fn separated(&mut self, close: TokenKind, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        if self.at(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            let Some(comma) = self.take_if(TokenKind::Comma) else { return Ok(()) };
            if self.at(close) {
                let message = "nothing follows this comma";
                let diagnostic = Diagnostic::new(Code::UnexpectedToken, self.source, comma, message);
                self.push(diagnostic.help("leave the comma out"));
                return Ok(());
            }
        }
    }

    fn push(&mut self, diagnostic: Diagnostic) -> Faulty {
        self.sink.push(diagnostic);
        if self.sink.errors() >= Sink::LIMIT {
            self.give_up();
        }
        Faulty
    }

    /// Takes the text to end here.
    fn give_up(&mut self) {
        self.given_up = true;
        self.lexer.skip_to_end();
        self.token = self.lexer.next_token();
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) -> Faulty {
        self.push(Diagnostic::new(code, self.source, span, message))
    }

    /// Reports that something else was expected at the next token; behind the last one, if a line ends there.
    fn expected(&mut self, what: &str) -> Faulty {
        let line_ends = self.at(TokenKind::End) || self.on_new_line();
        let span = if line_ends { self.previous.after() } else { self.token.span };
        self.expected_at(span, what)
    }

    /// Reports that something else was expected at the next token, which starts a statement.
    fn expected_start(&mut self, what: &str) -> Faulty {
        self.expected_at(self.token.span, what)
    }

    fn expected_at(&mut self, span: Span, what: &str) -> Faulty {
        if self.at(TokenKind::Invalid) {
            return Faulty; // the lexer reports it
        }
        let found = self.describe_token();
        self.report(Code::UnexpectedToken, span, format!("expected {what}, found {found}"))
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
            self.push(diagnostic.help("add `;` here"));
            return Ok(self.previous);
        }
        Err(self.expected("`;`"))
    }

    /// Whether a line ends between the last token and the next.
    fn on_new_line(&self) -> bool {
        let between = self.previous.end as usize..self.token.span.start as usize;
        self.source.text().as_bytes()[between].contains(&b'\n')
    }

    /// Passes over the rest of a faulty statement: to behind its `;`, to a brace, or to the end of a line.
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
                    if self.line_ends_statement() {
                        return;
                    }
                }
            }
        }
    }

    /// Whether a faulty statement ends here, at the end of a line: behind a comma it may go on.
    fn line_ends_statement(&self) -> bool {
        let goes_on = self.text(self.previous) == "," && !self.at(TokenKind::Word);
        self.on_new_line() && !goes_on && !self.at(TokenKind::Semicolon)
    }

    /// A directive or declaration at module scope.
    fn item(&mut self, tree: &mut Tree) {
        let start = self.token;
        if self.left_open && !(self.at(TokenKind::Word) && is_module_directive(self.word())) {
            self.left_open = false;
            self.recover_at_module_scope(start);
            return;
        }
        match self.module_item() {
            Ok(item) => tree.items.push(item),
            Err(Faulty) => {
                self.recover_at_module_scope(start);
                let name = self.first_name(start.span.to(self.previous));
                let index = tree.items.len() + tree.unreadable.len();
                tree.unreadable.push(Unreadable { keyword: start.span, name, index });
            }
        }
    }

    /// The name that an unreadable declaration would have declared.
    fn first_name(&self, span: Span) -> Option<Span> {
        let mut lexer = Lexer::new(self.text(span));
        loop {
            let token = lexer.next_token();
            match token.kind {
                TokenKind::Symbol => return Some(span.part(token.span.start as usize, token.span.length())),
                TokenKind::End | TokenKind::Semicolon | TokenKind::OpenBrace => return None,
                _ => {}
            }
        }
    }

    fn module_item(&mut self) -> Parsed<Item> {
        if !self.at(TokenKind::Word) {
            return Err(self.expected_start("a directive such as `.kernel`, `.function` or `.global`"));
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
                Err(self.push(diagnostic))
            }
        }
    }

    /// Whether the next token starts an attribute or a type.
    fn at_dotted_word(&self) -> bool {
        self.at(TokenKind::Word) && self.word().starts_with('.')
    }

    /// Goes on at something that starts a declaration; a body in braces on the way is passed over whole.
    fn recover_at_module_scope(&mut self, start: Token) {
        if self.token == start {
            self.take();
        }
        let mut depth = 0usize;
        let mut ended = self.text(self.previous) == ";";
        loop {
            match self.token.kind {
                TokenKind::End => return,
                TokenKind::Word
                    if (depth == 0
                        && (is_module_directive(self.word()) || (ended && self.starts_line())))
                        || self.starts_function() =>
                {
                    return;
                }
                _ => {}
            }
            ended = match self.token.kind {
                TokenKind::OpenBrace => {
                    depth += 1;
                    false
                }
                TokenKind::CloseBrace => {
                    let closes = depth == 1;
                    depth = depth.saturating_sub(1);
                    closes
                }
                kind => kind == TokenKind::Semicolon,
            };
            self.take();
        }
    }

    /// Whether the next word may be meant to start a declaration of the module: a directive, but of no body, in front
    /// of a line.
    fn starts_line(&self) -> bool {
        self.at_dotted_word() && !matches!(self.word(), ".reg" | ".pred") && self.on_new_line()
    }

    /// Whether the next token can only stand at module scope.
    fn starts_function(&self) -> bool {
        if !self.at(TokenKind::Word) {
            return false;
        }
        match self.word() {
            ".kernel" | ".function" => true,
            ".export" | ".import" => {
                let behind = self.source.text()[self.token.span.end as usize..].trim_start();
                behind.starts_with(".kernel") || behind.starts_with(".function")
            }
            _ => false,
        }
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
                Code::InvalidEscape => format!("`{shown}` is no escape"),
                _ if text.starts_with("/*") => "there are no comments of several lines".to_owned(),
                _ => format!("`{}` belongs to no token", shown.escape_debug()),
            };
            let mut diagnostic = Diagnostic::new(code, self.source, span, message);
            let help = match code {
                Code::InvalidName => Some("a name starts with a letter, `$`, `.` or `_`; digits may follow"),
                Code::InvalidEscape => {
                    Some("escapes are `\\n`, `\\\"`, `\\\\` and `\\` with two hexadecimal digits")
                }
                _ if text.starts_with("/*") => Some("a comment starts with `//` on each line"),
                _ => None,
            };
            if let Some(help) = help {
                diagnostic = diagnostic.help(help);
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
