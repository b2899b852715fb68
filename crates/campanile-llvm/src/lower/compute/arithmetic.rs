//! Integer arithmetic (spec chapter 1 of the instruction set).

use campanile_core::isa::{Arithmetic, FloatFormat, Op, Output, Signedness, Type};

use super::Computation;
use super::Extension;
use super::writer::{Width, constant};

/// The extension of its sources that an operation makes.
pub(in crate::lower) fn extension(opcode: Arithmetic, op: Op) -> Extension {
    match opcode {
        Arithmetic::Umul | Arithmetic::Umad if op.has("precision") => Extension::Zero,
        Arithmetic::Smul | Arithmetic::Smad if op.has("precision") => Extension::Sign,
        _ => Extension::None,
    }
}

/// Bits of an element of the operation's type.
pub(in crate::lower) fn element_bits(op: Op) -> u32 {
    op.ty().map_or(32, Type::element_bits)
}

impl Computation<'_> {
    /// An operation with two operands of one type.
    pub fn binary(&mut self, width: Width, operation: &str, bits: u32, a: &str, b: &str) -> String {
        self.writer.value(&format!("{operation} {} {a}, {b}", width.int(bits)))
    }

    /// An intrinsic on integers of so many bits.
    pub fn intrinsic(&mut self, width: Width, name: &str, bits: u32, operands: &[&str]) -> String {
        let ty = width.int(bits);
        let operands: Vec<(&str, &str)> = operands.iter().map(|operand| (ty.as_str(), *operand)).collect();
        self.writer.call(&ty, &format!("llvm.{name}.{}", width.suffix(bits)), &operands)
    }

    /// One of two values.
    pub fn select(&mut self, width: Width, condition: &str, bits: u32, yes: &str, no: &str) -> String {
        let ty = width.int(bits);
        self.writer.value(&format!("select {} {condition}, {ty} {yes}, {ty} {no}", width.int(1)))
    }

    /// A comparison of integers.
    pub fn compare(&mut self, width: Width, relation: &str, bits: u32, a: &str, b: &str) -> String {
        self.writer.value(&format!("icmp {relation} {} {a}, {b}", width.int(bits)))
    }

    pub(in crate::lower) fn arithmetic(
        &mut self,
        opcode: Arithmetic,
        op: Op,
        width: Width,
        sources: &[String],
    ) -> Vec<String> {
        let bits = element_bits(op);
        let saturate = op.has("dsat");
        let full = op.has("precision");
        let a = sources.first().map_or("", String::as_str);
        let b = sources.get(1).map_or("", String::as_str);
        let result = match opcode {
            Arithmetic::Dp4a => self.dot_product(op, width, sources),
            Arithmetic::Iabs => {
                let ty = width.int(bits);
                self.writer.call(&ty, &format!("llvm.abs.{}", width.suffix(bits)), &[(&ty, a), ("i1", "0")])
            }
            Arithmetic::Iadd if saturate => self.intrinsic(width, "sadd.sat", bits, &[a, b]),
            Arithmetic::Iadd => self.binary(width, "add", bits, a, b),
            Arithmetic::Ineg => self.binary(width, "sub", bits, &constant(width, bits, 0), a),
            Arithmetic::Isub if saturate => self.intrinsic(width, "ssub.sat", bits, &[a, b]),
            Arithmetic::Isub => self.binary(width, "sub", bits, a, b),
            Arithmetic::Sdiv => self.divide(op, width, bits, true, [a, b]),
            Arithmetic::Udiv => self.divide(op, width, bits, false, [a, b]),
            Arithmetic::Smax => self.intrinsic(width, "smax", bits, &[a, b]),
            Arithmetic::Smin => self.intrinsic(width, "smin", bits, &[a, b]),
            Arithmetic::Umax => self.intrinsic(width, "umax", bits, &[a, b]),
            Arithmetic::Umin => self.intrinsic(width, "umin", bits, &[a, b]),
            Arithmetic::Smul | Arithmetic::Smad if full => self.full_product(width, bits, true, sources),
            Arithmetic::Umul | Arithmetic::Umad if full => self.full_product(width, bits, false, sources),
            Arithmetic::Smul | Arithmetic::Umul => self.binary(width, "mul", bits, a, b),
            Arithmetic::Smad | Arithmetic::Umad => {
                let product = self.binary(width, "mul", bits, a, b);
                self.binary(width, "add", bits, &product, &sources[2])
            }
            Arithmetic::Uaddc => return self.carry(op, width, "add", sources),
            Arithmetic::Usubb => return self.carry(op, width, "sub", sources),
        };
        vec![result]
    }

    /// The sum of the third source, if any, and the product of the others in twice their width.
    fn full_product(&mut self, width: Width, bits: u32, signed: bool, sources: &[String]) -> String {
        let [a, b] = [0, 1].map(|index| self.extend(width, &sources[index], bits, 2 * bits, signed));
        let product = self.binary(width, "mul", 2 * bits, &a, &b);
        match sources.get(2) {
            Some(addend) => self.binary(width, "add", 2 * bits, &product, addend),
            None => product,
        }
    }

    /// Sum or difference with a carry, and what is carried out.
    fn carry(&mut self, op: Op, width: Width, operation: &str, sources: &[String]) -> Vec<String> {
        let expected = op.expected_operands();
        let read: Vec<u32> = expected.iter().filter(|one| !one.written).map(|one| one.bits.max(1)).collect();
        let written: Vec<u32> =
            expected.iter().filter(|one| one.written).map(|one| one.bits.max(1)).collect();
        let wide: Vec<String> =
            sources.iter().zip(read).map(|(source, bits)| self.resize(width, source, bits, 64)).collect();
        let mut result = self.binary(width, operation, 64, &wide[0], &wide[1]);
        if let Some(carry) = wide.get(2) {
            result = self.binary(width, operation, 64, &result, carry);
        }
        let mut results = vec![self.resize(width, &result, 64, 32)];
        if let Some(bits) = written.get(1) {
            let high = self.binary(width, "lshr", 64, &result, &constant(width, 64, 32));
            let carry = self.binary(width, "and", 64, &high, &constant(width, 64, 1));
            results.push(self.resize(width, &carry, 64, *bits));
        }
        results
    }

    /// Quotient or remainder. By zero, the quotient is all ones and the remainder the dividend.
    fn divide(&mut self, op: Op, width: Width, bits: u32, signed: bool, [a, b]: [&str; 2]) -> String {
        let remainder = op.output() == Some(Output::Remainder);
        // LLVM multiplies where the divisor is a constant.
        let is_constant = b.starts_with("splat");
        let by_number = width == Width::All && bits <= 32 && !is_constant;
        let sources = [(a, false), (b, is_constant)].map(|(source, is_sure)| match by_number || is_sure {
            true => source.to_owned(),
            false => self.certain(width, bits, source),
        });
        let [a, b] = [&sources[0], &sources[1]];
        let (zero, one) = (constant(width, bits, 0), constant(width, bits, 1));
        let by_zero = self.compare(width, "eq", bits, b, &zero);
        let mut unsafe_divisor = by_zero.clone();
        if signed {
            let least = constant(width, bits, 1 << (bits - 1));
            let is_least = self.compare(width, "eq", bits, a, &least);
            let by_minus_one = self.compare(width, "eq", bits, b, &constant(width, bits, u64::MAX));
            let overflows = self.binary(width, "and", 1, &is_least, &by_minus_one);
            unsafe_divisor = self.binary(width, "or", 1, &by_zero, &overflows);
        }
        let divisor = self.select(width, &unsafe_divisor, bits, &one, b);
        let quotient = match by_number {
            true => self.divide_as_double(width, bits, signed, a, &divisor),
            false => self.binary(width, if signed { "sdiv" } else { "udiv" }, bits, a, &divisor),
        };
        if remainder {
            let product = self.binary(width, "mul", bits, &quotient, &divisor);
            let rest = self.binary(width, "sub", bits, a, &product);
            return self.select(width, &by_zero, bits, a, &rest);
        }
        self.select(width, &by_zero, bits, &constant(width, bits, u64::MAX), &quotient)
    }

    /// An integer that is one value for all uses. What an inactive lane holds may be nothing yet, and LLVM would take a
    /// different nothing for each use: where it divides the lanes of a vector one by one, even if that is frozen. So such
    /// lanes hold 1.
    fn certain(&mut self, width: Width, bits: u32, value: &str) -> String {
        let ty = width.int(bits);
        let value = match self.mask.clone() {
            Some(mask) if width == Width::All => {
                let mask = self.writer.value(&format!("freeze <32 x i1> {mask}"));
                self.select(width, &mask, bits, value, &constant(width, bits, 1))
            }
            _ => value.to_owned(),
        };
        self.writer.value(&format!("freeze {ty} {value}"))
    }

    /// A quotient of at most 32 bits: the dividend times a reciprocal in double precision that is a little too great. The
    /// product is less than the next integer, as quotients differ from it by at least one part in 2^33.
    fn divide_as_double(&mut self, width: Width, bits: u32, signed: bool, a: &str, b: &str) -> String {
        let (int, double) = (width.int(bits), width.of("double"));
        let (to, from) = if signed { ("sitofp", "fptosi") } else { ("uitofp", "fptoui") };
        let a = self.writer.value(&format!("{to} {int} {a} to {double}"));
        let b = self.writer.value(&format!("{to} {int} {b} to {double}"));
        let reciprocal = self.great_reciprocal(width, &b);
        let quotient = self.writer.value(&format!("fmul {double} {a}, {reciprocal}"));
        self.writer.value(&format!("{from} {double} {quotient} to {int}"))
    }

    /// `1 / b`, and between one part in 2^41 and one in 2^39 more.
    fn great_reciprocal(&mut self, width: Width, b: &str) -> String {
        let double = width.of("double");
        let [one, above_one] = [1.0, 1.0 + (-40f64).exp2()]
            .map(|value: f64| self.number_constant(width, FloatFormat::Df, value.to_bits()));
        if !self.target.avx512 {
            return self.writer.value(&format!("fdiv {double} {above_one}, {b}"));
        }
        // Two steps of Newton's iteration, which take less than half the time of a division.
        let mut reciprocal = self.double_reciprocal_estimate(b);
        let minus_b = self.writer.value(&format!("fneg {double} {b}"));
        for product in [one, above_one] {
            let mut fma = |a: &str, b: &str, c: &str| {
                self.writer.call(&double, "llvm.fma.v32f64", &[(&double, a), (&double, b), (&double, c)])
            };
            let error = fma(&minus_b, &reciprocal, &product);
            reciprocal = fma(&reciprocal, &error, &reciprocal);
        }
        reciprocal
    }

    /// `dp4a`: the letters of `.signedness` speak of `src1` and then of `src2`.
    fn dot_product(&mut self, op: Op, width: Width, sources: &[String]) -> String {
        let (first, second) = match op.signedness() {
            Some(Signedness::Ss) => (true, true),
            Some(Signedness::Us) => (false, true),
            Some(Signedness::Su) => (true, false),
            Some(Signedness::Uu) | None => (false, false),
        };
        let mut sum: Option<String> = None;
        for byte in 0..4 {
            let a = self.byte(width, &sources[1], byte, first);
            let b = self.byte(width, &sources[2], byte, second);
            let product = self.binary(width, "mul", 32, &a, &b);
            sum = Some(match sum {
                None => product,
                Some(sum) => self.binary(width, "add", 32, &sum, &product),
            });
        }
        let sum = sum.unwrap_or_default();
        match op.has("dsat") {
            true => self.intrinsic(width, "sadd.sat", 32, &[&sources[0], &sum]),
            false => self.binary(width, "add", 32, &sources[0], &sum),
        }
    }

    /// A byte of a word, as a word.
    fn byte(&mut self, width: Width, word: &str, byte: u64, signed: bool) -> String {
        let up = self.binary(width, "shl", 32, word, &constant(width, 32, 24 - 8 * byte));
        self.binary(width, if signed { "ashr" } else { "lshr" }, 32, &up, &constant(width, 32, 24))
    }
}
