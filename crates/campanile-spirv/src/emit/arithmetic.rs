//! Integer arithmetic (spec chapter 1 of the instruction set).

use campanile_core::isa::{Arithmetic, Output, Signedness};
use campanile_core::module::Instruction;
use rspirv::dr::Operand;
use rspirv::spirv::{Op, OpenclStd100Op, PackedVectorFormat, Word};

use super::assembly::id;
use super::code::Code;
use super::function::FunctionEmitter;
use super::value::{Bits, Truth};
use crate::feature::Feature;

impl FunctionEmitter<'_, '_, '_> {
    pub(super) fn arithmetic(&mut self, opcode: Arithmetic, instruction: &Instruction) {
        let op = instruction.op;
        let saturate = op.has("dsat");
        let is_full = op.has("precision");
        let signed = matches!(opcode, Arithmetic::Smad | Arithmetic::Smul);
        match opcode {
            Arithmetic::Uaddc | Arithmetic::Usubb => return self.carry(opcode, instruction),
            Arithmetic::Dp4a => return self.dot_product(instruction),
            _ => {}
        }
        self.elementwise(instruction, |emitter, sources| {
            let code = &mut emitter.code;
            let extended = |code: &mut Code<'_>, operation| code.extended_int(operation, sources);
            match opcode {
                Arithmetic::Iabs => code.absolute(sources[0]),
                Arithmetic::Iadd if saturate => extended(code, OpenclStd100Op::s_add_sat),
                Arithmetic::Iadd => code.add(sources[0], sources[1]),
                Arithmetic::Ineg => code.negate(sources[0]),
                Arithmetic::Isub if saturate => extended(code, OpenclStd100Op::s_sub_sat),
                Arithmetic::Isub => code.sub(sources[0], sources[1]),
                Arithmetic::Sdiv => signed_division(code, op.output(), sources[0], sources[1]),
                Arithmetic::Udiv => unsigned_division(code, op.output(), sources[0], sources[1]),
                Arithmetic::Smad | Arithmetic::Umad | Arithmetic::Smul | Arithmetic::Umul => {
                    product(code, is_full, signed, sources)
                }
                Arithmetic::Smax => extended(code, OpenclStd100Op::s_max),
                Arithmetic::Smin => extended(code, OpenclStd100Op::s_min),
                Arithmetic::Umax => extended(code, OpenclStd100Op::u_max),
                Arithmetic::Umin => extended(code, OpenclStd100Op::u_min),
                Arithmetic::Dp4a | Arithmetic::Uaddc | Arithmetic::Usubb => {
                    unreachable!("written above")
                }
            }
        });
    }

    /// `uaddc` and `usubb`: in 64 bits, of which bit 32 is carried out.
    fn carry(&mut self, opcode: Arithmetic, instruction: &Instruction) {
        let operands = self.body.operands(instruction);
        let (result, rest) = operands.split_first().unwrap_or_else(|| unreachable!("it has a result"));
        let (carry_out, rest) = match instruction.op.has("co") {
            true => (rest.first(), &rest[1..]),
            false => (None, rest),
        };
        let [a, b] = [&rest[0], &rest[1]].map(|source| {
            let source = self.single(source, 32);
            self.code.resize(source, 64)
        });
        let mut wide = match opcode {
            Arithmetic::Uaddc => self.code.add(a, b),
            _ => self.code.sub(a, b),
        };
        if let Some(carry_in) = rest.get(2) {
            let carry = self.condition(carry_in);
            let carry = self.code.one_if(carry, 64);
            wide = match opcode {
                Arithmetic::Uaddc => self.code.add(wide, carry),
                _ => self.code.sub(wide, carry),
            };
        }
        let low = self.code.resize(wide, 32);
        if let Some(carry_out) = carry_out {
            let high = self.code.shift_by(Op::ShiftRightLogical, wide, 32);
            let carried = self.code.is_not_zero(high);
            self.assign_truth(carry_out, carried);
        }
        self.assign(result, &[low]);
    }

    /// `dp4a`: by the instruction for it where the device is known to have it.
    fn dot_product(&mut self, instruction: &Instruction) {
        let signedness = instruction.op.signedness().unwrap_or(Signedness::Ss);
        let saturate = instruction.op.has("dsat");
        let has_instruction = self.shared.has_dot_product;
        self.elementwise(instruction, |emitter, sources| {
            let code = &mut emitter.code;
            let [addend, a, b] = [sources[0], sources[1], sources[2]];
            if has_instruction {
                native_dot(code, signedness, saturate, [addend, a, b])
            } else {
                expanded_dot(code, signedness, saturate, [addend, a, b])
            }
        });
    }
}

