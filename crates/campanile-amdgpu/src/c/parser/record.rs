//! Structs, unions and classes.

use super::attributes::Attributes;
use super::declarator::Declarator;
use super::specifiers::Specifiers;
use super::{Parser, Read};
use crate::c::code::Code;
use crate::c::finding::Finding;
use crate::c::layout::{Declared, DeclaredField};
use crate::c::types::{Kind, TypeId};

/// What is read of a record.
#[derive(Default)]
pub(super) struct Members {
    pub declared: Declared,
    /// Why it cannot be told how it is passed.
    pub unread: Option<&'static str>,
    /// Whether not everyone may set the fields that follow.
    pub is_private: bool,
}

impl<'a> Parser<'a> {
    /// A type that begins with `struct`, `union`, `class` or `enum`, and whether it is given a name.
    pub fn tagged(&mut self) -> Read<(TypeId, bool)> {
        let word = self.text();
        self.advance();
        let mut attributes = Attributes::default();
        if word == "enum" {
            return Ok((self.deeper(Self::enumeration)?, true));
        }
        self.attributes(&mut attributes)?;
        let tag = self.take_name();
        self.eat("final");
        let record = match tag {
            Some((tag, _)) => match self.tags.get(tag) {
                Some(known) => *known,
                None => {
                    let record = self.types.incomplete();
                    self.tags.insert(tag, record);
                    record
                }
            },
            None => self.types.incomplete(),
        };
        let has_bases = self.is(":") && self.types.language().is_cplusplus();
        if !self.is("{") && !has_bases {
            if tag.is_none() {
                return Err(self.unexpected("a name or `{`"));
            }
            return Ok((record, true));
        }
        let record =
            self.deeper(|this| this.body(record, word, tag.map_or("", |(tag, _)| tag), attributes))?;
        Ok((record, tag.is_some()))
    }

    fn body(&mut self, record: TypeId, word: &str, tag: &str, mut attributes: Attributes) -> Read<TypeId> {
        let place = self.token().place;
        let mut members = Members { is_private: word == "class", ..Members::default() };
        members.declared.is_union = word == "union";
        if self.is(":") {
            members.unread = Some("it has a base class");
            self.skip_to(&["{", ";"])?;
        }
        self.expect("{")?;
        while !self.eat("}") {
            if self.is_end() {
                return Err(Finding::new(Code::UnexpectedToken, place, "`{` is not closed").help("add `}`"));
            }
            self.member(tag, &mut members)?;
        }
        self.attributes(&mut attributes)?;
        members.declared.is_packed = attributes.is_packed;
        members.declared.alignment = attributes.alignment;
        if !matches!(self.types.get(record).kind, Kind::Incomplete) {
            let message = format!("`{word} {tag}` is declared twice");
            return Err(Finding::new(Code::DuplicateType, place, message).help("remove one"));
        }
        match members.unread {
            Some(reason) => self.types.leave_unread(record, reason),
            None if !self.types.complete(record, &members.declared) => {
                let message = "this type is too large, or types are nested too deep in it";
                return Err(Finding::new(Code::TooDeep, place, message));
            }
            None => {}
        }
        Ok(record)
    }

    fn member(&mut self, tag: &str, members: &mut Members) -> Read<()> {
        if self.eat(";") {
            return Ok(());
        }
        if self.types.language().is_cplusplus() && self.member_of_class(tag, members)? {
            return Ok(());
        }
        let specifiers = self.specifiers()?;
        if self.eat(";") {
            // The fields of a record without a name count as those of this one; with a name it is only a type.
            let inner = &self.types.get(specifiers.ty).kind;
            if let (Kind::Record(record), false) = (inner, specifiers.has_name) {
                let is_named = record.fields.iter().any(|field| field.is_named);
                members.declared.fields.push(DeclaredField {
                    ty: specifiers.ty,
                    width: None,
                    is_named,
                    is_packed: specifiers.attributes.is_packed,
                    alignment: specifiers.attributes.alignment,
                });
            }
            return Ok(());
        }
        loop {
            let is_bit_field_without_name = self.is(":");
            let declarator = self.declarator(&specifiers)?;
            if let Kind::Function(_) = self.types.get(declarator.ty).kind {
                return self.member_function();
            }
            if !specifiers.is_static && !specifiers.is_typedef {
                let field = self.field(&specifiers, declarator, is_bit_field_without_name)?;
                members.declared.fields.push(field);
                members.declared.is_guarded |= members.is_private;
            }
            if self.is("=") || self.is("{") {
                members.declared.is_guarded = true;
                self.skip_to(&[",", ";"])?;
            }
            if self.eat(";") {
                return Ok(());
            }
            self.expect(",")?;
        }
    }

    fn field(
        &mut self,
        specifiers: &Specifiers,
        declarator: Declarator<'a>,
        without_name: bool,
    ) -> Read<DeclaredField> {
        let place = declarator.name.map_or(self.token().place, |(_, place)| place);
        if declarator.name.is_none() && !without_name {
            return Err(self.unexpected("the name of a field"));
        }
        let ty = declarator.ty;
        if !self.types.has_size(ty) && !self.types.is_open(ty) {
            let message = match self.types.get(ty).kind {
                Kind::Unread(reason) => format!("this type is not read: {reason}"),
                _ => "a field has a type with a size".to_owned(),
            };
            return Err(Finding::new(Code::NoSize, place, message).help("declare the type before"));
        }
        let width = if self.eat(":") { Some(self.width(ty)?) } else { None };
        let mut attributes = specifiers.attributes.clone();
        attributes.join(declarator.attributes);
        self.attributes(&mut attributes)?;
        Ok(DeclaredField {
            ty,
            width,
            is_named: declarator.name.is_some(),
            is_packed: attributes.is_packed,
            alignment: attributes.alignment,
        })
    }

    fn width(&mut self, ty: TypeId) -> Read<u32> {
        let place = self.token().place;
        let width = self.constant()?;
        let bits = match self.types.get(ty).kind {
            Kind::Boolean => 1,
            Kind::Integer { bits, .. } => bits,
            _ => {
                let message = "a bit-field is an integer";
                return Err(Finding::new(Code::BitField, place, message).help("remove the width"));
            }
        };
        let fits = (0..=i128::from(bits)).contains(&width);
        let message = format!("a bit-field of this type has at most {bits} bits");
        u32::try_from(width).ok().filter(|_| fits).ok_or_else(|| Finding::new(Code::BitField, place, message))
    }
}
