//! Names of module scope: one name space for kernels, functions and variables, free of order.

use std::borrow::Cow;

use super::{DeclaredItems, Symbol, Verifier};
use crate::diagnostic::{Code, Sink};
use crate::isa::distance;
use crate::source::Span;
use crate::syntax::tree::{Item, Tree};

impl<'a> Verifier<'a, '_> {
    /// Declares everything of module scope, with signatures and sizes but without initializers and bodies.
    pub(super) fn declare_symbols(&mut self, tree: &Tree) -> DeclaredItems {
        let unreadable = tree.unreadable.iter().filter_map(|item| item.name);
        self.unknown_symbols.extend(unreadable.map(|name| self.source.slice(name)));
        let mut items = Vec::with_capacity(tree.items.len());
        for item in &tree.items {
            if self.sink.errors() >= Sink::LIMIT {
                break;
            }
            let declared = match item {
                Item::Header(_) => None,
                Item::Variable(variable) => {
                    let id = self.declare_variable(variable, None);
                    id.map(|id| (variable.name, Symbol::Variable(id)))
                }
                Item::Function(function) => {
                    let id = self.declare_function(function);
                    Some((function.name, Symbol::Function(id)))
                }
            };
            if let Some((name, symbol)) = declared {
                self.declare_symbol(name, symbol);
            }
            items.push(declared.map(|(_, symbol)| symbol));
        }
        items
    }

    fn declare_symbol(&mut self, span: Span, symbol: Symbol) {
        let name = self.symbol_name(span);
        if let Some(first) = self.symbols.get(&name).copied() {
            let place = self.symbol_span(first);
            let diagnostic =
                self.diagnostic(Code::DuplicateName, span, format!("`@{name}` is declared more than once"));
            self.sink.push(diagnostic.and(place, "first declared here"));
            return;
        }
        self.symbols.insert(name, symbol);
    }

    pub(super) fn symbol_span(&self, symbol: Symbol) -> Span {
        match symbol {
            Symbol::Variable(variable) => self.module.variables[variable].place.span,
            Symbol::Function(function) => self.module.functions[function].place.span,
        }
    }

    /// The name at `span` without `@`, quotes and escapes.
    pub(super) fn symbol_name(&self, span: Span) -> Cow<'a, str> {
        let text = &self.text(span)[1..];
        match text.strip_prefix('"') {
            None => Cow::Borrowed(text),
            Some(quoted) => unescaped(quoted.strip_suffix('"').unwrap_or(quoted)),
        }
    }

    /// Reports that nothing is called as the text at `span` says; once for each name.
    pub(super) fn unknown_symbol(&mut self, span: Span) {
        let text = self.text(span);
        if !self.unknown_symbols.insert(text) {
            return;
        }
        let name = self.symbol_name(span);
        let similar = similar_name(&name, self.symbols.keys().map(AsRef::as_ref)).map(ToOwned::to_owned);
        let mut diagnostic =
            self.diagnostic(Code::UnknownSymbol, span, format!("nothing is called `@{name}`"));
        if let Some(similar) = similar {
            diagnostic = diagnostic.help(format!("did you mean `@{similar}`?"));
        } else if self.source.text().as_bytes().get(span.end as usize).is_some_and(|byte| !byte.is_ascii()) {
            diagnostic = diagnostic.help("a name with other characters is written in quotes: `@\"…\"`");
        }
        self.sink.push(diagnostic);
    }
}

/// A text in quotes without its quotes and escapes: `\n`, `\"`, `\\` and two hexadecimal digits. Others have been
/// reported by the lexer and are left as they are.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let hexadecimal = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = hexadecimal.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (value, length) = match (code, rest.first()) {
            (Some(code), _) => (code, 2),
            (None, Some(b'n')) => (b'\n', 1),
            (None, Some(other)) => (*other, 1),
            (None, None) => (b'\\', 0),
        };
        bytes.push(value);
        rest = &rest[length..];
    }
    // Bytes that are no UTF-8 keep their escaped spelling, which is as unique as the bytes.
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The name nearest to `name`, if one is near; large name spaces are not searched.
pub(super) fn similar_name<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (name.len() + 2) / 4;
    names
        .take(2000)
        .filter(|other| other.len().abs_diff(name.len()) <= limit)
        .map(|other| (distance(other, name), other))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, other)| other)
}
