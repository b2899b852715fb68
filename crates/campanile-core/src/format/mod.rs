//! Canonical layout of a text: one statement a line, two spaces for each scope, everything else as its author
//! wrote it.
//!
//! The tree says where statements begin and end, their tokens are spaced by `spacing`, and `comments` puts the
//! comments back. Nothing is looked up, so a text need only be free of syntax errors. Scopes are flat in the tree
//! and are not recursed into here.

mod comments;
mod lines;
mod list;
mod spacing;

pub(crate) use lines::Lines;

use comments::Trailing;
use list::Breaks;
use spacing::{next_token, spaced};

use crate::source::{SourceFile, Span};
use crate::syntax::TokenKind;
use crate::syntax::tree::{Body, Function, Item, RegisterDeclaration, Statement, Tree, Variable};

/// The canonical layout of a text. The tree must stem from it, and the text be free of syntax errors.
///
/// Comments, names, number bases, scopes and the grouping of declarations stay; runs of blank lines become one.
/// Formatting the result changes nothing.
pub fn format(source: &SourceFile, tree: &Tree) -> String {
    let mut formatter = Formatter {
        source,
        comments: &tree.comments,
        lines: Lines::with_capacity(source.text().len()),
        position: 0,
        opened: true,
        aligned: Vec::new(),
    };
    let mut before = None;
    for item in &tree.items {
        formatter.separate(before, item);
        formatter.item(item);
        before = Some(item);
    }
    formatter.finish()
}

struct Formatter<'a> {
    source: &'a SourceFile,
    /// Comments that are still to be written.
    comments: &'a [Span],
    lines: Lines,
    /// Place in the source behind what was written last.
    position: u32,
    /// Whether nothing stands yet behind the last opening brace, or in the text.
    opened: bool,
    /// Trailing comments that stand in one column of the source, if they come one after another.
    aligned: Vec<Trailing>,
}

