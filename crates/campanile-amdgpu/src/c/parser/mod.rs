//! Declarations of C, and of C++ as far as they look like those of C.
//!
//! What is wrong ends only the declaration that it is in. Bodies of functions are passed over; so are templates,
//! namespaces and other parts of C++ that declare nothing that C could call, with a warning.

mod attributes;
mod class;
mod declarator;
mod enumeration;
mod record;
mod specifiers;

use std::collections::HashMap;
use std::sync::Arc;

use campanile_core::source::{SourceFile, Span};

use super::code::Code;
use super::expression::{Expression, Measure, Names};
use super::finding::{Finding, Findings};
use super::token::{Token, TokenKind};
use super::types::{FunctionType, Kind, Type, TypeId, Types};
use super::{DEEPEST, Language, Prototype, names};
use declarator::Declarator;
use specifiers::Specifiers;

type Read<T> = Result<T, Finding>;

/// What a file declares.
pub(super) struct Declarations {
    pub types: Types,
    pub prototypes: Vec<Prototype>,
}

/// Reads all declarations.
pub(super) fn parse(
    source: &Arc<SourceFile>,
    tokens: &[Token],
    language: Language,
    findings: &mut Findings,
) -> Declarations {
    let mut parser = Parser {
        source,
        tokens,
        at: 0,
        depth: 0,
        c_linkage: !language.is_cplusplus(),
        types: Types::new(language),
        names: HashMap::new(),
        tags: HashMap::new(),
        enumerators: HashMap::new(),
        prototypes: Vec::new(),
        findings,
    };
    parser.declarations(false);
    Declarations { types: parser.types, prototypes: parser.prototypes }
}

struct Parser<'a> {
    source: &'a SourceFile,
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    /// Whether names stand in object files as they are written.
    c_linkage: bool,
    types: Types,
    /// Names of types.
    names: HashMap<&'a str, TypeId>,
    /// Names behind `struct`, `union` and `enum`.
    tags: HashMap<&'a str, TypeId>,
    enumerators: HashMap<&'a str, i128>,
    prototypes: Vec<Prototype>,
    findings: &'a mut Findings,
}

