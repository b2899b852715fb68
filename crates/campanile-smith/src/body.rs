//! The body of a kernel or function while it is written: its lines, and what its statements may use.

use std::fmt::Display;

use campanile_core::module::RegisterType;

use crate::choices::Choices;
use crate::module::Plan;
use crate::parameters::Parameters;
use crate::planes::Plane;
use crate::region::{Phase, Region};
use crate::registers::Registers;

/// Most instructions that a work-item executes in one statement list with all it calls.
const COST_LIMIT: u64 = 6000;
/// Deepest nesting of control flow and scopes.
const DEPTH_LIMIT: u32 = 3;

/// Whose body it is.
pub(crate) enum Owner {
    /// The kernel, with its parameters.
    Kernel(Parameters),
    /// The function of this index in the plan.
    Function(usize),
}

/// A body in the making.
pub(crate) struct Body<'b, 'a> {
    pub choices: &'b mut Choices<'a>,
    pub plan: &'b Plan,
    pub owner: Owner,
    pub registers: Registers,
    /// Regions by scope, the function's first.
    pub regions: Vec<Vec<Region>>,
    /// Arrays that hold an element for each work-item, in the kernel.
    pub planes: Vec<Plane>,
    /// Names of variables hidden by inner scopes.
    pub hidden: Vec<Vec<String>>,
    /// The phase, in the kernel.
    pub phase: Phase,
    /// Whether addresses are to be taken or cast wherever possible.
    pub detours: bool,
    /// Instructions that a work-item executes at most, so far.
    pub cost: u64,
    /// How often the current place is executed at most.
    pub rounds: u64,
    /// Whether the call of the function by itself has been written.
    pub recursive: bool,
    pub depth: u32,
    lines: Vec<String>,
    indent: usize,
    labels: usize,
    variables: usize,
}

impl<'b, 'a> Body<'b, 'a> {
    pub fn new(choices: &'b mut Choices<'a>, plan: &'b Plan, owner: Owner) -> Self {
        let registers = Registers::new(choices);
        Body {
            choices,
            plan,
            owner,
            registers,
            regions: vec![plan.regions.clone()],
            planes: Vec::new(),
            hidden: vec![Vec::new()],
            phase: Phase::Own,
            detours: false,
            cost: 0,
            rounds: 1,
            recursive: false,
            depth: 0,
            lines: Vec::new(),
            indent: 1,
            labels: 0,
            variables: 0,
        }
    }

    /// Adds a line.
    pub fn line(&mut self, line: impl Display) {
        self.cost += self.rounds;
        self.lines.push(format!("{:width$}{line}", "", width = 2 * self.indent));
    }

    /// Adds a label on a line of its own.
    pub fn place(&mut self, label: &str) {
        self.lines.push(format!("{label}:"));
    }

    /// A label that is new in this body.
    pub fn label(&mut self, stem: &str) -> String {
        self.labels += 1;
        format!("{stem}_{}", self.labels)
    }

    /// A name of a local variable that is new in this body.
    pub fn variable_name(&mut self, stem: &str) -> String {
        self.variables += 1;
        format!("@{stem}{}", self.variables)
    }

    /// Lines from here on are indented by a step more, or less.
    pub fn indent(&mut self, more: bool) {
        if more { self.indent += 1 } else { self.indent -= 1 }
    }

    /// Takes the lines out, so that others can be written that stand elsewhere.
    pub fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// A data register of `bits` bits.
    pub fn data(&mut self, bits: u8) -> String {
        self.registers.data(RegisterType::scalar(bits), self.choices)
    }

    /// A register of `bits` bits to be used at once.
    pub fn scratch(&mut self, bits: u8) -> String {
        self.registers.scratch(RegisterType::scalar(bits))
    }

    /// A predicate to be used at once.
    pub fn scratch_predicate(&mut self) -> String {
        self.registers.scratch(RegisterType::PREDICATE)
    }

    /// Whether there is no more to be written here.
    pub fn is_done(&self) -> bool {
        self.choices.is_spent() || self.cost > COST_LIMIT
    }

    /// Writes up to so many statements.
    pub fn statements(&mut self, count: u32) {
        for _ in 0..count {
            if self.is_done() {
                return;
            }
            self.statement();
        }
    }

    fn statement(&mut self) {
        let nesting = self.depth < DEPTH_LIMIT;
        match self.choices.between(0, 99) {
            76..=82 if nesting => self.nested(Self::selection),
            83..=88 if nesting => self.nested(Self::repetition),
            89..=91 if nesting => self.nested(Self::graph),
            92..=95 if nesting => self.nested(Self::scope),
            96..=97 => self.call(false),
            98 => self.call(true),
            99 => self.early_return(false),
            68..=75 => self.plane_access(),
            _ => self.instruction(),
        }
    }

    fn nested(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }
}
