//! Where the result of a sub-group operation may depend on where lanes come together again, which OpenCL leaves to
//! the device.
//!
//! Lanes that have parted at a branch and follow it to an operation are the same on every device. Where ways that have
//! parted come together before all lanes do, PISA says who is there and OpenCL does not.

use std::collections::BTreeSet;

use campanile_core::analysis::{BodyDivergence, ControlFlowGraph, Divergence, LaunchShape};
use campanile_core::diagnostic::{Code as DiagnosticCode, Diagnostic};
use campanile_core::isa::CrossLane;
use campanile_core::isa::Opcode;
use campanile_core::module::{BlockId, Body};
use cranelift_entity::EntityRef;

use super::plan::{Plan, meets_lanes};

/// Warnings about such operations, one for each.
pub(super) fn warnings(plan: &Plan<'_>) -> Vec<Diagnostic> {
    let module = plan.module;
    let mut found = Vec::new();
    let mut told = BTreeSet::new();
    for (kernel, functions) in plan.reached() {
        if !plan.meets_lanes(kernel) {
            continue;
        }
        let divergence = Divergence::new(module, kernel, LaunchShape::default());
        for function in functions {
            let (Some(body), Some(facts)) = (&module.functions[*function].body, divergence.body(*function))
            else {
                continue;
            };
            let source = &module.sources[module.functions[*function].place.source];
            for block in rejoining(body, facts) {
                for instruction in body.block_instructions(block) {
                    let operands = body.operands(instruction);
                    if asks_others(instruction.op.opcode(), instruction, operands)
                        && told.insert((*function, instruction.first_operand))
                    {
                        let message = format!(
                            "the result of `{}` depends on where lanes come together, which the device decides",
                            instruction.op
                        );
                        found.push(
                            Diagnostic::new(DiagnosticCode::DeviceDecides, source, instruction.span, message)
                                .help("move it to where all work-items of the sub-group come"),
                        );
                    }
                }
            }
        }
    }
    found
}

/// Whether an instruction depends on which other lanes are active. A lane's own number does not.
fn asks_others(
    opcode: Opcode,
    instruction: &campanile_core::module::Instruction,
    operands: &[campanile_core::module::Operand],
) -> bool {
    use campanile_core::isa::SpecialRegister;
    matches!(
        opcode,
        Opcode::CrossLane(CrossLane::Fred | CrossLane::Ired | CrossLane::Redfirstidx | CrossLane::Shfl)
    ) || meets_lanes(instruction, operands)
        && operands.iter().any(|operand| super::plan::reads(operand, &[SpecialRegister::ActiveMask]))
}

/// The blocks that some lanes may execute without the others, after ways have come together.
fn rejoining(body: &Body, facts: &BodyDivergence) -> Vec<BlockId> {
    let graph = ControlFlowGraph::new(body);
    let blocks: Vec<BlockId> = graph.reverse_post_order().to_vec();
    let is_partial = |block: BlockId| facts.has_given_up() || !facts.is_full(block);
    let mut joins = vec![false; body.blocks.len()];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for block in blocks
            .iter()
            .filter(|block| is_partial(**block) && !joins[block.index()])
            .copied()
            .collect::<Vec<_>>()
        {
            let before = graph.predecessors(block);
            if before.len() > 1 || before.iter().any(|before| joins[before.index()]) {
                joins[block.index()] = true;
                changed = true;
            }
        }
    }
    blocks.into_iter().filter(|block| joins[block.index()]).collect()
}
