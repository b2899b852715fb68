//! Sub-group communication (spec chapter 7 of the instruction set).
//!
//! The mask operand is the same in all lanes; where it is not, PISA does not define the result.

use campanile_core::isa::{CrossLane, Op as Operation, Operation as Combination};
use campanile_core::module::Instruction;
use rspirv::dr::Operand;
use rspirv::spirv::{GroupOperation, Op, Scope};

use super::assembly::id;
use super::code::Code;
use super::float::Format;
use super::function::FunctionEmitter;
use super::value::{Bits, Truth};
use crate::feature::Feature;

/// The lanes that take part in an operation.
#[derive(Clone, Copy)]
struct Participants {
    /// A bit for each.
    mask: Bits,
    /// Whether this one does; none if all that are active do.
    own: Option<Truth>,
}

impl FunctionEmitter<'_, '_, '_> {
    pub(super) fn cross_lane(&mut self, opcode: CrossLane, instruction: &Instruction) {
        let sources = self.sources(instruction);
        match opcode {
            CrossLane::Redfirstidx => {
                let active = self.active_mask();
                let chosen = self.code.and(sources[0][0], active);
                let first = self.code.lowest(chosen);
                self.assign(&self.body.operands(instruction)[0], &[first]);
            }
            CrossLane::Shfl => {
                let by = self.participants(sources[2][0]);
                let result = self.shuffle(instruction.op, sources[0][0], sources[1][0], by);
                self.assign_participants(instruction, &[result], by);
            }
            CrossLane::Ired | CrossLane::Fred => {
                let by = self.participants(sources[1][0]);
                let op = instruction.op;
                let reduce = |emitter: &mut Self, element: &Bits| match opcode {
                    CrossLane::Ired => emitter.reduce_integers(op, *element, by),
                    _ => emitter.reduce_numbers(op, *element, by),
                };
                let results: Vec<Bits> = sources[0].iter().map(|element| reduce(self, element)).collect();
                self.assign_participants(instruction, &results, by);
            }
        }
    }

    fn participants(&mut self, mask: Bits) -> Participants {
        let active = self.active_mask();
        if self.code.assembly.known(mask.id) == Some(u32::MAX.into()) {
            return Participants { mask: active, own: None };
        }
        let mask = self.code.and(mask, active);
        let lane = self.lane();
        let own = is_set(&mut self.code, mask, lane);
        Participants { mask, own: Some(own) }
    }

    /// Writes a result; lanes that do not take part keep what they have.
    fn assign_participants(&mut self, instruction: &Instruction, results: &[Bits], by: Participants) {
        let destination = &self.body.operands(instruction)[0];
        let Some(own) = by.own else { return self.assign(destination, results) };
        let old = self.operand(destination, 32);
        let results: Vec<Bits> =
            results.iter().zip(old).map(|(new, old)| self.code.select(own, *new, old)).collect();
        self.assign(destination, &results);
    }

    /// The combination of 32-bit values of all lanes that are active.
    fn reduce(&mut self, op: Op, value: Bits) -> Bits {
        self.code.need(Feature::Subgroups);
        self.code.need(Feature::SubgroupArithmetic);
        let ty = self.code.assembly.int(32);
        let scope = self.code.constant(32, Scope::Subgroup as u64);
        let operation = Operand::GroupOperation(GroupOperation::Reduce);
        let operands = vec![Operand::IdScope(scope.id), operation, id(value.id)];
        Bits { id: self.code.value(op, ty, operands), width: 32 }
    }

    fn reduce_integers(&mut self, op: Operation, value: Bits, by: Participants) -> Bits {
        let width = value.width;
        let (combine, neutral, signed): (Op, u64, bool) = match op.operation() {
            Some(Combination::SignedMin) => (Op::GroupNonUniformSMin, i32::MAX as u64, true),
            Some(Combination::SignedMax) => (Op::GroupNonUniformSMax, i32::MIN as u64, true),
            Some(Combination::UnsignedMin) => (Op::GroupNonUniformUMin, u64::MAX, false),
            Some(Combination::UnsignedMax | Combination::AbsMax) => (Op::GroupNonUniformUMax, 0, false),
            Some(Combination::And) => (Op::GroupNonUniformBitwiseAnd, u64::MAX, false),
            Some(Combination::Or) => (Op::GroupNonUniformBitwiseOr, 0, false),
            Some(Combination::Xor) => (Op::GroupNonUniformBitwiseXor, 0, false),
            _ => (Op::GroupNonUniformIAdd, 0, false),
        };
        let code = &mut self.code;
        let mut value = value;
        if op.operation() == Some(Combination::AbsMax) {
            value = code.absolute(value);
        }
        let value = if signed { code.resize_signed(value, 32) } else { code.resize(value, 32) };
        let value = neutral_unless(code, by.own, value, neutral);
        let result = self.reduce(combine, value);
        self.code.resize(result, width)
    }

    /// `fred`: by integers that are in the order of the numbers. NaNs do not take part, unless they are all there is or
    /// `.nanp` is given.
    fn reduce_numbers(&mut self, op: Operation, pattern: Bits, by: Participants) -> Bits {
        let format = Format::of(op.ty());
        let is_least = op.operation() == Some(Combination::Min);
        let code = &mut self.code;
        let pattern = match op.operation() {
            Some(Combination::AbsMax) => format.absolute(code, pattern),
            _ => format.quieted(code, pattern),
        };
        let is_nan = format.is_nan(code, pattern);
        let order = format.order(code, pattern);
        let order = code.resize_signed(order, 32);
        let (combine, neutral) = match is_least {
            true => (Op::GroupNonUniformSMin, i32::MAX as u64),
            false => (Op::GroupNonUniformSMax, i32::MIN as u64),
        };
        let neutral = code.constant(32, neutral);
        let order = code.select(is_nan, neutral, order);
        let order = match by.own {
            Some(own) => code.select(own, order, neutral),
            None => order,
        };
        let result = self.reduce(combine, order);
        let result = self.code.resize(result, format.bits);
        let number = format.order(&mut self.code, result);
        let counted = match op.has("nanp") {
            true => is_nan,
            false => self.code.is_not(is_nan),
        };
        let counted = match by.own {
            Some(own) => self.code.both(own, counted),
            None => counted,
        };
        let counted = self.ballot(counted);
        let none = self.code.is(counted, 0);
        // The first NaN: of those that there are, or of all lanes when no other number is there.
        let (nans, takes_nan) = match op.has("nanp") {
            true => (counted, self.code.is_not(none)),
            false => (by.mask, none),
        };
        let first = self.code.lowest(nans);
        let five = self.code.constant(32, 31);
        let first = self.code.and(first, five);
        let wide = self.code.resize(pattern, 32);
        let nan = self.shuffled(wide, first);
        let nan = self.code.resize(nan, format.bits);
        self.code.select(takes_nan, nan, number)
    }

    /// The value of another lane, which must be active.
    fn shuffled(&mut self, value: Bits, lane: Bits) -> Bits {
        self.code.need(Feature::Subgroups);
        self.code.need(Feature::SubgroupShuffle);
        let ty = self.code.assembly.int(32);
        let scope = self.code.constant(32, Scope::Subgroup as u64);
        let operands = vec![Operand::IdScope(scope.id), id(value.id), id(lane.id)];
        Bits { id: self.code.value(Op::GroupNonUniformShuffle, ty, operands), width: 32 }
    }

    /// `shfl`: each lane reads another one, if that is within reach and takes part, otherwise itself.
    fn shuffle(&mut self, op: Operation, value: Bits, control: Bits, by: Participants) -> Bits {
        let own = self.lane();
        let code = &mut self.code;
        let five = code.constant(32, 31);
        let field = |code: &mut Code<'_>, first: u32| {
            let down = code.shift_by(Op::ShiftRightLogical, control, first);
            code.and(down, five)
        };
        let is_up = op.operation() == Some(Combination::Up);
        let offset = field(code, 0);
        let (clamp, segment) = match op.has("sg") {
            true => (field(code, 8), field(code, 16)),
            false => (code.constant(32, if is_up { 0 } else { 31 }), code.constant(32, 0)),
        };
        let ones = code.constant(32, u64::MAX);
        let others = code.xor(segment, ones);
        let of_segment = code.and(own, segment);
        let from = match op.operation() {
            Some(Combination::Up) => code.sub(own, offset),
            Some(Combination::Down) => code.add(own, offset),
            Some(Combination::Xor) => code.xor(own, offset),
            _ => {
                let offset = code.and(offset, others);
                code.or(of_segment, offset)
            }
        };
        let clamp = code.and(clamp, others);
        let limit = code.or(of_segment, clamp);
        let relation = if is_up { Op::SGreaterThanEqual } else { Op::SLessThanEqual };
        let is_within = code.compare(relation, from, limit);
        let from = code.and(from, five);
        let takes_part = is_set(code, by.mask, from);
        let is_readable = code.both(is_within, takes_part);
        let from = code.select(is_readable, from, own);
        self.shuffled(value, from)
    }
}

/// Whether a bit of a mask is set.
fn is_set(code: &mut Code<'_>, mask: Bits, bit: Bits) -> Truth {
    let down = code.shift(Op::ShiftRightLogical, mask, bit);
    let one = code.constant(32, 1);
    let bit = code.and(down, one);
    code.is_not_zero(bit)
}

fn neutral_unless(code: &mut Code<'_>, own: Option<Truth>, value: Bits, neutral: u64) -> Bits {
    match own {
        None => value,
        Some(own) => {
            let neutral = code.constant(32, neutral);
            code.select(own, value, neutral)
        }
    }
}
