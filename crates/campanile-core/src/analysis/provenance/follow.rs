//! From the bodies of a kernel and the functions it calls to constraints between their values.
//!
//! A function is followed once for each call of it, so that a helper that reads one buffer and writes another is
//! not taken to write both. Beyond a limit, in recursion and for calls through registers one copy serves all calls.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};
use smallvec::{SmallVec, smallvec};

use super::Effect;
use super::flow::{Flow, flow};
use super::solve::{Cell, Cells, Rule, Site, Solver};
use super::source::{Root, Source};
use crate::analysis::call_graph::CallParts;
use crate::analysis::webs::{Web, Webs};
use crate::analysis::{Call, CallGraph, Callees, Witness, reachable_instructions};
use crate::isa::{Arithmetic, Logical, Op, Opcode, Space, SpecialRegister};
use crate::module::{
    Address, Base, Body, FunctionId, Instruction, Module, Offset, Operand, RegisterId, RegisterType, Scalar,
};

/// Instructions that copies of functions may have in all.
const COPIED_INSTRUCTIONS: usize = 50_000;

/// A function as it is called at one place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Instance(u32);
entity_impl!(Instance, "instance");

struct InstanceState {
    function: FunctionId,
    /// The instance that calls it; none for the kernel and for one that serves all calls.
    caller: Option<Instance>,
    /// Whether it serves all calls.
    shared: bool,
    /// The cell of each web of its registers.
    webs: SecondaryMap<Web, Cell>,
    /// The cells of its result.
    result: Cells,
}

/// An instruction of an instance.
#[derive(Clone, Copy)]
struct Point {
    instance: Instance,
    site: Witness,
}

/// Builds the constraints.
pub(super) struct Follower<'module, 'solver> {
    module: &'module Module,
    solver: &'solver mut Solver<'module>,
    calls: BTreeMap<Witness, &'module Call>,
    instances: PrimaryMap<Instance, InstanceState>,
    webs: BTreeMap<FunctionId, Webs>,
    shared: BTreeMap<FunctionId, Instance>,
    open: Vec<Instance>,
    /// What a number comes from.
    number: Cell,
    copied: usize,
}

impl<'module, 'solver> Follower<'module, 'solver> {
    /// Follows a kernel with all that it calls.
    pub fn follow(module: &'module Module, graph: &'module CallGraph, solver: &'solver mut Solver<'module>) {
        let number = solver.cell();
        solver.seed(number, Source::INTEGER);
        let mut follower = Follower {
            module,
            solver,
            calls: graph.calls.iter().map(|call| (call.site, call)).collect(),
            instances: PrimaryMap::new(),
            webs: BTreeMap::new(),
            shared: BTreeMap::new(),
            open: Vec::new(),
            number,
            copied: 0,
        };
        follower.add(graph.kernel, None, false);
        while let Some(instance) = follower.open.pop() {
            let function = follower.instances[instance].function;
            for (site, body, instruction) in reachable_instructions(module, function) {
                follower.instruction(Point { instance, site }, body, instruction);
            }
        }
    }

    fn add(&mut self, function: FunctionId, caller: Option<Instance>, shared: bool) -> Instance {
        let body = self.module.functions[function].body.as_ref();
        if let Some(body) = body {
            self.webs.entry(function).or_insert_with(|| Webs::new(body));
        }
        let mut webs = SecondaryMap::with_default(self.number);
        for web in self.webs.get(&function).into_iter().flat_map(Webs::wholes) {
            webs[web] = self.solver.cell();
        }
        let result = self.module.functions[function].signature().and_then(|signature| signature.result);
        let result = result.map_or_else(Cells::new, |ty| self.cells(ty));
        self.copied += body.map_or(0, |body| body.instructions.len());
        let instance = self.instances.push(InstanceState { function, caller, shared, webs, result });
        self.open.push(instance);
        instance
    }

    fn cells(&mut self, ty: RegisterType) -> Cells {
        (0..ty.elements).map(|_| self.solver.cell()).collect()
    }

    /// The copy of a function that serves a call.
    fn callee(&mut self, caller: Instance, function: FunctionId, direct: bool) -> Instance {
        let mut chain = Some(caller);
        let mut copy = direct && !self.instances[caller].shared && self.copied < COPIED_INSTRUCTIONS;
        while let Some(instance) = chain {
            copy &= self.instances[instance].function != function;
            chain = self.instances[instance].caller;
        }
        if copy {
            return self.add(function, Some(caller), false);
        }
        if let Some(instance) = self.shared.get(&function) {
            return *instance;
        }
        let instance = self.add(function, None, true);
        self.shared.insert(function, instance);
        instance
    }

