//! Comparison and selection (spec chapter 5 of the instruction set).

use campanile_core::isa::{Compare, Comparison, FloatFormat, Op};

use super::Computation;
use super::arithmetic::element_bits;
use super::writer::{Width, constant};

impl Computation<'_> {
    pub(in crate::lower) fn comparison(
        &mut self,
        opcode: Compare,
        op: Op,
        width: Width,
        sources: &[String],
    ) -> String {
        let bits = element_bits(op);
        let [a, b] = [&sources[0], &sources[1]];
        let relation = op.comparison().unwrap_or(Comparison::Equal);
        match opcode {
            Compare::Scmp => self.compare(width, integer_relation(relation, 's'), bits, a, b),
            Compare::Ucmp => self.compare(width, integer_relation(relation, 'u'), bits, a, b),
            Compare::Fcmp => {
                let format = op.ty().and_then(|ty| ty.float_format()).unwrap_or(FloatFormat::F);
                let [a, b] = [a, b].map(|source| self.flushed_if(op.has("ftz"), width, format, source));
                self.compare_floats(width, format, float_relation(relation), &a, &b)
            }
            Compare::Sel => {
                let by_predicate = op.expected_operands()[3].bits <= 1;
                let condition = match by_predicate {
                    true => sources[2].clone(),
                    false => self.compare(width, "ne", bits, &sources[2], &constant(width, bits, 0)),
                };
                self.select(width, &condition, bits, a, b)
            }
        }
    }
}

fn integer_relation(comparison: Comparison, sign: char) -> &'static str {
    match (comparison, sign) {
        (Comparison::Equal, _) => "eq",
        (Comparison::NotEqual, _) => "ne",
        (Comparison::Greater, 's') => "sgt",
        (Comparison::GreaterEqual, 's') => "sge",
        (Comparison::Less, 's') => "slt",
        (Comparison::LessEqual, 's') => "sle",
        (Comparison::Greater, _) => "ugt",
        (Comparison::GreaterEqual, _) => "uge",
        (Comparison::Less, _) => "ult",
        (Comparison::LessEqual, _) => "ule",
    }
}

/// A NaN is unequal to everything and in no other relation to anything.
fn float_relation(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "oeq",
        Comparison::NotEqual => "une",
        Comparison::Greater => "ogt",
        Comparison::GreaterEqual => "oge",
        Comparison::Less => "olt",
        Comparison::LessEqual => "ole",
    }
}
