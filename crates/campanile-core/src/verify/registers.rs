//! Registers of a body: their declarations, and names that have none.

use super::body::BodyVerifier;
use super::ranges::Range;
use super::scopes::{Found, Taken};
use super::symbols::similar_name;
use crate::diagnostic::Code;
use crate::isa::SpecialRegister;
use crate::module::{Register, RegisterId, RegisterType};
use crate::source::Span;
use crate::syntax::tree::{RegisterDeclaration, RegisterName};
use crate::syntax::{Lexer, TokenKind};

/// Greatest number of a register in a range.
const RANGE_LIMIT: u32 = 1 << 24;

impl<'a> BodyVerifier<'_, 'a, '_> {
    /// Declares the parameters of a function; those of a kernel are no registers.
    pub(super) fn declare_parameters(&mut self) {
        if self.is_kernel() {
            return;
        }
        for parameter in self.parameters {
            let ty = parameter.ty.and_then(|ty| super::functions::parse_register_type(self.text(ty)));
            match (parameter.name, ty) {
                (Some(name), Some(ty)) => self.declare_register(name, ty),
                (Some(name), None) => self.poison(name),
                _ => {}
            }
        }
    }

    /// Takes a register, or a base name of registers, for one whose declaration is faulty.
    fn poison(&mut self, name: Span) {
        let name = &self.text(name)[1..];
        self.poisoned.insert(name);
    }

    /// Does so for all names in declarations that could not be read.
    pub(super) fn poison_unreadable(&mut self) {
        for declaration in &self.tree.unreadable_declarations {
            let text = self.text(*declaration);
            let mut lexer = Lexer::new(text);
            loop {
                let token = lexer.next_token();
                let name = &text[token.span.range()];
                match token.kind {
                    TokenKind::End => break,
                    TokenKind::Register => drop(self.poisoned.insert(&name[1..])),
                    TokenKind::Symbol => drop(self.verifier.unknown_symbols.insert(name)),
                    _ => {}
                }
            }
        }
    }

    /// Whether the declaration of a register called `name`, perhaps with a swizzle or a number, is faulty.
    pub(super) fn is_poisoned(&self, name: &str) -> bool {
        if self.poisoned.is_empty() {
            return false;
        }
        let plain = name.rsplit_once('.').map_or(name, |(base, _)| base);
        let base = |name: &str| name.trim_end_matches(|last: char| last.is_ascii_digit()).len();
        [name, plain, &name[..base(name)], &plain[..base(plain)]]
            .iter()
            .any(|one| self.poisoned.contains(one))
    }

    pub(super) fn declare_registers(&mut self, declaration: &RegisterDeclaration) {
        let is_predicate = self.text(declaration.keyword) == ".pred";
        let ty = match declaration.ty {
            None if is_predicate => Some(RegisterType::PREDICATE),
            None => {
                let message = "`.reg` is followed by a type";
                let diagnostic = self.verifier.diagnostic(Code::RegisterType, declaration.keyword, message);
                self.verifier
                    .sink
                    .push(diagnostic.help("write `.reg .32b %r;`, or `.pred %p;` for a predicate"));
                None
            }
            Some(ty) if is_predicate => {
                let diagnostic = self.verifier.diagnostic(Code::RegisterType, ty, "a predicate has no type");
                self.verifier.sink.push(diagnostic.help("write `.pred %p;`"));
                Some(RegisterType::PREDICATE)
            }
            Some(ty) => self.verifier.register_type(ty),
        };
        for name in &declaration.names {
            match (ty, name.range) {
                (None, _) => self.poison(name.name),
                (Some(ty), None) => self.declare_register(name.name, ty),
                (Some(ty), Some(bounds)) => self.declare_range(name, bounds, ty),
            }
        }
    }

    fn declare_register(&mut self, span: Span, ty: RegisterType) {
        let name = &self.text(span)[1..];
        if self.is_reserved(name, span) {
            return;
        }
        let register = self.body.registers.push(Register { name: name.into(), ty, span });
        if let Err(taken) = self.scopes.declare(name, register) {
            self.report_taken(span, taken);
        }
        if self.parameter_names.contains_key(name) {
            let message = format!("a parameter of the kernel is called `%{name}` too");
            self.verifier.report(Code::SharedName, span, message);
        }
    }

