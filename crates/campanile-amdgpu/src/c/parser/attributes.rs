//! Attributes, in every spelling that they have, as far as they change types or names.

use campanile_core::source::Span;

use super::{Parser, Read};
use crate::c::code::Code;
use crate::c::finding::Finding;
use crate::c::token::TokenKind;
use crate::c::types::{Kind, Space, TypeId, Types};

/// Most elements of a vector, far more than any result or argument can use.
const MOST_ELEMENTS: i128 = 1024;

/// Greatest alignment in bytes.
const GREATEST_ALIGNMENT: i128 = 1 << 28;

/// What `aligned` alone asks for, in bytes.
const DEFAULT_ALIGNMENT: u64 = 16;

/// Attributes of a type or declaration.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    /// The address space of what is declared.
    pub space: Option<Space>,
    /// A vector, by its elements.
    pub elements: Option<u32>,
    /// A vector, by its bytes.
    pub vector_bytes: Option<u32>,
    /// Alignment in bytes.
    pub alignment: Option<u64>,
    /// No padding.
    pub is_packed: bool,
    /// Where it says that something lies in shared memory.
    pub shared: Option<Span>,
    /// Whether the host starts the function.
    pub is_kernel: bool,
    /// The name in object files.
    pub label: Option<String>,
}

impl Attributes {
    /// Adds others; what both have is taken from them, save that the greatest alignment counts.
    pub fn join(&mut self, other: Attributes) {
        self.space = other.space.or(self.space);
        self.elements = other.elements.or(self.elements);
        self.vector_bytes = other.vector_bytes.or(self.vector_bytes);
        self.alignment = self.alignment.max(other.alignment);
        self.is_packed |= other.is_packed;
        self.shared = other.shared.or(self.shared);
        self.is_kernel |= other.is_kernel;
        self.label = other.label.or(self.label.take());
    }
}

