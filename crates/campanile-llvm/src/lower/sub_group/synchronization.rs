//! Barriers, fences, and turns for sub-groups that wait in a loop (spec chapter 9 of the instruction set).

use std::mem::offset_of;

use campanile_core::isa::Synchronization;
use campanile_core::module::{BlockId, Instruction};

use super::function::FunctionLowering;
use super::waiting::{self, Waiting};
use crate::frame::Services;
use crate::lower::ordering::fence_ordering;

impl FunctionLowering<'_, '_> {
    pub(super) fn synchronization(&mut self, opcode: Synchronization, instruction: &Instruction) {
        match opcode {
            Synchronization::BarrierWorkgroup => match self.program.waiting {
                Waiting::Suspended => self.suspend(),
                Waiting::BetweenRegions => unreachable!("barriers end regions"),
                Waiting::Never | Waiting::AtBarriers | Waiting::InTurns => {
                    self.call_host(offset_of!(Services, barrier));
                }
            },
            Synchronization::Fence => {
                let order = fence_ordering(instruction.op.order());
                self.code.writer.line(&format!("fence {order}"));
            }
        }
        self.cursor.advance();
    }

    /// Gives control back until all sub-groups of the work-group have come here.
    fn suspend(&mut self) {
        let resumed = self.code.writer.label("resumed");
        let how = self.code.writer.call("i8", "llvm.coro.suspend", &[("token", "none"), ("i1", "0")]);
        self.code.writer.line(&format!(
            "switch i8 {how}, label %suspended [ i8 0, label %{resumed} i8 1, label %ended ]"
        ));
        self.code.writer.place(&resumed);
    }

    fn call_host(&mut self, offset: usize) {
        let service = self.service(offset);
        self.code.writer.line(&format!("call void {service}(ptr %frame)"));
    }

    /// Before a jump back in a loop that may wait for what another sub-group does, lets the others go on (spec 1.1.1).
    pub(super) fn yield_where_lanes_may_spin(&mut self, target: BlockId) {
        if self.program.waiting == Waiting::InTurns && waiting::may_spin(self.body, target, self.block, true)
        {
            self.call_host(offset_of!(Services, yield_turn));
        }
    }
}