impl Formatter<'_> {
    /// Asks for a blank line behind the header and around bodies, if the author has none.
    fn separate(&mut self, before: Option<&Item>, item: &Item) {
        let has_body = |item: &Item| matches!(item, Item::Function(Function { body: Some(_), .. }));
        let apart = match before {
            None => false,
            Some(Item::Header(_)) => !matches!(item, Item::Header(_)),
            Some(before) => has_body(before) || has_body(item),
        };
        if apart && !self.has_blank_line_before(item.span().start) {
            self.blank();
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Header(header) => self.statement(header.span, 0),
            Item::Variable(variable) => self.variable(variable, 0),
            Item::Function(function) => self.function(function),
        }
    }

    /// A statement that fits on one line whatever its length; comments inside it come before it.
    fn statement(&mut self, span: Span, depth: usize) {
        self.start(span.start, span.end, depth);
        self.lines.begin(depth);
        self.push_tokens(span);
        self.end(span.end, depth);
    }

    /// Adds the tokens of a span to the line.
    fn push_tokens(&mut self, span: Span) {
        self.lines.push(spaced(self.source.slice(span)));
    }

    /// The end of the next token behind `position`, which is of this kind.
    fn end_of_next(&self, position: u32, kind: TokenKind) -> u32 {
        let token = next_token(self.source, position);
        debug_assert_eq!(token.kind, kind, "a tree without errors has it");
        token.span.end
    }

    fn variable(&mut self, variable: &Variable, depth: usize) {
        let Span { start, end } = variable.span;
        let Some((items, braces)) = &variable.initializer else {
            return self.statement(variable.span, depth);
        };
        self.start(start, braces.start, depth);
        self.lines.begin(depth);
        self.push_tokens(Span { start, end: braces.start });
        let spans: Vec<Span> = items.iter().map(|item| item.span).collect();
        let (open, close) = if items.is_empty() { (" {", "};") } else { (" { ", " };") };
        let broken = self.has_comment_before(braces.end) || self.is_broken(*braces, &spans);
        let texts = spans.iter().map(|span| spaced(self.source.slice(*span)));
        if broken || !self.lines.push_list_if_it_fits(open, texts, close) {
            self.lines.push(" {");
            self.broken_list(&spans, (braces.start + 1, braces.end - 1), Breaks::AsWritten, depth + 1);
            self.lines.begin(depth);
            self.lines.push("};");
        }
        self.end(end, depth);
    }

    /// Whether the author began a line between the braces.
    fn is_broken(&self, braces: Span, items: &[Span]) -> bool {
        let mut position = braces.start;
        items.iter().any(|item| {
            let between = Span { start: position, end: item.start };
            position = item.end;
            self.source.slice(between).contains('\n')
        })
    }

    fn registers(&mut self, declaration: &RegisterDeclaration, depth: usize) {
        let Span { start, end } = declaration.span;
        let names = declaration.names.iter().map(|name| match name.range {
            None => name.name,
            Some((_, last)) => {
                Span { start: name.name.start, end: self.end_of_next(last.end, TokenKind::Greater) }
            }
        });
        let names: Vec<Span> = names.collect();
        self.start(start, names[0].end, depth);
        self.lines.begin(depth);
        self.push_tokens(Span { start, end: names[0].start });
        self.filled_list(&names, depth + 2);
        self.end(end, depth);
    }

    fn function(&mut self, function: &Function) {
        let Span { start, end } = function.span;
        let open = self.end_of_next(function.name.end, TokenKind::OpenParenthesis);
        self.start(start, open, 0);
        self.lines.begin(0);
        self.push_tokens(Span { start, end: function.name.end });
        let spans: Vec<Span> = function.parameters.iter().map(|parameter| parameter.span).collect();
        let close = self.close_parenthesis(spans.last().map_or(open, |last| last.end));
        let tail = if function.body.is_some() { ") {" } else { ");" };
        let texts = spans.iter().map(|span| spaced(self.source.slice(*span)));
        if self.has_comment_before(close) || !self.lines.push_list_if_it_fits("(", texts, tail) {
            self.lines.push('(');
            self.broken_list(&spans, (open, close), Breaks::Everywhere, 1);
            self.lines.begin(0);
            self.lines.push(tail);
        }
        match &function.body {
            None => self.end(end, 0),
            Some(body) => self.body(body),
        }
    }

    /// Where the parenthesis that closes a list stands, behind its last item or opening parenthesis.
    fn close_parenthesis(&self, position: u32) -> u32 {
        let token = next_token(self.source, position);
        match token.kind {
            TokenKind::Comma => next_token(self.source, token.span.end).span.start,
            _ => token.span.start,
        }
    }

    /// Statements between braces; the opening one is on the line.
    fn body(&mut self, body: &Body) {
        let mut depth = 1;
        self.end(body.open.end, depth);
        self.opened = true;
        for statement in &body.statements {
            match statement {
                Statement::Registers(declaration) => self.registers(declaration, depth),
                Statement::Variable(variable) => self.variable(variable, depth),
                Statement::Label(label) => {
                    let end = self.end_of_next(label.end, TokenKind::Colon);
                    self.label(Span { end, ..*label }, depth);
                }
                Statement::Instruction(instruction) => {
                    let end = self.end_of_next(instruction.end, TokenKind::Semicolon);
                    self.statement(Span { end, ..instruction.mnemonic }, depth);
                }
                Statement::Open(brace) => {
                    self.statement(*brace, depth);
                    depth += 1;
                    self.opened = true;
                }
                Statement::Close(brace) => {
                    self.close(*brace, depth);
                    depth -= 1;
                }
            }
        }
        self.close(body.close, depth);
    }

    /// A label stands at the margin, comments before it with the statements.
    fn label(&mut self, span: Span, depth: usize) {
        self.start(span.start, span.end, depth);
        self.lines.begin(0);
        self.push_tokens(span);
        self.end(span.end, depth);
    }

    /// The brace that ends the statements of this depth.
    fn close(&mut self, brace: Span, depth: usize) {
        self.start(brace.start, brace.end, depth);
        self.lines.no_blank();
        self.lines.begin(depth - 1);
        self.lines.push('}');
        self.end(brace.end, depth - 1);
    }
}
