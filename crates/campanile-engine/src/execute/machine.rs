//! From step to step: what a thread needs to execute sub-groups, and the loop that does it.

use super::Shared;
use super::access::{Fault, Rules, keep_order};
use super::count::Counts;
use super::frame::Frame;
use super::registers::Undefined;
use super::sub_group::{State, SubGroup};
use crate::checks::{Check, Checks};
use crate::finding::{FindingKind, Other, Reporter, Where};
use crate::launch::Options;
use crate::mask;
use crate::meaning::Lanes;
use crate::memory::{GlobalMemory, SharedMemory};
use crate::ndrange::{Group, NdRange, SUBGROUP_SIZE, WorkItem};
use crate::observe::{FenceEvent, Observer, Watch};
use crate::program::{Code, Program, Return, Source, Step};

/// Most sources and results of a computation.
const OPERANDS: usize = 4;

/// What a thread needs to execute sub-groups of one work-group after another.
pub(super) struct Machine<'a, O: Observer> {
    pub program: &'a Program,
    pub global: &'a GlobalMemory,
    pub range: &'a NdRange,
    pub options: &'a Options,
    pub checks: Checks,
    pub printf_buffer: u64,
    pub observer: &'a O,
    pub watched: O::Group,
    pub group: Group,
    pub shared: SharedMemory,
    pub reporter: Reporter<'a>,
    pub instructions: u64,
    /// Executions of blocks.
    pub counts: Counts,
    pub sources: Box<[Lanes; OPERANDS]>,
    pub results: Box<[Lanes; OPERANDS]>,
    pub addresses: Box<Lanes>,
    pub stored: Vec<(Lanes, Undefined)>,
    pub faults: Vec<Fault>,
    pub rules: Rules,
}

/// The step at hand.
#[derive(Clone, Copy)]
pub(super) struct Here {
    /// The code, by index.
    pub code: u32,
    /// The step in it.
    pub step: u32,
    /// First slot of the activation.
    pub base: usize,
    /// Start of the activation's private variables.
    pub private: u64,
    /// The lanes that execute it.
    pub active: u32,
}

/// What comes after a step.
pub(super) enum After {
    /// The next step of the block.
    Next,
    /// Something else, which the sub-group's state says.
    Elsewhere,
}

impl<'a, O: Observer> Machine<'a, O> {
    pub fn new(shared: &'a Shared<'a, O>, reporter: Reporter<'a>) -> Self {
        let group = shared.range.group(0);
        let memory = SharedMemory::new(shared.program.shared.clone());
        Machine {
            program: shared.program,
            global: shared.device.memory(),
            range: shared.range,
            options: shared.options,
            checks: shared.options.checks,
            printf_buffer: shared.printf_buffer,
            observer: shared.observer,
            watched: O::Group::default(),
            group,
            shared: memory,
            reporter,
            instructions: 0,
            counts: Counts::new(shared.program, shared.options),
            sources: Box::new([[0; 32]; OPERANDS]),
            results: Box::new([[0; 32]; OPERANDS]),
            addresses: Box::new([0; 32]),
            stored: Vec::new(),
            faults: Vec::new(),
            rules: Rules::new(shared.options.checks),
        }
    }

    /// Prepares for a work-group.
    pub fn begin(&mut self, group: Group) {
        self.group = group;
        self.shared.reset();
        self.observer.begin(&mut self.watched, &group, &self.shared);
    }

    /// Executes a sub-group until it waits or ends, or for about so many instructions.
    pub fn run(&mut self, sub: &mut SubGroup, slice: u64) {
        let budget = match self.options.step_budget {
            Some(budget) if self.checks.has(Check::Progress) => budget,
            _ => u64::MAX,
        };
        let end = sub.steps.saturating_add(slice).min(budget);
        while sub.state == State::Running && sub.steps < end {
            self.run_block(sub);
        }
        if sub.steps >= budget && sub.state == State::Running {
            let frame = sub.frame();
            let (at, active) = (self.at(frame.code, frame.step), frame.active);
            self.report(sub, at, active, FindingKind::NoProgress { steps: sub.steps }, None);
        }
    }

    /// Executes the steps of a block, up to its end or to a call or barrier.
    fn run_block(&mut self, sub: &mut SubGroup) {
        let frame = sub.frame();
        let Frame { code: index, step: first, block, base, private, active, .. } = *frame;
        let program = self.program;
        let code = &program.codes[index as usize];
        let end = code.blocks[block as usize].end;
        if first == code.blocks[block as usize].start {
            self.counts.count(index, block, active);
        }
        let mut here = Here { code: index, step: first, base, private, active };
        let mut elsewhere = false;
        for step in &code.steps[first as usize..end as usize] {
            elsewhere = matches!(self.step(sub, &here, step), After::Elsewhere);
            here.step += 1;
            if elsewhere {
                break;
            }
        }
        let executed = u64::from(here.step - first);
        sub.steps += executed;
        self.instructions += executed * u64::from(active.count_ones());
        if !elsewhere {
            self.go(sub, (active, block + 1), (0, 0));
        }
    }

