//! Which elements of registers are written on every way to a place: claims about others mean nothing.

use std::collections::BTreeSet;

use campanile_core::analysis::ControlFlowGraph;
use campanile_core::isa::{ControlFlow, CrossLane, DataMovement, Opcode};
use campanile_core::module::{BlockId, Body, Function, Instruction, Operand, RegisterId, Scalar};

/// Elements of registers.
pub type Elements = BTreeSet<(RegisterId, u32)>;

/// The elements that are written on every way to the start of each block.
pub fn at_starts(function: &Function, body: &Body, graph: &ControlFlowGraph) -> Vec<Option<Elements>> {
    let mut starts: Vec<Option<Elements>> = vec![None; body.blocks.len()];
    let count = function.signature().map_or(0, |signature| signature.parameters.len());
    let parameters = body.registers.iter().take(count);
    let parameters = parameters
        .flat_map(|(id, register)| (0..u32::from(register.ty.elements)).map(move |element| (id, element)));
    starts[0] = Some(parameters.collect());
    let mut open: Vec<BlockId> = graph.reverse_post_order().iter().rev().copied().collect();
    while let Some(block) = open.pop() {
        let Some(mut defined) = starts[block.as_u32() as usize].clone() else { continue };
        for instruction in body.block_instructions(block) {
            defined.extend(written(body, instruction, true));
        }
        for next in graph.successors(block) {
            let start = &mut starts[next.as_u32() as usize];
            let all = match start {
                None => defined.clone(),
                Some(start) => start.intersection(&defined).copied().collect(),
            };
            if start.as_ref() != Some(&all) {
                *start = Some(all);
                open.push(*next);
            }
        }
    }
    starts
}

/// The elements that an instruction writes, or that it writes whatever its operands are.
pub fn written(body: &Body, instruction: &Instruction, surely: bool) -> Elements {
    let op = instruction.op;
    let operands = body.operands(instruction);
    let perhaps = match op.opcode() {
        Opcode::ControlFlow(ControlFlow::Call) => op.has("cond"),
        Opcode::DataMovement(opcode) => opcode == DataMovement::InsertDynamic,
        Opcode::CrossLane(opcode) => opcode != CrossLane::Redfirstidx,
        _ => false,
    };
    if perhaps && surely {
        return Elements::new();
    }
    let slots = op.form.entry().form.operands;
    let is_call = op.opcode() == Opcode::ControlFlow(ControlFlow::Call);
    let is_written = |position: usize| match is_call {
        true => position == usize::from(op.has("cond")),
        false => slots.get(position).is_some_and(|slot| slot.written),
    };
    let written = operands.iter().enumerate().filter(|(position, _)| is_written(*position));
    written.flat_map(|(_, operand)| elements(body, instruction, operand)).collect()
}

fn elements(body: &Body, instruction: &Instruction, operand: &Operand) -> Vec<(RegisterId, u32)> {
    let (register, first, count) = match *operand {
        Operand::Scalar(Scalar::Register(register)) | Operand::Predicate { register, .. } => (register, 0, 1),
        Operand::Scalar(Scalar::Element(register, element)) => (register, u32::from(element), 1),
        Operand::Swizzle(register, swizzle) => (register, swizzle.first(), swizzle.count()),
        Operand::Vector(register)
            if instruction.op.opcode() == Opcode::DataMovement(DataMovement::Insert) =>
        {
            let count = match body.operands(instruction)[1] {
                Operand::Vector(part) => u32::from(body.registers[part].ty.elements),
                _ => 1,
            };
            (register, u32::from(instruction.op.number("index").unwrap_or_default()), count)
        }
        Operand::Vector(register) => (register, 0, u32::from(body.registers[register].ty.elements)),
        _ => return Vec::new(),
    };
    (first..first + count).map(|element| (register, element)).collect()
}
