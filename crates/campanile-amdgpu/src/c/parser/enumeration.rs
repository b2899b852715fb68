//! Enumerations.

use super::attributes::Attributes;
use super::{Parser, Read};
use crate::c::code::Code;
use crate::c::finding::Finding;
use crate::c::types::{Kind, TypeId};

impl Parser<'_> {
    /// An enumeration, behind its first word.
    pub fn enumeration(&mut self) -> Read<TypeId> {
        let mut attributes = Attributes::default();
        if self.types.language().is_cplusplus() && (self.is("class") || self.is("struct")) {
            self.advance();
        }
        self.attributes(&mut attributes)?;
        let tag = self.take_name();
        let mut underlying = None;
        if self.eat(":") {
            let place = self.token().place;
            let ty = self.specifiers()?.ty;
            if !matches!(self.types.get(ty).kind, Kind::Integer { .. } | Kind::Boolean) {
                let message = "the values of an enumeration are integers";
                return Err(Finding::new(Code::Specifiers, place, message));
            }
            underlying = Some(ty);
        }
        let Some((tag, _)) = tag.filter(|_| !self.is("{")) else {
            let ty = self.enumerators(underlying, attributes)?;
            if let Some((tag, _)) = tag {
                self.tags.insert(tag, ty);
            }
            return Ok(ty);
        };
        // One that is declared elsewhere is an `unsigned int` unless it says more.
        let known = self.tags.get(tag).copied();
        let ty = known.or(underlying).unwrap_or_else(|| self.types.integer(32, false));
        self.tags.insert(tag, ty);
        Ok(ty)
    }

    fn enumerators(&mut self, underlying: Option<TypeId>, mut attributes: Attributes) -> Read<TypeId> {
        self.expect("{")?;
        let (mut next, mut least, mut greatest) = (0i128, 0i128, 0i128);
        while !self.eat("}") {
            let Some((name, place)) = self.take_name() else { return Err(self.unexpected("a name or `}`")) };
            self.attributes(&mut Attributes::default())?;
            if self.eat("=") {
                next = self.constant()?;
            }
            if i64::try_from(next).is_err() && u64::try_from(next).is_err() {
                let message = format!("`{name}` does not fit in 64 bits");
                return Err(Finding::new(Code::NotConstant, place, message));
            }
            self.enumerators.insert(name, next);
            (least, greatest) = (least.min(next), greatest.max(next));
            next += 1;
            if !self.is("}") {
                self.expect(",")?;
            }
        }
        self.attributes(&mut attributes)?;
        let signed = least < 0;
        let fits = |bits: u32| {
            let positive = bits - u32::from(signed);
            greatest < 1 << positive && least >= -(1 << (bits - 1))
        };
        let widths: &[u32] = if attributes.is_packed { &[8, 16, 32, 64] } else { &[32, 64] };
        let bits = widths.iter().copied().find(|bits| fits(*bits)).unwrap_or(64);
        Ok(underlying.unwrap_or_else(|| self.types.integer(bits, signed)))
    }
}
