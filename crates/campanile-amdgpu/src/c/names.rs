//! Names of types that need no declaration: those of the standard headers, of OpenCL C and of HIP.

use super::Language;
use super::layout::{Declared, DeclaredField};
use super::types::{Space, TypeId, Types};
use crate::types::Scalar;

/// The type of a name that a language's own headers declare.
pub(super) fn standard(types: &mut Types, name: &str) -> Option<TypeId> {
    if let Some((bits, signed)) = integer(name, types.language()) {
        return Some(types.integer(bits, signed));
    }
    match (name, types.language()) {
        ("bool", Language::C) => return Some(Types::BOOLEAN),
        ("half", Language::OpenCl) => return Some(types.float(Scalar::Half)),
        // A plain pointer on AMD GPUs.
        ("__builtin_va_list", _) => return Some(types.pointer(Space::numbered(0))),
        ("hipStream_t" | "hipEvent_t", Language::Hip) => return Some(types.pointer(Space::numbered(0))),
        _ => {}
    }
    let letters = name.trim_end_matches(|character: char| character.is_ascii_digit());
    let count: u32 = name[letters.len()..].parse().ok()?;
    match types.language() {
        Language::Hip if (1..=4).contains(&count) => {
            let element = element(types, letters)?;
            hip_vector(types, element, count)
        }
        Language::OpenCl if matches!(count, 2 | 3 | 4 | 8 | 16) => {
            let element = element(types, letters)?;
            Some(types.vector(element, count))
        }
        _ => None,
    }
}

/// Width and sign of an integer that `stdint.h`, `stddef.h` or OpenCL C has a name for.
fn integer(name: &str, language: Language) -> Option<(u32, bool)> {
    match name {
        "uchar" if language == Language::OpenCl => return Some((8, false)),
        // The C library has these too.
        "ushort" => return Some((16, false)),
        "uint" => return Some((32, false)),
        "ulong" => return Some((64, false)),
        _ => {}
    }
    match name {
        "size_t" | "uintptr_t" | "uintmax_t" => return Some((64, false)),
        "ssize_t" | "ptrdiff_t" | "intptr_t" | "intmax_t" => return Some((64, true)),
        _ => {}
    }
    let (signed, rest) = match name.strip_prefix('u') {
        Some(rest) => (false, rest),
        None => (true, name),
    };
    let rest = rest.strip_prefix("int")?.strip_suffix("_t")?;
    let fast = rest.strip_prefix("_fast").map(|rest| match rest {
        // On Linux, which the headers are of.
        "16" | "32" => "64",
        other => other,
    });
    match fast.or(rest.strip_prefix("_least")).unwrap_or(rest) {
        "8" => Some((8, signed)),
        "16" => Some((16, signed)),
        "32" => Some((32, signed)),
        "64" => Some((64, signed)),
        _ => None,
    }
}

/// The elements of a vector by the letters of its name.
fn element(types: &mut Types, letters: &str) -> Option<TypeId> {
    let (bits, signed) = match letters {
        "char" => (8, true),
        "uchar" => (8, false),
        "short" => (16, true),
        "ushort" => (16, false),
        "int" => (32, true),
        "uint" => (32, false),
        "long" => (64, true),
        "ulong" => (64, false),
        "longlong" if types.language() == Language::Hip => (64, true),
        "ulonglong" if types.language() == Language::Hip => (64, false),
        "float" => return Some(types.float(Scalar::Float)),
        "double" => return Some(types.float(Scalar::Double)),
        "half" if types.language() == Language::OpenCl => return Some(types.float(Scalar::Half)),
        _ => return None,
    };
    Some(types.integer(bits, signed))
}

/// A vector as the headers of HIP declare it: a class with a base that holds a union of a vector of clang's, or of an
/// array in a struct where there are three elements, with a struct of the elements.
fn hip_vector(types: &mut Types, element: TypeId, count: u32) -> Option<TypeId> {
    let field = |ty| DeclaredField { ty, width: None, is_named: true, is_packed: false, alignment: None };
    let record = |types: &mut Types, declared: Declared| {
        let record = types.incomplete();
        types.complete(record, &declared).then_some(record)
    };
    let data = match count {
        3 => {
            let elements = types.array(element, Some(3))?;
            record(types, Declared { fields: vec![field(elements)], ..Declared::default() })?
        }
        _ => types.vector(element, count),
    };
    let elements = Declared { fields: vec![field(element); count as usize], ..Declared::default() };
    let elements = record(types, elements)?;
    let both = Declared { is_union: true, fields: vec![field(data), field(elements)], ..Declared::default() };
    let both = record(types, both)?;
    let base = record(types, Declared { fields: vec![field(both)], ..Declared::default() })?;
    record(types, Declared { base: Some(base), ..Declared::default() })
}
