//! Sub-group communication (spec chapter 7 of the instruction set).

use campanile_core::isa::CrossLane;
use campanile_core::module::Instruction;

use super::function::FunctionLowering;

impl FunctionLowering<'_, '_> {
    pub(super) fn cross_lane(&mut self, opcode: CrossLane, instruction: &Instruction) {
        let _ = opcode;
        self.cross_lanes_on_host(instruction);
    }
}
