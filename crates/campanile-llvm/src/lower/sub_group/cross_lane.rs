//! Sub-group communication (spec chapter 7 of the instruction set).
//!
//! As long as the mask operand is the same in all lanes, as it should be, lanes are combined and moved in vectors; otherwise
//! each lane goes by its own mask, which is the host's affair.

use campanile_core::isa::{CrossLane, FloatFormat, FloatingPoint, Op, Operation, Type};
use campanile_core::module::Instruction;

use super::function::FunctionLowering;
use super::value::Value;
use crate::lower::compute::writer::{LANES, Width, constant, list, ramp};
use crate::lower::compute::{combination, default_clamp, layout, neutral};

/// The lanes that take part.
struct Participants {
    /// As the bits of a number; none if these are all 32.
    bits: Option<String>,
    /// Whether these are all active lanes, whatever the mask says.
    all_active: bool,
}

impl FunctionLowering<'_, '_> {
    pub(super) fn cross_lane(&mut self, opcode: CrossLane, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let mask = operands.last().map(|mask| self.operand(mask, 32).remove(0));
        let Some(mask) = mask.and_then(|mask| mask.scalar().map(str::to_owned)) else {
            return self.cross_lanes_on_host(instruction);
        };
        let participants = self.participants(&mask);
        match opcode {
            CrossLane::Redfirstidx => self.first_index(instruction, &mask),
            CrossLane::Ired => self.reduce_integers(instruction, &participants),
            CrossLane::Fred if !instruction.op.has("nanp") => self.reduce_floats(instruction, &participants),
            CrossLane::Fred => self.cross_lanes_on_host(instruction),
            CrossLane::Shfl => self.shuffle(instruction, &participants),
        }
    }

    fn participants(&mut self, mask: &str) -> Participants {
        let all_active = mask == "-1";
        let bits = match (self.active_bits(), all_active) {
            (active, true) => active,
            (None, false) => Some(mask.to_owned()),
            (Some(active), false) => Some(self.code.binary(Width::One, "and", 32, &active, mask)),
        };
        Participants { bits, all_active }
    }

    /// Writes a result to the lanes that take part.
    fn write_participants(
        &mut self,
        instruction: &Instruction,
        place: usize,
        value: Value,
        by: &Participants,
    ) {
        let (register, element) = self.places(&self.operands(instruction)[0])[place];
        match &by.bits {
            Some(bits) if !by.all_active => {
                let lanes = self.code.mask_of(bits);
                self.write_some(register, element, &value, &lanes);
            }
            _ => self.write(register, element, value),
        }
    }

    /// `redfirstidx`: the first active lane of the mask, or 32.
    fn first_index(&mut self, instruction: &Instruction, mask: &str) {
        let bits = match self.active_bits() {
            None => mask.to_owned(),
            Some(active) => self.code.binary(Width::One, "and", 32, &active, mask),
        };
        let first = self.code.writer.call("i32", "llvm.cttz.i32", &[("i32", &bits), ("i1", "0")]);
        self.cursor.advance();
        let (register, element) = self.places(&self.operands(instruction)[0])[0];
        self.write(register, element, Value::uniform(32, first));
    }

    /// The values of the lanes that take part, and in the others one that changes nothing.
    fn filled(&mut self, vector: &str, bits: u32, neutral: u64, by: &Participants) -> String {
        match &by.bits {
            None => vector.to_owned(),
            Some(lanes) => {
                let lanes = self.code.mask_of(lanes);
                self.code.select(Width::All, &lanes, bits, vector, &constant(Width::All, bits, neutral))
            }
        }
    }

    fn reduce_integers(&mut self, instruction: &Instruction, by: &Participants) {
        let bits = instruction.op.ty().map_or(32, Type::bits);
        let value = self.operand(&self.operands(instruction)[1], bits).remove(0);
        let mut vector = self.vector(&value);
        let name = combination(instruction.op);
        if instruction.op.operation() == Some(Operation::AbsMax) {
            let ty = Width::All.int(bits);
            vector =
                self.code.writer.call(&ty, &format!("llvm.abs.v32i{bits}"), &[(&ty, &vector), ("i1", "0")]);
        }
        let vector = self.filled(&vector, bits, neutral(name, bits), by);
        let ty = Width::All.int(bits);
        let name = format!("llvm.vector.reduce.{name}.v32i{bits}");
        let result = self.code.writer.call(&format!("i{bits}"), &name, &[(&ty, &vector)]);
        self.cursor.advance();
        self.write_participants(instruction, 0, Value::uniform(bits, result), by);
    }

    /// `fred`: halves of the lanes are compared with each other until one is left.
    fn reduce_floats(&mut self, instruction: &Instruction, by: &Participants) {
        let op = instruction.op;
        let format = op.ty().and_then(Type::float_format).unwrap_or(FloatFormat::F);
        let values = self.operand(&self.operands(instruction)[1], op.ty().map_or(32, Type::element_bits));
        self.cursor.advance();
        for (place, value) in values.iter().enumerate() {
            let result = self.extreme_of_lanes(op, format, value, by);
            self.write_participants(instruction, place, Value::uniform(value.bits, result), by);
        }
    }

