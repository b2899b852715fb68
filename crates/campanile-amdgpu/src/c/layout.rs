//! Where the fields of structs and unions lie, by the rules of the Itanium C++ ABI, which clang follows for AMD GPUs.

use super::types::{Field, TypeId, Types, bytes};
use crate::types::align_up;

/// A field as it is declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeclaredField {
    /// Its type.
    pub ty: TypeId,
    /// Its width in bits, if it is a bit-field.
    pub width: Option<u32>,
    /// Whether it has a name, or has fields with names.
    pub is_named: bool,
    /// Whether it says that it is packed.
    pub is_packed: bool,
    /// The alignment that it asks for in bytes.
    pub alignment: Option<u64>,
}

/// A struct or union as it is declared.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    /// Whether its fields lie over one another.
    pub is_union: bool,
    /// The class that it is made of.
    pub base: Option<TypeId>,
    /// Its fields.
    pub fields: Vec<DeclaredField>,
    /// Whether its fields lie without padding.
    pub is_packed: bool,
    /// The alignment that it asks for in bytes.
    pub alignment: Option<u64>,
    /// Whether not everyone may set its fields, or they have initial values, so that it is no plain data of C++.
    pub is_guarded: bool,
}

/// Fields with their places.
pub(super) struct LaidOut {
    /// The fields in order.
    pub fields: Vec<Field>,
    /// Bytes of the whole.
    pub size: u64,
    /// Bytes up to the end of the last field.
    pub data_size: u64,
    /// Alignment of the whole in bytes.
    pub alignment: u64,
}

/// Greatest size of a record in bytes: bits are counted too.
const GREATEST: u64 = 1 << 56;

/// Lays a struct or union out; none if it is too large.
pub(super) fn lay_out(types: &Types, declared: &Declared) -> Option<LaidOut> {
    let base = declared.base.map(|base| types.get(base));
    let mut placer = Placer {
        types,
        declared,
        end: base.map_or(0, |base| base.size * 8),
        alignment: base.map_or(1, |base| base.alignment).max(declared.alignment.unwrap_or(1)),
    };
    let mut fields = Vec::with_capacity(declared.fields.len());
    let mut greatest = placer.end;
    for field in &declared.fields {
        if declared.is_union {
            placer.end = 0;
        }
        let offset = placer.place(field);
        fields.push(Field { ty: field.ty, offset, width: field.width, is_named: field.is_named });
        greatest = greatest.max(placer.end);
        if bytes(greatest) > GREATEST {
            return None;
        }
    }
    // In C++ no two objects have one address, so an empty one has a byte.
    let is_empty = declared.fields.is_empty() && base.is_none();
    let least = u64::from(types.language().is_cplusplus() && (is_empty || greatest == 0));
    let data_size = bytes(greatest).max(least);
    let size = align_up(data_size, placer.alignment);
    Some(LaidOut { fields, size, data_size, alignment: placer.alignment })
}

struct Placer<'a> {
    types: &'a Types,
    declared: &'a Declared,
    /// Where the last field ends, in bits.
    end: u64,
    alignment: u64,
}

impl Placer<'_> {
    /// Places a field; returns its offset in bits.
    fn place(&mut self, field: &DeclaredField) -> u64 {
        match field.width {
            Some(width) => self.place_bits(field, u64::from(width)),
            None => self.place_whole(field),
        }
    }

    fn natural_alignment(&self, field: &DeclaredField) -> u64 {
        // What is no plain data keeps its alignment, unless it is packed itself.
        let can_be_packed = self.types.get(field.ty).contents.can_be_packed;
        let packed = self.declared.is_packed && can_be_packed || field.is_packed;
        let natural = if packed { 1 } else { self.types.get(field.ty).alignment };
        natural.max(field.alignment.unwrap_or(1))
    }

    fn place_whole(&mut self, field: &DeclaredField) -> u64 {
        let alignment = self.natural_alignment(field);
        self.alignment = self.alignment.max(alignment);
        let offset = align_up(self.end, alignment * 8);
        self.end = offset + self.types.get(field.ty).size * 8;
        offset
    }

    /// A bit-field lies where the last field ends, unless it would cross a boundary of its type.
    fn place_bits(&mut self, field: &DeclaredField, width: u64) -> u64 {
        let ty = self.types.get(field.ty);
        let (unit, natural) = (ty.size * 8, ty.alignment * 8);
        if width == 0 {
            self.end = align_up(self.end, natural.max(field.alignment.unwrap_or(1) * 8));
            return self.end;
        }
        let packed = self.declared.is_packed || field.is_packed;
        if let Some(alignment) = field.alignment {
            self.end = align_up(self.end, alignment * 8);
        }
        if !packed && self.end % natural + width > unit {
            self.end = align_up(self.end, natural);
        }
        if field.is_named {
            self.alignment = self.alignment.max(self.natural_alignment(field));
        }
        let offset = self.end;
        self.end += width;
        offset
    }
}
