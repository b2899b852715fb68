//! What atomic operations store (spec instructions 8.1 and 8.2).

use campanile_core::isa::{FloatFormat, Memory, Op, Opcode, Operation, Type};

use crate::float::{self, Mode};

/// What an atomic operation makes of the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicChange {
    /// An integer operation.
    Integer(Operation),
    /// A floating-point operation.
    Float(Operation, FloatFormat),
}

impl AtomicChange {
    /// That of an `iatom` or `fatom`; none for other operations.
    pub fn of(op: Op) -> Option<Self> {
        let Opcode::Memory(Memory::Iatom | Memory::Fatom) = op.opcode() else { return None };
        let operation = op.operation()?;
        Some(match op.ty().and_then(Type::float_format) {
            Some(format) => AtomicChange::Float(operation, format),
            None => AtomicChange::Integer(operation),
        })
    }

    /// What it stores, as so many bits, in place of `old`.
    pub fn apply(self, bits: u32, old: u128, first: u128, second: u128) -> u128 {
        match self {
            AtomicChange::Integer(operation) => {
                integer(operation, bits, old, first, second) & (u128::MAX >> (128 - bits))
            }
            AtomicChange::Float(operation, format) => {
                u128::from(floating(operation, format, old, first, second))
            }
        }
    }
}

fn integer(operation: Operation, bits: u32, old: u128, first: u128, second: u128) -> u128 {
    let signed = |value: u128| (value << (128 - bits)) as i128;
    match operation {
        Operation::Add => old.wrapping_add(first),
        Operation::Sub => old.wrapping_sub(first),
        Operation::Increment => old.wrapping_add(1),
        Operation::Decrement => old.wrapping_sub(1),
        Operation::IncrementWrap => {
            if old >= first {
                0
            } else {
                old + 1
            }
        }
        Operation::DecrementWrap => {
            if old == 0 || old > first {
                first
            } else {
                old - 1
            }
        }
        Operation::SignedMin => {
            if signed(first) < signed(old) {
                first
            } else {
                old
            }
        }
        Operation::SignedMax => {
            if signed(first) > signed(old) {
                first
            } else {
                old
            }
        }
        Operation::UnsignedMin => old.min(first),
        Operation::UnsignedMax => old.max(first),
        Operation::And => old & first,
        Operation::Or => old | first,
        Operation::Xor => old ^ first,
        Operation::Exchange => first,
        Operation::Cas => {
            if old == first {
                second
            } else {
                old
            }
        }
        Operation::Min
        | Operation::Max
        | Operation::AbsMax
        | Operation::Sum
        | Operation::Up
        | Operation::Down
        | Operation::Index => unreachable!("`.{operation}` is no operation of `iatom`"),
    }
}

fn floating(operation: Operation, format: FloatFormat, old: u128, first: u128, second: u128) -> u64 {
    let (old, first, second) = (old as u64, first as u64, second as u64);
    let mode = Mode::default();
    match operation {
        Operation::Add => float::add(format, mode, old, first),
        Operation::Sub => float::sub(format, mode, old, first),
        Operation::Min => float::min(format, mode, false, old, first),
        Operation::Max => float::max(format, mode, false, old, first),
        // By bits: a comparison that a NaN fails could never replace one.
        Operation::Cas => {
            if old == first {
                second
            } else {
                old
            }
        }
        Operation::AbsMax
        | Operation::Sum
        | Operation::SignedMin
        | Operation::SignedMax
        | Operation::UnsignedMin
        | Operation::UnsignedMax
        | Operation::And
        | Operation::Or
        | Operation::Xor
        | Operation::Exchange
        | Operation::Increment
        | Operation::Decrement
        | Operation::IncrementWrap
        | Operation::DecrementWrap
        | Operation::Up
        | Operation::Down
        | Operation::Index => unreachable!("`.{operation}` is no operation of `fatom`"),
    }
}