    fn seeded(&mut self, source: Source) -> Cell {
        let cell = self.solver.cell();
        self.solver.seed(cell, source);
        cell
    }

    /// The cell of an element of a register where an instruction reads or writes it.
    fn element(&self, at: Point, register: RegisterId, element: u32, written: bool) -> Cell {
        let instance = &self.instances[at.instance];
        let web = self.webs[&instance.function].of(at.site.instruction, register, element, written);
        web.map_or(self.number, |web| instance.webs[web])
    }

    fn scalar(&mut self, at: Point, scalar: Scalar, written: bool) -> Cell {
        match scalar {
            Scalar::Register(register) => self.element(at, register, 0, written),
            Scalar::Element(register, element) => self.element(at, register, u32::from(element), written),
            Scalar::Special(SpecialRegister::PrintfBuffer, _) => {
                self.seeded(Source::certain(Root::PrintfBuffer))
            }
            Scalar::Special(..) => self.number,
        }
    }

    /// What an operand that is read holds, a cell for each element; none for what holds no value.
    fn read(&mut self, at: Point, operand: Operand) -> Cells {
        self.operand(at, operand, false)
    }

    fn operand(&mut self, at: Point, operand: Operand, written: bool) -> Cells {
        let elements = |register, first: u32, count: u32| {
            (first..first + count).map(|element| self.element(at, register, element, written)).collect()
        };
        match operand {
            Operand::Scalar(scalar) => smallvec![self.scalar(at, scalar, written)],
            Operand::Vector(register) => elements(register, 0, u32::from(self.elements(at, register))),
            Operand::Swizzle(register, swizzle) => elements(register, swizzle.first(), swizzle.count()),
            Operand::Predicate { register, .. } => elements(register, 0, 1),
            Operand::Immediate(_) | Operand::UnsignedImmediate(_) => smallvec![self.number],
            Operand::Variable(variable) => smallvec![self.seeded(Source::variable(variable, 0))],
            Operand::Function(function) => smallvec![self.seeded(Source::certain(Root::Function(function)))],
            Operand::Address(_) | Operand::Block(_) | Operand::Void => Cells::new(),
        }
    }

