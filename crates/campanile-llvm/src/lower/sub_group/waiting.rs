//! How sub-groups of a work-group wait for one another.

use campanile_core::isa::{ControlFlow, Memory, Opcode, Synchronization};
use campanile_core::module::{Address, Base, BlockId, Body, Instruction, Offset, Operand, Scalar, keys};

use super::program::Program;

/// How sub-groups of a work-group wait for one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    /// They do not.
    Never,
    /// At barriers of the kernel alone: these are ways out of its function, and back into it.
    AtBarriers,
    /// As above, in the function that has these ways.
    Suspended,
    /// At barriers of the kernel, between its regions.
    BetweenRegions,
    /// Anywhere: the host lets them take turns, each on a stack of its own.
    InTurns,
}

impl Waiting {
    /// How the sub-groups of a kernel wait.
    pub fn of(program: &Program<'_>) -> Waiting {
        let mut waiting = Waiting::Never;
        let calls_read = program.places.functions.iter().any(|function| {
            let body = program.module.functions[*function].body.as_ref();
            *function != program.kernel && body.is_some_and(reads_atomically)
        });
        for &function in &program.places.functions {
            let Some(body) = &program.module.functions[function].body else { continue };
            let barrier = Opcode::Synchronization(Synchronization::BarrierWorkgroup);
            let has_barrier = body.instructions.iter().any(|instruction| instruction.op.opcode() == barrier);
            if has_barrier && function != program.kernel || spins(body, calls_read) {
                return Waiting::InTurns;
            }
            if has_barrier {
                waiting = Waiting::AtBarriers;
            }
        }
        waiting
    }
}

/// Whether any loop of a body may wait for what another sub-group does.
fn spins(body: &Body, calls_read: bool) -> bool {
    keys(&body.blocks).any(|block| {
        let mut targets = body.successors(block);
        targets.any(|target| target <= block && may_spin(body, target, block, calls_read))
    })
}

/// Whether a body reads memory atomically.
fn reads_atomically(body: &Body) -> bool {
    body.instructions.iter().any(|instruction| match instruction.op.opcode() {
        Opcode::Memory(Memory::Ld) => instruction.op.is_atomic(),
        Opcode::Memory(Memory::Iatom | Memory::Fatom) => true,
        _ => false,
    })
}

/// Whether the blocks from the target of a jump back on, up to that which jumps, read atomically what they then use.
/// `calls_read` says whether functions do so.
pub(super) fn may_spin(body: &Body, target: BlockId, from: BlockId, calls_read: bool) -> bool {
    if target > from {
        return false;
    }
    let (first, end) = (body.blocks[target].first as usize, body.blocks[from].end as usize);
    let instructions = &body.instructions[first..end];
    instructions.iter().any(|instruction| match instruction.op.opcode() {
        Opcode::Memory(Memory::Ld) => instruction.op.is_atomic(),
        Opcode::Memory(Memory::Iatom | Memory::Fatom) => is_read(body, instruction, instructions),
        Opcode::ControlFlow(ControlFlow::Call) => calls_read,
        _ => false,
    })
}

/// Whether the result of an instruction is read by any of some instructions.
fn is_read(body: &Body, instruction: &Instruction, by: &[Instruction]) -> bool {
    let [Operand::Scalar(Scalar::Register(result) | Scalar::Element(result, _)), ..] =
        body.operands(instruction)
    else {
        return true;
    };
    by.iter().any(|other| {
        let expected = other.op.expected_operands();
        body.operands(other).iter().enumerate().any(|(index, operand)| {
            let written = expected.get(index).is_some_and(|one| one.written);
            let is_result = |scalar: &Scalar| {
                matches!(scalar, Scalar::Register(one) | Scalar::Element(one, _) if one == result)
            };
            match operand {
                Operand::Scalar(scalar) => !written && is_result(scalar),
                Operand::Vector(one) | Operand::Swizzle(one, _) => !written && one == result,
                Operand::Address(Address { base, offset }) => {
                    matches!(base, Base::Scalar(base) if is_result(base))
                        || matches!(offset, Offset::Scalar(offset) if is_result(offset))
                }
                _ => false,
            }
        })
    })
}
