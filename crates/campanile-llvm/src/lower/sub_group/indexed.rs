//! Addresses as a uniform base with a scaled 32-bit index, so that lanes need no 64-bit arithmetic.

use campanile_core::isa::{Arithmetic, DataMovement, Logical, Op, Opcode, Type};

use super::function::FunctionLowering;
use super::value::{Indexed, Value};
use crate::lower::compute::writer::{Width, constant};

/// The result of an operation in this form, if it has it.
pub(super) fn indexed(lowering: &mut FunctionLowering<'_, '_>, op: Op, sources: &[Value]) -> Option<Indexed> {
    let full = op.has("precision");
    match (op.opcode(), sources) {
        (Opcode::DataMovement(DataMovement::Zext | DataMovement::Sext), [source]) => {
            let signed = op.opcode() == Opcode::DataMovement(DataMovement::Sext);
            extended(lowering, source, signed)
        }
        (Opcode::Arithmetic(Arithmetic::Iadd), [a, b]) if op.ty() == Some(Type::B64) => sum(lowering, a, b),
        (Opcode::Logical(Logical::Shl), [a, count]) => {
            let count = number(count)?;
            (count < 32).then(|| scaled(lowering, a, 1 << count)).flatten()
        }
        (Opcode::Arithmetic(Arithmetic::Smul | Arithmetic::Umul), [a, b]) => {
            let signed = op.opcode() == Opcode::Arithmetic(Arithmetic::Smul);
            product(lowering, a, b, full.then_some(signed))
        }
        (Opcode::Arithmetic(Arithmetic::Smad | Arithmetic::Umad), [a, b, c]) => {
            let signed = op.opcode() == Opcode::Arithmetic(Arithmetic::Smad);
            let product = product(lowering, a, b, full.then_some(signed))?;
            add(lowering, product, c.scalar()?)
        }
        _ => None,
    }
}

/// A 32-bit vector, extended.
fn extended(lowering: &mut FunctionLowering<'_, '_>, source: &Value, signed: bool) -> Option<Indexed> {
    if source.bits > 32 || source.bits < 8 {
        return None;
    }
    let vector = lowering.vector(source);
    let index = lowering.code.extend(Width::All, &vector, source.bits, 32, signed);
    Some(Indexed { base: "0".to_owned(), index, signed: signed || source.bits < 32, scale: 1 })
}

/// A sum of which one part is uniform.
pub(super) fn sum(lowering: &mut FunctionLowering<'_, '_>, a: &Value, b: &Value) -> Option<Indexed> {
    match (&a.indexed, a.scalar(), &b.indexed, b.scalar()) {
        (Some(indexed), _, _, Some(scalar)) | (_, Some(scalar), Some(indexed), _) => {
            add(lowering, indexed.clone(), scalar)
        }
        _ => None,
    }
}

fn add(lowering: &mut FunctionLowering<'_, '_>, indexed: Indexed, scalar: &str) -> Option<Indexed> {
    let base = match indexed.base.as_str() {
        "0" => scalar.to_owned(),
        base => lowering.code.writer.value(&format!("add i64 {base}, {scalar}")),
    };
    Some(Indexed { base, ..indexed })
}

fn product(
    lowering: &mut FunctionLowering<'_, '_>,
    a: &Value,
    b: &Value,
    full: Option<bool>,
) -> Option<Indexed> {
    let (varying, factor) = match (number(a), number(b)) {
        (None, Some(factor)) => (a, factor),
        (Some(factor), None) => (b, factor),
        _ => return None,
    };
    match full {
        None => scaled(lowering, varying, factor),
        Some(signed) => {
            let negative = signed && factor >> 31 & 1 == 1;
            if negative {
                return None;
            }
            let indexed = extended(lowering, varying, signed)?;
            Some(Indexed { scale: factor, ..indexed })
        }
    }
}

fn scaled(lowering: &mut FunctionLowering<'_, '_>, value: &Value, factor: u64) -> Option<Indexed> {
    let indexed = value.indexed.clone()?;
    let base = match indexed.base.as_str() {
        "0" => "0".to_owned(),
        base => {
            let factor = constant(Width::One, 64, factor);
            lowering.code.writer.value(&format!("mul i64 {base}, {factor}"))
        }
    };
    Some(Indexed { base, scale: indexed.scale.wrapping_mul(factor), ..indexed })
}

/// The number of a uniform constant.
fn number(value: &Value) -> Option<u64> {
    let number = value.scalar()?.parse::<i64>().ok()? as u64;
    Some(if value.bits < 64 { number & ((1 << value.bits) - 1) } else { number })
}
