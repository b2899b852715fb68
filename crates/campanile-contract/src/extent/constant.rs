//! Extents that have no value whatever a launch passes.

use std::borrow::Cow;

use super::{Arguments, EvaluationFault, Extent, Operation};

/// A launch that passes nothing: constants need none.
struct Nothing;

impl Arguments for Nothing {
    fn scalar(&self, _: &str) -> Option<i64> {
        None
    }

    fn shape(&self, _: &str) -> Option<Cow<'_, [i64]>> {
        None
    }

    fn field(&self, _: &str, _: u64, _: &str) -> Option<i64> {
        None
    }

    fn component_shape(&self, _: &str, _: u64, _: &str) -> Option<Cow<'_, [i64]>> {
        None
    }
}

impl Extent {
    /// Why it, or a part of it that uses no argument, has no value: it divides by zero or does not fit in 64 bits.
    pub fn constant_fault(&self) -> Option<EvaluationFault> {
        if self.references().is_empty() {
            return self.value(&Nothing).err();
        }
        match self {
            Extent::Operation(Operation::Div(pair) | Operation::Rem(pair)) if pair[1].is_zero() => {
                Some(EvaluationFault::DivisionByZero)
            }
            _ => self.operands().iter().find_map(Extent::constant_fault),
        }
    }

    fn is_zero(&self) -> bool {
        self.references().is_empty() && self.value(&Nothing) == Ok(0)
    }
}
