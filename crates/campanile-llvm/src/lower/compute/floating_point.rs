//! Floating-point arithmetic (spec chapter 2 of the instruction set). Values are the bit patterns of their format.

use campanile_core::isa::{Compare, FloatFormat, FloatingPoint, Op, Opcode, Rounding};

use super::Computation;
use super::writer::{Width, constant};
use crate::lower::Target;

/// Whether an operation is written as instructions.
pub(super) fn is_native(op: Op, target: &Target) -> bool {
    let format = op.ty().and_then(|ty| ty.float_format()).unwrap_or(FloatFormat::F);
    let converted = format != FloatFormat::Hf || target.half_conversion;
    match op.opcode() {
        Opcode::Compare(Compare::Fcmp) => converted,
        Opcode::FloatingPoint(opcode) => match opcode {
            FloatingPoint::Fabs | FloatingPoint::Fneg => true,
            _ if !converted => false,
            FloatingPoint::Fmin | FloatingPoint::Fmax => true,
            FloatingPoint::Fadd
            | FloatingPoint::Fsub
            | FloatingPoint::Fmul
            | FloatingPoint::Fdiv
            | FloatingPoint::Fmad
            | FloatingPoint::Fsqrt => {
                format != FloatFormat::Df || rounds_itself(opcode, rounding(op), format, target)
            }
            FloatingPoint::Frc => target.integral,
            FloatingPoint::Frsqrt => format != FloatFormat::Df || target.fused,
            FloatingPoint::Frcp
            | FloatingPoint::Fsin
            | FloatingPoint::Fcos
            | FloatingPoint::Fexp2
            | FloatingPoint::Flog2
            | FloatingPoint::Ftanh => true,
        },
        _ => false,
    }
}

fn rounding(op: Op) -> Rounding {
    op.rounding().unwrap_or(Rounding::NearestEven)
}

/// Whether the processor has an instruction that rounds such a result once and right.
fn rounds_itself(opcode: FloatingPoint, rounding: Rounding, format: FloatFormat, target: &Target) -> bool {
    let narrow = matches!(format, FloatFormat::Hf | FloatFormat::Bf);
    match (rounding, opcode) {
        (Rounding::NearestEven, FloatingPoint::Fmad) if narrow => format == FloatFormat::Hf && target.half,
        (Rounding::NearestEven, FloatingPoint::Fmad) => target.fused,
        // The result in single precision may be rounded once more.
        (Rounding::NearestEven, _) => true,
        (Rounding::NearestAway, _) => false,
        _ => target.avx512 && !narrow,
    }
}

/// What is known of a format.
pub(in crate::lower) struct Layout {
    /// Bits of the whole pattern.
    pub bits: u32,
    /// The exponent.
    pub exponent: u64,
    /// The fraction.
    pub fraction: u64,
    /// The bit that tells quiet NaNs from signalling ones.
    pub quiet: u64,
    /// The pattern of one.
    pub one: u64,
}

pub(in crate::lower) fn layout(format: FloatFormat) -> Layout {
    let (bits, fraction_bits) = match format {
        FloatFormat::Bf => (16, 7),
        FloatFormat::Hf => (16, 10),
        FloatFormat::F => (32, 23),
        FloatFormat::Df => (64, 52),
    };
    let fraction = (1 << fraction_bits) - 1;
    let all = u64::MAX >> (64 - bits) >> 1;
    let exponent = all & !fraction;
    Layout { bits, exponent, fraction, quiet: 1 << (fraction_bits - 1), one: (exponent >> 1) & exponent }
}

/// Whether a format is computed in the type whose patterns it has, on every processor.
fn has_own_type(format: FloatFormat) -> bool {
    matches!(format, FloatFormat::F | FloatFormat::Df)
}

/// The type in which a format is computed.
pub(in crate::lower) fn kind(format: FloatFormat) -> (&'static str, &'static str) {
    match format {
        FloatFormat::Hf => ("half", "f16"),
        FloatFormat::Bf | FloatFormat::F => ("float", "f32"),
        FloatFormat::Df => ("double", "f64"),
    }
}

