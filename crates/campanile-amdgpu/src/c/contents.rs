//! What clang asks of a struct to see how it is passed. Each answer is computed when the struct is declared, of those of its
//! fields, so that structs of structs cost nothing later.

use super::types::{Field, Kind, Record, TypeId, Types};

/// What is in a type.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contents {
    /// The registers that are counted for a value. The fields of a base class are not.
    pub registers: u64,
    /// Whether there is nothing in it.
    pub is_empty: bool,
    /// Whether it leaves no trace in a struct of LLVM.
    pub is_without_storage: bool,
    /// Whether it is plain data by the rules of C++ of 2003. Only of what is not does clang count the bytes up to the last field
    /// apart from those up to the next object.
    pub is_plain: bool,
    /// Whether it loses its alignment in a packed struct.
    pub can_be_packed: bool,
    /// The alignment in bytes that it gives to a struct of LLVM although it has no bytes: arrays without elements do so.
    pub empty_alignment: u64,
    /// The one scalar or vector that a struct holds, if nothing else is in it.
    pub single_element: Option<TypeId>,
}

impl Contents {
    /// Those of a value that is no struct.
    pub fn of_registers(registers: u64) -> Self {
        Contents { registers, is_plain: true, can_be_packed: true, empty_alignment: 1, ..Contents::default() }
    }

    /// Those of a struct or union of this size.
    pub fn of_record(types: &Types, record: &Record, size: u64) -> Self {
        let of = |field: &Field| types.get(field.ty).contents;
        let registers = record.fields.iter().map(|field| of(field).registers);
        let base = record.base.map(|base| types.get(base).contents);
        Contents {
            registers: registers.fold(0, u64::saturating_add),
            is_empty: base.is_none_or(|base| base.is_empty)
                && record.fields.iter().all(|field| is_empty_field(types, field)),
            is_without_storage: base.is_none_or(|base| base.is_without_storage)
                && record.fields.iter().all(|field| types.has_no_storage(field)),
            is_plain: record.is_plain,
            can_be_packed: record.is_plain || record.is_packed,
            empty_alignment: record.fields.iter().map(|field| of(field).empty_alignment).max().unwrap_or(1),
            single_element: single_element(types, record, size),
        }
    }
}

/// Whether there is nothing in a field: it is padding, or an array without elements, or an empty struct, save in C++,
/// where each object has an address of its own.
fn is_empty_field(types: &Types, field: &Field) -> bool {
    if field.is_padding() {
        return true;
    }
    let mut ty = field.ty;
    while let Kind::Array { element, count } = types.get(ty).kind {
        if count == Some(0) {
            return true;
        }
        ty = element;
    }
    !types.language().is_cplusplus() && types.get(ty).contents.is_empty
}

fn single_element(types: &Types, record: &Record, size: u64) -> Option<TypeId> {
    let mut found = None;
    if let Some(base) = record.base.map(|base| types.get(base).contents).filter(|base| !base.is_empty) {
        found = Some(base.single_element?);
    }
    for field in record.fields.iter().filter(|field| !is_empty_field(types, field)) {
        if found.is_some() {
            return None;
        }
        let mut inner = field.ty;
        while let Kind::Array { element, count: Some(1) } = types.get(inner).kind {
            inner = element;
        }
        found =
            Some(if types.is_aggregate(inner) { types.get(inner).contents.single_element? } else { inner });
    }
    found.filter(|found| types.get(*found).size == size)
}

impl Types {
    /// Whether it is a struct, a union or an array.
    pub fn is_aggregate(&self, ty: TypeId) -> bool {
        matches!(self.get(ty).kind, Kind::Record(_) | Kind::Array { .. })
    }

    /// Whether a field leaves no trace in a struct of LLVM.
    pub fn has_no_storage(&self, field: &Field) -> bool {
        match field.width {
            Some(width) => width == 0,
            None => self.get(field.ty).contents.is_without_storage,
        }
    }
}