    fn extreme_of_lanes(&mut self, op: Op, format: FloatFormat, value: &Value, by: &Participants) -> String {
        let layout = layout(format);
        let opcode = match op.operation() {
            Some(Operation::Min) => FloatingPoint::Fmin,
            _ => FloatingPoint::Fmax,
        };
        let mut vector = self.vector(value);
        if op.operation() == Some(Operation::AbsMax) {
            let magnitude = constant(Width::All, layout.bits, layout.exponent | layout.fraction);
            vector = self.code.binary(Width::All, "and", layout.bits, &vector, &magnitude);
        }
        // A NaN gives way to any number.
        let mut vector = self.filled(&vector, layout.bits, layout.exponent | layout.quiet, by);
        let ty = Width::All.int(layout.bits);
        for distance in [16, 8, 4, 2, 1] {
            let lanes = list(32, (0..LANES).map(|lane| ((lane + distance) % LANES).to_string()));
            let others = self
                .code
                .writer
                .value(&format!("shufflevector {ty} {vector}, {ty} poison, <32 x i32> {lanes}"));
            vector = self.code.extreme(opcode, false, Width::All, format, &[vector, others]);
        }
        self.code.writer.value(&format!("extractelement {ty} {vector}, i32 0"))
    }

    /// `shfl`: each lane reads another one, if that is within reach and takes part, otherwise itself.
    fn shuffle(&mut self, instruction: &Instruction, by: &Participants) {
        let op = instruction.op;
        let operands = self.operands(instruction);
        let value = self.operand(&operands[1], 32).remove(0);
        let control = self.operand(&operands[2], 32).remove(0);
        let vector = self.vector(&value);
        let known = control.scalar().and_then(|control| control.parse::<i64>().ok());
        self.cursor.advance();
        let result = match known.filter(|_| by.bits.is_none()) {
            Some(control) => {
                let lanes =
                    list(32, (0..LANES as i32).map(|lane| source_lane(op, lane, control as u64).to_string()));
                self.code.writer.value(&format!(
                    "shufflevector <32 x i32> {vector}, <32 x i32> poison, <32 x i32> {lanes}"
                ))
            }
            None => {
                let control = self.vector(&control);
                let own = ramp(32, 1, LANES);
                let participants = by.bits.as_ref().map(|bits| self.code.splat(bits, 32));
                let sources = self.code.source_lane(op, Width::All, &own, &control, participants.as_deref());
                self.permuted(&vector, &sources)
            }
        };
        self.write_participants(instruction, 0, Value::varying(32, result), by);
    }

    /// The elements of a vector that indices below 32 choose.
    fn permuted(&mut self, vector: &str, indices: &str) -> String {
        if self.code.target.avx512 {
            let half = "<16 x i32>";
            let part = |lowering: &mut Self, of: &str, first: u32| {
                let lanes = list(32, (first..first + 16).map(|lane| lane.to_string()));
                lowering
                    .code
                    .writer
                    .value(&format!("shufflevector <32 x i32> {of}, <32 x i32> poison, {half} {lanes}"))
            };
            let [low, high] = [0, 16].map(|first| part(self, vector, first));
            let halves = [0, 16].map(|first| {
                let indices = part(self, indices, first);
                let name = "llvm.x86.avx512.vpermi2var.d.512";
                self.code.writer.call(half, name, &[(half, &low), (half, &indices), (half, &high)])
            });
            let [low, high] = &halves;
            return self.code.writer.joined(half, [low, high]);
        }
        let memory = self.lanes_memory("permuted", 1);
        self.code.writer.line(&format!("store <32 x i32> {vector}, ptr {memory}"));
        let places =
            self.code.writer.value(&format!("getelementptr i32, ptr {memory}, <32 x i32> {indices}"));
        self.gather(&places, 32, &constant(Width::All, 1, 1), "")
    }
}

/// The lane that a lane reads when all take part (spec 7.4).
fn source_lane(op: Op, own: i32, control: u64) -> i32 {
    let field = |first: u32| (control >> first & 31) as i32;
    let (clamp, segment) = match op.has("sg") {
        true => (field(8), field(16)),
        false => (default_clamp(op) as i32, 0),
    };
    let limit = own & segment | clamp & !segment;
    let (from, within) = match op.operation() {
        Some(Operation::Up) => (own - field(0), own - field(0) >= limit),
        Some(Operation::Down) => (own + field(0), own + field(0) <= limit),
        Some(Operation::Xor) => (own ^ field(0), (own ^ field(0)) <= limit),
        _ => {
            let from = own & segment | field(0) & !segment;
            (from, from <= limit)
        }
    };
    if within { from & 31 } else { own }
}
