//! Which lane a lane reads (spec 7.4).

use campanile_core::isa::{Op, Operation};

use super::Computation;
use super::writer::{Width, constant};

impl Computation<'_> {
    /// The lane that a lane reads in a shuffle. Of all lanes those take part whose bits are set in `participants`, or all.
    pub fn source_lane(
        &mut self,
        op: Op,
        width: Width,
        own: &str,
        control: &str,
        participants: Option<&str>,
    ) -> String {
        let number = |value: u64| constant(width, 32, value);
        let field = |code: &mut Self, first: u64| {
            let down = code.binary(width, "lshr", 32, control, &number(first));
            code.binary(width, "and", 32, &down, &number(31))
        };
        let offset = field(self, 0);
        let (clamp, segment) = match op.has("sg") {
            true => (field(self, 8), field(self, 16)),
            false => (number(default_clamp(op)), number(0)),
        };
        let others = self.binary(width, "xor", 32, &segment, &number(u64::MAX));
        let of_segment = self.binary(width, "and", 32, own, &segment);
        let from = match op.operation() {
            Some(Operation::Up) => self.binary(width, "sub", 32, own, &offset),
            Some(Operation::Down) => self.binary(width, "add", 32, own, &offset),
            Some(Operation::Xor) => self.binary(width, "xor", 32, own, &offset),
            _ => {
                let offset = self.binary(width, "and", 32, &offset, &others);
                self.binary(width, "or", 32, &of_segment, &offset)
            }
        };
        let clamp = self.binary(width, "and", 32, &clamp, &others);
        let limit = self.binary(width, "or", 32, &of_segment, &clamp);
        let relation = if op.operation() == Some(Operation::Up) { "sge" } else { "sle" };
        let mut readable = self.compare(width, relation, 32, &from, &limit);
        let from = self.binary(width, "and", 32, &from, &number(31));
        if let Some(participants) = participants {
            let bit = self.binary(width, "lshr", 32, participants, &from);
            let bit = self.resize(width, &bit, 32, 1);
            readable = self.binary(width, "and", 1, &readable, &bit);
        }
        self.select(width, &readable, 32, &from, own)
    }
}

/// The lane at which reading ends where there are no segments.
pub(in crate::lower) fn default_clamp(op: Op) -> u64 {
    if op.operation() == Some(Operation::Up) { 0 } else { 31 }
}
