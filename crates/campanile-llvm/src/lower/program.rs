//! What all functions of a kernel share: where variables lie, how functions are called, which operations the host does.

use std::collections::{BTreeMap, BTreeSet};

use campanile_core::analysis::{CallGraph, Callees, Divergence, LaunchShape};
use campanile_core::isa::{Op, Space};
use campanile_core::module::{BlockId, FunctionId, Module, RegisterId, VariableId};
use campanile_engine::{VariablePlace, private_places, shared_places};
use cranelift_entity::EntityRef;

use super::function::Home;
use super::objects::Objects;
use super::regions::Regions;
use super::value::Form;
use super::waiting::Waiting;
use super::{Instrumentation, Specialization, Target};

/// Least alignment of private variables, so that aligned accesses of all widths have whole words.
const PRIVATE_ALIGNMENT: u64 = 16;

/// Private memory that an activation of a recursive function takes at least, so that endless recursion ends.
const RECURSIVE_FRAME: u64 = 1 << 10;

/// A kernel with all that it reaches.
pub(super) struct Program<'p> {
    pub module: &'p Module,
    pub kernel: FunctionId,
    pub divergence: &'p Divergence,
    pub calls: CallGraph,
    pub launch: LaunchShape,
    pub specialization: &'p Specialization,
    pub objects: Objects,
    pub target: &'p Target,
    /// Operations that the host does, by number.
    pub operations: Vec<Op>,
    /// Functions that compute what takes many instructions, by name.
    pub subroutines: BTreeMap<String, String>,
    /// Shared addresses of variables.
    pub shared: BTreeMap<VariableId, u64>,
    /// Bytes of shared memory of all variables.
    pub shared_bytes: u64,
    /// Places of private variables in the activation of their function.
    pub private: BTreeMap<VariableId, u64>,
    /// Bytes of private memory of an activation.
    pub frames: BTreeMap<FunctionId, u64>,
    /// Functions that may be active several times in one sub-group.
    pub recursive: BTreeSet<FunctionId>,
    /// How sub-groups wait for one another.
    pub waiting: Waiting,
    /// The regions of the kernel, if it is cut at its barriers.
    pub regions: Option<Regions>,
    pub instrumentation: Instrumentation,
    /// Accesses that are guarded, by number.
    pub sites: Vec<(FunctionId, u32)>,
    /// Blocks whose executions are counted, by number.
    pub counted: Vec<(FunctionId, BlockId)>,
}

/// How an element of a parameter or result is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// As the bases of its rows.
    Rows(u32, Form),
    /// As a vector.
    Vector(u32),
}

impl Passing {
    /// The types of what is passed.
    pub fn types(self) -> Vec<String> {
        match self {
            Passing::Rows(bits, form) => vec![format!("i{bits}"); form.count() as usize],
            Passing::Vector(bits) => vec![format!("<32 x i{bits}>")],
        }
    }
}

impl<'p> Program<'p> {
    pub fn new(
        module: &'p Module,
        kernel: FunctionId,
        divergence: &'p Divergence,
        specialization: &'p Specialization,
        target: &'p Target,
        instrumentation: Instrumentation,
    ) -> Self {
        let calls = CallGraph::new(module, kernel);
        let mut program = Program {
            module,
            kernel,
            divergence,
            objects: Objects::of(module, &calls, specialization),
            calls,
            launch: specialization.shape,
            specialization,
            target,
            operations: vec![],
            subroutines: BTreeMap::new(),
            shared: BTreeMap::new(),
            shared_bytes: 0,
            private: BTreeMap::new(),
            frames: BTreeMap::new(),
            recursive: BTreeSet::new(),
            waiting: Waiting::Never,
            regions: None,
            instrumentation,
            sites: vec![],
            counted: vec![],
        };
        program.recursive = program.recursive_functions();
        program.waiting = Waiting::of(&program);
        match instrumentation.bounds {
            true => program.place_variables_apart(),
            false => program.place_variables(),
        }
        program
    }

    /// The functions with a body, callees first.
    pub fn functions(&self) -> Vec<FunctionId> {
        let all = self.calls.components.iter().flatten().copied();
        all.filter(|function| self.divergence.body(*function).is_some()).collect()
    }

    fn recursive_functions(&self) -> BTreeSet<FunctionId> {
        let calls_itself = |function: FunctionId| {
            let own = self.calls.calls.iter().filter(|call| call.site.function == function);
            own.flat_map(|call| call.callees.functions()).any(|callee| *callee == function)
        };
        let components = self.calls.components.iter();
        let recursive =
            components.filter(|members| members.len() > 1 || members.iter().any(|one| calls_itself(*one)));
        recursive.flatten().copied().collect()
    }

    fn place_variables(&mut self) {
        let mut shared_end = 0;
        for function in self.functions() {
            let Some(body) = &self.module.functions[function].body else { continue };
            let mut private_end = 0;
            for id in &body.variables {
                let variable = &self.module.variables[*id];
                let alignment = PRIVATE_ALIGNMENT.max(u64::from(variable.alignment));
                match variable.space {
                    Space::Shared => place(&mut self.shared, *id, &mut shared_end, variable.size, alignment),
                    Space::Private => {
                        place(&mut self.private, *id, &mut private_end, variable.size, alignment)
                    }
                    Space::Global | Space::Const | Space::Generic => {}
                }
            }
            let least = if self.recursive.contains(&function) { RECURSIVE_FRAME } else { 0 };
            self.frames.insert(function, private_end.next_multiple_of(PRIVATE_ALIGNMENT).max(least));
        }
        self.shared_bytes = shared_end;
    }