    #[inline]
    fn step(&mut self, sub: &mut SubGroup, here: &Here, step: &Step) -> After {
        match step {
            Step::Compute(compute) => self.compute(sub, here, compute),
            Step::Select(select) => self.select(sub, here, select),
            Step::CrossLane(cross_lane) => self.cross_lane(sub, here, cross_lane),
            Step::Copy(copy) => self.copy(sub, here, copy),
            Step::Assign(assign) => self.assign(sub, here, assign),
            Step::ExtractDynamic(dynamic) => self.extract_dynamic(sub, here, dynamic),
            Step::InsertDynamic(dynamic) => self.insert_dynamic(sub, here, dynamic),
            Step::ToGeneric { space, from, to } => self.cast_to_generic(sub, here, *space, *from, *to),
            Step::FromGeneric { space, from, to } => self.cast_from_generic(sub, here, *space, *from, *to),
            Step::IsAddress { space, from, to } => self.tell_space(sub, here, *space, *from, *to),
            Step::Load(load) => self.load(sub, here, load),
            Step::LoadParameter(load) => self.load_parameter(sub, here, load),
            Step::Store(store) => self.store(sub, here, store),
            Step::Atomic(atomic) => self.atomic(sub, here, atomic),
            Step::Nothing => {}
            Step::Fence { order, scope } => {
                let (subgroup, lanes) = (sub.number, here.active);
                let event = FenceEvent { order: *order, scope: *scope, lanes, subgroup };
                keep_order(*order);
                self.observer.fence(&mut self.watched, &event);
            }
            Step::Barrier => {
                self.arrive(sub, here);
                return After::Elsewhere;
            }
            Step::Call(call) => return self.call(sub, here, call),
            Step::Goto(block) => {
                self.go(sub, (here.active, *block), (0, 0));
                return After::Elsewhere;
            }
            Step::GotoIf { condition, block } => {
                let taken = self.condition(sub, here, *condition);
                let next = sub.frame().block + 1;
                self.go(sub, (taken, *block), (here.active & !taken, next));
                return After::Elsewhere;
            }
            Step::Return(leave) => {
                self.leave(sub, here, leave);
                return After::Elsewhere;
            }
        }
        After::Next
    }

    /// Sends the active lanes of the current activation to one or two blocks, and goes on with the earliest block that
    /// any of its lanes waits for.
    pub fn go(&mut self, sub: &mut SubGroup, first: (u32, u32), second: (u32, u32)) {
        let program = self.program;
        let frame = sub.frame();
        let code = &program.codes[frame.code as usize];
        if frame.waiting.is_empty() && (first.0 == 0 || second.0 == 0) {
            let (lanes, block) = if first.0 == 0 { second } else { first };
            if lanes != 0 && (block as usize) + 1 < code.blocks.len() {
                (frame.active, frame.block, frame.step) = (lanes, block, code.blocks[block as usize].start);
                return;
            }
        }
        frame.waiting.add(first.1, first.0);
        frame.waiting.add(second.1, second.0);
        self.resume(sub, code);
    }

    /// Goes on with the earliest block that any lane of the current activation waits for, or ends the activation.
    pub fn resume(&mut self, sub: &mut SubGroup, code: &Code) {
        while let Some((block, lanes)) = sub.frame().waiting.take_earliest() {
            if block as usize + 1 < code.blocks.len() {
                let frame = sub.frame();
                (frame.active, frame.block, frame.step) = (lanes, block, code.blocks[block as usize].start);
                return;
            }
            self.depart(sub, lanes);
        }
        self.exhausted(sub);
    }

    fn leave(&mut self, sub: &mut SubGroup, here: &Here, step: &Return) {
        let lanes = match step.condition {
            Some(condition) => self.condition(sub, here, condition),
            None => here.active,
        };
        if let (Some(value), Some(result)) = (&step.value, sub.frame().result) {
            self.hand_back(sub, here, *value, result, lanes);
        }
        self.depart(sub, lanes);
        let (stay, next) = (here.active & !lanes, sub.frame().block + 1);
        self.go(sub, (stay, next), (0, 0));
    }

    /// Lanes leave the current activation; those that leave the kernel have ended.
    fn depart(&mut self, sub: &mut SubGroup, lanes: u32) {
        if sub.frames.len() == 1 || sub.frame().continues_kernel {
            sub.live &= !lanes;
        }
    }

    /// The lanes, among the active ones, for which a predicate holds.
    pub fn condition(&mut self, sub: &mut SubGroup, here: &Here, source: Source) -> u32 {
        self.fetch(sub, here, source, 0);
        let values = &self.sources[0];
        mask::all_where(|lane| values[lane] != 0) & here.active
    }

    /// The instruction of a step.
    pub fn at(&self, code: u32, step: u32) -> Where {
        Where { function: self.program.codes[code as usize].function, instruction: step }
    }

    /// The work-item of a lane.
    pub fn work_item(&self, subgroup: u32, lane: usize) -> WorkItem {
        let local = self.group.local_id(subgroup * SUBGROUP_SIZE + lane as u32);
        self.range.work_item(&self.group, local)
    }

    /// Reports a finding of some lanes, with the lowest as the example. What ends the launch is reported even if its
    /// check is off.
    #[cold]
    pub fn report(&mut self, sub: &SubGroup, at: Where, lanes: u32, kind: FindingKind, other: Option<Other>) {
        if self.checks.has(kind.check()) || kind.is_fatal() {
            let work_item = self.work_item(sub.number, mask::lowest(lanes));
            self.reporter.report(at, kind, lanes.count_ones(), || work_item, other);
        }
    }

    /// Reports a finding of some lanes, if there are any, at the step at hand. `kind` is asked about the lowest lane.
    #[inline]
    pub fn report_lanes(
        &mut self,
        sub: &SubGroup,
        here: &Here,
        lanes: u32,
        kind: impl FnOnce(&Self, usize) -> FindingKind,
    ) {
        if lanes != 0 {
            let kind = kind(self, mask::lowest(lanes));
            self.report(sub, self.at(here.code, here.step), lanes, kind, None);
        }
    }

    /// What an observer may look at.
    pub fn watch(&mut self) -> (&'a O, &mut O::Group, Watch<'_, 'a>) {
        let watch = Watch {
            range: self.range,
            group: &self.group,
            global: self.global,
            shared: &self.shared,
            reporter: &mut self.reporter,
            program: self.program,
        };
        (self.observer, &mut self.watched, watch)
    }
}
