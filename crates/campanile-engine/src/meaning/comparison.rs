//! Comparison and selection (spec chapter 5 of the instruction set).

use campanile_core::isa::{Compare, Comparison, FloatFormat, Op, OperandKind, Type};

use super::Meaning;
use super::lanewise::{Element, lanewise, required, type_of};
use crate::float;

pub(super) fn meaning(opcode: Compare, op: Op) -> Meaning {
    match opcode {
        Compare::Scmp => match type_of(op) {
            Type::B16 => ordered::<i16, 1>(op),
            Type::B32 => ordered::<i32, 1>(op),
            Type::B64 => ordered::<i64, 1>(op),
            other => unreachable!("the table has no signed comparison of .{other}"),
        },
        Compare::Ucmp => match type_of(op) {
            Type::B16 => ordered::<u16, 1>(op),
            Type::B32 => ordered::<u32, 1>(op),
            Type::B64 => ordered::<u64, 1>(op),
            Type::B16x2 => ordered::<u16, 2>(op),
            other => unreachable!("the table has no unsigned comparison of .{other}"),
        },
        Compare::Fcmp => compare_floats(op),
        Compare::Sel => lanewise(|[a, b, selector]| if selector != 0 { a } else { b }),
    }
}

/// What stands in a destination, or in an element of a packed one, where the relation holds: the one of a predicate, or
/// all ones.
fn truth(op: Op) -> u64 {
    let destination = op.expected_operands()[0];
    if destination.kind == OperandKind::Predicate { 1 } else { u64::MAX >> (64 - destination.bits) }
}

/// A comparison by the order of the element type, which for `f32` and `f64` is that of IEEE 754.
fn ordered<T: Element, const COUNT: usize>(op: Op) -> Meaning {
    match required(op.comparison()) {
        Comparison::Equal => test::<T, COUNT>(op, |a, b| a == b),
        Comparison::NotEqual => test::<T, COUNT>(op, |a, b| a != b),
        Comparison::Greater => test::<T, COUNT>(op, |a, b| a > b),
        Comparison::GreaterEqual => test::<T, COUNT>(op, |a, b| a >= b),
        Comparison::Less => test::<T, COUNT>(op, |a, b| a < b),
        Comparison::LessEqual => test::<T, COUNT>(op, |a, b| a <= b),
    }
}

fn compare_floats(op: Op) -> Meaning {
    let flush = op.has("ftz");
    match type_of(op) {
        Type::F if !flush => ordered::<f32, 1>(op),
        Type::Df if !flush => ordered::<f64, 1>(op),
        Type::F => compare_patterns::<u32, 1>(op, FloatFormat::F),
        Type::Df => compare_patterns::<u64, 1>(op, FloatFormat::Df),
        Type::Hf => compare_patterns::<u16, 1>(op, FloatFormat::Hf),
        Type::Bf => compare_patterns::<u16, 1>(op, FloatFormat::Bf),
        Type::Hfx2 => compare_patterns::<u16, 2>(op, FloatFormat::Hf),
        Type::Bfx2 => compare_patterns::<u16, 2>(op, FloatFormat::Bf),
        other => unreachable!("the table has no floating-point comparison of .{other}"),
    }
}

/// A comparison of floating-point numbers that are read as their bit patterns.
fn compare_patterns<T: Element, const COUNT: usize>(op: Op, format: FloatFormat) -> Meaning {
    let flush = op.has("ftz");
    let comparison = required(op.comparison());
    test::<T, COUNT>(op, move |a, b| float::compare(format, flush, comparison, a.into_lane(), b.into_lane()))
}

fn test<T: Element, const COUNT: usize>(
    op: Op,
    relation: impl Fn(T, T) -> bool + Send + Sync + 'static,
) -> Meaning {
    let truth = truth(op);
    lanewise(move |[a, b]| {
        (0..COUNT as u32).fold(0, |packed, index| {
            let shift = index * T::BITS;
            let holds = relation(T::from_lane(a >> shift), T::from_lane(b >> shift));
            packed | (u64::from(holds).wrapping_neg() & truth) << shift
        })
    })
}
