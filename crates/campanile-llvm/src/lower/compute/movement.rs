//! Extensions, truncations and conversions, and registers cut into others (spec chapter 4 of the instruction set).

use campanile_core::isa::{DataMovement, Op, Type};

use super::Computation;
use super::writer::{Width, constant};

impl Computation<'_> {
    pub(super) fn movement(
        &mut self,
        opcode: DataMovement,
        op: Op,
        width: Width,
        element: u32,
        sources: &[String],
    ) -> Vec<String> {
        let bits = |ty: Option<Type>| ty.map_or(32, Type::bits);
        let source = &sources[0];
        let result = match opcode {
            DataMovement::Zext | DataMovement::Trunc => {
                self.resize(width, source, bits(op.from()), bits(op.to()))
            }
            DataMovement::Sext => self.extend(width, source, bits(op.from()), bits(op.to()), true),
            DataMovement::Addrcast => self.cast_address(op, width, source),
            DataMovement::Isaddr => self.tell_space(op, width, source),
            // Each element of the result has a source of its own.
            DataMovement::Ftrunc2 => self.convert(opcode, op, width, &sources[element as usize]),
            _ => self.convert(opcode, op, width, source),
        };
        vec![result]
    }

    /// Elements of one width, side by side, cut into elements of another one.
    pub fn recut(&mut self, width: Width, sources: &[String], from: u32, to: u32, count: u32) -> Vec<String> {
        let whole_bits = from * sources.len() as u32;
        let mut whole: Option<String> = None;
        for (index, source) in sources.iter().enumerate() {
            let mut part = self.resize(width, source, from, whole_bits);
            if index > 0 {
                let shift = self.spread(width, &(from as usize * index).to_string(), whole_bits);
                part = self.binary(width, "shl", whole_bits, &part, &shift);
            }
            whole = Some(match whole {
                None => part,
                Some(whole) => self.binary(width, "or", whole_bits, &whole, &part),
            });
        }
        let whole = whole.unwrap_or_default();
        let parts = (0..count).map(|index| {
            let shift = self.spread(width, &(to * index).to_string(), whole_bits);
            let part = self.binary(width, "lshr", whole_bits, &whole, &shift);
            self.resize(width, &part, whole_bits, to)
        });
        parts.collect()
    }

    /// The element at an index below the number of elements; zero beyond. The index comes first.
    pub fn element_at(&mut self, width: Width, sources: &[String]) -> String {
        let mut result = constant(width, 32, 0);
        for (element, value) in sources[1..].iter().enumerate() {
            let here = self.compare(width, "eq", 32, &sources[0], &constant(width, 32, element as u64));
            result = self.select(width, &here, 32, value, &result);
        }
        result
    }

    /// What the element at `place` becomes when one is inserted at an index: of the index, the inserted and the old.
    pub fn element_after(&mut self, width: Width, place: u32, sources: &[String]) -> String {
        let here = self.compare(width, "eq", 32, &sources[0], &constant(width, 32, place.into()));
        self.select(width, &here, 32, &sources[1], &sources[2])
    }
}
