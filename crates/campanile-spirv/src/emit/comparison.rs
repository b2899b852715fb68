//! Comparison and selection (spec chapter 5 of the instruction set).

use campanile_core::isa::{Compare, Comparison};
use campanile_core::module::Instruction;
use rspirv::spirv::Op;

use super::code::Code;
use super::float::Format;
use super::function::FunctionEmitter;
use super::instruction::writes_predicate;
use super::value::{Bits, Truth};

impl FunctionEmitter<'_, '_, '_> {
    pub(super) fn comparison(&mut self, opcode: Compare, instruction: &Instruction) {
        let op = instruction.op;
        if opcode == Compare::Sel {
            return self.selection(instruction);
        }
        let comparison = op.comparison().unwrap_or(Comparison::Equal);
        let format = Format::of(op.ty());
        let flush = op.has("ftz");
        let holds = move |code: &mut Code<'_>, a: Bits, b: Bits| match opcode {
            Compare::Scmp => code.compare(signed_relation(comparison), a, b),
            Compare::Ucmp => code.compare(unsigned_relation(comparison), a, b),
            _ => {
                let [a, b] = [a, b].map(|pattern| {
                    let pattern = if flush { format.flushed(code, pattern) } else { pattern };
                    format.widened(code, pattern)
                });
                code.compare_numbers(number_relation(comparison), a, b)
            }
        };
        if writes_predicate(instruction) {
            let sources = self.sources(instruction);
            let truth = holds(&mut self.code, sources[0][0], sources[1][0]);
            return self.assign_truth(&self.body.operands(instruction)[0], truth);
        }
        let width = instruction.op.expected_operands()[0].bits;
        self.elementwise(instruction, |emitter, sources| {
            let truth = holds(&mut emitter.code, sources[0], sources[1]);
            emitter.code.ones_if(truth, width)
        });
    }

    /// `sel`.
    fn selection(&mut self, instruction: &Instruction) {
        let [result, yes, no, selector] = self.body.operands(instruction) else {
            unreachable!("`sel` has four operands")
        };
        let width = instruction.op.expected_operands()[1].bits;
        let condition: Truth = self.condition(selector);
        let [yes, no] = [yes, no].map(|value| self.single(value, width));
        let chosen = self.code.select(condition, yes, no);
        self.assign(result, &[chosen]);
    }
}

fn signed_relation(comparison: Comparison) -> Op {
    match comparison {
        Comparison::Equal => Op::IEqual,
        Comparison::NotEqual => Op::INotEqual,
        Comparison::Greater => Op::SGreaterThan,
        Comparison::GreaterEqual => Op::SGreaterThanEqual,
        Comparison::Less => Op::SLessThan,
        Comparison::LessEqual => Op::SLessThanEqual,
    }
}

fn unsigned_relation(comparison: Comparison) -> Op {
    match comparison {
        Comparison::Equal => Op::IEqual,
        Comparison::NotEqual => Op::INotEqual,
        Comparison::Greater => Op::UGreaterThan,
        Comparison::GreaterEqual => Op::UGreaterThanEqual,
        Comparison::Less => Op::ULessThan,
        Comparison::LessEqual => Op::ULessThanEqual,
    }
}

/// With a NaN only `.ne` holds.
fn number_relation(comparison: Comparison) -> Op {
    match comparison {
        Comparison::Equal => Op::FOrdEqual,
        Comparison::NotEqual => Op::FUnordNotEqual,
        Comparison::Greater => Op::FOrdGreaterThan,
        Comparison::GreaterEqual => Op::FOrdGreaterThanEqual,
        Comparison::Less => Op::FOrdLessThan,
        Comparison::LessEqual => Op::FOrdLessThanEqual,
    }
}
