//! Blocks: jumps, choices, repetitions, and the values that meet behind them.

use rspirv::dr::{Block, Instruction, Operand};
use rspirv::spirv::{Op, StorageClass, Word};

use super::Code;
use crate::emit::assembly::{id, instruction};
use crate::emit::value::{Bits, Truth};

/// Blocks.
impl Code<'_> {
    /// An id for a block to come.
    pub fn new_label(&mut self) -> Word {
        self.assembly.id()
    }

    /// The block that is open.
    pub fn label(&self) -> Word {
        self.label
    }

    /// Ends the block with a jump and opens the next one.
    fn close(&mut self, end: Instruction, next: Word) {
        self.instructions.push(end);
        let label = instruction(Op::Label, None, Some(self.label), vec![]);
        let instructions = std::mem::take(&mut self.instructions);
        self.blocks.push(Block { label: Some(label), instructions });
        self.label = next;
    }

    /// Writes another block than the one that was to follow, which must still be empty.
    pub fn reopen(&mut self, label: Word) {
        debug_assert!(self.instructions.is_empty());
        self.label = label;
    }

    /// Continues at `target`; `next` is the block that follows in the text.
    pub fn branch(&mut self, target: Word, next: Word) {
        self.close(instruction(Op::Branch, None, None, vec![id(target)]), next);
    }

    /// Continues at one of two blocks.
    pub fn branch_if(&mut self, condition: Truth, [yes, no]: [Word; 2], next: Word) {
        let operands = vec![id(condition.0), id(yes), id(no)];
        self.close(instruction(Op::BranchConditional, None, None, operands), next);
    }

    /// Continues at the block of a number.
    pub fn switch(&mut self, selector: Bits, cases: &[(u32, Word)], default: Word, next: Word) {
        let mut operands = vec![id(selector.id), id(default)];
        for (number, label) in cases {
            operands.extend([Operand::LiteralBit32(*number), id(*label)]);
        }
        self.close(instruction(Op::Switch, None, None, operands), next);
    }

    /// Returns, with a value or without.
    pub fn end(&mut self, value: Option<Word>, next: Word) {
        let end = match value {
            Some(value) => instruction(Op::ReturnValue, None, None, vec![id(value)]),
            None => instruction(Op::Return, None, None, vec![]),
        };
        self.close(end, next);
    }

    /// Says that control does not come here.
    pub fn unreachable(&mut self, next: Word) {
        self.close(instruction(Op::Unreachable, None, None, vec![]), next);
    }

    /// What `then` gives if a condition holds, else what `otherwise` gives: as many values of the same types.
    pub fn choose(
        &mut self,
        condition: Truth,
        then: impl FnOnce(&mut Self) -> Vec<Bits>,
        otherwise: impl FnOnce(&mut Self) -> Vec<Bits>,
    ) -> Vec<Bits> {
        let [yes, no, after] = [self.new_label(), self.new_label(), self.new_label()];
        self.branch_if(condition, [yes, no], yes);
        let chosen = then(self);
        let from_yes = self.label();
        self.branch(after, no);
        let others = otherwise(self);
        let from_no = self.label();
        self.branch(after, after);
        let both = chosen.into_iter().zip(others);
        both.map(|(one, other)| self.merged(&[(one, from_yes), (other, from_no)])).collect()
    }

    /// Does something if a condition holds.
    pub fn only_if(&mut self, condition: Truth, then: impl FnOnce(&mut Self)) {
        self.choose(
            condition,
            |code| {
                then(code);
                Vec::new()
            },
            |_| Vec::new(),
        );
    }

    /// Repeats `round`, which makes new values of old ones and says whether to go on, and gives the last values.
    pub fn repeat(
        &mut self,
        start: &[Bits],
        round: impl FnOnce(&mut Self, &[Bits]) -> (Vec<Bits>, Truth),
    ) -> Vec<Bits> {
        let [head, body, after] = std::array::from_fn(|_| self.new_label());
        let before = self.label();
        self.branch(head, head);
        let values: Vec<Bits> =
            start.iter().map(|value| Bits { id: self.assembly.id(), width: value.width }).collect();
        self.branch(body, body);
        let head_block = self.blocks.len() - 1;
        let (made, again) = round(self, &values);
        let last = self.label();
        self.branch_if(again, [head, after], after);
        for (index, (value, (first, later))) in values.iter().zip(start.iter().zip(&made)).enumerate() {
            let ty = self.assembly.int(value.width);
            let operands = [first.id, before, later.id, last].map(id).to_vec();
            let merged = instruction(Op::Phi, Some(ty), Some(value.id), operands);
            self.blocks[head_block].instructions.insert(index, merged);
        }
        made
    }

    /// The value that comes from the block where control comes from.
    pub fn merged(&mut self, values: &[(Bits, Word)]) -> Bits {
        let width = values[0].0.width;
        let ty = self.assembly.int(width);
        let operands = values.iter().flat_map(|(value, from)| [id(value.id), id(*from)]).collect();
        Bits { id: self.value(Op::Phi, ty, operands), width }
    }

    /// A variable of the function.
    pub fn variable(&mut self, pointee: Word) -> Word {
        let ty = self.assembly.pointer(StorageClass::Function, pointee);
        let made = self.assembly.id();
        let class = vec![Operand::StorageClass(StorageClass::Function)];
        self.variables.push(instruction(Op::Variable, Some(ty), Some(made), class));
        made
    }
}
