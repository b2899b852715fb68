//! Which functions a kernel reaches: by calls, by taking their addresses, through variables that hold addresses.
//!
//! A call through a register may reach every function of its signature whose address is taken anywhere in the
//! module: an earlier launch can have left the address in memory.

use std::collections::{BTreeMap, BTreeSet};

use super::{Witness, reachable_instructions};
use crate::isa::{ControlFlow, Opcode};
use crate::module::{
    Base, Body, FunctionId, InitializerItem, Instruction, Module, Operand, Scalar, Signature, VariableId,
};

/// What a call may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callees {
    /// The function it names.
    Direct(FunctionId),
    /// The functions whose address is taken and whose signature fits, for a call through a register.
    Indirect(Vec<FunctionId>),
}

impl Callees {
    /// The functions.
    pub fn functions(&self) -> &[FunctionId] {
        match self {
            Callees::Direct(function) => std::slice::from_ref(function),
            Callees::Indirect(functions) => functions,
        }
    }
}

/// A call in a function that the kernel reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The call.
    pub site: Witness,
    /// What it may reach.
    pub callees: Callees,
}

/// What stands in the way of running a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallGraphFault {
    /// Several functions call one another in a circle.
    MutualRecursion {
        /// The functions of the circle.
        functions: Vec<FunctionId>,
        /// The calls among them, without those of a function to itself.
        calls: Vec<Witness>,
        /// Whether the circle closes only if a call through a register reaches one of them.
        indirect: bool,
    },
    /// A function is reached that another module defines.
    UnresolvedImport {
        /// The function.
        function: FunctionId,
        /// An instruction that names it; none if only an initializer does.
        reference: Option<Witness>,
    },
}

/// The functions that a kernel reaches.
#[derive(Clone, Debug)]
pub struct CallGraph {
    /// The kernel.
    pub kernel: FunctionId,
    /// The calls of all reached functions, in the order of functions and instructions.
    pub calls: Vec<Call>,
    /// The strongly connected components of the calls, callees first. The kernel is the last one it reaches by
    /// calls; functions that only have their address taken may follow.
    pub components: Vec<Vec<FunctionId>>,
    /// The variables that reached functions name, and those whose address these hold.
    pub variables: BTreeSet<VariableId>,
    references: BTreeMap<FunctionId, Option<Witness>>,
    imports: Vec<FunctionId>,
}

impl CallGraph {
    /// The call graph of a kernel.
    pub fn new(module: &Module, kernel: FunctionId) -> Self {
        let mut search = Search { module, taken: None, variables: BTreeSet::new(), open: vec![] };
        let mut references = BTreeMap::new();
        let mut calls = BTreeMap::new();
        search.open.push((kernel, None));
        while let Some((function, reference)) = search.open.pop() {
            if let std::collections::btree_map::Entry::Vacant(vacant) = references.entry(function) {
                vacant.insert(reference);
                calls.insert(function, search.function(function));
            }
        }
        let components = components(kernel, &calls);
        let has_no_body = |function: &FunctionId| module.functions[*function].body.is_none();
        CallGraph {
            kernel,
            components,
            variables: search.variables,
            imports: references.keys().copied().filter(has_no_body).collect(),
            references,
            calls: calls.into_values().flatten().collect(),
        }
    }

    /// The calls of a function.
    pub fn calls_of(&self, function: FunctionId) -> impl Iterator<Item = &Call> {
        let start = self.calls.partition_point(|call| call.site.function < function);
        self.calls[start..].iter().take_while(move |call| call.site.function == function)
    }

    /// Every function that the kernel reaches, callees first, and the kernel itself.
    pub fn reached(&self) -> impl DoubleEndedIterator<Item = FunctionId> {
        self.components.iter().flatten().copied()
    }

