//! Control flow: the rule that the earliest block goes first, compiled.
//!
//! A block is written up to twice. Its plain copy runs while all 32 lanes are together: it needs no masks. Its masked copy
//! runs for the lanes that wait for it, which it finds in the block's place for them. Where lanes may have parted, the
//! earliest of the blocks that any of them may wait for goes next; the analysis says which these are.

use std::collections::BTreeSet;

use campanile_core::isa::{ControlFlow, Opcode, Synchronization};
use campanile_core::module::{BlockId, Instruction, Operand};
use cranelift_entity::EntityRef;

use super::function::FunctionLowering;
use super::program::Passing;
use super::regions::Start;
use super::value::Rows;
use super::waiting::Waiting;
use crate::lower::compute::writer::{Width, constant};

/// A block in one of its copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Copy {
    block: BlockId,
    masked: bool,
}

/// The blocks to be written, and those that are.
#[derive(Debug, Default)]
pub(super) struct Plan {
    open: BTreeSet<Copy>,
    done: BTreeSet<Copy>,
}

/// What a branch depends on.
struct Condition {
    /// A scalar, or a vector where lanes may part.
    bits: String,
    /// The bases of rows in which it is the same for all lanes, if it is known by rows.
    rows: Option<Rows>,
}

/// The place of the lanes that wait for a block.
fn waiting_place(block: BlockId) -> String {
    format!("%waiting.{}", block.index())
}

impl FunctionLowering<'_, '_> {
    /// Writes all blocks, the first one for the lanes of `%entry`.
    pub fn blocks(&mut self) {
        let mut plan = Plan::default();
        let first = BlockId::new(0);
        if self.found.is_whole(first) || first == self.graph.exit() {
            let label = self.label(&mut plan, first, false);
            self.code.writer.line(&format!("br label %{label}"));
        } else {
            self.part_by_wholeness(&mut plan, first, "%entry");
        }
        self.planned(plan);
    }

    /// Writes what is reached from a place where all 32 lanes are, up to the next barrier.
    pub fn region(&mut self, region: usize, start: Start) {
        let mut plan = Plan::default();
        self.begin_region(region);
        self.enter_at(start);
        if start.instruction == self.body.blocks[start.block].first {
            self.count(start.block);
        }
        self.instructions(&mut plan, start.instruction);
        self.planned(plan);
    }

    /// Goes to a place where all 32 lanes are.
    pub fn enter_at(&mut self, start: Start) {
        self.enter(start.block, None);
        for _ in self.body.blocks[start.block].first..start.instruction {
            self.cursor.advance();
        }
    }

    /// Writes the blocks that are planned, and those that they lead to.
    fn planned(&mut self, mut plan: Plan) {
        while let Some(copy) = plan.open.pop_first() {
            plan.done.insert(copy);
            self.copy(&mut plan, copy);
        }
        let waiting: BTreeSet<BlockId> =
            plan.done.iter().filter(|copy| copy.masked).map(|copy| copy.block).collect();
        for block in waiting {
            self.memory.push(format!("{} = alloca <32 x i1>", waiting_place(block)));
            let none = constant(Width::All, 1, 0);
            self.memory.push(format!("store <32 x i1> {none}, ptr {}", waiting_place(block)));
        }
        self.write_exit();
    }

    /// Goes to the plain copy if these are all lanes, otherwise to the masked one.
    fn part_by_wholeness(&mut self, plan: &mut Plan, block: BlockId, mask: &str) {
        let bits = self.code.bits_of(mask);
        let whole = self.code.writer.value(&format!("icmp eq i32 {bits}, -1"));
        self.code.writer.line(&format!("store <32 x i1> {mask}, ptr {}", waiting_place(block)));
        let plain = self.label(plan, block, false);
        let masked = self.label(plan, block, true);
        self.code.writer.line(&format!("br i1 {whole}, label %{plain}, label %{masked}"));
    }

    /// The label of a copy, which is to be written.
    fn label(&mut self, plan: &mut Plan, block: BlockId, masked: bool) -> String {
        if block == self.graph.exit() {
            return "exit".to_owned();
        }
        let copy = Copy { block, masked };
        if !plan.done.contains(&copy) {
            plan.open.insert(copy);
        }
        copy_label(copy)
    }

