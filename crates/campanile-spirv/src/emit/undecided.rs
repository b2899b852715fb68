//! What PISA says and OpenCL leaves to the device: where lanes that have parted come together again, in which order they
//! call different functions, and what becomes of a barrier when work-items have returned.
//!
//! Lanes that have parted at a branch and follow it to an operation are the same on every device. Where ways that have
//! parted come together before all lanes do, PISA says who is there and OpenCL does not.

use std::collections::BTreeSet;

use campanile_core::analysis::{
    BodyDivergence, CallGraph, Callees, ControlFlowGraph, Divergence, LaunchShape, Witness, rejoined,
};
use campanile_core::diagnostic::{Code, Diagnostic};
use campanile_core::isa::{ControlFlow, Memory, Opcode, Synchronization};
use campanile_core::module::{BlockId, Body, FunctionId, Instruction, Module, Operand, Place, Scalar};
use cranelift_entity::EntityRef;

use super::plan::Plan;
use crate::feature::Feature;

/// Something that the device decides.
pub(super) struct Undecided {
    /// What a device must have for PISA's answer.
    pub feature: Feature,
    /// The instruction.
    pub place: Place,
    message: String,
    help: &'static str,
}

impl Undecided {
    /// The warning about it.
    pub fn warning(&self, module: &Module) -> Diagnostic {
        let source = &module.sources[self.place.source];
        Diagnostic::new(Code::DeviceDecides, source, self.place.span, &*self.message).help(self.help)
    }
}

/// All that the device decides, each instruction once.
pub(super) fn undecided(plan: &Plan<'_>) -> Vec<Undecided> {
    let module = plan.module;
    let mut found = Vec::new();
    for calls in plan.all_calls() {
        let kernel = calls.kernel;
        let orders = orders(module, calls);
        let has_barrier = has(module, kernel, is_barrier) && returns_early(module, kernel);
        if !plan.meets_lanes(kernel) && orders.is_empty() && !has_barrier {
            continue;
        }
        let divergence = Divergence::new(module, kernel, LaunchShape::default());
        for function in calls.reached() {
            let (Some(body), Some(facts)) = (&module.functions[function].body, divergence.body(function))
            else {
                continue;
            };
            let look = Look { module, function, body, graph: plan.control_flow(function), facts };
            found.extend(look.operations());
            if function == kernel {
                found.extend(look.barriers());
            }
            let sites = orders.iter().filter(|site| site.function == function);
            found.extend(sites.filter_map(|site| look.call(*site)));
        }
    }
    let mut told = BTreeSet::new();
    found.retain(|one| told.insert((one.place.source, one.place.span.start)));
    found
}

/// The calls of a kernel, and of what it reaches, whose order others see.
fn orders(module: &Module, calls: &CallGraph) -> Vec<Witness> {
    calls.calls.iter().filter(|call| order_matters(module, &call.callees)).map(|call| call.site).collect()
}

fn is_barrier(instruction: &Instruction) -> bool {
    instruction.op.opcode() == Opcode::Synchronization(Synchronization::BarrierWorkgroup)
}

/// Whether a kernel ends from elsewhere than its last instruction, so that it is worth asking who has returned at a barrier.
fn returns_early(module: &Module, kernel: FunctionId) -> bool {
    let Some(body) = &module.functions[kernel].body else { return false };
    let end = BlockId::new(body.blocks.len() - 1);
    let ends = |instruction: &Instruction| match instruction.op.opcode() {
        Opcode::ControlFlow(ControlFlow::Return) => true,
        _ => body.operands(instruction).contains(&Operand::Block(end)),
    };
    body.instructions.iter().rev().skip(1).any(ends)
}

/// Whether an instruction of a function is as asked for.
fn has(module: &Module, function: FunctionId, is: impl Fn(&Instruction) -> bool) -> bool {
    module.functions[function].body.as_ref().is_some_and(|body| body.instructions.iter().any(is))
}

/// Whether a call may reach several functions that others see at work.
fn order_matters(module: &Module, callees: &Callees) -> bool {
    let Callees::Indirect(functions) = callees else { return false };
    let is_seen = |instruction: &Instruction| {
        matches!(instruction.op.opcode(), Opcode::Memory(Memory::Iatom | Memory::Fatom))
    };
    functions.len() > 1 && functions.iter().any(|function| has(module, *function, is_seen))
}

/// A look at one function.
struct Look<'l> {
    module: &'l Module,
    function: FunctionId,
    body: &'l Body,
    graph: &'l ControlFlowGraph,
    facts: &'l BodyDivergence,
}

impl Look<'_> {
    fn at(
        &self,
        feature: Feature,
        instruction: &Instruction,
        message: String,
        help: &'static str,
    ) -> Undecided {
        let source = self.module.functions[self.function].place.source;
        Undecided { feature, place: Place { source, span: instruction.span }, message, help }
    }

    /// Sub-group operations of which it is not certain who takes part.
    fn operations(&self) -> Vec<Undecided> {
        let mut found = Vec::new();
        for instruction in rejoined(self.body, self.graph, self.facts) {
            let op = instruction.op;
            let message = format!(
                "the result of `{op}` depends on where lanes come together, which the device decides"
            );
            let help = "move it to where all work-items of the sub-group come";
            found.push(self.at(Feature::TextOrder, instruction, message, help));
        }
        found
    }

    /// Barriers before which some work-items of the group may have returned.
    fn barriers(&self) -> Vec<Undecided> {
        let graph = self.graph;
        let mut found = Vec::new();
        for block in graph.reverse_post_order() {
            if !self.facts.has_given_up() && !self.facts.waiting(*block).contains(&graph.exit()) {
                continue;
            }
            let instructions = self.body.block_instructions(*block);
            for instruction in instructions.iter().filter(|one| is_barrier(one)) {
                let message = "work-items that have returned do not come to this barrier, for which OpenCL says nothing";
                let help = "let them go on to the end, and leave out what they should not do";
                found.push(self.at(Feature::ReturnedWorkItems, instruction, message.to_owned(), help));
            }
        }
        found
    }

    /// A call of several functions, in an order that others see.
    fn call(&self, site: Witness) -> Option<Undecided> {
        let instruction = site.instruction(self.module)?;
        let registers = self.body.operands(instruction).iter().filter_map(|operand| match operand {
            Operand::Scalar(Scalar::Register(register)) => Some(*register),
            _ => None,
        });
        // The target is among the registers of the call.
        let mut varying = registers.filter(|register| !self.facts.storage(*register, 0).is_uniform());
        varying.next()?;
        let message =
            "lanes may call different functions here, in an order that the device decides".to_owned();
        Some(self.at(Feature::TextOrder, instruction, message, "let the order of these functions not matter"))
    }
}
