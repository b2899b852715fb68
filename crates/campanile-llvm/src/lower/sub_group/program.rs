//! What all functions of a kernel share: where variables lie, how functions are called, which operations the host does.

use std::collections::BTreeMap;

use campanile_core::analysis::{Divergence, LaunchShape};
use campanile_core::isa::Op;
use campanile_core::module::{BlockId, FunctionId, Module, RegisterId};
use cranelift_entity::EntityRef;

use super::function::Home;
use super::objects::Objects;
use super::regions::Regions;
use super::value::Form;
use super::waiting::Waiting;
use crate::lower::places::Places;
use crate::lower::{Instrumentation, Specialization, Target};

/// A kernel with all that it reaches.
pub(super) struct Program<'p> {
    pub module: &'p Module,
    pub kernel: FunctionId,
    pub divergence: &'p Divergence,
    pub places: Places,
    pub launch: LaunchShape,
    pub specialization: &'p Specialization,
    pub objects: Objects,
    pub target: &'p Target,
    /// Operations that the host does, by number.
    pub operations: Vec<Op>,
    /// Functions that compute what takes many instructions, by name.
    pub subroutines: BTreeMap<String, String>,
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
        let places = Places::of(module, kernel, instrumentation.bounds);
        let mut program = Program {
            module,
            kernel,
            divergence,
            objects: Objects::of(module, &places.calls, specialization),
            places,
            launch: specialization.shape,
            specialization,
            target,
            operations: vec![],
            subroutines: BTreeMap::new(),
            waiting: Waiting::Never,
            regions: None,
            instrumentation,
            sites: vec![],
            counted: vec![],
        };
        program.waiting = Waiting::of(&program);
        program
    }

    /// The number of a guarded access.
    pub fn site(&mut self, function: FunctionId, instruction: u32) -> usize {
        number(&mut self.sites, (function, instruction))
    }

    /// The number of a counted block.
    pub fn counted(&mut self, function: FunctionId, block: BlockId) -> usize {
        number(&mut self.counted, (function, block))
    }

    /// Whether private memory is used at all.
    pub fn has_private(&self) -> bool {
        !self.places.private.is_empty()
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
}

/// The number of something, which is added to those that have one.
fn number<T: PartialEq>(numbered: &mut Vec<T>, one: T) -> usize {
    numbered.iter().position(|known| *known == one).unwrap_or_else(|| {
        numbered.push(one);
        numbered.len() - 1
    })
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