    /// Places variables where the checked engine has them, with room between them.
    fn place_variables_apart(&mut self) {
        let places = |places: Vec<VariablePlace>| places.into_iter().map(|one| (one.variable, one.start));
        let functions = self.functions();
        let (shared, end) = shared_places(self.module, &functions);
        self.shared.extend(places(shared));
        self.shared_bytes = end;
        for function in functions {
            let Some(body) = &self.module.functions[function].body else { continue };
            let (private, bytes) = private_places(self.module, body);
            self.private.extend(places(private));
            let least = if self.recursive.contains(&function) { RECURSIVE_FRAME } else { 0 };
            self.frames.insert(function, bytes.max(least));
        }
    }

    /// The number of a guarded access.
    pub fn site(&mut self, function: FunctionId, instruction: u32) -> usize {
        number(&mut self.sites, (function, instruction))
    }

    /// The number of a counted block.
    pub fn counted(&mut self, function: FunctionId, block: BlockId) -> usize {
        number(&mut self.counted, (function, block))
    }

    /// Bytes of private memory that a work-item may need; none if that depends on the depth of recursion.
    pub fn private_bytes(&self) -> Option<u64> {
        if !self.recursive.is_empty() {
            return None;
        }
        let mut needed: BTreeMap<FunctionId, u64> = BTreeMap::new();
        for function in self.functions() {
            let calls = self.calls.calls.iter().filter(|call| call.site.function == function);
            let callees = calls.flat_map(|call| call.callees.functions());
            let below = callees.filter_map(|callee| needed.get(callee)).max().copied().unwrap_or(0);
            needed.insert(function, self.frames[&function] + below);
        }
        needed.get(&self.kernel).copied()
    }

    /// Whether private memory is used at all.
    pub fn has_private(&self) -> bool {
        !self.private.is_empty()
    }

    /// The number of an operation that the host does.
    pub fn operation(&mut self, op: Op) -> usize {
        number(&mut self.operations, op)
    }

    /// The name of a function in the text.
    pub fn name(&self, function: FunctionId) -> String {
        let name = &self.module.functions[function].name;
        let plain = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' });
        format!("f{}.{}", function.index(), plain.collect::<String>())
    }

    /// How the elements of a function's parameters are passed.
    pub fn parameters(&self, function: FunctionId) -> Vec<Passing> {
        let Some(found) = self.divergence.body(function) else { return vec![] };
        let signature = self.module.functions[function].signature().cloned().unwrap_or_default();
        let mut passing = vec![];
        for (index, ty) in signature.parameters.iter().enumerate() {
            for element in 0..u32::from(ty.elements) {
                let storage = found.storage(RegisterId::new(index), element);
                passing.push(match Home::of(storage) {
                    Home::Rows(form) => Passing::Rows(ty.bits.into(), form),
                    Home::Both(_) | Home::Vector => Passing::Vector(ty.bits.into()),
                });
            }
        }
        passing
    }

    /// How the elements of a function's result are passed back.
    pub fn results(&self, function: FunctionId) -> Vec<Passing> {
        let Some(found) = self.divergence.body(function) else { return vec![] };
        let result = self.module.functions[function].signature().and_then(|signature| signature.result);
        let Some(ty) = result else { return vec![] };
        let shapes = found.result();
        let passing = shapes.map(|shape| match shape.is_uniform() {
            true => Passing::Rows(ty.bits.into(), Form::UNIFORM),
            false => Passing::Vector(ty.bits.into()),
        });
        passing.collect()
    }

    /// The functions that a call may reach.
    pub fn callees(&self, function: FunctionId, instruction: u32) -> Vec<FunctionId> {
        let mut calls = self.calls.calls.iter();
        let call = calls.find(|call| call.site.function == function && call.site.instruction == instruction);
        match call.map(|call| &call.callees) {
            Some(Callees::Direct(callee)) => vec![*callee],
            Some(Callees::Indirect(callees)) => callees.clone(),
            None => vec![],
        }
    }
}

/// The number of something, which is added to those that have one.
fn number<T: PartialEq>(numbered: &mut Vec<T>, one: T) -> usize {
    numbered.iter().position(|known| *known == one).unwrap_or_else(|| {
        numbered.push(one);
        numbered.len() - 1
    })
}

fn place(places: &mut BTreeMap<VariableId, u64>, id: VariableId, end: &mut u64, size: u64, alignment: u64) {
    let start = end.next_multiple_of(alignment);
    places.insert(id, start);
    *end = start + size;
}

/// The type of what a function returns.
pub(super) fn result_type(results: &[Passing]) -> String {
    let types: Vec<String> = results.iter().flat_map(|passing| passing.types()).collect();
    match &types[..] {
        [] => "void".to_owned(),
        [only] => only.clone(),
        several => format!("{{ {} }}", several.join(", ")),
    }
}
