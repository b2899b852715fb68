//! Barriers, fences, and turns for sub-groups that wait in a loop (spec chapter 9 of the instruction set).

use std::mem::offset_of;

use campanile_core::isa::{Memory, Opcode, Order, Synchronization};
use campanile_core::module::{BlockId, Instruction, Operand, Scalar};

use super::function::FunctionLowering;
use crate::frame::Services;

impl FunctionLowering<'_, '_> {
    pub(super) fn synchronization(&mut self, opcode: Synchronization, instruction: &Instruction) {
        match opcode {
            Synchronization::BarrierWorkgroup => {
                self.program.waits = true;
                self.call_host(offset_of!(Services, barrier));
            }
            Synchronization::Fence => {
                let order = match instruction.op.order() {
                    Order::Weak | Order::Relaxed | Order::AcquireRelease => "acq_rel",
                    Order::Acquire => "acquire",
                    Order::Release => "release",
                    Order::SequentiallyConsistent => "seq_cst",
                };
                self.writer.line(&format!("fence {order}"));
            }
        }
        self.cursor.advance();
    }

    fn call_host(&mut self, offset: usize) {
        let service = self.service(offset);
        self.writer.line(&format!("call void {service}(ptr %frame)"));
    }

    /// Before a jump back in a loop that may wait for what another sub-group does, lets the others go on (spec 1.1.1).
    pub(super) fn yield_where_lanes_may_spin(&mut self, target: BlockId) {
        if target <= self.block && self.may_spin(target) {
            self.program.waits = true;
            self.call_host(offset_of!(Services, yield_turn));
        }
    }

    /// Whether the blocks from the target of a jump back to here read atomically what they then use.
    fn may_spin(&self, target: BlockId) -> bool {
        let blocks = &self.body.blocks;
        let (first, end) = (blocks[target].first as usize, blocks[self.block].end as usize);
        let instructions = &self.body.instructions[first..end];
        instructions.iter().any(|instruction| match instruction.op.opcode() {
            Opcode::Memory(Memory::Ld) => instruction.op.is_atomic(),
            Opcode::Memory(Memory::Iatom | Memory::Fatom) => self.is_read(instruction, instructions),
            Opcode::ControlFlow(campanile_core::isa::ControlFlow::Call) => true,
            _ => false,
        })
    }

    /// Whether the result of an instruction is read by any of some instructions.
    fn is_read(&self, instruction: &Instruction, by: &[Instruction]) -> bool {
        let [Operand::Scalar(Scalar::Register(result) | Scalar::Element(result, _)), ..] =
            self.operands(instruction)
        else {
            return true;
        };
        by.iter().any(|other| {
            let expected = other.op.expected_operands();
            self.operands(other).iter().enumerate().any(|(index, operand)| {
                let written = expected.get(index).is_some_and(|one| one.written);
                let names = match operand {
                    Operand::Scalar(Scalar::Register(one) | Scalar::Element(one, _))
                    | Operand::Vector(one)
                    | Operand::Swizzle(one, _) => one == result,
                    Operand::Address(_) => false,
                    _ => false,
                };
                names && !written
            })
        })
    }
}
