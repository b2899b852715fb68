//! Registers that hold the same in all sub-groups of a work-group, whenever they wait at a barrier.

use std::collections::BTreeSet;

use campanile_core::analysis::{BodyDivergence, Divergence};
use campanile_core::isa::{DataMovement, Opcode};
use campanile_core::module::{Body, Instruction, RegisterId, keys};

use super::function::Home;
use super::program::Program;
use super::recomputation::written_registers;
use super::regions::Start;
use super::value::Form;

/// Those of the live registers of a kernel that are the same in all sub-groups behind each of its barriers; none if
/// sub-groups may wait at different barriers.
pub(super) fn registers(
    program: &Program<'_>,
    body: &Body,
    barriers: &[Start],
    live: &BTreeSet<RegisterId>,
) -> Option<BTreeSet<RegisterId>> {
    let kernel = program.kernel;
    let together = Divergence::of_work_group(program.module, kernel, program.launch);
    let found = together.body(kernel)?;
    if !barriers.iter().all(|start| found.is_whole(start.block)) {
        return None;
    }
    let parted = parted_registers(body, found);
    let mut alike: BTreeSet<RegisterId> =
        live.iter().copied().filter(|register| !parted.contains(register)).collect();
    alike.retain(|register| has_uniform_home(program, body, *register));
    for start in barriers {
        let mut cursor = together.cursor(program.module, kernel)?;
        cursor.enter(start.block);
        (body.blocks[start.block].first..start.instruction).for_each(|_| cursor.advance());
        alike.retain(|register| {
            let mut elements = 0..u32::from(body.registers[*register].ty.elements);
            elements
                .all(|element| cursor.shape(*register, element).linear().is_some_and(|one| one.is_uniform()))
        });
    }
    Some(alike)
}

/// The registers that some work-items may write and others not, so that they may be undefined in these.
fn parted_registers(body: &Body, found: &BodyDivergence) -> BTreeSet<RegisterId> {
    let is_sure = |instruction: &Instruction| {
        !matches!(
            instruction.op.opcode(),
            Opcode::ControlFlow(_) | Opcode::CrossLane(_) | Opcode::DataMovement(DataMovement::InsertDynamic)
        )
    };
    let mut parted = BTreeSet::new();
    for block in keys(&body.blocks) {
        let is_full = found.is_full(block);
        let instructions = body.block_instructions(block).iter();
        let unsure = instructions.filter(|instruction| !is_full || !is_sure(instruction));
        parted.extend(unsure.flat_map(|instruction| written_registers(body, instruction)));
    }
    parted
}

/// Whether a register is kept as one value for the whole sub-group.
fn has_uniform_home(program: &Program<'_>, body: &Body, register: RegisterId) -> bool {
    let Some(found) = program.divergence.body(program.kernel) else { return false };
    let mut elements = 0..u32::from(body.registers[register].ty.elements);
    elements.all(|element| matches!(Home::of(found.storage(register, element)), Home::Rows(Form::UNIFORM)))
}
