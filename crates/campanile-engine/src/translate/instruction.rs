//! Instructions: which step each one becomes.

use campanile_core::isa::{Arithmetic, Compare, CrossLane as CrossLaneOpcode, Opcode, Synchronization};
use campanile_core::isa::{Order, Scope};
use campanile_core::module::{Instruction, Operand};

use super::FunctionTranslator;
use crate::meaning;
use crate::program::{Care, Compute, CrossLane, Select, Slots, Source, Step};

impl FunctionTranslator<'_> {
    /// The step of an instruction.
    pub(super) fn step(&self, instruction: &Instruction) -> Step {
        let operands = self.body.operands(instruction);
        match instruction.op.opcode() {
            Opcode::Arithmetic(opcode) => self.arithmetic(opcode, instruction),
            Opcode::FloatingPoint(_) | Opcode::Logical(_) => self.compute(instruction, Care::None),
            Opcode::DataMovement(opcode) => self.data_movement(opcode, instruction),
            Opcode::Compare(opcode) => self.compare(opcode, instruction),
            Opcode::ControlFlow(opcode) => self.control_flow(opcode, instruction),
            Opcode::CrossLane(opcode) => self.cross_lane(opcode, instruction),
            Opcode::Memory(opcode) => self.memory(opcode, instruction.op, operands),
            Opcode::Synchronization(opcode) => synchronization(opcode, instruction),
        }
    }

    fn arithmetic(&self, opcode: Arithmetic, instruction: &Instruction) -> Step {
        match opcode {
            Arithmetic::Sdiv | Arithmetic::Udiv => self.compute(instruction, Care::Divisor),
            Arithmetic::Dp4a
            | Arithmetic::Iabs
            | Arithmetic::Iadd
            | Arithmetic::Ineg
            | Arithmetic::Isub
            | Arithmetic::Smad
            | Arithmetic::Smax
            | Arithmetic::Smin
            | Arithmetic::Smul
            | Arithmetic::Uaddc
            | Arithmetic::Usubb
            | Arithmetic::Umad
            | Arithmetic::Umax
            | Arithmetic::Umin
            | Arithmetic::Umul => self.compute(instruction, Care::None),
        }
    }

    fn compare(&self, opcode: Compare, instruction: &Instruction) -> Step {
        match opcode {
            Compare::Scmp | Compare::Ucmp | Compare::Fcmp => self.compute(instruction, Care::None),
            Compare::Sel => {
                let [result, yes, no, condition] = self.body.operands(instruction) else {
                    unreachable!("`sel` has four operands")
                };
                Step::Select(Box::new(Select {
                    result: self.written(result),
                    values: [self.source(yes), self.source(no)],
                    condition: self.source(condition),
                }))
            }
        }
    }

    /// The operands of an instruction, parted in sources and results.
    fn parted(&self, instruction: &Instruction) -> (Vec<Source>, Vec<Slots>) {
        let expected = instruction.op.expected_operands();
        let (mut sources, mut results) = (Vec::new(), Vec::new());
        for (expected, operand) in expected.iter().zip(self.body.operands(instruction)) {
            if expected.written {
                results.push(self.written(operand));
            } else {
                sources.push(self.source(operand));
            }
        }
        (sources, results)
    }

    /// A computation lane by lane, as `meaning` knows it.
    pub(super) fn compute(&self, instruction: &Instruction, care: Care) -> Step {
        let (sources, results) = self.parted(instruction);
        let meaning = meaning::meaning(instruction.op);
        let meaning = meaning.unwrap_or_else(|| unreachable!("`{}` has no meaning", instruction.op));
        Step::Compute(Box::new(Compute { meaning, sources, results, care }))
    }

    fn cross_lane(&self, opcode: CrossLaneOpcode, instruction: &Instruction) -> Step {
        let mask = match opcode {
            CrossLaneOpcode::Fred | CrossLaneOpcode::Ired => 1,
            CrossLaneOpcode::Redfirstidx => 0,
            CrossLaneOpcode::Shfl => 2,
        };
        let (sources, results) = self.parted(instruction);
        let [result] = results[..] else { unreachable!("one result") };
        let meaning = meaning::cross_lane(instruction.op);
        let meaning = meaning.unwrap_or_else(|| unreachable!("`{}` has no meaning", instruction.op));
        let opcode = instruction.op.opcode();
        Step::CrossLane(Box::new(CrossLane { meaning, sources, result, mask, opcode }))
    }
}

fn synchronization(opcode: Synchronization, instruction: &Instruction) -> Step {
    match opcode {
        Synchronization::BarrierWorkgroup => Step::Barrier,
        Synchronization::Fence => Step::Fence {
            order: match instruction.op.order() {
                Order::Weak => Order::AcquireRelease,
                order => order,
            },
            scope: instruction.op.scope().unwrap_or(Scope::Subgroup),
        },
    }
}

/// The only operand.
pub(super) fn only(operands: &[Operand]) -> &Operand {
    let [operand] = operands else { unreachable!("one operand") };
    operand
}