    /// Every function that the kernel reaches, callees first, without the kernel.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> {
        self.reached().filter(|function| *function != self.kernel)
    }

    /// All that stands in the way of running the kernel: imports first, in the order of functions.
    pub fn faults(&self) -> impl Iterator<Item = CallGraphFault> {
        let imports = self.imports.iter().map(|function| CallGraphFault::UnresolvedImport {
            function: *function,
            reference: self.references[function],
        });
        let circles = self.components.iter().filter(|component| component.len() > 1);
        imports.chain(circles.map(|component| self.circle(component)))
    }

    fn circle(&self, component: &[FunctionId]) -> CallGraphFault {
        let inside = |call: &&Call| {
            let (from, to) = (call.site.function, call.callees.functions());
            component.contains(&from) && to.iter().any(|callee| *callee != from && component.contains(callee))
        };
        let direct: BTreeMap<FunctionId, Vec<Call>> = component
            .iter()
            .map(|function| {
                let is_direct = |call: &&Call| matches!(call.callees, Callees::Direct(_));
                (*function, self.calls_of(*function).filter(is_direct).cloned().collect())
            })
            .collect();
        let closes = components(component[0], &direct).iter().any(|component| component.len() > 1);
        let mut functions = component.to_vec();
        functions.sort();
        CallGraphFault::MutualRecursion {
            functions,
            calls: self.calls.iter().filter(inside).map(|call| call.site).collect(),
            indirect: !closes,
        }
    }
}

/// Every function that a kernel reaches, callees first, without the kernel; or the first fault in its call graph.
pub fn device_functions(module: &Module, kernel: FunctionId) -> Result<Vec<FunctionId>, CallGraphFault> {
    let graph = CallGraph::new(module, kernel);
    let fault = graph.faults().next();
    fault.map_or_else(|| Ok(graph.functions().collect()), Err)
}

/// The walk from a kernel over all it names.
struct Search<'module> {
    module: &'module Module,
    /// Functions whose address is taken anywhere; found when the first call through a register asks.
    taken: Option<BTreeSet<FunctionId>>,
    variables: BTreeSet<VariableId>,
    /// Functions to visit, each with the instruction that names it.
    open: Vec<(FunctionId, Option<Witness>)>,
}

impl Search<'_> {
    /// Notes all that a function names; returns its calls.
    fn function(&mut self, function: FunctionId) -> Vec<Call> {
        let mut calls = Vec::new();
        for (site, body, instruction) in reachable_instructions(self.module, function) {
            let operands = body.operands(instruction);
            for operand in operands {
                match *operand {
                    Operand::Function(named) => self.open.push((named, Some(site))),
                    Operand::Variable(variable) => self.variable(variable),
                    Operand::Address(address) => {
                        if let Base::Variable(variable) = address.base {
                            self.variable(variable);
                        }
                    }
                    Operand::Scalar(_)
                    | Operand::Vector(_)
                    | Operand::Swizzle(..)
                    | Operand::Immediate(_)
                    | Operand::UnsignedImmediate(_)
                    | Operand::Predicate { .. }
                    | Operand::Block(_)
                    | Operand::Void => {}
                }
            }
            if let Some(parts) = CallParts::of(body, instruction) {
                let callees = match *parts.target {
                    Operand::Function(callee) => Callees::Direct(callee),
                    _ => Callees::Indirect(self.candidates(&parts.signature(body))),
                };
                self.open.extend(callees.functions().iter().map(|callee| (*callee, Some(site))));
                calls.push(Call { site, callees });
            }
        }
        calls
    }

    /// Notes a variable and what its initial contents point to.
    fn variable(&mut self, variable: VariableId) {
        let mut open = vec![variable];
        while let Some(variable) = open.pop() {
            if !self.variables.insert(variable) {
                continue;
            }
            let initializer = self.module.variables[variable].initializer.iter();
            for item in initializer.flat_map(|initializer| &initializer.items) {
                match *item {
                    InitializerItem::Variable { variable, .. } => open.push(variable),
                    InitializerItem::Function { function, .. } => self.open.push((function, None)),
                    InitializerItem::Value { .. } | InitializerItem::Zero(_) => {}
                }
            }
        }
    }

    fn candidates(&mut self, signature: &Signature) -> Vec<FunctionId> {
        let module = self.module;
        let taken = self.taken.get_or_insert_with(|| address_taken(module));
        let fits = |function: &FunctionId| module.functions[*function].signature() == Some(signature);
        taken.iter().copied().filter(fits).collect()
    }
}

