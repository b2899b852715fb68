//! Control flow, barriers and fences: every block of the text is a block of IR.

use campanile_core::isa::{ControlFlow, Opcode, Synchronization};
use campanile_core::module::{BlockId, Instruction, Operand, RegisterType, keys};
use cranelift_entity::EntityRef;

use super::function::{FunctionLowering, passed_type};
use crate::lower::ordering::fence_ordering;

impl FunctionLowering<'_> {
    /// Writes all blocks.
    pub fn blocks(&mut self) {
        let first = self.label_of(BlockId::new(0));
        self.code.writer.line(&format!("br label %{first}"));
        for block in keys(&self.body.blocks) {
            let label = self.label_of(block);
            self.code.writer.place(&label);
            if let Some(name) = self.body.blocks[block].labels.first() {
                self.code.writer.comment(&format!("{name}:"));
            }
            self.enter();
            self.block(block);
        }
        self.code.writer.place("exit");
        let default = match self.result() {
            None => "ret void".to_owned(),
            Some(ty) => format!("ret {} poison", passed_type(ty)),
        };
        self.code.writer.line(&default);
    }

    /// The type of what the function returns.
    fn result(&self) -> Option<RegisterType> {
        self.program.module.functions[self.id].signature().and_then(|signature| signature.result)
    }

    fn label_of(&self, block: BlockId) -> String {
        match block.index() {
            index if index >= self.body.blocks.len() => "exit".to_owned(),
            index => format!("block.{index}"),
        }
    }

    fn block(&mut self, block: BlockId) {
        let next = BlockId::new(block.index() + 1);
        for index in self.body.blocks[block].first..self.body.blocks[block].end {
            let instruction = &self.body.instructions[index as usize];
            self.position = index;
            self.code.comment_source(self.program.module, self.id, instruction);
            match instruction.op.opcode() {
                Opcode::ControlFlow(ControlFlow::Goto) => return self.goto(block, instruction, next),
                Opcode::ControlFlow(ControlFlow::Return) => return self.returns(instruction, next),
                Opcode::ControlFlow(ControlFlow::Call) => self.call(instruction, index),
                _ => self.instruction(instruction),
            }
        }
        let next = self.label_of(next);
        self.code.writer.line(&format!("br label %{next}"));
    }

    /// A condition to branch by; what was never written is one of the two.
    pub(super) fn condition(&mut self, condition: &Operand) -> String {
        let value = self.operand(condition, 1).remove(0);
        self.code.writer.value(&format!("freeze i1 {value}"))
    }

    fn goto(&mut self, block: BlockId, instruction: &Instruction, next: BlockId) {
        let (condition, operands) = self.body.conditional(instruction);
        let [Operand::Block(target)] = *operands else { unreachable!("`goto` names a label") };
        let label = self.label_of(target);
        let Some(condition) = condition else {
            if target <= block {
                self.platform.before_jump_back(self);
            }
            return self.code.writer.line(&format!("br label %{label}"));
        };
        let condition = self.condition(condition);
        let next = self.label_of(next);
        if target > block {
            return self.code.writer.line(&format!("br i1 {condition}, label %{label}, label %{next}"));
        }
        let back = self.code.writer.label("back");
        self.code.writer.line(&format!("br i1 {condition}, label %{back}, label %{next}"));
        self.code.writer.place(&back);
        self.platform.before_jump_back(self);
        self.code.writer.line(&format!("br label %{label}"));
    }

    fn returns(&mut self, instruction: &Instruction, next: BlockId) {
        let (condition, operands) = self.body.conditional(instruction);
        let value = operands.first();
        let Some(condition) = condition else { return self.return_value(value) };
        let condition = self.condition(condition);
        let [returns, stays] = [self.code.writer.label("returns"), self.label_of(next)];
        self.code.writer.line(&format!("br i1 {condition}, label %{returns}, label %{stays}"));
        self.code.writer.place(&returns);
        self.return_value(value);
    }

    fn return_value(&mut self, value: Option<&Operand>) {
        let value = value.filter(|value| **value != Operand::Void);
        let (Some(value), Some(ty)) = (value, self.result()) else {
            return self.code.writer.line("br label %exit");
        };
        let elements = self.operand(value, ty.bits.into());
        let whole = self.passed(ty, &elements);
        self.code.writer.line(&format!("ret {} {whole}", passed_type(ty)));
    }

    pub(super) fn synchronization(&mut self, opcode: Synchronization, instruction: &Instruction) {
        match opcode {
            Synchronization::BarrierWorkgroup => self.platform.barrier(self),
            Synchronization::Fence => {
                let order = fence_ordering(instruction.op.order());
                let scope = self.platform.scope(instruction.op.scope());
                self.platform.fence(self, &scope, order);
            }
        }
    }
}
