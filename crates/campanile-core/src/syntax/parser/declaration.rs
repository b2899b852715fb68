//! Declarations of variables and registers, and attributes.

use smallvec::smallvec;

use super::function::is_register_type;
use super::{Parsed, Parser};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{
    Attribute, InitializerItem, InitializerValue, RegisterDeclaration, RegisterName, Variable,
};

impl Parser<'_> {
    /// A memory variable; the next token is its address space.
    pub(super) fn variable(&mut self, linkage: Option<Span>) -> Parsed<Variable> {
        let space = match self.word() {
            ".global" | ".const" | ".private" | ".shared" => self.take(),
            _ => return Err(self.expected("`.global`, `.const`, `.function` or `.kernel`")),
        };
        let mut stray_type = None;
        let mut attributes = Vec::new();
        while self.at_dotted_word() {
            if is_register_type(self.word()) {
                stray_type = Some(self.take());
            } else {
                attributes.push(self.attribute()?);
            }
        }
        let name = self.expect(TokenKind::Symbol, "the name of the variable, such as `@table`")?;
        let mut size = None;
        if self.take_if(TokenKind::OpenBracket).is_some() {
            size = Some(self.expect(TokenKind::Number, "the size in bytes")?);
            self.expect(TokenKind::CloseBracket, "`]`")?;
        }
        let mut initializer = None;
        if self.take_if(TokenKind::Equals).is_some() {
            initializer = Some(self.initializer()?);
        }
        let end = self.semicolon()?;
        let start = linkage.unwrap_or(space);
        Ok(Variable { linkage, space, stray_type, attributes, name, size, initializer, span: start.to(end) })
    }

    /// `.name`, `.name 4` or `.name(a, b)`.
    pub(super) fn attribute(&mut self) -> Parsed<Attribute> {
        let name = self.take();
        let mut attribute = Attribute { name, arguments: smallvec![], span: name };
        let plain_word = self.at(TokenKind::Word) && !self.at_dotted_word() && self.word() != "void";
        if self.at(TokenKind::Number) || plain_word {
            attribute.arguments.push(self.take());
        } else if self.take_if(TokenKind::OpenParenthesis).is_some() {
            self.separated(TokenKind::CloseParenthesis, |parser| match parser.token.kind {
                TokenKind::Number | TokenKind::Word | TokenKind::String => {
                    attribute.arguments.push(parser.take());
                    Ok(())
                }
                _ => Err(parser.expected("the value of the attribute")),
            })?;
            self.expect(TokenKind::CloseParenthesis, "`)`")?;
        }
        attribute.span = name.to(self.previous);
        Ok(attribute)
    }

    fn initializer(&mut self) -> Parsed<(Vec<InitializerItem>, Span)> {
        let open = self.expect(TokenKind::OpenBrace, "`{` and the initial values")?;
        let mut items = Vec::new();
        self.separated(TokenKind::CloseBrace, |parser| {
            items.push(parser.initializer_item()?);
            Ok(())
        })?;
        let close = self.expect(TokenKind::CloseBrace, "`,` or `}`")?;
        Ok((items, open.to(close)))
    }

    fn initializer_item(&mut self) -> Parsed<InitializerItem> {
        if self.at(TokenKind::OpenBrace) {
            return Err(self.expected("a width such as `.32b` (initial values do not nest)"));
        }
        let kind = self.expect(TokenKind::Word, "a width such as `.32b`, or `.zero`")?;
        let value = if self.at(TokenKind::Symbol) {
            let symbol = self.take();
            let offset = match self.token.kind {
                TokenKind::Plus | TokenKind::Minus => {
                    let minus = self.at(TokenKind::Minus);
                    self.take();
                    Some((minus, self.expect(TokenKind::Number, "a number")?))
                }
                _ => None,
            };
            InitializerValue::Symbol(symbol, offset)
        } else {
            InitializerValue::Number(self.signed_number("a number or `@` and a name")?)
        };
        Ok(InitializerItem { kind, value, span: kind.to(self.previous) })
    }

    /// A number with a minus sign directly before it, if any.
    pub(super) fn signed_number(&mut self, what: &str) -> Parsed<Span> {
        let Some(minus) = self.take_if(TokenKind::Minus) else {
            if self.at(TokenKind::Plus) {
                let plus = self.take();
                let message = "an immediate has no `+` sign";
                let diagnostic = Diagnostic::new(Code::InvalidNumber, self.source, plus, message);
                let faulty = self.push(diagnostic.help("leave the sign out"));
                return self.take_if(TokenKind::Number).ok_or(faulty);
            }
            return self.expect(TokenKind::Number, what);
        };
        let number = self.expect(TokenKind::Number, "a number")?;
        if number.start != minus.end {
            let message = "the minus sign must stand directly before the number";
            self.report(Code::InvalidNumber, minus.to(number), message);
        }
        Ok(minus.to(number))
    }

    /// `.reg` or `.pred`; the next token is that word.
    pub(super) fn registers(&mut self) -> Parsed<RegisterDeclaration> {
        let keyword = self.take();
        let ty = self.take_if(TokenKind::Word);
        let mut names = Vec::new();
        loop {
            let name = self.expect(TokenKind::Register, "the name of a register, such as `%r0`")?;
            let mut range = None;
            if self.take_if(TokenKind::Less).is_some() {
                let start = self.expect(TokenKind::Number, "the first number of the range")?;
                self.expect(TokenKind::Tilde, "`~` between the ends of the range")?;
                let end = self.expect(TokenKind::Number, "the number after the last of the range")?;
                self.expect(TokenKind::Greater, "`>`")?;
                range = Some((start, end));
            }
            names.push(RegisterName { name, range });
            if self.take_if(TokenKind::Comma).is_none() {
                break;
            }
        }
        names.shrink_to_fit(); // most have one, and there may be a million
        let end = self.semicolon()?;
        Ok(RegisterDeclaration { keyword, ty, names, span: keyword.to(end) })
    }
}