/// Functions whose address is taken, by code or by an initializer.
fn address_taken(module: &Module) -> BTreeSet<FunctionId> {
    let mut taken = BTreeSet::new();
    for variable in module.variables.values() {
        for item in variable.initializer.iter().flat_map(|initializer| &initializer.items) {
            if let InitializerItem::Function { function, .. } = item {
                taken.insert(*function);
            }
        }
    }
    for body in module.functions.values().filter_map(|function| function.body.as_ref()) {
        let calls = Opcode::ControlFlow(ControlFlow::Call);
        for instruction in body.instructions.iter().filter(|instruction| instruction.op.opcode() != calls) {
            taken.extend(body.operands(instruction).iter().filter_map(|operand| match operand {
                Operand::Function(function) => Some(*function),
                _ => None,
            }));
        }
    }
    taken
}

/// The operands of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallParts<'body> {
    /// The condition of `call.cond`.
    pub condition: Option<&'body Operand>,
    /// Where the value goes, or `void`.
    pub result: &'body Operand,
    /// The function or the register that holds its address.
    pub target: &'body Operand,
    /// The arguments.
    pub arguments: &'body [Operand],
}

impl<'body> CallParts<'body> {
    /// The parts of a call; none for any other instruction.
    pub fn of(body: &'body Body, instruction: &Instruction) -> Option<Self> {
        if instruction.op.opcode() != Opcode::ControlFlow(ControlFlow::Call) {
            return None;
        }
        let (condition, rest) = body.conditional(instruction);
        match rest {
            [result, target, arguments @ ..] => Some(CallParts { condition, result, target, arguments }),
            _ => None,
        }
    }

    /// The signature that the called function has.
    fn signature(&self, body: &Body) -> Signature {
        let ty = |operand: &Operand| match *operand {
            Operand::Scalar(Scalar::Register(register)) | Operand::Vector(register) => {
                Some(body.registers[register].ty)
            }
            _ => None,
        };
        Signature { parameters: self.arguments.iter().filter_map(ty).collect(), result: ty(self.result) }
    }
}

/// Strongly connected components of the calls, callees first; what `first` reaches comes before all others.
fn components(first: FunctionId, calls: &BTreeMap<FunctionId, Vec<Call>>) -> Vec<Vec<FunctionId>> {
    let mut tarjan = Tarjan { calls, states: BTreeMap::new(), stack: vec![], components: vec![] };
    for function in std::iter::once(first).chain(calls.keys().copied()) {
        if !tarjan.states.contains_key(&function) {
            tarjan.visit(function);
        }
    }
    tarjan.components
}

/// Tarjan's algorithm with a stack of its own: chains of calls may be long.
struct Tarjan<'calls> {
    calls: &'calls BTreeMap<FunctionId, Vec<Call>>,
    /// For each function seen: the number of the earliest open function it is known to reach; none once closed.
    states: BTreeMap<FunctionId, Option<usize>>,
    stack: Vec<FunctionId>,
    components: Vec<Vec<FunctionId>>,
}

impl Tarjan<'_> {
    fn enter(&mut self, function: FunctionId) -> Frame {
        let number = self.states.len();
        self.states.insert(function, Some(number));
        self.stack.push(function);
        let calls = self.calls.get(&function).into_iter().flatten();
        let callees = calls.flat_map(|call| call.callees.functions()).copied();
        let inside = callees.filter(|callee| self.calls.contains_key(callee)).rev();
        Frame { function, number, callees: inside.collect() }
    }

    fn visit(&mut self, function: FunctionId) {
        let mut frames = vec![self.enter(function)];
        while let Some(frame) = frames.last_mut() {
            let function = frame.function;
            if let Some(callee) = frame.callees.last().copied() {
                match self.states.get(&callee).copied() {
                    None => {
                        let frame = self.enter(callee);
                        frames.push(frame);
                        continue;
                    }
                    Some(low) => self.lower(function, low),
                }
                frame.callees.pop();
                continue;
            }
            if self.states[&function] == Some(frame.number) {
                let start = self.stack.iter().rposition(|open| *open == function).unwrap_or_default();
                let component = self.stack.split_off(start);
                self.states.extend(component.iter().map(|closed| (*closed, None)));
                self.components.push(component);
            }
            frames.pop();
        }
    }

    fn lower(&mut self, function: FunctionId, low: Option<usize>) {
        if let (Some(Some(own)), Some(low)) = (self.states.get_mut(&function), low) {
            *own = low.min(*own);
        }
    }
}

/// A function under way: its number and the callees still to be looked at, the next one last.
struct Frame {
    function: FunctionId,
    number: usize,
    callees: Vec<FunctionId>,
}