    fn copy(&mut self, plan: &mut Plan, copy: Copy) {
        self.code.writer.place(&copy_label(copy));
        if let Some(label) = self.body.blocks[copy.block].labels.first() {
            self.code.writer.comment(&format!("{label}:"));
        }
        let mut mask = None;
        if copy.masked {
            let place = waiting_place(copy.block);
            let lanes = self.code.writer.value(&format!("load <32 x i1>, ptr {place}"));
            let none = constant(Width::All, 1, 0);
            self.code.writer.line(&format!("store <32 x i1> {none}, ptr {place}"));
            if self.found.is_whole(copy.block) {
                let plain = self.label(plan, copy.block, false);
                self.code.writer.line(&format!("br label %{plain}"));
                return;
            }
            if self.graph.predecessors(copy.block).len() > 1 {
                self.rejoin(plan, copy.block, &lanes);
            }
            mask = Some(lanes);
        }
        self.enter(copy.block, mask);
        self.count(copy.block);
        self.instructions(plan, self.body.blocks[copy.block].first);
    }

    /// Goes back to the plain copy when all lanes are together again.
    fn rejoin(&mut self, plan: &mut Plan, block: BlockId, lanes: &str) {
        let bits = self.code.bits_of(lanes);
        let whole = self.code.writer.value(&format!("icmp eq i32 {bits}, -1"));
        let plain = self.label(plan, block, false);
        let parted = self.code.writer.label("parted");
        self.code.writer.line(&format!("br i1 {whole}, label %{plain}, label %{parted}"));
        self.code.writer.place(&parted);
    }

    /// The instructions of a block from one of them on.
    fn instructions(&mut self, plan: &mut Plan, first: u32) {
        for index in first..self.body.blocks[self.block].end {
            let instruction = &self.body.instructions[index as usize];
            self.code.comment_source(self.program.module, self.id, instruction);
            match instruction.op.opcode() {
                Opcode::Synchronization(Synchronization::BarrierWorkgroup)
                    if self.program.waiting == Waiting::BetweenRegions && self.id == self.program.kernel =>
                {
                    return self.end_region(index);
                }
                Opcode::ControlFlow(ControlFlow::Goto) => return self.goto(plan, instruction),
                Opcode::ControlFlow(ControlFlow::Return) => return self.returns(plan, instruction),
                Opcode::ControlFlow(ControlFlow::Call) => self.call(instruction, index),
                _ => self.instruction(instruction),
            }
        }
        let next = self.next_block();
        self.go(plan, next);
    }

    fn next_block(&self) -> BlockId {
        BlockId::new(self.block.index() + 1)
    }

    /// All active lanes go to one block.
    fn go(&mut self, plan: &mut Plan, target: BlockId) {
        self.yield_where_lanes_may_spin(target);
        match self.code.mask.clone() {
            None => {
                let label = self.label(plan, target, false);
                self.code.writer.line(&format!("br label %{label}"));
            }
            Some(mask) => self.dispatch(plan, &[(target, mask)]),
        }
    }

    fn goto(&mut self, plan: &mut Plan, instruction: &Instruction) {
        let (condition, operands) = self.body.conditional(instruction);
        let [Operand::Block(target)] = *operands else { unreachable!("`goto` names a label") };
        let Some(condition) = condition else { return self.go(plan, target) };
        let condition = self.condition(condition);
        self.cursor.advance();
        let next = self.next_block();
        self.branch(plan, &condition, target, next);
    }

    /// The value of a predicate: a scalar if lanes cannot part by it at the end of this block.
    fn condition(&mut self, condition: &Operand) -> Condition {
        let value = self.operand(condition, 1).remove(0);
        let bits = match self.found.is_divergent(self.block) {
            true => self.vector(&value),
            false => self.scalar(&value),
        };
        let rows = value.sure_rows().filter(|_| !value.extracted).cloned();
        Condition { bits, rows }
    }

    /// Lanes for which the condition holds go to one block, the others to another one.
    fn branch(&mut self, plan: &mut Plan, condition: &Condition, target: BlockId, next: BlockId) {
        if target <= self.block {
            self.yield_where_lanes_may_spin(target);
        }
        if target == next {
            return self.go(plan, next);
        }
        if !self.found.is_divergent(self.block) {
            let (yes, no) = (self.code.writer.label("yes"), self.code.writer.label("no"));
            self.code.writer.line(&format!("br i1 {}, label %{yes}, label %{no}", condition.bits));
            for (label, target) in [(yes, target), (no, next)] {
                self.code.writer.place(&label);
                match self.code.mask.clone() {
                    None => {
                        let label = self.label(plan, target, false);
                        self.code.writer.line(&format!("br label %{label}"));
                    }
                    Some(mask) => self.dispatch(plan, &[(target, mask)]),
                }
            }
            return;
        }
        match self.code.mask.clone() {
            None => self.split(plan, condition, target, next),
            Some(mask) => {
                let taken = self.within(&mask, &condition.bits);
                let left = self.without(&mask, &taken);
                self.dispatch(plan, &[(target, taken), (next, left)]);
            }
        }
    }

    /// The lanes of a mask for which a condition holds, whatever it is in others: there it may be no value at all.
    pub fn within(&mut self, mask: &str, condition: &str) -> String {
        self.code.select(Width::All, mask, 1, condition, &constant(Width::All, 1, 0))
    }

