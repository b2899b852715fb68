//! Integers of several lanes as one.

use campanile_core::isa::{Op, Operation};

use super::Computation;
use super::writer::Width;

/// The operation by which an `ired` makes one value of two, as LLVM calls it.
pub(in crate::lower) fn combination(op: Op) -> &'static str {
    match op.operation() {
        Some(Operation::SignedMin) => "smin",
        Some(Operation::SignedMax) => "smax",
        Some(Operation::UnsignedMin) => "umin",
        Some(Operation::UnsignedMax | Operation::AbsMax) => "umax",
        Some(Operation::And) => "and",
        Some(Operation::Or) => "or",
        Some(Operation::Xor) => "xor",
        _ => "add",
    }
}

/// The operand that changes nothing in such an operation on so many bits.
pub(in crate::lower) fn neutral(name: &str, bits: u32) -> u64 {
    let top = 1 << (bits - 1);
    match name {
        "smin" => top - 1,
        "smax" => top,
        "umin" | "and" => u64::MAX,
        _ => 0,
    }
}

impl Computation<'_> {
    /// Two operands of such an operation as one.
    pub fn combined(&mut self, width: Width, name: &str, bits: u32, one: &str, other: &str) -> String {
        match name {
            "add" | "and" | "or" | "xor" => self.binary(width, name, bits, one, other),
            _ => self.intrinsic(width, name, bits, &[one, other]),
        }
    }
}
