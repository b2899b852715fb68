//! Logic and shift (spec chapter 3 of the instruction set).

use campanile_core::isa::{Direction, Logical};
use campanile_core::module::Instruction;
use rspirv::spirv::{Op, OpenclStd100Op};

use super::code::Code;
use super::function::FunctionEmitter;
use super::value::Bits;

impl FunctionEmitter<'_, '_, '_> {
    pub(super) fn logical(&mut self, opcode: Logical, instruction: &Instruction) {
        let op = instruction.op;
        let mut element = 0;
        self.elementwise(instruction, |emitter, sources| {
            let code = &mut emitter.code;
            element += 1;
            let shift = |code: &mut Code<'_>, shift| {
                // Packed elements have their counts in the halves of one source.
                let is_packed = op.ty().is_some_and(campanile_core::isa::Type::is_packed);
                let half = if is_packed { 16 * (element - 1) } else { 0 };
                let count = code.shift_by(Op::ShiftRightLogical, sources[1], half);
                shifted(code, shift, sources[0], count)
            };
            match opcode {
                Logical::And => code.and(sources[0], sources[1]),
                Logical::Or => code.or(sources[0], sources[1]),
                Logical::Xor => code.xor(sources[0], sources[1]),
                Logical::Not => code.not(sources[0]),
                Logical::Asr => shift(code, Op::ShiftRightArithmetic),
                Logical::Shr => shift(code, Op::ShiftRightLogical),
                Logical::Shl => shift(code, Op::ShiftLeftLogical),
                Logical::Bfi => insert_field(code, sources),
                Logical::Bfn => bitwise_function(code, op.number("operation").unwrap_or(0), sources),
                Logical::Bfrev => reversed(code, sources[0]),
                Logical::Cbit => code.extended_int(OpenclStd100Op::popcount, sources),
                Logical::Fbh => {
                    let count = code.extended_int(OpenclStd100Op::clz, sources);
                    unless_zero(code, sources[0], count)
                }
                Logical::Fbl => {
                    let count = code.lowest(sources[0]);
                    unless_zero(code, sources[0], count)
                }
                Logical::Sbfe => field(code, true, sources),
                Logical::Ubfe => field(code, false, sources),
                Logical::Shf => funnel(code, op.direction(), sources),
            }
        });
    }
}

/// All ones for zero, otherwise this.
fn unless_zero(code: &mut Code<'_>, source: Bits, result: Bits) -> Bits {
    let is_zero = code.is(source, 0);
    let ones = code.constant(source.width, u64::MAX);
    code.select(is_zero, ones, result)
}

/// A shift by the low six bits of a count; from the width on, nothing but the sign is left.
fn shifted(code: &mut Code<'_>, op: Op, a: Bits, count: Bits) -> Bits {
    let six = code.constant(count.width, 63);
    let count = code.and(count, six);
    let count = code.resize(count, a.width);
    let known = code.assembly.known(count.id);
    if known.is_some_and(|known| known < a.width.into()) || a.width == 64 {
        return code.shift(op, a, count);
    }
    let last = code.constant(a.width, u64::from(a.width) - 1);
    let within = code.extended_int(OpenclStd100Op::u_min, &[count, last]);
    let result = code.shift(op, a, within);
    if op == Op::ShiftRightArithmetic {
        return result;
    }
    let is_within = code.compare(Op::ULessThanEqual, count, last);
    let zero = code.constant(a.width, 0);
    code.select(is_within, result, zero)
}

/// As many ones as a count up to 32 says.
fn low_mask(code: &mut Code<'_>, count: Bits) -> Bits {
    let (ones, limit) = (code.constant(32, u64::MAX), code.constant(32, 32));
    // A shift by 32 is none that is allowed.
    let unused = code.sub(limit, count);
    let is_none = code.is(count, 0);
    let zero = code.constant(32, 0);
    let unused = code.select(is_none, zero, unused);
    let mask = code.shift(Op::ShiftRightLogical, ones, unused);
    code.select(is_none, zero, mask)
}

/// The low six bits of a width, and no more than 32.
fn field_width(code: &mut Code<'_>, width: Bits) -> Bits {
    let (six, limit) = (code.constant(32, 63), code.constant(32, 32));
    let width = code.and(width, six);
    code.extended_int(OpenclStd100Op::u_min, &[width, limit])
}