/// A dot product by the instruction of `SPV_KHR_integer_dot_product`.
fn native_dot(
    code: &mut Code<'_>,
    signedness: Signedness,
    saturate: bool,
    [addend, a, b]: [Bits; 3],
) -> Bits {
    code.need(Feature::DotProduct);
    // The instruction of mixed signs takes the signed factor first.
    let (op, a, b) = match (signedness, saturate) {
        (Signedness::Ss, false) => (Op::SDot, a, b),
        (Signedness::Ss, true) => (Op::SDotAccSat, a, b),
        (Signedness::Su, false) => (Op::SUDot, a, b),
        (Signedness::Su, true) => (Op::SUDotAccSat, a, b),
        (Signedness::Us, false) => (Op::SUDot, b, a),
        (Signedness::Us, true) => (Op::SUDotAccSat, b, a),
        (Signedness::Uu, _) => (Op::UDot, a, b),
    };
    let mut operands: Vec<Operand> = vec![id(a.id), id(b.id)];
    if saturate {
        operands.push(id(addend.id));
    }
    operands.push(Operand::PackedVectorFormat(PackedVectorFormat::PackedVectorFormat4x8Bit));
    let ty: Word = code.assembly.int(32);
    let result = Bits { id: code.value(op, ty, operands), width: 32 };
    if saturate { result } else { code.add(addend, result) }
}

/// A dot product by shifts and multiplications. Its sum fits in 32 bits.
fn expanded_dot(
    code: &mut Code<'_>,
    signedness: Signedness,
    saturate: bool,
    [addend, a, b]: [Bits; 3],
) -> Bits {
    let signed = match signedness {
        Signedness::Ss => [true, true],
        Signedness::Us => [false, true],
        Signedness::Su => [true, false],
        Signedness::Uu => [false, false],
    };
    let mut sum = code.constant(32, 0);
    for byte in 0..4 {
        let [a, b] = [(a, signed[0]), (b, signed[1])].map(|(word, signed)| {
            let up = code.shift_by(Op::ShiftLeftLogical, word, 24 - 8 * byte);
            let down = if signed { Op::ShiftRightArithmetic } else { Op::ShiftRightLogical };
            code.shift_by(down, up, 24)
        });
        let product = code.mul(a, b);
        sum = code.add(product, sum);
    }
    if saturate {
        code.extended_int(OpenclStd100Op::s_add_sat, &[addend, sum])
    } else {
        code.add(addend, sum)
    }
}

/// A product, in twice the width if it is full, plus the third source if there is one.
fn product(code: &mut Code<'_>, is_full: bool, signed: bool, sources: &[Bits]) -> Bits {
    let width = if is_full { 2 * sources[0].width } else { sources[0].width };
    let [a, b] = [sources[0], sources[1]]
        .map(|factor| if signed { code.resize_signed(factor, width) } else { code.resize(factor, width) });
    let product = code.mul(a, b);
    match sources.get(2) {
        Some(addend) => code.add(product, *addend),
        None => product,
    }
}

/// Division by zero is not defined by PISA, but must not stop a device: the quotient is then all ones, the remainder the dividend.
fn unsigned_division(code: &mut Code<'_>, output: Option<Output>, a: Bits, b: Bits) -> Bits {
    let by_zero = code.is(b, 0);
    let divisor = safe_divisor(code, by_zero, b);
    if output == Some(Output::Remainder) {
        let remainder = code.binary(Op::UMod, a, divisor);
        return code.select(by_zero, a, remainder);
    }
    let quotient = code.binary(Op::UDiv, a, divisor);
    let ones = code.constant(a.width, u64::MAX);
    code.select(by_zero, ones, quotient)
}

/// As [`unsigned_division`]; the least number divided by -1 is itself.
fn signed_division(code: &mut Code<'_>, output: Option<Output>, a: Bits, b: Bits) -> Bits {
    let by_zero = code.is(b, 0);
    let by_minus_one = code.is(b, u64::MAX);
    let special = code.either(by_zero, by_minus_one);
    let divisor = safe_divisor(code, special, b);
    if output == Some(Output::Remainder) {
        let remainder = code.binary(Op::SRem, a, divisor);
        let none = code.constant(a.width, 0);
        let remainder = code.select(by_minus_one, none, remainder);
        return code.select(by_zero, a, remainder);
    }
    let quotient = code.binary(Op::SDiv, a, divisor);
    let negative = code.negate(a);
    let quotient = code.select(by_minus_one, negative, quotient);
    let ones = code.constant(a.width, u64::MAX);
    code.select(by_zero, ones, quotient)
}

fn safe_divisor(code: &mut Code<'_>, replaced: Truth, divisor: Bits) -> Bits {
    if code
        .assembly
        .known(divisor.id)
        .is_some_and(|known| known != 0 && known != u64::MAX >> (64 - divisor.width))
    {
        return divisor;
    }
    let one = code.constant(divisor.width, 1);
    code.select(replaced, one, divisor)
}
