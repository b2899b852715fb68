//! Floating-point arithmetic (spec chapter 2 of the instruction set), as far as the processor rounds it like the
//! specification: to the nearest, ties to even. Values are the bit patterns of their format.

use campanile_core::isa::{Compare, FloatFormat, FloatingPoint, Op, Opcode, Rounding};

use super::Target;
use super::function::FunctionLowering;
use super::writer::{Width, constant};

/// Whether an operation is written as instructions; the host does the others.
pub(super) fn is_native(op: Op, target: &Target) -> bool {
    let format = op.ty().and_then(|ty| ty.float_format()).unwrap_or(FloatFormat::F);
    let to_nearest = op.rounding().is_none_or(|rounding| rounding == Rounding::NearestEven);
    let converted = format != FloatFormat::Hf || target.half_conversion;
    match op.opcode() {
        Opcode::Compare(Compare::Fcmp) => converted,
        Opcode::FloatingPoint(opcode) => match opcode {
            FloatingPoint::Fabs | FloatingPoint::Fneg => true,
            _ if !converted => false,
            FloatingPoint::Fmin | FloatingPoint::Fmax => true,
            FloatingPoint::Fmul if op.has("precision") => to_nearest && !op.has("ftz"),
            FloatingPoint::Fadd
            | FloatingPoint::Fsub
            | FloatingPoint::Fmul
            | FloatingPoint::Fdiv
            | FloatingPoint::Fsqrt => to_nearest,
            FloatingPoint::Fmad => match format {
                FloatFormat::F | FloatFormat::Df => to_nearest && target.fused,
                FloatFormat::Hf => to_nearest && target.half,
                FloatFormat::Bf => false,
            },
            FloatingPoint::Frc => target.integral,
            FloatingPoint::Frcp | FloatingPoint::Frsqrt => format == FloatFormat::F,
            FloatingPoint::Fsin
            | FloatingPoint::Fcos
            | FloatingPoint::Fexp2
            | FloatingPoint::Flog2
            | FloatingPoint::Ftanh => false,
        },
        _ => false,
    }
}

/// What is known of a format.
pub(super) struct Layout {
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

pub(super) fn layout(format: FloatFormat) -> Layout {
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

/// The type in which a format is computed.
fn kind(format: FloatFormat) -> (&'static str, &'static str) {
    match format {
        FloatFormat::Hf => ("half", "f16"),
        FloatFormat::Bf | FloatFormat::F => ("float", "f32"),
        FloatFormat::Df => ("double", "f64"),
    }
}

impl FunctionLowering<'_, '_> {
    pub(super) fn floating_point(
        &mut self,
        opcode: FloatingPoint,
        op: Op,
        width: Width,
        sources: &[String],
    ) -> String {
        let format = op.ty().and_then(|ty| ty.float_format()).unwrap_or(FloatFormat::F);
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
                let [a, b] = [0, 1].map(|index| self.widened(width, format, &sources[index]));
                let product = self.writer.value(&format!("fmul {} {a}, {b}", width.of("float")));
                let product = self.pattern(width, FloatFormat::F, &product);
                return self.finished(op, width, FloatFormat::F, product);
            }
            _ => {}
        }
        let (ty, suffix) = kind(format);
        let ty = width.of(ty);
        let numbers: Vec<String> = sources.iter().map(|source| self.number(width, format, source)).collect();
        let a = &numbers[0];
        let result = match opcode {
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
            FloatingPoint::Frsqrt => self.reciprocal_root(width, a),
            other => unreachable!("`{other:?}` is the host's"),
        };
        let result = self.pattern(width, format, &result);
        self.finished(op, width, format, result)
    }

    /// An intrinsic on numbers of a format.
    pub fn unary(&mut self, width: Width, name: &str, format: FloatFormat, a: &str) -> String {
        let (ty, suffix) = kind(format);
        let ty = width.of(ty);
        self.writer.call(&ty, &format!("llvm.{name}.{}", width.suffix_of(suffix)), &[(&ty, a)])
    }

    /// One over the square root of single precision.
    fn reciprocal_root(&mut self, width: Width, a: &str) -> String {
        if self.program.target.avx512 && width == Width::All {
            return self.refined_reciprocal_root(a);
        }
        let (single, double) = (width.of("float"), width.of("double"));
        let wide = self.writer.value(&format!("fpext {single} {a} to {double}"));
        let root = self.unary(width, "sqrt", FloatFormat::Df, &wide);
        let one = self.number_constant(width, FloatFormat::Df, layout(FloatFormat::Df).one);
        let reciprocal = self.writer.value(&format!("fdiv {double} {one}, {root}"));
        self.writer.value(&format!("fptrunc {double} {reciprocal} to {single}"))
    }

