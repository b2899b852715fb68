//! What can be known of a program without running it: pure functions of a verified module.
//!
//! [`call_graph`](CallGraph) says which functions a kernel needs, [`provenance`](Provenance) where the addresses it
//! uses come from, [`access_facts`] what it may do to the memory behind each of its parameters, and [`requirements()`]
//! what it needs of a device. All of them err on one side only: what they exclude cannot happen in a program whose
//! accesses stay within their objects, and whose sums are based on what looks most like an address: a declared pointer
//! before a scalar or a value loaded from memory, and these before what has been scaled.
//!
//! For those who generate code, [`ControlFlowGraph`] knows dominators and loops, [`Liveness`] which registers may still
//! be read, and [`Divergence`] which values are the same in all lanes of a sub-group and where lanes are apart. [`Strides`]
//! forecasts how addresses move on in loops. [`rejoined`] tells which operations depend on where lanes come together, [`waits`] which loops wait for others.
//! [`separate_registers`] gives each use of a register that is used again one of its own, of which they then know more.

mod access;
mod call_graph;
mod control_flow_graph;
mod divergence;
mod liveness;
mod provenance;
mod rejoining;
mod requirements;
mod separation;
mod strides;
mod touches;
mod waiting;
mod webs;

pub use access::{
    AccessFacts, ParameterFacts, PointerFacts, access_facts, access_facts_of, access_facts_packed,
};
pub use call_graph::{Call, CallGraph, CallGraphFault, CallParts, Callees, device_functions};
pub use control_flow_graph::{ControlFlowGraph, Dominators, Region, RegionId, Regions};
pub use divergence::{BodyDivergence, Cursor, Divergence, LaunchShape, Linear, Shape};
pub use liveness::Liveness;
pub use provenance::{Access, Effect, Packing, Provenance, Root, way_from_parameter};
pub use rejoining::{asks_others, rejoined};
pub use requirements::{Requirements, requirements};
pub use separation::separate_registers;
pub use strides::{Stride, Strides};
pub use waiting::waits;

use crate::module::{Body, FunctionId, Instruction, Module, Place};

/// The instruction that shows a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Witness {
    /// The kernel or function that holds it.
    pub function: FunctionId,
    /// Its index in [`Body::instructions`].
    pub instruction: u32,
}

impl Witness {
    /// Where the instruction stands.
    pub fn place(self, module: &Module) -> Place {
        let function = &module.functions[self.function];
        let span = self.instruction(module).map_or(function.place.span, |instruction| instruction.span);
        Place { source: function.place.source, span }
    }

    /// The instruction; none in a function without body.
    pub fn instruction(self, module: &Module) -> Option<&Instruction> {
        let body = module.functions[self.function].body.as_ref()?;
        body.instructions.get(self.instruction as usize)
    }
}

/// The instructions of a function's reachable blocks, each with its place.
fn reachable_instructions(
    module: &Module,
    function: FunctionId,
) -> impl Iterator<Item = (Witness, &Body, &Instruction)> {
    module.functions[function].body.iter().flat_map(move |body| {
        let reached = body.reachable_blocks();
        let blocks = body.blocks.values().zip(reached).filter(|(_, reached)| *reached);
        blocks.flat_map(move |(block, _)| {
            (block.first..block.end).map(move |instruction| {
                (Witness { function, instruction }, body, &body.instructions[instruction as usize])
            })
        })
    })
}