impl Parser<'_> {
    /// Takes the attributes that stand here, if any.
    pub fn attributes(&mut self, attributes: &mut Attributes) -> Read<()> {
        loop {
            match self.text() {
                "__attribute__" | "__attribute" => {
                    self.advance();
                    self.expect("(")?;
                    self.expect("(")?;
                    self.attribute_list(attributes, ")")?;
                    self.expect(")")?;
                    self.expect(")")?;
                }
                "[" if self.text_at(1) == "[" => {
                    self.advance();
                    self.advance();
                    self.attribute_list(attributes, "]")?;
                    self.expect("]")?;
                    self.expect("]")?;
                }
                "alignas" | "_Alignas" => {
                    let place = self.token().place;
                    self.advance();
                    self.expect("(")?;
                    let value = self.constant()?;
                    self.expect(")")?;
                    attributes.alignment = attributes.alignment.max(Some(self.alignment(value, place)?));
                }
                "__launch_bounds__" | "__declspec" => {
                    self.advance();
                    if self.is("(") {
                        self.skip_enclosed()?;
                    }
                }
                "asm" | "__asm__" | "__asm" => {
                    self.advance();
                    self.expect("(")?;
                    let text = self.text();
                    if self.token().kind != TokenKind::Text {
                        return Err(self.unexpected("a name in quotes"));
                    }
                    self.advance();
                    attributes.label = Some(text.trim_matches('"').to_owned());
                    self.expect(")")?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn attribute_list(&mut self, attributes: &mut Attributes, end: &str) -> Read<()> {
        while !self.is(end) {
            if self.eat(",") {
                continue;
            }
            if self.token().kind != TokenKind::Word {
                return Err(self.unexpected("the name of an attribute"));
            }
            let place = self.token().place;
            let mut name = self.text();
            self.advance();
            if self.eat("::") {
                name = self.text();
                self.advance();
            }
            self.attribute(name.trim_matches('_'), place, attributes)?;
        }
        Ok(())
    }

    fn attribute(&mut self, name: &str, place: Span, attributes: &mut Attributes) -> Read<()> {
        match name {
            "packed" => attributes.is_packed = true,
            "shared" => attributes.shared = Some(place),
            "global" | "device_kernel" | "amdgpu_kernel" => attributes.is_kernel = true,
            "address_space" => {
                let number = self.attribute_value()?;
                let number = u32::try_from(number).ok().filter(|number| *number <= 6);
                let message = "the address spaces of AMD GPUs are 0 (flat), 1 (global), 2 (region), 3 (shared), 4 \
                               (constant), 5 (private) and 6 (constant, 32 bits)";
                let fault = || Finding::new(Code::AttributeValue, place, message);
                attributes.space = Some(Space::numbered(number.ok_or_else(fault)?));
            }
            "ext_vector_type" => {
                let count = self.attribute_value()?;
                attributes.elements = Some(self.elements(count, place)?);
            }
            "vector_size" => {
                let count = self.attribute_value()?;
                attributes.vector_bytes = Some(self.elements(count, place)?);
            }
            "aligned" if self.is("(") => {
                let value = self.attribute_value()?;
                attributes.alignment = attributes.alignment.max(Some(self.alignment(value, place)?));
            }
            "aligned" => attributes.alignment = attributes.alignment.max(Some(DEFAULT_ALIGNMENT)),
            "mode" | "ms_struct" | "transparent_union" => {
                let message = format!("the attribute `{name}` is not read");
                return Err(
                    Finding::new(Code::AttributeValue, place, message).help("write the type that it makes")
                );
            }
            _ if self.is("(") => self.skip_enclosed()?,
            _ => {}
        }
        Ok(())
    }

    fn attribute_value(&mut self) -> Read<i128> {
        self.expect("(")?;
        let value = self.constant()?;
        self.expect(")")?;
        Ok(value)
    }

    fn elements(&self, count: i128, place: Span) -> Read<u32> {
        let message = format!("a vector has from 1 to {MOST_ELEMENTS} elements");
        let valid = (1..=MOST_ELEMENTS).contains(&count);
        let count = u32::try_from(count).ok().filter(|_| valid);
        count.ok_or_else(|| Finding::new(Code::AttributeValue, place, message))
    }

    fn alignment(&self, value: i128, place: Span) -> Read<u64> {
        let value = if value == 0 { 1 } else { value };
        let valid = (1..=GREATEST_ALIGNMENT).contains(&value);
        let value = u64::try_from(value).ok().filter(|value| valid && value.is_power_of_two());
        let message = format!("an alignment is a power of two up to {GREATEST_ALIGNMENT}");
        value.ok_or_else(|| Finding::new(Code::AttributeValue, place, message))
    }

    /// The type that attributes make of another one.
    pub fn attributed(&mut self, ty: TypeId, attributes: &Attributes) -> Read<TypeId> {
        let ty = self.vector_of(ty, attributes)?;
        Ok(match attributes.alignment {
            Some(alignment) if alignment != self.types.get(ty).alignment => self.types.aligned(ty, alignment),
            _ => ty,
        })
    }

    /// The vector that attributes make of a scalar; without them the type itself.
    pub fn vector_of(&mut self, ty: TypeId, attributes: &Attributes) -> Read<TypeId> {
        let size = self.types.get(ty).size;
        let count = match (attributes.elements, attributes.vector_bytes) {
            (None, None) => return Ok(ty),
            (Some(count), _) => count,
            (None, Some(bytes)) => {
                let whole = size > 0 && u64::from(bytes).is_multiple_of(size) && u64::from(bytes) >= size;
                let message = "the size of a vector is a multiple of that of its elements";
                let fault = || Finding::new(Code::AttributeValue, self.last_place(), message);
                (whole.then(|| bytes / size as u32)).ok_or_else(fault)?
            }
        };
        let is_number = ty != Types::BOOLEAN
            && !matches!(self.types.scalar(ty), None | Some(crate::types::Scalar::Pointer(_)))
            && !matches!(self.types.get(ty).kind, Kind::Boolean);
        if !is_number {
            let message = "a vector is made of integers or floating-point numbers";
            return Err(Finding::new(Code::AttributeValue, self.last_place(), message));
        }
        Ok(self.types.vector(ty, count))
    }
}