    /// The processor's estimate, which is good to 2^-14, and one step of Newton's iteration. The product `a * y` is
    /// rounded; its error is made good, so that little more than the last rounding remains. Where the step gives no number,
    /// for zeros, infinities and what has no root, the estimate is right by itself.
    fn refined_reciprocal_root(&mut self, a: &str) -> String {
        let width = Width::All;
        let ty = width.of("float");
        let y = self.by_sixteen("llvm.x86.avx512.rsqrt14.ps.512", a);
        let number = |lowering: &mut Self, value: f32| {
            lowering.number_constant(width, FloatFormat::F, u64::from(value.to_bits()))
        };
        let (one, half) = (number(self, 1.0), number(self, 0.5));
        let product = self.writer.value(&format!("fmul {ty} {a}, {y}"));
        let minus_product = self.writer.value(&format!("fneg {ty} {product}"));
        let rest = self.fma(&ty, a, &y, &minus_product);
        let minus_rest = self.writer.value(&format!("fneg {ty} {rest}"));
        let error = self.fma(&ty, &minus_product, &y, &one);
        let error = self.fma(&ty, &minus_rest, &y, &error);
        let half_y = self.writer.value(&format!("fmul {ty} {y}, {half}"));
        let refined = self.fma(&ty, &half_y, &error, &y);
        let is_number = self.writer.value(&format!("fcmp ord {ty} {refined}, {refined}"));
        self.writer.value(&format!("select <32 x i1> {is_number}, {ty} {refined}, {ty} {y}"))
    }

    /// A product and a sum of 32 single-precision numbers, rounded once.
    fn fma(&mut self, ty: &str, a: &str, b: &str, c: &str) -> String {
        self.writer.call(ty, "llvm.fma.v32f32", &[(ty, a), (ty, b), (ty, c)])
    }

    /// An instruction of the processor on 16 single-precision numbers, for both halves of 32.
    fn by_sixteen(&mut self, name: &str, a: &str) -> String {
        let half = "<16 x float>";
        let halves = [0, 16].map(|first| {
            let lanes: Vec<String> = (first..first + 16).map(|lane| format!("i32 {lane}")).collect();
            let part = self.writer.value(&format!(
                "shufflevector <32 x float> {a}, <32 x float> poison, <16 x i32> <{}>",
                lanes.join(", ")
            ));
            self.writer.call(half, name, &[(half, &part), (half, "zeroinitializer"), ("i16", "-1")])
        });
        let lanes: Vec<String> = (0..32).map(|lane| format!("i32 {lane}")).collect();
        self.writer.value(&format!(
            "shufflevector {half} {}, {half} {}, <32 x i32> <{}>",
            halves[0],
            halves[1],
            lanes.join(", ")
        ))
    }

    fn number_constant(&mut self, width: Width, format: FloatFormat, pattern: u64) -> String {
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
                self.writer.value(&format!("fpext {} {half} to {single}", width.of("half")))
            }
            FloatFormat::F | FloatFormat::Df => self.number(width, format, pattern),
        }
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
    fn finished(&mut self, op: Op, width: Width, format: FloatFormat, result: String) -> String {
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
        let bits = layout(format).bits;
        let sign = 1u64 << (bits - 1);
        let changed = match opcode {
            FloatingPoint::Fabs => self.binary(width, "and", bits, a, &constant(width, bits, sign - 1)),
            _ => self.binary(width, "xor", bits, a, &constant(width, bits, sign)),
        };
        self.quieted(width, format, &changed)
    }

    /// `fmin`, `fmax`: -0 is less than +0, and a NaN loses against a number unless it is to be passed on.
    pub(super) fn extreme(
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
        let first = self.compare_floats(width, format, relation, a, b);
        let nan = self.is_nan(width, format, if propagate_nan { a } else { b });
        let first = self.binary(width, "or", 1, &first, &nan);
        let mut result = self.select(width, &first, bits, a, b);
        if propagate_nan {
            let second = self.is_nan(width, format, b);
            let other = self.select(width, &second, bits, b, &result);
            result = self.select(width, &nan, bits, a, &other);
        }
        let equal = self.compare_floats(width, format, "oeq", a, b);
        let same = self.binary(width, together, bits, a, b);
        let result = self.select(width, &equal, bits, &same, &result);
        self.quieted(width, format, &result)
    }
}
