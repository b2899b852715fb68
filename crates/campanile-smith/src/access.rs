//! Loads and stores, and what else deals with addresses as such.

use campanile_core::isa::{Memory, Op, Opcode, Space};

use crate::address::{Use, Wanted};
use crate::body::{Body, Owner};

impl Body<'_, '_> {
    /// A load or store, atomic or not.
    pub fn access(&mut self, op: Op) {
        let loads = op.opcode() == Opcode::Memory(Memory::Ld);
        let use_ = match (loads, op.is_atomic()) {
            (true, false) => Use::Read,
            (true, true) => Use::Observe,
            (false, true) => Use::Update,
            (false, false) => Use::Write,
        };
        let wanted = Wanted::by(op, use_);
        let Some(region) = self.region(&wanted) else { return };
        let Some(value) = op.expected_operands().iter().find_map(|expected| self.operand(op, expected))
        else {
            return;
        };
        let address = self.address_in(&region, &wanted);
        match loads {
            true => self.line(format!("{op} {value}, {address};")),
            false => self.line(format!("{op} {address}, {value};")),
        }
    }

    /// A load of a kernel parameter.
    pub fn load_parameter(&mut self, op: Op) {
        let Wanted { stride, alignment, .. } = Wanted::by(op, Use::Read);
        let bytes = op.ty().map_or(4, |ty| ty.bits() / 8) * op.vector();
        let Owner::Kernel(parameters) = &mut self.owner else { return };
        let Some((name, size)) = parameters.readable(bytes, alignment, self.choices) else { return };
        let dynamic = size >= 2 * stride && size.is_power_of_two() && self.choices.chance(40);
        let place = if dynamic {
            let (offset, any) = (self.scratch(32), self.register(32));
            self.line(format!("and.32b {offset}, {any}, {};", size - stride));
            format!("[{name} + {offset}]")
        } else {
            match ((size - bytes) / stride.min(bytes.next_power_of_two())) as usize {
                0 => format!("[{name}]"),
                places => format!("[{name} + {}]", stride * self.choices.below(places + 1) as u32),
            }
        };
        let Some(value) = op.expected_operands().first().and_then(|expected| self.operand(op, expected))
        else {
            return;
        };
        self.line(format!("{op} {value}, {place};"));
    }

    /// Asks of a generic address what space it points into.
    pub fn tell_space(&mut self, op: Op) {
        let wanted = Wanted { space: Space::Generic, stride: 1, alignment: 1, use_: Use::Read };
        let Some(region) = self.region(&wanted) else { return };
        // What an engine says of constants, or of who knows what, is its own business.
        if matches!(region.within, None | Some(Space::Const)) {
            return;
        }
        let address = self.base(&region, Space::Generic);
        let answer = self.written(32);
        self.line(format!("{op} {answer}, {address};"));
    }
}