/// Tokens, and what to expect of them.
impl<'a> Parser<'a> {
    fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn text_at(&self, ahead: usize) -> &'a str {
        self.source.slice(self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].text)
    }

    fn text(&self) -> &'a str {
        self.text_at(0)
    }

    fn is(&self, text: &str) -> bool {
        self.text() == text
    }

    fn is_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text) && !self.is_end();
        if found {
            self.advance();
        }
        found
    }

    /// The place of the last token that was taken.
    fn last_place(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].place
    }

    fn found(&self) -> String {
        match self.token().kind {
            TokenKind::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.text()),
        }
    }

    fn unexpected(&self, expected: &str) -> Finding {
        let message = format!("expected {expected}, found {}", self.found());
        Finding::new(Code::UnexpectedToken, self.token().place, message)
    }

    fn expect(&mut self, text: &str) -> Read<()> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    /// Takes a name that is no keyword.
    fn take_name(&mut self) -> Option<(&'a str, Span)> {
        let token = self.token();
        let text = self.text();
        let is_name = token.kind == TokenKind::Word && !specifiers::is_keyword(text, self.types.language());
        is_name.then(|| {
            self.advance();
            (text, token.place)
        })
    }

    /// Passes over a bracket and all that it encloses. Semicolons stand within braces only.
    fn skip_enclosed(&mut self) -> Read<()> {
        let open = self.token();
        let mut expected: Vec<&str> = Vec::new();
        loop {
            match self.text() {
                _ if self.is_end() => {
                    let text = self.source.slice(open.text);
                    return Err(Finding::new(
                        Code::UnexpectedToken,
                        open.place,
                        format!("`{text}` is not closed"),
                    ));
                }
                "(" => expected.push(")"),
                "[" => expected.push("]"),
                "{" => expected.push("}"),
                text if expected.last() == Some(&text) => {
                    expected.pop();
                }
                ";" if !expected.contains(&"}") => {
                    return Err(self.unexpected(&format!("`{}`", expected.last().unwrap_or(&""))));
                }
                ")" | "]" | "}" => {
                    return Err(self.unexpected(&format!("`{}`", expected.last().unwrap_or(&""))));
                }
                _ => {}
            }
            self.advance();
            if expected.is_empty() {
                return Ok(());
            }
        }
    }

    /// Passes over everything up to one of these signs, which stays.
    fn skip_to(&mut self, ends: &[&str]) -> Read<()> {
        while !self.is_end() && !ends.contains(&self.text()) {
            match self.text() {
                "(" | "[" | "{" => self.skip_enclosed()?,
                _ => self.advance(),
            }
        }
        Ok(())
    }

    /// Goes on behind the declaration that begins here and was wrong: at the next semicolon that no brackets enclose, or
    /// behind the body of a function.
    fn recover(&mut self) {
        let defines_type = matches!(self.text(), "typedef" | "struct" | "union" | "enum" | "class");
        while !self.is_end() && !self.is("}") {
            match self.text() {
                ";" => return self.advance(),
                "(" | "[" => {
                    if self.skip_enclosed().is_err() && !matches!(self.text(), ";" | "}") {
                        self.advance();
                    }
                }
                "{" => {
                    let closed = self.skip_enclosed().is_ok();
                    if closed && (self.eat(";") || !defines_type) {
                        return;
                    }
                    if !closed {
                        self.advance();
                    }
                }
                _ => self.advance(),
            }
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEEPEST {
            let message = "declarations are nested too deep here";
            return Err(Finding::new(Code::TooDeep, self.token().place, message));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// A constant expression.
    fn constant(&mut self) -> Read<i128> {
        let (source, tokens, depth) = (self.source, &self.tokens[self.at..], self.depth);
        let (value, length) = Expression::leading(source, tokens, depth, self)?;
        self.at = (self.at + length).min(self.tokens.len() - 1);
        Ok(value)
    }
}

/// Declarations.
impl<'a> Parser<'a> {
    fn declarations(&mut self, enclosed: bool) {
        while !(self.is_end() || enclosed && self.is("}")) {
            let start = self.at;
            if let Err(finding) = self.declaration() {
                // What is wrong with a macro has been said.
                if self.token().kind != TokenKind::Unreplaced {
                    self.findings.push(finding);
                }
                self.at = start;
                self.recover();
            }
            if !enclosed && self.is("}") {
                let finding = Finding::new(Code::UnexpectedToken, self.token().place, "this closes nothing");
                self.findings.push(finding.help("remove it"));
                self.advance();
            } else if self.at == start {
                self.advance();
            }
        }
    }

    fn declaration(&mut self) -> Read<()> {
        let place = self.token().place;
        match self.text() {
            ";" => {
                self.advance();
                Ok(())
            }
            "extern" if self.tokens[self.at + 1].kind == TokenKind::Text => self.linkage(),
            "template" | "namespace" | "concept" => {
                let what = self.text();
                self.warn_unread(place, what);
                self.skip_to(&[";", "{"])?;
                if self.is("{") {
                    self.skip_enclosed()?;
                }
                self.eat(";");
                Ok(())
            }
            "using" => self.alias(),
            "static_assert" | "_Static_assert" => {
                self.skip_to(&[";"])?;
                self.expect(";")
            }
            "asm" | "__asm__" | "__asm" => {
                self.skip_to(&[";"])?;
                self.expect(";")
            }
            _ => self.plain_declaration(),
        }
    }

    fn warn_unread(&mut self, place: Span, what: &str) {
        let message = format!("`{what}` is not read");
        let help = "declare what is called from PISA as C does";
        self.findings.push(Finding::new(Code::Unread, place, message).help(help));
    }

    /// `extern "C"`, before one declaration or several.
    fn linkage(&mut self) -> Read<()> {
        self.advance();
        let outer = self.c_linkage;
        self.c_linkage = self.is("\"C\"");
        self.advance();
        let result = self.deeper(|this| {
            if !this.eat("{") {
                return this.declaration();
            }
            let open = this.last_place();
            this.declarations(true);
            if this.eat("}") {
                return Ok(());
            }
            Err(Finding::new(Code::UnexpectedToken, open, "`{` is not closed").help("add `}`"))
        });
        self.c_linkage = outer;
        result
    }

    /// `using name = type;`; all other uses of the word say nothing of functions.
    fn alias(&mut self) -> Read<()> {
        let place = self.token().place;
        if self.text_at(2) != "=" {
            self.warn_unread(place, "using");
            self.skip_to(&[";"])?;
            return self.expect(";");
        }
        self.advance();
        let name = self.text();
        self.advance();
        self.advance();
        let ty = self.type_name()?;
        self.names.insert(name, ty);
        self.expect(";")
    }

    /// A type without a name, as in `sizeof` and behind `using`.
    fn type_name(&mut self) -> Read<TypeId> {
        let specifiers = self.specifiers()?;
        let declarator = self.declarator(&specifiers)?;
        let mut attributes = specifiers.attributes;
        attributes.join(declarator.attributes);
        self.attributed(declarator.ty, &attributes)
    }

    fn plain_declaration(&mut self) -> Read<()> {
        let start = self.token().place;
        let specifiers = self.specifiers()?;
        if self.eat(";") {
            return Ok(());
        }
        loop {
            let declarator = self.declarator(&specifiers)?;
            let Some((name, place)) = declarator.name else { return Err(self.unexpected("a name")) };
            if specifiers.is_typedef {
                self.define_type(name, &specifiers, &declarator)?;
            } else if let Kind::Function(function) = &self.types.get(declarator.ty).kind {
                let mut function = (**function).clone();
                if specifiers.is_auto && !self.trailing_result(&mut function, place)? {
                    return Ok(());
                }
                self.prototype(function, (name, place), start, &specifiers, &declarator);
                if self.is("{") {
                    return self.skip_enclosed();
                }
            }
            if self.eat("=") {
                self.initial_value(name, &specifiers)?;
            }
            if self.eat(";") {
                return Ok(());
            }
            if !self.eat(",") {
                return Err(self.unexpected("`;`"));
            }
        }
    }

    /// The result of a function that begins with `auto`. Where the body says what it is, the function is passed over.
    fn trailing_result(&mut self, function: &mut FunctionType, place: Span) -> Read<bool> {
        if self.eat("->") {
            function.result = self.type_name()?;
            return Ok(true);
        }
        self.warn_unread(place, "auto");
        self.skip_to(&[";", "{"])?;
        if self.is("{") {
            self.skip_enclosed()?;
        }
        Ok(false)
    }

    /// Passes over an initial value. That of a constant is kept if it can be computed, as lengths of arrays may need it.
    fn initial_value(&mut self, name: &'a str, specifiers: &Specifiers) -> Read<()> {
        let start = self.at;
        if specifiers.is_constant
            && let Ok(value) = self.constant()
            && (self.is(";") || self.is(","))
        {
            self.enumerators.insert(name, value);
            return Ok(());
        }
        self.at = start;
        self.skip_to(&[",", ";"])
    }

    fn define_type(
        &mut self,
        name: &'a str,
        specifiers: &Specifiers,
        declarator: &Declarator<'a>,
    ) -> Read<()> {
        let mut attributes = specifiers.attributes.clone();
        attributes.join(declarator.attributes.clone());
        let ty = self.attributed(declarator.ty, &attributes)?;
        self.names.insert(name, ty);
        Ok(())
    }

    fn prototype(
        &mut self,
        function: FunctionType,
        (name, place): (&'a str, Span),
        start: Span,
        specifiers: &Specifiers,
        declarator: &Declarator<'a>,
    ) {
        let label = declarator.attributes.label.clone();
        self.prototypes.push(Prototype {
            name: name.to_owned(),
            symbol: label.clone().unwrap_or_else(|| name.to_owned()),
            span: place,
            text: start.to(self.last_place()),
            has_c_name: self.c_linkage || label.is_some(),
            is_kernel: specifiers.is_kernel,
            function,
        });
    }

    /// The type of a name, if it is the name of one.
    fn named_type(&mut self, name: &'a str) -> Option<TypeId> {
        if let Some(ty) = self.names.get(name) {
            return Some(*ty);
        }
        if self.types.language().is_cplusplus()
            && let Some(ty) = self.tags.get(name)
        {
            return Some(*ty);
        }
        let ty = names::standard(&mut self.types, name)?;
        self.names.insert(name, ty);
        Some(ty)
    }
}

impl Names for Parser<'_> {
    fn value(&self, name: &str) -> Option<i128> {
        self.enumerators.get(name).copied()
    }

    fn is_defined(&self, _name: &str) -> bool {
        false
    }

    fn measure(&mut self, tokens: &[Token], depth: usize) -> Read<(Measure, usize)> {
        let outer = (self.at, self.depth);
        let start = self.tokens.len() - tokens.len();
        (self.at, self.depth) = (start, depth);
        let ty = self.deeper(Self::type_name);
        let (end, place) = (self.at, self.token().place);
        (self.at, self.depth) = outer;
        let ty = ty?;
        if !self.types.has_size(ty) {
            return Err(Finding::new(Code::NotConstant, place, "this type has no size"));
        }
        let Type { size, alignment, .. } = *self.types.get(ty);
        Ok((Measure { size, alignment }, end - start))
    }
}