impl Computation<'_> {
    pub(in crate::lower) fn floating_point(
        &mut self,
        opcode: FloatingPoint,
        op: Op,
        width: Width,
        sources: &[String],
    ) -> String {
        let format = op.ty().and_then(|ty| ty.float_format()).unwrap_or(FloatFormat::F);
        let result = self.result(opcode, op, width, format, sources);
        // Where the same bits may be of several formats, nothing is said of them.
        if has_own_type(format) {
            self.writer.quiet.insert(result.clone());
        }
        result
    }

    /// The pattern of an operation's result.
    fn result(
        &mut self,
        opcode: FloatingPoint,
        op: Op,
        width: Width,
        format: FloatFormat,
        sources: &[String],
    ) -> String {
        let flush = op.has("ftz");
        let sources: Vec<String> =
            sources.iter().map(|source| self.flushed_if(flush, width, format, source)).collect();
        match opcode {
            FloatingPoint::Fabs | FloatingPoint::Fneg => {
                let result = self.change_sign(opcode, width, format, &sources[0]);
                return result;
            }
            FloatingPoint::Fmin | FloatingPoint::Fmax => {
                let result = self.extreme(opcode, op.has("nanp"), width, format, &sources);
                return self.finished(op, width, format, result);
            }
            FloatingPoint::Fmul if op.has("precision") => {
                let formats = [format, FloatFormat::F];
                let product = self.rounded_operation(opcode, rounding(op), width, formats, &sources);
                return self.finished(op, width, FloatFormat::F, product);
            }
            _ => {}
        }
        let result = match self.approximate(opcode, op, width, &sources) {
            Some(result) => result,
            None if opcode == FloatingPoint::Frsqrt => self.reciprocal_root(width, format, &sources[0]),
            None => self.arithmetic_result(opcode, rounding(op), width, format, &sources),
        };
        self.finished(op, width, format, result)
    }

    /// The pattern of a result, rounded once.
    pub fn arithmetic_result(
        &mut self,
        opcode: FloatingPoint,
        rounding: Rounding,
        width: Width,
        format: FloatFormat,
        sources: &[String],
    ) -> String {
        if !rounds_itself(opcode, rounding, format, self.target) {
            let result = self.rounded_operation(opcode, rounding, width, [format; 2], sources);
            return match (opcode, sources) {
                (FloatingPoint::Fmad, [a, b, c]) => self.or_addend(width, format, [a, b, c], &result),
                _ => result,
            };
        }
        let (ty, suffix) = kind(format);
        let ty = width.of(ty);
        let numbers: Vec<String> = sources.iter().map(|source| self.number(width, format, source)).collect();
        let a = &numbers[0];
        let result = match opcode {
            _ if rounding != Rounding::NearestEven => {
                self.rounded_by_processor(opcode, rounding, width, format, &numbers)
            }
            FloatingPoint::Fadd => self.writer.value(&format!("fadd {ty} {a}, {}", numbers[1])),
            FloatingPoint::Fsub => self.writer.value(&format!("fsub {ty} {a}, {}", numbers[1])),
            FloatingPoint::Fmul => self.writer.value(&format!("fmul {ty} {a}, {}", numbers[1])),
            FloatingPoint::Fdiv => self.writer.value(&format!("fdiv {ty} {a}, {}", numbers[1])),
            FloatingPoint::Fmad => {
                let name = format!("llvm.fma.{}", width.suffix_of(suffix));
                self.writer.call(&ty, &name, &[(&ty, a), (&ty, &numbers[1]), (&ty, &numbers[2])])
            }
            FloatingPoint::Fsqrt => self.unary(width, "sqrt", format, a),
            FloatingPoint::Frc => {
                let floor = self.unary(width, "floor", format, a);
                self.writer.value(&format!("fsub {ty} {a}, {floor}"))
            }
            FloatingPoint::Frcp => {
                let one = self.number_constant(width, format, layout(format).one);
                self.writer.value(&format!("fdiv {ty} {one}, {a}"))
            }
            other => unreachable!("`{other:?}` is the host's"),
        };
        self.pattern(width, format, &result)
    }

    /// The result of a sum of a product, or the addend where only that is a NaN (spec 3.4). The product may be a new one, of
    /// zero and infinity.
    fn or_addend(&mut self, width: Width, format: FloatFormat, [a, b, c]: [&str; 3], result: &str) -> String {
        let [a_is_nan, b_is_nan, c_is_nan] = [a, b, c].map(|pattern| self.is_nan(width, format, pattern));
        let a_or_b = self.binary(width, "or", 1, &a_is_nan, &b_is_nan);
        let neither = self.binary(width, "xor", 1, &a_or_b, &constant(width, 1, 1));
        let only_c = self.binary(width, "and", 1, &neither, &c_is_nan);
        let Layout { bits, quiet, .. } = layout(format);
        let addend = self.binary(width, "or", bits, c, &constant(width, bits, quiet));
        self.select(width, &only_c, bits, &addend, result)
    }

    /// An intrinsic on numbers of a format.
    pub fn unary(&mut self, width: Width, name: &str, format: FloatFormat, a: &str) -> String {
        let (ty, suffix) = kind(format);
        let ty = width.of(ty);
        self.writer.call(&ty, &format!("llvm.{name}.{}", width.suffix_of(suffix)), &[(&ty, a)])
    }

    /// One over the square root, by way of double precision.
    fn reciprocal_root(&mut self, width: Width, format: FloatFormat, a: &str) -> String {
        let (single, double) = (width.of("float"), width.of("double"));
        let wide = match format {
            FloatFormat::Df => self.number(width, format, a),
            _ => {
                let a = self.widened(width, format, a);
                self.writer.value(&format!("fpext {single} {a} to {double}"))
            }
        };
        let root = self.unary(width, "sqrt", FloatFormat::Df, &wide);
        let one = self.number_constant(width, FloatFormat::Df, layout(FloatFormat::Df).one);
        let reciprocal = self.writer.value(&format!("fdiv {double} {one}, {root}"));
        if format == FloatFormat::Df {
            let refined = self.refined_root(width, &wide, &reciprocal);
            return self.pattern(width, format, &refined);
        }
        let result = self.writer.value(&format!("fptrunc {double} {reciprocal} to {single}"));
        self.narrowed(width, format, &result)
    }

    /// The root of `1 / a` in double precision, from a value that has an error of more than one unit: a step of Newton's
    /// iteration, from an exact rest. Of zeros and infinities, the value is right.
    fn refined_root(&mut self, width: Width, a: &str, y: &str) -> String {
        let double = width.of("double");
        let [minus_one, minus_half] =
            [-1.0, -0.5].map(|value: f64| self.number_constant(width, FloatFormat::Df, value.to_bits()));
        let product = self.writer.value(&format!("fmul {double} {a}, {y}"));
        let minus_product = self.writer.value(&format!("fneg {double} {product}"));
        let name = format!("llvm.fma.{}", width.suffix_of("f64"));
        let mut fma = |a: &str, b: &str, c: &str| {
            self.writer.call(&double, &name, &[(&double, a), (&double, b), (&double, c)])
        };
        let rest = fma(a, y, &minus_product);
        let error = fma(&product, y, &minus_one);
        let error = fma(&rest, y, &error);
        let half = self.writer.value(&format!("fmul {double} {y}, {minus_half}"));
        let refined = self.writer.call(&double, &name, &[(&double, &half), (&double, &error), (&double, y)]);
        let is_number = self.writer.value(&format!("fcmp ord {double} {refined}, {refined}"));
        let conditions = width.int(1);
        self.writer.value(&format!("select {conditions} {is_number}, {double} {refined}, {double} {y}"))
    }

    /// The number of a pattern, as a constant.
    pub fn number_constant(&mut self, width: Width, format: FloatFormat, pattern: u64) -> String {
        let pattern = constant(width, layout(format).bits, pattern);
        self.number(width, format, &pattern)
    }

    /// The number in the type in which its format is computed.
    pub fn number(&mut self, width: Width, format: FloatFormat, pattern: &str) -> String {
        if format == FloatFormat::Bf {
            return self.widened(width, format, pattern);
        }
        let from = width.int(layout(format).bits);
        self.writer.value(&format!("bitcast {from} {pattern} to {}", width.of(kind(format).0)))
    }

    /// A number of 16 bits, in single precision.
    pub fn widened(&mut self, width: Width, format: FloatFormat, pattern: &str) -> String {
        let single = width.of("float");
        match format {
            FloatFormat::Bf => {
                let wide = self.resize(width, pattern, 16, 32);
                let shifted = self.binary(width, "shl", 32, &wide, &constant(width, 32, 16));
                self.writer.value(&format!("bitcast {} {shifted} to {single}", width.int(32)))
            }
            FloatFormat::Hf => {
                let half = self.number(width, format, pattern);
                let wide = self.writer.value(&format!("fpext {} {half} to {single}", width.of("half")));
                self.apart(width, &wide)
            }
            FloatFormat::F | FloatFormat::Df => self.number(width, format, pattern),
        }
    }

    /// A number in single precision on its way to or from half precision, where a product must not become one instruction with
    /// that: for AMD GPUs LLVM 22 takes it for a sum with +0, which loses the sign of a product that is -0.
    pub fn apart(&mut self, width: Width, number: &str) -> String {
        if !self.target.is_amdgpu() {
            return number.to_owned();
        }
        // Nothing, but in LLVM's eyes something: its own fence of this kind fails for values that all lanes have alike.
        self.writer.value(&format!("call {} asm \"\", \"=v,0\"(float {number})", width.of("float")))
    }

    /// The pattern of a number in single precision, rounded to a format of at most as many bits.
    pub fn narrowed(&mut self, width: Width, format: FloatFormat, number: &str) -> String {
        if format != FloatFormat::Hf {
            // That is the type in which the other two are computed.
            return self.pattern(width, format, number);
        }
        let number = self.apart(width, number);
        let half =
            self.writer.value(&format!("fptrunc {} {number} to {}", width.of("float"), width.of("half")));
        self.pattern(width, format, &half)
    }

    /// The pattern of a number that has been computed in its type, rounded to the format.
    pub fn pattern(&mut self, width: Width, format: FloatFormat, number: &str) -> String {
        let bits = layout(format).bits;
        let ty = width.of(kind(format).0);
        if format != FloatFormat::Bf {
            return self.writer.value(&format!("bitcast {ty} {number} to {}", width.int(bits)));
        }
        let single = self.writer.value(&format!("bitcast {ty} {number} to {}", width.int(32)));
        self.rounded_to_bf(width, &single)
    }

    /// A single-precision pattern, rounded to bfloat16.
    pub fn rounded_to_bf(&mut self, width: Width, single: &str) -> String {
        let sixteen = constant(width, 32, 16);
        let high = self.binary(width, "lshr", 32, single, &sixteen);
        let odd = self.binary(width, "and", 32, &high, &constant(width, 32, 1));
        let sum = self.binary(width, "add", 32, single, &constant(width, 32, 0x7fff));
        let sum = self.binary(width, "add", 32, &sum, &odd);
        let rounded = self.binary(width, "lshr", 32, &sum, &sixteen);
        let nan = self.binary(width, "or", 32, &high, &constant(width, 32, 0x40));
        let is_nan = self.is_nan(width, FloatFormat::F, single);
        let result = self.select(width, &is_nan, 32, &nan, &rounded);
        self.resize(width, &result, 32, 16)
    }

    /// Whether a pattern is a NaN.
    pub fn is_nan(&mut self, width: Width, format: FloatFormat, pattern: &str) -> String {
        let layout = layout(format);
        if has_own_type(format) {
            return self.compare_floats(width, format, "uno", pattern, pattern);
        }
        let magnitude = self.binary(
            width,
            "and",
            layout.bits,
            pattern,
            &constant(width, layout.bits, layout.exponent | layout.fraction),
        );
        self.compare(width, "ugt", layout.bits, &magnitude, &constant(width, layout.bits, layout.exponent))
    }

    /// A pattern, made quiet if it is a NaN.
    pub fn quieted(&mut self, width: Width, format: FloatFormat, pattern: &str) -> String {
        if self.writer.quiet.contains(pattern) {
            return pattern.to_owned();
        }
        let Layout { bits, quiet, .. } = layout(format);
        let is_nan = self.is_nan(width, format, pattern);
        let made_quiet = self.binary(width, "or", bits, pattern, &constant(width, bits, quiet));
        self.select(width, &is_nan, bits, &made_quiet, pattern)
    }

    /// A pattern, with zero in place of a subnormal number where `flush` says so.
    pub fn flushed_if(&mut self, flush: bool, width: Width, format: FloatFormat, pattern: &str) -> String {
        if !flush {
            return pattern.to_owned();
        }
        let Layout { bits, exponent, .. } = layout(format);
        let scale = self.binary(width, "and", bits, pattern, &constant(width, bits, exponent));
        let small = self.compare(width, "eq", bits, &scale, &constant(width, bits, 0));
        let zero = self.binary(width, "and", bits, pattern, &constant(width, bits, 1 << (bits - 1)));
        self.select(width, &small, bits, &zero, pattern)
    }

    /// What `.ftz` and `.dsat` make of a result.
    pub fn finished(&mut self, op: Op, width: Width, format: FloatFormat, result: String) -> String {
        let result = self.flushed_if(op.has("ftz"), width, format, &result);
        if !op.has("dsat") {
            return result;
        }
        let Layout { bits, one, .. } = layout(format);
        let (zero, one) = (constant(width, bits, 0), constant(width, bits, one));
        let positive = self.compare_floats(width, format, "ogt", &result, &zero);
        let result = self.select(width, &positive, bits, &result, &zero);
        let below = self.compare_floats(width, format, "olt", &result, &one);
        self.select(width, &below, bits, &result, &one)
    }

    /// A comparison of the numbers that patterns stand for.
    pub fn compare_floats(
        &mut self,
        width: Width,
        format: FloatFormat,
        relation: &str,
        a: &str,
        b: &str,
    ) -> String {
        let [a, b] = [a, b].map(|pattern| self.number(width, format, pattern));
        self.writer.value(&format!("fcmp {relation} {} {a}, {b}", width.of(kind(format).0)))
    }

    /// `fabs`, `fneg`: bit operations that make a NaN quiet.
    fn change_sign(&mut self, opcode: FloatingPoint, width: Width, format: FloatFormat, a: &str) -> String {
        if has_own_type(format) && self.writer.quiet.contains(a) {
            let number = self.number(width, format, a);
            let changed = match opcode {
                FloatingPoint::Fabs => self.unary(width, "fabs", format, &number),
                _ => self.writer.value(&format!("fneg {} {number}", width.of(kind(format).0))),
            };
            return self.pattern(width, format, &changed);
        }
        let bits = layout(format).bits;
        let sign = 1u64 << (bits - 1);
        let quiet = self.quieted(width, format, a);
        match opcode {
            FloatingPoint::Fabs => self.binary(width, "and", bits, &quiet, &constant(width, bits, sign - 1)),
            _ => self.binary(width, "xor", bits, &quiet, &constant(width, bits, sign)),
        }
    }

    /// `fmin`, `fmax`: -0 is less than +0, and a NaN loses against a number unless it is to be passed on.
    pub(in crate::lower) fn extreme(
        &mut self,
        opcode: FloatingPoint,
        propagate_nan: bool,
        width: Width,
        format: FloatFormat,
        sources: &[String],
    ) -> String {
        let bits = layout(format).bits;
        let (a, b) = (&sources[0], &sources[1]);
        let (relation, together) = if opcode == FloatingPoint::Fmin { ("olt", "or") } else { ("ogt", "and") };
        // As the processor's own instruction has it, the second one where there is no order.
        let first = self.compare_floats(width, format, relation, a, b);
        let result = self.select(width, &first, bits, a, b);
        // Of two NaNs the first one counts, of one the other number unless the NaN is to be passed on.
        let nan = self.is_nan(width, format, if propagate_nan { a } else { b });
        let result = self.select(width, &nan, bits, a, &result);
        let equal = self.compare_floats(width, format, "oeq", a, b);
        let same = self.binary(width, together, bits, a, b);
        let result = self.select(width, &equal, bits, &same, &result);
        if sources.iter().all(|source| self.writer.quiet.contains(source)) {
            return result;
        }
        self.quieted(width, format, &result)
    }
}