fn insert_field(code: &mut Code<'_>, sources: &[Bits]) -> Bits {
    let [base, inserted, width, offset] = [sources[0], sources[1], sources[2], sources[3]];
    let five = code.constant(32, 31);
    let offset = code.and(offset, five);
    let width = field_width(code, width);
    let mask = low_mask(code, width);
    let mask = code.shift(Op::ShiftLeftLogical, mask, offset);
    let inserted = code.shift(Op::ShiftLeftLogical, inserted, offset);
    let inserted = code.and(inserted, mask);
    let others = code.not(mask);
    let kept = code.and(base, others);
    code.or(kept, inserted)
}

/// A bit field, which ends at bit 31 at most.
fn field(code: &mut Code<'_>, signed: bool, sources: &[Bits]) -> Bits {
    let [word, width, offset] = [sources[0], sources[1], sources[2]];
    let (five, limit) = (code.constant(32, 31), code.constant(32, 32));
    let offset = code.and(offset, five);
    let left = code.sub(limit, offset);
    let width = field_width(code, width);
    let width = code.extended_int(OpenclStd100Op::u_min, &[width, left]);
    let down = code.shift(Op::ShiftRightLogical, word, offset);
    let mask = low_mask(code, width);
    let value = code.and(down, mask);
    if !signed {
        return value;
    }
    // The highest bit of the field, taken off twice where it is set.
    let half = code.shift_by(Op::ShiftRightLogical, mask, 1);
    let sign = code.xor(mask, half);
    let flipped = code.xor(value, sign);
    code.sub(flipped, sign)
}

fn funnel(code: &mut Code<'_>, direction: Option<Direction>, sources: &[Bits]) -> Bits {
    let [high, low, count] = [sources[0], sources[1], sources[2]];
    let five = code.constant(32, 31);
    let count = code.and(count, five);
    let count = code.resize(count, 64);
    let [high, low] = [high, low].map(|word| code.resize(word, 64));
    let high = code.shift_by(Op::ShiftLeftLogical, high, 32);
    let wide = code.or(high, low);
    let wide = match direction {
        Some(Direction::Left) => {
            let up = code.shift(Op::ShiftLeftLogical, wide, count);
            code.shift_by(Op::ShiftRightLogical, up, 32)
        }
        _ => code.shift(Op::ShiftRightLogical, wide, count),
    };
    code.resize(wide, 32)
}

/// The bits of a word in reverse order: halves of growing size are exchanged.
fn reversed(code: &mut Code<'_>, word: Bits) -> Bits {
    let mut word = word;
    for (step, mask) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f), (8, 0x00ff_00ff), (16, 0xffff)]
    {
        let mask = code.constant(32, mask);
        let down = code.shift_by(Op::ShiftRightLogical, word, step);
        let down = code.and(down, mask);
        let up = code.and(word, mask);
        let up = code.shift_by(Op::ShiftLeftLogical, up, step);
        word = code.or(up, down);
    }
    word
}

/// `bfn`: for each row of the truth table that is set, the bits where the sources are that row.
fn bitwise_function(code: &mut Code<'_>, table: u8, sources: &[Bits]) -> Bits {
    // Three selections, by one source after the other.
    let known = |code: &mut Code<'_>, set: bool| code.constant(32, if set { u64::MAX } else { 0 });
    let mut rows: Vec<Bits> = (0..8).map(|row| known(code, table >> row & 1 == 1)).collect();
    for source in sources {
        rows = rows.chunks(2).map(|pair| chosen(code, *source, pair[0], pair[1])).collect();
    }
    rows[0]
}

/// For each bit that of `one` where the selector is set, else that of `zero`.
fn chosen(code: &mut Code<'_>, selector: Bits, zero: Bits, one: Bits) -> Bits {
    const ONES: u64 = u32::MAX as u64;
    let known = [zero, one].map(|value| code.assembly.known(value.id));
    match known {
        [Some(a), Some(b)] if a == b => zero,
        [Some(0), Some(ONES)] => selector,
        [Some(ONES), Some(0)] => code.not(selector),
        _ => {
            let difference = code.xor(zero, one);
            let taken = code.and(selector, difference);
            code.xor(zero, taken)
        }
    }
}
