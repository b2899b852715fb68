//! From the bodies of a kernel and the functions it calls to constraints between their values.
//!
//! A function is followed once for each call of it, so that a helper that reads one buffer and writes another is
//! not taken to write both. Beyond a limit, in recursion and for calls through registers one copy serves all calls.

use std::collections::BTreeMap;

use cranelift_entity::{PrimaryMap, entity_impl};

use super::Effect;
use super::flow::{Flow, flow};
use super::solve::{Cell, Rule, Site, Solver};
use super::source::{Root, Source};
use crate::analysis::call_graph::CallParts;
use crate::analysis::{Call, CallGraph, Callees, Witness, reachable_instructions};
use crate::isa::{Op, Space, SpecialRegister};
use crate::module::{
    Address, Base, Body, FunctionId, Instruction, Module, Offset, Operand, RegisterType, Scalar,
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
    /// The cells of each register.
    registers: Vec<Vec<Cell>>,
    /// The cells of its result.
    result: Vec<Cell>,
}

/// Builds the constraints.
pub(super) struct Follower<'module, 'solver> {
    module: &'module Module,
    solver: &'solver mut Solver<'module>,
    calls: BTreeMap<Witness, &'module Call>,
    instances: PrimaryMap<Instance, InstanceState>,
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
            shared: BTreeMap::new(),
            open: Vec::new(),
            number,
            copied: 0,
        };
        follower.add(graph.kernel, None, false);
        while let Some(instance) = follower.open.pop() {
            let function = follower.instances[instance].function;
            for (site, body, instruction) in reachable_instructions(module, function) {
                follower.instruction(instance, site, body, instruction);
            }
        }
    }

    fn add(&mut self, function: FunctionId, caller: Option<Instance>, shared: bool) -> Instance {
        let body = self.module.functions[function].body.as_ref();
        let registers = body.into_iter().flat_map(|body| body.registers.values());
        let registers = registers.map(|register| self.cells(register.ty)).collect();
        let result = self.module.functions[function].signature().and_then(|signature| signature.result);
        let result = result.map_or_else(Vec::new, |ty| self.cells(ty));
        self.copied += body.map_or(0, |body| body.instructions.len());
        let instance = self.instances.push(InstanceState { function, caller, shared, registers, result });
        self.open.push(instance);
        instance
    }

    fn cells(&mut self, ty: RegisterType) -> Vec<Cell> {
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

    fn scalar(&mut self, instance: Instance, scalar: Scalar) -> Cell {
        match scalar {
            Scalar::Register(register) => self.instances[instance].registers[register.as_u32() as usize][0],
            Scalar::Element(register, element) => {
                self.instances[instance].registers[register.as_u32() as usize][usize::from(element)]
            }
            Scalar::Special(SpecialRegister::PrintfBuffer, _) => {
                self.seeded(Source::certain(Root::PrintfBuffer))
            }
            Scalar::Special(..) => self.number,
        }
    }

    /// The cells of an operand, one for each element; none for what holds no value.
    fn operand(&mut self, instance: Instance, operand: Operand) -> Vec<Cell> {
        match operand {
            Operand::Scalar(scalar) => vec![self.scalar(instance, scalar)],
            Operand::Vector(register) => {
                self.instances[instance].registers[register.as_u32() as usize].clone()
            }
            Operand::Swizzle(register, swizzle) => {
                let cells = &self.instances[instance].registers[register.as_u32() as usize];
                let first = swizzle.first() as usize;
                cells[first..first + swizzle.count() as usize].to_vec()
            }
            Operand::Immediate(_) | Operand::UnsignedImmediate(_) => vec![self.number],
            Operand::Predicate { register, .. } => {
                self.instances[instance].registers[register.as_u32() as usize].clone()
            }
            Operand::Variable(variable) => vec![self.seeded(Source::certain(Root::Variable(variable)))],
            Operand::Function(function) => vec![self.seeded(Source::certain(Root::Function(function)))],
            Operand::Address(_) | Operand::Block(_) | Operand::Void => Vec::new(),
        }
    }

    fn address(&mut self, instance: Instance, address: Address) -> Cell {
        let base = match address.base {
            Base::Scalar(scalar) => self.scalar(instance, scalar),
            Base::Variable(variable) => self.seeded(Source::certain(Root::Variable(variable))),
            Base::Parameter(_) => self.number,
        };
        match address.offset {
            Offset::Immediate(_) => base,
            Offset::Scalar(scalar) => {
                let (offset, sum) = (self.scalar(instance, scalar), self.solver.cell());
                // An offset of 32 bits is extended: it is no global address.
                let widened = self.solver.cell();
                self.solver.rule(widened, Rule::Narrow(offset));
                let bits = self.module.functions[self.instances[instance].function].body.as_ref();
                let narrow = bits.is_some_and(|body| body.scalar_bits(scalar) <= 32);
                self.solver.rule(sum, Rule::Sum(base, if narrow { widened } else { offset }));
                sum
            }
        }
    }

    /// Copies element by element, or everything to everything where the numbers of elements differ.
    fn copy(&mut self, to: &[Cell], from: &[Cell]) {
        for (index, target) in to.iter().enumerate() {
            let same = to.len() == from.len();
            let sources = if same { &from[index..=index] } else { from };
            for source in sources {
                self.solver.rule(*target, Rule::Copy(*source));
            }
        }
    }

    fn instruction(&mut self, instance: Instance, site: Witness, body: &Body, instruction: &Instruction) {
        let op = instruction.op;
        let operands = body.operands(instruction);
        match flow(op.opcode()) {
            Flow::Nothing => {}
            Flow::Call => self.call(instance, site, body, instruction),
            Flow::Return => {
                let value =
                    operands.iter().rev().find(|operand| !matches!(operand, Operand::Predicate { .. }));
                if let Some(value) = value {
                    let from = self.operand(instance, *value);
                    let to = self.instances[instance].result.clone();
                    self.copy(&to, &from);
                }
            }
            Flow::LoadParameter => self.load_parameter(instance, op, operands),
            Flow::Load | Flow::Store | Flow::Atomic => self.memory(instance, site, op, operands),
            pure => self.pure(instance, pure, op, operands),
        }
    }

    /// An instruction that only computes.
    fn pure(&mut self, instance: Instance, flow: Flow, op: Op, operands: &[Operand]) {
        let slots = op.form.entry().form.operands;
        let (mut written, mut read) = (Vec::new(), Vec::new());
        for (slot, operand) in slots.iter().zip(operands) {
            let cells = self.operand(instance, *operand);
            if slot.written { &mut written } else { &mut read }.push(cells);
        }
        let index = usize::from(op.number("index").unwrap_or_default());
        for targets in written {
            let first = read.first().cloned().unwrap_or_default();
            match flow {
                Flow::Move | Flow::ExtractAny | Flow::InsertAny => self.copy(&targets, &first),
                Flow::Extract => self.copy(&targets, part(&first, index, targets.len())),
                Flow::Insert => self.copy(part(&targets, index, first.len()), &first),
                Flow::OneOf(count) => {
                    for source in read.iter().take(count) {
                        let whole = source.len() == 1 && targets.len() > 1;
                        let spread = if whole { vec![source[0]; targets.len()] } else { source.clone() };
                        self.copy(&targets, &spread);
                    }
                }
                _ => {
                    for (element, target) in targets.iter().enumerate() {
                        let sources: Vec<Cell> = read
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
                let mut total = *first;
                for source in rest {
                    let next = self.solver.cell();
                    self.solver.rule(next, Rule::Sum(total, *source));
                    total = next;
                }
                self.solver.rule(target, Rule::Copy(total));
            }
            (Flow::MultiplyAdd, [left, right, addend]) => {
                let product = self.solver.cell();
                self.solver.rule(product, Rule::Doubtful(*left));
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

    fn load_parameter(&mut self, instance: Instance, op: Op, operands: &[Operand]) {
        let [target, Operand::Address(address)] = operands else { return };
        let Base::Parameter(position) = address.base else { return };
        let bytes = op.ty().map_or(8, |ty| ty.bits() / 8);
        for (element, cell) in self.operand(instance, *target).into_iter().enumerate() {
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

    fn memory(&mut self, instance: Instance, witness: Witness, op: Op, operands: &[Operand]) {
        let slots = op.form.entry().form.operands;
        let (mut loads, mut stores, mut address) = (Vec::new(), Vec::new(), self.number);
        for (slot, operand) in slots.iter().zip(operands) {
            match operand {
                Operand::Address(operand) => address = self.address(instance, *operand),
                operand if slot.written => loads.extend(self.operand(instance, *operand)),
                operand => stores.extend(self.operand(instance, *operand)),
            }
        }
        let both = flow(op.opcode()) == Flow::Atomic;
        let effect = Effect {
            reads: both || !loads.is_empty(),
            writes: both || !stores.is_empty(),
            atomic: both || op.is_atomic(),
            escapes: false,
        };
        let bits = op.ty().map_or(64, |ty| ty.bits());
        let space = op.space().unwrap_or(Space::Generic);
        self.solver.site(Site { witness, space, address, effect, bits, loads, stores, wild: false });
    }

    fn call(&mut self, instance: Instance, site: Witness, body: &Body, instruction: &Instruction) {
        let (Some(parts), Some(call)) = (CallParts::of(body, instruction), self.calls.get(&site).copied())
        else {
            return;
        };
        let arguments: Vec<Vec<Cell>> =
            parts.arguments.iter().map(|argument| self.operand(instance, *argument)).collect();
        let result = self.operand(instance, *parts.result);
        let direct = matches!(call.callees, Callees::Direct(_));
        let callees = call.callees.functions();
        for callee in callees.iter().filter(|callee| self.module.functions[**callee].body.is_some()) {
            let called = self.callee(instance, *callee, direct);
            for (parameter, argument) in arguments.iter().enumerate() {
                let to = self.instances[called].registers[parameter].clone();
                self.copy(&to, argument);
            }
            let from = self.instances[called].result.clone();
            self.copy(&result, &from);
        }
        if callees.is_empty() || callees.iter().any(|callee| self.module.functions[*callee].body.is_none()) {
            self.unknown_code(site, result, arguments.concat());
        }
    }

    /// Code that is not there may do anything with its arguments and with all that it can find.
    fn unknown_code(&mut self, witness: Witness, loads: Vec<Cell>, stores: Vec<Cell>) {
        let effect = Effect { reads: true, writes: true, atomic: true, escapes: false };
        let anywhere = self.seeded(Source::UNKNOWN);
        let addresses = std::iter::once(anywhere).chain(stores.iter().copied());
        for address in addresses.collect::<Vec<_>>() {
            let (loads, stores) = (loads.clone(), stores.clone());
            let space = Space::Generic;
            self.solver.site(Site { witness, space, address, effect, bits: 64, loads, stores, wild: false });
        }
    }
}

/// Some elements of a vector, as far as it has them.
fn part(cells: &[Cell], first: usize, count: usize) -> &[Cell] {
    cells.get(first..(first + count).min(cells.len())).unwrap_or_default()
}
