//! Sub-group communication (spec chapter 7 of the instruction set).
//!
//! Of the other lanes, a lane only learns who is active and what one of them holds. All active lanes ask together, for one
//! lane after another.

use campanile_core::isa::{CrossLane, FloatFormat, FloatingPoint, Op, Operation, Type};
use campanile_core::module::Instruction;

use super::function::{FunctionLowering, alloca_space};
use crate::lower::compute::writer::{Width, constant};
use crate::lower::compute::{combination, layout};

const WIDTH: Width = Width::One;

impl FunctionLowering<'_> {
    pub(super) fn cross_lane(&mut self, opcode: CrossLane, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let mask = operands.last().map(|mask| self.operand(mask, 32).remove(0)).unwrap_or_default();
        let active = self.platform.ballot(self, "1");
        let participants = self.code.binary(WIDTH, "and", 32, &active, &mask);
        if opcode == CrossLane::Redfirstidx {
            let first = self.code.writer.call("i32", "llvm.cttz.i32", &[("i32", &participants), ("i1", "0")]);
            return self.write_all(&operands[0], vec![first]);
        }
        let op = instruction.op;
        let lane = self.platform.lane(self);
        let results = match opcode {
            CrossLane::Shfl => {
                let value = self.operand(&operands[1], 32).remove(0);
                let control = self.operand(&operands[2], 32).remove(0);
                let source = self.code.source_lane(op, WIDTH, &lane, &control, Some(&participants));
                vec![self.platform.read_lane(self, &value, &source)]
            }
            _ => {
                let bits = op.ty().map_or(32, Type::element_bits);
                let values = self.operand(&operands[1], bits);
                self.reduce(op, bits, &values, &active, &participants)
            }
        };
        let takes_part = self.bit(&participants, &lane);
        for ((register, element), result) in self.places(&operands[0]).into_iter().zip(results) {
            let (old, bits) = (self.read(register, element), self.bits(register));
            let new = self.code.select(WIDTH, &takes_part, bits, &result, &old);
            self.write(register, element, new);
        }
    }

    /// The bit of a mask that stands for a lane.
    fn bit(&mut self, mask: &str, lane: &str) -> String {
        let down = self.code.binary(WIDTH, "lshr", 32, mask, lane);
        self.code.resize(WIDTH, &down, 32, 1)
    }

    /// Combines the values of the participants, in ascending order. Each lane goes by its own mask.
    fn reduce(
        &mut self,
        op: Op,
        bits: u32,
        values: &[String],
        active: &str,
        participants: &str,
    ) -> Vec<String> {
        let space = self.platform.stack();
        let name = |what: &str| format!("%{what}.{}", self.position);
        let (rest, any) = (name("rest"), name("any"));
        let sums: Vec<String> = (0..values.len()).map(|place| format!("{}.{place}", name("sum"))).collect();
        let allocation = alloca_space(space);
        self.memory.push(format!("{rest} = alloca i32{allocation}"));
        self.memory.push(format!("{any} = alloca i1{allocation}"));
        self.memory.extend(sums.iter().map(|sum| format!("{sum} = alloca i{bits}{allocation}")));
        let prepared: Vec<String> = values.iter().map(|value| self.prepared(op, bits, value)).collect();
        self.code.writer.line(&format!("store i32 {active}, ptr{space} {rest}"));
        self.code.writer.line(&format!("store i1 0, ptr{space} {any}"));
        let [next, done] = ["next", "combined"].map(|stem| self.code.writer.label(stem));
        self.code.writer.line(&format!("br label %{next}"));
        self.code.writer.place(&next);
        let left = self.code.writer.value(&format!("load i32, ptr{space} {rest}"));
        let lane = self.code.writer.call("i32", "llvm.cttz.i32", &[("i32", &left), ("i1", "1")]);
        let takes_part = self.bit(participants, &lane);
        let is_later = self.code.writer.value(&format!("load i1, ptr{space} {any}"));
        for (sum, value) in sums.iter().zip(&prepared) {
            let other = self.read_wide(bits, value, &lane);
            let before = self.code.writer.value(&format!("load i{bits}, ptr{space} {sum}"));
            let combined = self.combined(op, bits, &before, &other);
            let after = self.code.select(WIDTH, &is_later, bits, &combined, &other);
            let after = self.code.select(WIDTH, &takes_part, bits, &after, &before);
            self.code.writer.line(&format!("store i{bits} {after}, ptr{space} {sum}"));
        }
        let is_later = self.code.binary(WIDTH, "or", 1, &is_later, &takes_part);
        self.code.writer.line(&format!("store i1 {is_later}, ptr{space} {any}"));
        let less = self.code.binary(WIDTH, "sub", 32, &left, "1");
        let left = self.code.binary(WIDTH, "and", 32, &left, &less);
        self.code.writer.line(&format!("store i32 {left}, ptr{space} {rest}"));
        let none = self.code.compare(WIDTH, "eq", 32, &left, "0");
        self.code.writer.line(&format!("br i1 {none}, label %{done}, label %{next}"));
        self.code.writer.place(&done);
        sums.iter().map(|sum| self.code.writer.value(&format!("load i{bits}, ptr{space} {sum}"))).collect()
    }

    /// What a lane holds, of so many bits; all active lanes ask for the same one.
    fn read_wide(&mut self, bits: u32, value: &str, lane: &str) -> String {
        if bits <= 32 {
            let value = self.code.resize(WIDTH, value, bits, 32);
            let read = self.platform.read_same_lane(self, &value, lane);
            return self.code.resize(WIDTH, &read, 32, bits);
        }
        let low = self.code.resize(WIDTH, value, bits, 32);
        let high = self.code.binary(WIDTH, "lshr", bits, value, "32");
        let high = self.code.resize(WIDTH, &high, bits, 32);
        let [low, high] = [low, high].map(|half| self.platform.read_same_lane(self, &half, lane));
        let [low, high] = [low, high].map(|half| self.code.resize(WIDTH, &half, 32, bits));
        let high = self.code.binary(WIDTH, "shl", bits, &high, "32");
        self.code.binary(WIDTH, "or", bits, &low, &high)
    }

    /// What goes into a reduction of a lane's value.
    fn prepared(&mut self, op: Op, bits: u32, value: &str) -> String {
        let absolute = op.operation() == Some(Operation::AbsMax);
        match float_format(op) {
            Some(format) => {
                let quiet = self.code.quieted(WIDTH, format, value);
                let layout = layout(format);
                let magnitude = constant(WIDTH, bits, layout.exponent | layout.fraction);
                if absolute { self.code.binary(WIDTH, "and", bits, &quiet, &magnitude) } else { quiet }
            }
            None if absolute => {
                let ty = format!("i{bits}");
                self.code.writer.call(&ty, &format!("llvm.abs.{ty}"), &[(&ty, value), ("i1", "0")])
            }
            None => value.to_owned(),
        }
    }

    fn combined(&mut self, op: Op, bits: u32, one: &str, other: &str) -> String {
        if let Some(format) = float_format(op) {
            let opcode = match op.operation() {
                Some(Operation::Min) => FloatingPoint::Fmin,
                _ => FloatingPoint::Fmax,
            };
            let sources = [one.to_owned(), other.to_owned()];
            return self.code.extreme(opcode, op.has("nanp"), WIDTH, format, &sources);
        }
        self.code.combined(WIDTH, combination(op), bits, one, other)
    }
}

fn float_format(op: Op) -> Option<FloatFormat> {
    op.ty().and_then(Type::float_format)
}
