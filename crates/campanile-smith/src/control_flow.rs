//! Control flow: selections, loops with few rounds, arbitrary graphs that use up fuel, early returns.

use campanile_core::isa::Comparison;
use campanile_core::module::RegisterType;

use crate::body::{Body, Owner};
use crate::immediate;

impl Body<'_, '_> {
    /// A condition that may differ between work-items, or not.
    pub fn decision(&mut self) -> String {
        if self.choices.chance(40) {
            return self.condition();
        }
        let predicate = self.scratch_predicate();
        let comparison = *self.choices.one_of(Comparison::ALL);
        match self.choices.between(0, 3) {
            0 => {
                let (left, right) = (self.register(32), self.source(32, None));
                self.line(format!("scmp.{comparison}.32b {predicate}, {left}, {right};"));
            }
            1 => {
                let uniform = self.registers.reserve("%uniform", RegisterType::scalar(32));
                let bound = immediate::integer(self.choices, 32);
                self.line(format!("scmp.{comparison}.32b {predicate}, {uniform}, {bound};"));
            }
            2 => {
                let lane = self.choices.between(0, 31);
                self.line(format!("ucmp.{comparison}.32b {predicate}, %laneid, {lane};"));
            }
            _ => {
                let (low, any, mask) = (self.scratch(32), self.register(32), self.choices.between(1, 3));
                self.line(format!("and.32b {low}, {any}, {mask};"));
                self.line(format!("ucmp.{comparison}.32b {predicate}, {low}, 1;"));
            }
        }
        let not = *self.choices.one_of(&["", "!"]);
        format!("{not}{predicate}")
    }

    /// One of two lists of statements, or one or none.
    pub fn selection(&mut self) {
        let (other, end) = (self.label("other"), self.label("end"));
        let decision = self.decision();
        let two = self.choices.chance(50);
        self.line(format!("goto.cond {decision}, {};", if two { &other } else { &end }));
        let count = self.choices.between(1, 4);
        self.statements(count);
        if two {
            self.line(format!("goto {end};"));
            self.place(&other);
            let count = self.choices.between(1, 4);
            self.statements(count);
        }
        self.place(&end);
    }

    /// A loop of at most four rounds, as many for each work-item as it likes.
    pub fn repetition(&mut self) {
        let (head, end) = (self.label("head"), self.label("end"));
        let left = self.registers.fresh(RegisterType::scalar(32));
        let rounds = self.choices.between(1, 4);
        if self.choices.chance(50) {
            let any = self.register(32);
            self.line(format!("and.32b {left}, {any}, 3;"));
        } else {
            self.line(format!("mov.32b {left}, {rounds};"));
        }
        let last = self.scratch_predicate();
        let tested_first = self.choices.chance(50);
        self.rounds *= 4;
        self.place(&head);
        if tested_first {
            self.line(format!("ucmp.eq.32b {last}, {left}, 0;"));
            self.line(format!("goto.cond {last}, {end};"));
        }
        let count = self.choices.between(1, 4);
        self.statements(count);
        if self.choices.chance(30) {
            let decision = self.decision();
            self.line(format!("goto.cond {decision}, {end};"));
        }
        if tested_first {
            self.line(format!("isub.32b {left}, {left}, 1;"));
            self.line(format!("goto {head};"));
        } else {
            self.line(format!("isub.32b {left}, {left}, 1;"));
            self.line(format!("scmp.gt.32b {last}, {left}, 0;"));
            self.line(format!("goto.cond {last}, {head};"));
        }
        self.rounds /= 4;
        self.place(&end);
    }

    /// Blocks that jump to any of them, until they are left or the fuel is used up.
    pub fn graph(&mut self) {
        let blocks: Vec<String> = (0..self.choices.between(2, 5)).map(|_| self.label("block")).collect();
        let end = self.label("end");
        let fuel = self.registers.fresh(RegisterType::scalar(32));
        self.line(format!("mov.32b {fuel}, {};", 2 + blocks.len()));
        if self.choices.chance(50) {
            self.jump(&blocks, &end);
        }
        self.rounds *= 4;
        for block in &blocks {
            let braced = self.choices.chance(20);
            if braced {
                self.line("{");
            }
            self.place(block);
            let empty = self.scratch_predicate();
            self.line(format!("isub.32b {fuel}, {fuel}, 1;"));
            self.line(format!("scmp.le.32b {empty}, {fuel}, 0;"));
            self.line(format!("goto.cond {empty}, {end};"));
            let count = self.choices.between(0, 2);
            self.statements(count);
            for _ in 0..self.choices.between(0, 2) {
                self.jump(&blocks, &end);
            }
            if self.choices.chance(30) {
                let target = self.choices.one_of(&blocks).clone();
                self.line(format!("goto {target};"));
            }
            if braced {
                self.line("}");
            }
        }
        self.rounds /= 4;
        self.place(&end);
    }

    /// A conditional jump to a block or to the end.
    fn jump(&mut self, blocks: &[String], end: &str) {
        let decision = self.decision();
        let target = match self.choices.below(blocks.len() + 1) {
            0 => end,
            block => &blocks[block - 1],
        };
        self.line(format!("goto.cond {decision}, {target};"));
    }

    /// Leaves a function under a condition. A kernel is left at its end only, behind its barriers.
    pub fn early_return(&mut self, jumped_over: bool) {
        let Owner::Function(function) = self.owner else { return };
        let value = match self.plan.functions[function].result {
            None => String::new(),
            Some(RegisterType { bits, elements: 1 }) if self.choices.chance(30) => {
                immediate::integer(self.choices, u32::from(bits))
            }
            Some(RegisterType { bits, elements: 1 }) => self.register(bits),
            Some(ty) => self.registers.data(ty, self.choices),
        };
        let decision = self.decision();
        if jumped_over {
            let label = self.label("stay");
            let space = if value.is_empty() { "" } else { " " };
            self.line(format!("goto.cond {decision}, {label};"));
            self.line(format!("return{space}{value};"));
            self.place(&label);
        } else {
            let comma = if value.is_empty() { "" } else { ", " };
            self.line(format!("return.cond {decision}{comma}{value};"));
        }
    }
}