    /// Whether `name` is that of a special register; reported if so.
    fn is_reserved(&mut self, name: &'a str, span: Span) -> bool {
        let reserved = SpecialRegister::from_name(name).is_some();
        if reserved {
            self.poisoned.insert(name);
            self.verifier.report(Code::ReservedName, span, format!("`%{name}` is a special register"));
        }
        reserved
    }

    /// Reports that a name declared at `span` is taken.
    fn report_taken(&mut self, span: Span, taken: Taken) {
        let (name, first) = match taken {
            Taken::Register(register) => {
                let register = &self.body.registers[register];
                (register.name.to_string(), register.span)
            }
            Taken::Range(range, name) => (name, range.span),
        };
        let message = format!("`%{name}` is declared more than once in this scope");
        let diagnostic = self.verifier.diagnostic(Code::DuplicateName, span, message);
        self.verifier.sink.push(diagnostic.and(first, "first declared here"));
    }

    fn declare_range(&mut self, declared: &RegisterName, (start, end): (Span, Span), ty: RegisterType) {
        let Some((first, last)) = self.range_bounds(start, end) else { return self.poison(declared.name) };
        let base = &self.text(declared.name)[1..];
        let behind = &self.verifier.source.text()[end.end as usize..];
        let close = end.end + 1 + behind.find('>').unwrap_or(0) as u32;
        let span = Span { end: close, ..declared.name };
        let range = Range { start: first, end: last, ty, span };
        if let Err(taken) = self.scopes.declare_range(base, range) {
            self.report_taken(span, taken);
        }
    }

    /// The ends of a range that is not empty.
    fn range_bounds(&mut self, start: Span, end: Span) -> Option<(u32, u32)> {
        let mut bound = |span: Span| {
            let text = self.text(span);
            let plain =
                text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
            let number = text.parse::<u32>().ok().filter(|number| plain && *number <= RANGE_LIMIT);
            if number.is_none() {
                let message =
                    format!("the ends of a range are plain numbers up to {RANGE_LIMIT}, not `{text}`");
                self.verifier.report(Code::InvalidRange, span, message);
            }
            number
        };
        let (first, last) = (bound(start), bound(end));
        let (first, last) = (first?, last?);
        if first >= last {
            let message = format!("the range from {first} to before {last} is empty");
            self.verifier.report(Code::InvalidRange, start.to(end), message);
            return None;
        }
        Some((first, last))
    }

    /// The register called `name` (without `%`) here; registers of ranges are made at their first use.
    pub(super) fn find_register(&mut self, name: &'a str) -> Option<RegisterId> {
        match self.scopes.register(name)? {
            Found::Register(register) => Some(register),
            Found::InRange { range, depth } => {
                let register = Register { name: name.into(), ty: range.ty, span: range.span };
                let register = self.body.registers.push(register);
                self.scopes.bind(name, register, depth);
                Some(register)
            }
        }
    }

    /// Reports that no register is called as the text at `span` says; once for each name.
    pub(super) fn unknown_register(&mut self, span: Span) {
        let text = self.text(span);
        if !self.unknown_registers.insert(text) {
            return;
        }
        let name = &text[1..];
        let parameter = self.parameter_names.contains_key(name);
        let similar = similar_name(name, self.scopes.register_names()).map(ToOwned::to_owned);
        let diagnostic =
            self.verifier.diagnostic(Code::UnknownRegister, span, format!("`{text}` is not declared"));
        let diagnostic = match similar {
            _ if parameter => {
                diagnostic.help(format!("a kernel parameter is only read by `ld.param`: `[{text}]`"))
            }
            Some(similar) => diagnostic.help(format!("did you mean `%{similar}`?")),
            None => diagnostic.help(format!("declare it before its use: `.reg .32b {text};`")),
        };
        self.verifier.sink.push(diagnostic);
    }
}