    /// The lanes of one mask that are not in another one, which is part of it.
    pub fn without(&mut self, mask: &str, part: &str) -> String {
        self.code.writer.value(&format!("xor <32 x i1> {mask}, {part}"))
    }

    /// All 32 lanes branch: as long as they go the same way, they stay in plain copies.
    fn split(&mut self, plan: &mut Plan, condition: &Condition, target: BlockId, next: BlockId) {
        let (all, none) = self.all_or_none(condition);
        let (some, mixed) = (self.code.writer.label("some"), self.code.writer.label("mixed"));
        let plain = self.label(plan, target, false);
        self.code.writer.line(&format!("br i1 {all}, label %{plain}, label %{some}"));
        self.code.writer.place(&some);
        let plain = self.label(plan, next, false);
        self.code.writer.line(&format!("br i1 {none}, label %{plain}, label %{mixed}"));
        self.code.writer.place(&mixed);
        let condition = condition.bits.as_str();
        let ones = constant(Width::All, 1, 1);
        let left = self.without(&ones, condition);
        for (block, lanes) in [(target, condition), (next, &left)] {
            if block != self.graph.exit() {
                self.code.writer.line(&format!("store <32 x i1> {lanes}, ptr {}", waiting_place(block)));
            }
        }
        let masked = self.label(plan, target.min(next), true);
        // The later one is written too: lanes wait for it.
        self.label(plan, target.max(next), true);
        self.code.writer.line(&format!("br label %{masked}"));
    }

    /// Whether a condition holds in all lanes, and whether it holds in none.
    fn all_or_none(&mut self, condition: &Condition) -> (String, String) {
        let Some(rows) = &condition.rows else {
            let bits = self.code.bits_of(&condition.bits);
            let all = self.code.writer.value(&format!("icmp eq i32 {bits}, -1"));
            return (all, self.code.writer.value(&format!("icmp eq i32 {bits}, 0")));
        };
        let (mut all, mut any) = (rows.bases[0].clone(), rows.bases[0].clone());
        for base in &rows.bases[1..] {
            all = self.code.writer.value(&format!("and i1 {all}, {base}"));
            any = self.code.writer.value(&format!("or i1 {any}, {base}"));
        }
        (all, self.code.writer.value(&format!("xor i1 {any}, 1")))
    }

    /// Lanes go to blocks, while others wait: the earliest one is next.
    fn dispatch(&mut self, plan: &mut Plan, targets: &[(BlockId, String)]) {
        let mut waiting: Vec<BlockId> = self.found.waiting(self.block).to_vec();
        if self.found.has_given_up() {
            waiting = self.graph.reverse_post_order().to_vec();
        }
        self.dispatch_from(plan, targets, &waiting);
    }

    fn dispatch_from(&mut self, plan: &mut Plan, targets: &[(BlockId, String)], waiting: &[BlockId]) {
        let exit = self.graph.exit();
        let staying = targets.iter().filter(|(target, _)| *target != exit);
        for (target, lanes) in staying.clone() {
            let place = waiting_place(*target);
            let lanes = if waiting.contains(target) {
                let before = self.code.writer.value(&format!("load <32 x i1>, ptr {place}"));
                self.code.writer.value(&format!("or <32 x i1> {before}, {lanes}"))
            } else {
                lanes.clone()
            };
            self.code.writer.line(&format!("store <32 x i1> {lanes}, ptr {place}"));
        }
        let candidates: BTreeSet<BlockId> = staying
            .map(|(target, _)| *target)
            .chain(waiting.iter().copied())
            .filter(|one| *one != exit)
            .collect();
        // Some lane is at the only target; of several, all may be empty but one.
        let sure = match targets {
            [(only, _)] if *only != exit => Some(*only),
            _ => None,
        };
        let may_end = targets.iter().any(|(target, _)| *target == exit);
        let last = candidates.last().copied();
        for candidate in &candidates {
            let label = self.label(plan, *candidate, true);
            if Some(*candidate) == sure || (Some(*candidate) == last && !may_end) {
                self.code.writer.line(&format!("br label %{label}"));
                return;
            }
            let lanes = self.code.writer.value(&format!("load <32 x i1>, ptr {}", waiting_place(*candidate)));
            let bits = self.code.bits_of(&lanes);
            let none = self.code.writer.value(&format!("icmp eq i32 {bits}, 0"));
            let further = self.code.writer.label("further");
            self.code.writer.line(&format!("br i1 {none}, label %{further}, label %{label}"));
            self.code.writer.place(&further);
        }
        self.code.writer.line("br label %exit");
    }

