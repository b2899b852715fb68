//! Blocks: jumps, choices, repetitions, and the values that meet behind them.

use rspirv::spirv::{Op, StorageClass, Word};

use super::Code;
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
    fn close(&mut self, end: Op, operands: &[Word], next: Word) {
        self.effect(end, operands);
        self.label = next;
        self.is_labelled = false;
    }

    /// Writes another block than the one that was to follow, which must still be empty.
    pub fn reopen(&mut self, label: Word) {
        debug_assert!(!self.is_labelled);
        self.label = label;
    }

    /// Continues at `target`; `next` is the block that follows in the text.
    pub fn branch(&mut self, target: Word, next: Word) {
        self.close(Op::Branch, &[target], next);
    }

    /// Continues at one of two blocks.
    pub fn branch_if(&mut self, condition: Truth, [yes, no]: [Word; 2], next: Word) {
        self.close(Op::BranchConditional, &[condition.0, yes, no], next);
    }

    /// Continues at the block of a number.
    pub fn switch(&mut self, selector: Bits, cases: &[(u32, Word)], default: Word, next: Word) {
        let mut operands = vec![selector.id, default];
        operands.extend(cases.iter().flat_map(|(number, label)| [*number, *label]));
        self.close(Op::Switch, &operands, next);
    }

    /// Returns, with a value or without.
    pub fn end(&mut self, value: Option<Word>, next: Word) {
        match value {
            Some(value) => self.close(Op::ReturnValue, &[value], next),
            None => self.close(Op::Return, &[], next),
        }
    }

    /// Says that control does not come here.
    pub fn unreachable(&mut self, next: Word) {
        self.close(Op::Unreachable, &[], next);
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
        // Where the values of later rounds come from is only known behind the first.
        let mut merged = Vec::new();
        for (value, first) in values.iter().zip(start) {
            let ty = self.assembly.int(value.width);
            merged.push(self.write(Op::Phi, &[&[ty, value.id, first.id, before, 0, 0]]));
        }
        self.branch(body, body);
        let (made, again) = round(self, &values);
        let last = self.label();
        self.branch_if(again, [head, after], after);
        for (place, later) in merged.into_iter().zip(&made) {
            self.blocks.set(place, 5, later.id);
            self.blocks.set(place, 6, last);
        }
        made
    }

    /// The value that comes from the block where control comes from.
    pub fn merged(&mut self, values: &[(Bits, Word)]) -> Bits {
        let width = values[0].0.width;
        let ty = self.assembly.int(width);
        let operands: Vec<Word> = values.iter().flat_map(|(value, from)| [value.id, *from]).collect();
        Bits { id: self.value(Op::Phi, ty, &operands), width }
    }

    /// A variable of the function.
    pub fn variable(&mut self, pointee: Word) -> Word {
        let ty = self.assembly.pointer(StorageClass::Function, pointee);
        let made = self.assembly.id();
        self.variables.push(Op::Variable, &[&[ty, made, StorageClass::Function as Word]]);
        made
    }
}
