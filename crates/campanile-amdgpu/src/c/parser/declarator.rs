//! Declarators: what is made of the type that a declaration begins with, and the name that gets it.

use campanile_core::source::Span;

use super::attributes::Attributes;
use super::specifiers::Specifiers;
use super::{Parser, Read};
use crate::c::Language;
use crate::c::Parameter;
use crate::c::code::Code;
use crate::c::finding::Finding;
use crate::c::token::TokenKind;
use crate::c::types::{FunctionType, Kind, Space, TypeId};

/// A name with its type.
#[derive(Clone, Debug)]
pub(super) struct Declarator<'a> {
    /// The name; parameters and types may have none.
    pub name: Option<(&'a str, Span)>,
    /// The type.
    pub ty: TypeId,
    /// The address space of the object of that type, which pointers to it have.
    space: Option<Space>,
    /// Attributes behind it.
    pub attributes: Attributes,
}

/// What stands behind a name.
enum Suffix {
    Array(Option<u64>),
    Function(Vec<Parameter>, bool),
}

impl<'a> Parser<'a> {
    /// Takes a declarator with all that stands behind it but initial values and bodies.
    pub fn declarator(&mut self, specifiers: &Specifiers) -> Read<Declarator<'a>> {
        let ty = self.vector_of(specifiers.ty, &specifiers.attributes)?;
        let mut declarator = self.derived(ty, specifiers.space)?;
        let mut attributes = Attributes::default();
        loop {
            self.attributes(&mut attributes)?;
            let trailing = ["const", "volatile", "noexcept", "override", "final", "throw"];
            if !trailing.contains(&self.text()) {
                break;
            }
            self.advance();
            if self.is("(") {
                self.skip_enclosed()?;
            }
        }
        if attributes.elements.is_some() || attributes.vector_bytes.is_some() {
            declarator.ty = self.vector_of(declarator.ty, &attributes)?;
            (attributes.elements, attributes.vector_bytes) = (None, None);
        }
        declarator.attributes.join(attributes);
        Ok(declarator)
    }

    /// Pointers, then the name or a declarator in parentheses, then arrays and parameters.
    fn derived(&mut self, mut ty: TypeId, mut space: Option<Space>) -> Read<Declarator<'a>> {
        while let "*" | "&" | "&&" | "^" = self.text() {
            let is_reference = self.text().starts_with('&');
            self.advance();
            let to = space.unwrap_or(Space::numbered(0));
            ty = if is_reference { self.types.reference(to) } else { self.types.pointer(to) };
            space = self.pointer_qualifiers()?;
        }
        if self.is("(") && self.is_nested() {
            return self.deeper(|this| this.nested(ty, space));
        }
        let name = self.take_name();
        let suffixes = self.suffixes()?;
        let ty = self.apply(suffixes, ty)?;
        Ok(Declarator { name, ty, space, attributes: Attributes::default() })
    }

    /// Whether the parenthesis here encloses a declarator, not parameters.
    fn is_nested(&mut self) -> bool {
        let next = self.text_at(1);
        if matches!(next, "*" | "&" | "&&" | "^" | "(" | "__attribute__") {
            return true;
        }
        let is_word = self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind == TokenKind::Word;
        is_word
            && !super::specifiers::is_keyword(next, self.types.language())
            && self.named_type(next).is_none()
    }

    /// A declarator in parentheses: what stands behind them belongs to the type that it starts from.
    fn nested(&mut self, ty: TypeId, space: Option<Space>) -> Read<Declarator<'a>> {
        let open = self.at;
        self.skip_enclosed()?;
        let suffixes = self.suffixes()?;
        let ty = self.apply(suffixes, ty)?;
        let end = self.at;
        self.at = open + 1;
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let mut declarator = self.derived(ty, space)?;
        declarator.attributes.join(attributes);
        self.expect(")")?;
        self.at = end;
        Ok(declarator)
    }

    /// Words behind a `*`; returns the address space that the pointer itself lies in.
    fn pointer_qualifiers(&mut self) -> Read<Option<Space>> {
        let mut attributes = Attributes::default();
        let mut space = None;
        loop {
            self.attributes(&mut attributes)?;
            let language = self.types.language();
            match super::specifiers::space_of(self.text(), language) {
                Some(found) => space = Some(found),
                None if super::specifiers::is_qualifier(self.text()) => {}
                None => return Ok(attributes.space.or(space)),
            }
            self.advance();
        }
    }

    fn suffixes(&mut self) -> Read<Vec<Suffix>> {
        let mut suffixes = Vec::new();
        loop {
            match self.text() {
                "[" if self.text_at(1) != "[" => {
                    self.advance();
                    suffixes.push(Suffix::Array(self.length()?));
                }
                "(" => {
                    let (parameters, variadic) = self.deeper(Self::parameters)?;
                    suffixes.push(Suffix::Function(parameters, variadic));
                }
                _ => return Ok(suffixes),
            }
        }
    }

    /// The length of an array up to the closing bracket; none if it says nothing.
    fn length(&mut self) -> Read<Option<u64>> {
        while let "static" | "const" | "restrict" | "volatile" = self.text() {
            self.advance();
        }
        if self.eat("]") {
            return Ok(None);
        }
        let place = self.token().place;
        let length = self.constant()?;
        self.expect("]")?;
        let refused =
            || Finding::new(Code::NotConstant, place, format!("an array cannot have {length} elements"));
        u64::try_from(length).map(Some).map_err(|_| refused())
    }

    fn apply(&mut self, suffixes: Vec<Suffix>, mut ty: TypeId) -> Read<TypeId> {
        let place = self.last_place();
        for suffix in suffixes.into_iter().rev() {
            let made = match suffix {
                Suffix::Array(_) if !self.types.has_size(ty) => {
                    let message = "the elements of an array have a size";
                    return Err(Finding::new(Code::Specifiers, place, message));
                }
                Suffix::Array(count) => self.types.array(ty, count),
                Suffix::Function(parameters, variadic) => {
                    self.types.function(FunctionType { result: ty, parameters, variadic })
                }
            };
            let message = "this type is too large, or types are nested too deep in it";
            ty = made.ok_or_else(|| Finding::new(Code::TooDeep, place, message))?;
        }
        Ok(ty)
    }

    /// The parameters of a function with their parentheses, and whether more may follow.
    fn parameters(&mut self) -> Read<(Vec<Parameter>, bool)> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        if self.is("void") && self.text_at(1) == ")" {
            self.advance();
        }
        while !self.eat(")") {
            if self.eat("...") {
                self.expect(")")?;
                return Ok((parameters, true));
            }
            parameters.push(self.parameter()?);
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        Ok((parameters, false))
    }

    fn parameter(&mut self) -> Read<Parameter> {
        let start = self.token().place;
        let specifiers = self.specifiers()?;
        let declarator = self.declarator(&specifiers)?;
        let span = start.to(self.last_place());
        if let Some(place) = specifiers.attributes.shared.or(declarator.attributes.shared) {
            self.warn_shared(place);
        }
        if self.eat("=") {
            self.skip_to(&[",", ")"])?;
        }
        let place = declarator.name.map_or(span, |(_, place)| place);
        let ty = match self.types.get(declarator.ty).kind {
            // An array is passed as a pointer to its first element.
            Kind::Array { .. } => {
                let default = Space::numbered(0);
                self.types.pointer(specifiers.space.or(declarator.space).unwrap_or(default))
            }
            Kind::Function(_) => self.types.pointer(Space::numbered(0)),
            Kind::Void => return Err(Finding::new(Code::Specifiers, place, "a parameter cannot be `void`")),
            _ => declarator.ty,
        };
        let name = declarator.name.map(|(name, _)| name.to_owned());
        Ok(Parameter { name, ty, span })
    }

    fn warn_shared(&mut self, place: Span) {
        if self.types.language() == Language::Hip {
            let message = "`__shared__` does not change what a pointer points to: clang passes a flat one";
            let help = "write `__attribute__((address_space(3)))` for a 32-bit pointer to shared memory";
            self.findings.push(Finding::new(Code::SharedPointer, place, message).help(help));
        }
    }
}