    fn body(&self, at: Point) -> Option<&'module Body> {
        self.module.functions[at.site.function].body.as_ref()
    }

    fn elements(&self, at: Point, register: RegisterId) -> u8 {
        self.body(at).map_or(0, |body| body.registers[register].ty.elements)
    }

    fn address(&mut self, at: Point, address: Address) -> Cell {
        let base = match address.base {
            Base::Scalar(scalar) => self.scalar(at, scalar, false),
            Base::Variable(variable) => self.seeded(Source::variable(variable, 0)),
            Base::Parameter(_) => self.number,
        };
        let scalar = match address.offset {
            Offset::Scalar(scalar) => scalar,
            Offset::Immediate(0) => return base,
            Offset::Immediate(bytes) => return self.derived(Rule::Shift(base, i64::from(bytes))),
        };
        let mut offset = self.scalar(at, scalar, false);
        if self.body(at).is_some_and(|body| body.scalar_bits(scalar) <= 32) {
            // It is extended where the base is wider: then it is no whole address.
            offset = self.derived(Rule::Narrow(offset));
        }
        self.derived(Rule::Index(base, offset))
    }

    /// A new cell that a rule fills.
    fn derived(&mut self, rule: Rule) -> Cell {
        let cell = self.solver.cell();
        self.solver.rule(cell, rule);
        cell
    }

    /// Copies element by element, or everything to everything where the numbers of elements differ.
    fn copy(&mut self, to: &[Cell], from: &[Cell]) {
        for (index, target) in to.iter().enumerate() {
            match to.len().cmp(&from.len()) {
                Ordering::Equal => self.solver.rule(*target, Rule::Copy(from[index])),
                Ordering::Less => from.iter().for_each(|part| self.solver.rule(*target, Rule::Joined(*part))),
                Ordering::Greater => {
                    from.iter().for_each(|whole| self.solver.rule(*target, Rule::Somewhere(*whole)));
                }
            }
        }
    }

    fn instruction(&mut self, at: Point, body: &Body, instruction: &Instruction) {
        self.solver.at = Some(at.site);
        let op = instruction.op;
        let operands = body.operands(instruction);
        match flow(op.opcode()) {
            Flow::Nothing => {}
            Flow::Call => self.call(at, body, instruction),
            Flow::Return => {
                let value =
                    operands.iter().rev().find(|operand| !matches!(operand, Operand::Predicate { .. }));
                if let Some(value) = value {
                    let from = self.read(at, *value);
                    let to = self.instances[at.instance].result.clone();
                    self.copy(&to, &from);
                }
            }
            Flow::LoadParameter => self.load_parameter(at, op, operands),
            Flow::Load | Flow::Store | Flow::Atomic => self.memory(at, op, operands),
            pure => self.pure(at, pure, op, operands),
        }
    }

    /// An instruction that only computes.
    fn pure(&mut self, at: Point, flow: Flow, op: Op, operands: &[Operand]) {
        let slots = op.form.entry().form.operands;
        let (mut written, mut read) = (SmallVec::<[Cells; 2]>::new(), SmallVec::<[Cells; 4]>::new());
        for (slot, operand) in slots.iter().zip(operands) {
            let cells = self.operand(at, *operand, slot.written);
            if slot.written { written.push(cells) } else { read.push(cells) }
        }
        let index = usize::from(op.number("index").unwrap_or_default());
        if let ([targets], Some(rule)) = (written.as_slice(), with_constant(op, operands, &read)) {
            self.solver.rule(targets[0], rule);
            return;
        }
        for targets in written {
            let first = read.first().cloned().unwrap_or_default();
            match flow {
                Flow::Move | Flow::ExtractAny | Flow::InsertAny => self.copy(&targets, &first),
                Flow::Extract => self.copy(&targets, part(&first, index, targets.len())),
                Flow::Insert => self.copy(part(&targets, index, first.len()), &first),
                Flow::OneOf(count) => {
                    for source in read.iter().take(count) {
                        let whole = source.len() == 1 && targets.len() > 1;
                        let spread = if whole { smallvec![source[0]; targets.len()] } else { source.clone() };
                        self.copy(&targets, &spread);
                    }
                }
                _ => {
                    for (element, target) in targets.iter().enumerate() {
                        let sources: Cells = read
                            .iter()
                            .filter_map(|cells| cells.get(element).or(cells.first()).copied())
                            .collect();
                        self.combine(*target, flow, &sources);
                    }
                }
            }
        }
    }

    fn combine(&mut self, target: Cell, flow: Flow, sources: &[Cell]) {
        match (flow, sources) {
            (Flow::Sum, [first, rest @ ..]) => {
                let total = rest.iter().fold(*first, |total, next| self.derived(Rule::Sum(total, *next)));
                self.solver.rule(target, Rule::Somewhere(total));
            }
            (Flow::Difference, [left @ .., right]) => {
                let left = left.first().copied().unwrap_or(self.number);
                self.solver.rule(target, Rule::Difference(left, *right));
            }
            (Flow::Mask, [left, right]) => {
                let masked = self.derived(Rule::Sum(*left, *right));
                self.solver.rule(target, Rule::Somewhere(masked));
                // It may have left a number of an address.
                self.solver.seed(target, Source::INTEGER);
            }
            (Flow::Low, [source]) => self.solver.rule(target, Rule::Narrow(*source)),
            (Flow::Mixed(count), [first, rest @ ..]) => {
                let rest = rest.iter().take(count - 1);
                let mix = rest.fold(*first, |mix, next| self.derived(Rule::Mix(mix, *next)));
                self.solver.rule(target, Rule::Somewhere(mix));
            }
            (Flow::MultiplyAdd, [left, right, addend]) => {
                let product = self.derived(Rule::Doubtful(*left));
                self.solver.rule(product, Rule::Doubtful(*right));
                self.solver.rule(target, Rule::Sum(product, *addend));
            }
            (Flow::Number, _) => self.solver.seed(target, Source::INTEGER),
            _ => {
                for source in sources {
                    self.solver.rule(target, Rule::Doubtful(*source));
                }
            }
        }
    }

    fn load_parameter(&mut self, at: Point, op: Op, operands: &[Operand]) {
        let [target, Operand::Address(address)] = operands else { return };
        let Base::Parameter(position) = address.base else { return };
        let bytes = op.ty().map_or(8, |ty| ty.bits() / 8);
        for (element, cell) in self.operand(at, *target, true).into_iter().enumerate() {
            self.solver.loaded.entry((cell, position)).or_insert(at.site);
            let source = match address.offset {
                Offset::Immediate(offset) => {
                    let start = i64::from(offset) + i64::from(bytes) * element as i64;
                    self.solver.roots.parameter(position, start, bytes)
                }
                Offset::Scalar(_) => self.solver.roots.parameter(position, 0, u32::MAX),
            };
            self.solver.seed(cell, source);
        }
    }

    fn memory(&mut self, at: Point, op: Op, operands: &[Operand]) {
        let slots = op.form.entry().form.operands;
        let (mut loads, mut stores, mut address) = (Cells::new(), Cells::new(), self.number);
        for (slot, operand) in slots.iter().zip(operands) {
            match operand {
                Operand::Address(operand) => address = self.address(at, *operand),
                operand if slot.written => loads.extend(self.operand(at, *operand, true)),
                operand => stores.extend(self.read(at, *operand)),
            }
        }
        let both = flow(op.opcode()) == Flow::Atomic;
        let effect = Effect {
            reads: both || !loads.is_empty(),
            writes: both || !stores.is_empty(),
            atomic: both || op.is_atomic(),
            escapes: false,
        };
        let bytes = Some(op.ty().map_or(8, |ty| ty.bits() / 8));
        let space = op.space().unwrap_or(Space::Generic);
        let witness = at.site;
        self.solver.site(Site { witness, space, address, effect, bytes, loads, stores, wild: false });
    }

    fn call(&mut self, at: Point, body: &Body, instruction: &Instruction) {
        let (Some(parts), Some(call)) = (CallParts::of(body, instruction), self.calls.get(&at.site).copied())
        else {
            return;
        };
        let arguments: Vec<Cells> = parts.arguments.iter().map(|argument| self.read(at, *argument)).collect();
        let result = self.operand(at, *parts.result, true);
        let direct = matches!(call.callees, Callees::Direct(_));
        let callees = call.callees.functions();
        for callee in callees.iter().filter(|callee| self.module.functions[**callee].body.is_some()) {
            let called = self.callee(at.instance, *callee, direct);
            for (parameter, argument) in arguments.iter().enumerate() {
                for (element, from) in argument.iter().enumerate() {
                    let web = self.webs[callee].parameter(RegisterId::new(parameter), element as u32);
                    if let Some(web) = web {
                        let to = self.instances[called].webs[web];
                        self.solver.rule(to, Rule::Copy(*from));
                    }
                }
            }
            let from = self.instances[called].result.clone();
            self.copy(&result, &from);
        }
        if callees.is_empty() || callees.iter().any(|callee| self.module.functions[*callee].body.is_none()) {
            self.unknown_code(at.site, result, arguments.concat().into());
        }
    }

    /// Code that is not there may do anything with its arguments and with all that it can find.
    fn unknown_code(&mut self, witness: Witness, loads: Cells, stores: Cells) {
        let effect = Effect { reads: true, writes: true, atomic: true, escapes: false };
        let anywhere = self.seeded(Source::UNKNOWN);
        let addresses = std::iter::once(anywhere).chain(stores.iter().copied());
        for address in addresses.collect::<Cells>() {
            let (loads, stores) = (loads.clone(), stores.clone());
            let space = Space::Generic;
            let site = Site { witness, space, address, effect, bytes: None, loads, stores, wild: false };
            self.solver.site(site);
        }
    }
}