    fn returns(&mut self, plan: &mut Plan, instruction: &Instruction) {
        let (condition, operands) = self.body.conditional(instruction);
        let value = operands.first();
        let exit = self.graph.exit();
        let Some(condition) = condition else {
            let lanes = self.code.mask.clone();
            self.return_value(value, lanes.as_deref());
            return self.go(plan, exit);
        };
        let condition = self.condition(condition);
        let next = self.next_block();
        if value.is_some() {
            let lanes = if self.found.is_divergent(self.block) {
                let active = self.active();
                self.within(&active, &condition.bits)
            } else {
                self.code.splat(&condition.bits, 1)
            };
            self.return_value(value, Some(&lanes));
        }
        self.cursor.advance();
        self.branch(plan, &condition, exit, next);
    }

    /// Puts what some lanes return to its place.
    fn return_value(&mut self, value: Option<&Operand>, lanes: Option<&str>) {
        let results = self.program.results(self.id);
        let Some(value) = value.filter(|value| **value != Operand::Void && !results.is_empty()) else {
            return;
        };
        let bits = match results[0] {
            Passing::Rows(bits, _) | Passing::Vector(bits) => bits,
        };
        let values = self.operand(value, bits);
        for (element, (value, passing)) in values.iter().zip(results).enumerate() {
            match (passing, lanes) {
                (Passing::Rows(bits, _), None) => {
                    let scalar = self.scalar(value);
                    self.code.writer.line(&format!("store i{bits} {scalar}, ptr %result.{element}"));
                }
                (Passing::Rows(bits, _), Some(lanes)) => {
                    let scalar = self.scalar(value);
                    let lanes = self.code.bits_of(lanes);
                    let any = self.code.writer.value(&format!("icmp ne i32 {lanes}, 0"));
                    let old = self.code.writer.value(&format!("load i{bits}, ptr %result.{element}"));
                    let new =
                        self.code.writer.value(&format!("select i1 {any}, i{bits} {scalar}, i{bits} {old}"));
                    self.code.writer.line(&format!("store i{bits} {new}, ptr %result.{element}"));
                }
                (Passing::Vector(bits), lanes) => {
                    let ty = Width::All.int(bits);
                    let mut vector = self.vector(value);
                    if let Some(lanes) = lanes {
                        let old = self.code.writer.value(&format!("load {ty}, ptr %result.{element}"));
                        vector = self
                            .code
                            .writer
                            .value(&format!("select <32 x i1> {lanes}, {ty} {vector}, {ty} {old}"));
                    }
                    self.code.writer.line(&format!("store {ty} {vector}, ptr %result.{element}"));
                }
            }
        }
    }

    /// The end of the function.
    fn write_exit(&mut self) {
        self.code.writer.place("exit");
        self.end_activation();
        if self.id == self.program.kernel && self.program.waiting == Waiting::Suspended {
            let how = self.code.writer.call("i8", "llvm.coro.suspend", &[("token", "none"), ("i1", "1")]);
            self.code.writer.line(&format!(
                "switch i8 {how}, label %suspended [ i8 0, label %ended i8 1, label %ended ]"
            ));
            self.code.writer.place("ended");
            self.code.writer.line("br label %suspended");
            self.code.writer.place("suspended");
            let result = if self.code.target.llvm < 22 { "i1" } else { "void" };
            self.code.writer.call(
                result,
                "llvm.coro.end",
                &[("ptr", "%handle"), ("i1", "0"), ("token", "none")],
            );
            self.code.writer.line("ret ptr %handle");
            return;
        }
        if self.id == self.program.kernel && self.program.waiting == Waiting::BetweenRegions {
            return self.code.writer.line(&format!("ret i32 {}", super::regions::ENDED));
        }
        let results = self.program.results(self.id);
        let mut parts = vec![];
        for (element, passing) in results.iter().enumerate() {
            let ty = passing.types().remove(0);
            self.memory.push(format!("%result.{element} = alloca {ty}"));
            parts.push((self.code.writer.value(&format!("load {ty}, ptr %result.{element}")), ty));
        }
        match &parts[..] {
            [] => self.code.writer.line("ret void"),
            [(value, ty)] => self.code.writer.line(&format!("ret {ty} {value}")),
            several => {
                let aggregate = super::program::result_type(&results);
                let mut whole = "poison".to_owned();
                for (index, (value, ty)) in several.iter().enumerate() {
                    whole = self
                        .code
                        .writer
                        .value(&format!("insertvalue {aggregate} {whole}, {ty} {value}, {index}"));
                }
                self.code.writer.line(&format!("ret {aggregate} {whole}"));
            }
        }
    }
}

fn copy_label(copy: Copy) -> String {
    let stem = if copy.masked { "masked" } else { "block" };
    format!("{stem}.{}", copy.block.index())
}
