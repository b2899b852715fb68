//! Generic addresses of this machine's memory: the upper half tells the space.

use campanile_core::isa::{Op, Space};
use campanile_core::module::generic;

use super::Computation;
use super::writer::{Width, constant};

impl Computation<'_> {
    /// The space that generic addresses point into, as the upper half of the address.
    pub fn generic_tag(&mut self, width: Width, address: &str) -> String {
        let high = self.binary(width, "lshr", 64, address, &constant(width, 64, 32));
        self.resize(width, &high, 64, 32)
    }

    /// An address of a space, made generic.
    pub fn generic_address(&mut self, width: Width, space: Space, address: &str) -> String {
        if space.address_bits() == 64 {
            return address.to_owned();
        }
        let wide = self.resize(width, address, 32, 64);
        self.binary(width, "or", 64, &wide, &constant(width, 64, generic(space, 0)))
    }

    /// `addrcast`: an address of one space as one of another.
    pub fn cast_address(&mut self, op: Op, width: Width, address: &str) -> String {
        match (op.to_space(), op.from_space()) {
            (Some(Space::Generic), Some(space)) => self.generic_address(width, space, address),
            (Some(space), _) if space.address_bits() == 32 => {
                // Compilers cast a null pointer first and choose the null of the space afterwards.
                let null = self.compare(width, "eq", 64, address, &constant(width, 64, 0));
                let low = self.resize(width, address, 64, 32);
                self.select(width, &null, 32, &constant(width, 32, u64::MAX), &low)
            }
            _ => address.to_owned(),
        }
    }

    /// `isaddr`: all ones if a generic address points into a space.
    pub fn tell_space(&mut self, op: Op, width: Width, address: &str) -> String {
        let tag = self.generic_tag(width, address);
        let is = |code: &mut Self, space: Space, relation: &str| {
            code.compare(width, relation, 32, &tag, &constant(width, 32, generic(space, 0) >> 32))
        };
        let holds = match op.space() {
            Some(space @ (Space::Private | Space::Shared)) => is(self, space, "eq"),
            _ => {
                let [private, shared] = [Space::Private, Space::Shared].map(|space| is(self, space, "ne"));
                self.binary(width, "and", 1, &private, &shared)
            }
        };
        self.extend(width, &holds, 1, 32, true)
    }
}