/// What an instruction makes of a source and a constant, where the constant tells.
fn with_constant(op: Op, operands: &[Operand], read: &[Cells]) -> Option<Rule> {
    let (source, constant) = match operands {
        [_, Operand::Scalar(_), Operand::Immediate(constant)] => (0, *constant),
        [_, Operand::Immediate(constant), Operand::Scalar(_)] => (1, *constant),
        _ => return None,
    };
    let from = *read.get(source)?.first()?;
    let bits = op.ty()?.bits();
    let bytes = if bits == 32 { i64::from(constant as i32) } else { constant as i64 };
    let moves = matches!(bits, 32 | 64) && !op.has("dsat");
    match op.opcode() {
        Opcode::Arithmetic(Arithmetic::Iadd) if moves => Some(Rule::Shift(from, bytes)),
        Opcode::Arithmetic(Arithmetic::Isub) if moves && source == 0 => {
            Some(Rule::Shift(from, bytes.wrapping_neg()))
        }
        // What keeps low bits only leaves a number, or a half of an address.
        Opcode::Logical(Logical::And) if constant >> (bits / 2) == 0 => Some(Rule::Doubtful(from)),
        Opcode::Logical(Logical::And) => Some(Rule::Somewhere(from)),
        _ => None,
    }
}

/// Some elements of a vector, as far as it has them.
fn part(cells: &[Cell], first: usize, count: usize) -> &[Cell] {
    cells.get(first..(first + count).min(cells.len())).unwrap_or_default()
}
