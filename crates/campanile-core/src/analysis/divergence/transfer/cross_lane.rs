//! Chapter 7: what lanes give one another.

use super::Transfer;
use crate::analysis::divergence::Scope;
use crate::analysis::divergence::shape::Shape;
use crate::analysis::divergence::values::Values;
use crate::isa::{CrossLane, Operation};
use crate::module::Instruction;

impl Transfer<'_> {
    pub(super) fn cross_lane(&self, opcode: CrossLane, values: &mut Values, instruction: &Instruction) {
        if self.scope == Scope::WorkGroup {
            return self.write(values, instruction, Some(Shape::Varying));
        }
        let operands = self.body.operands(instruction);
        let mask = operands.last().and_then(|mask| self.operand(values, mask));
        let all = mask.and_then(Shape::known) == Some(0xffff_ffff);
        let shape = match opcode {
            // Lanes that the mask leaves out keep what they had.
            CrossLane::Fred | CrossLane::Ired => Some(if all { Shape::UNIFORM } else { Shape::Varying }),
            CrossLane::Redfirstidx => {
                mask.map(|mask| if mask.is_uniform() { Shape::up_to(32) } else { Shape::Varying })
            }
            CrossLane::Shfl => self.sources(values, &operands[1..3]).map(|[value, control]| {
                // An inactive lane gives nothing: whoever asks it keeps its own value.
                let is_broadcast = self.whole
                    && control.is_uniform()
                    && instruction.op.operation() == Some(Operation::Index)
                    && !instruction.op.has("sg");
                if all && (value.is_uniform() || is_broadcast) { Shape::UNIFORM } else { Shape::Varying }
            }),
        };
        self.write(values, instruction, shape);
    }
}
