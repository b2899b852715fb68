//! Conversions of numbers (spec instructions 4.5 to 4.10 and 4.15).

use campanile_core::isa::{DataMovement, FloatFormat, Op, Rounding, Type};

use super::Computation;
use super::floating_point::layout;
use super::rounding::Way;
use super::writer::{Width, constant};
use crate::lower::Target;

/// Whether a conversion is written as instructions.
pub(super) fn is_native(opcode: DataMovement, op: Op, target: &Target) -> bool {
    let formats = [op.ty(), op.from(), op.to()].into_iter().flatten().filter_map(Type::float_format);
    if formats.into_iter().any(|format| format == FloatFormat::Hf) && !target.half_conversion {
        return false;
    }
    match opcode {
        DataMovement::F2i | DataMovement::Pf2i => {
            target.integral || op.rounding() == Some(Rounding::TowardZero)
        }
        DataMovement::Frnd => target.integral,
        // What is lost of 64 bits in double precision does not show a tie.
        DataMovement::I2f => {
            op.rounding() != Some(Rounding::NearestAway)
                || format_of(op.to()) != FloatFormat::Df
                || op.from().is_some_and(|from| from.bits() <= 32)
        }
        _ => true,
    }
}

fn is_to_nearest(op: Op) -> bool {
    op.rounding().is_none_or(|rounding| rounding == Rounding::NearestEven)
}

fn format_of(ty: Option<Type>) -> FloatFormat {
    ty.and_then(Type::float_format).unwrap_or(FloatFormat::F)
}

impl Computation<'_> {
    /// A conversion of a source.
    pub fn convert(&mut self, opcode: DataMovement, op: Op, width: Width, source: &str) -> String {
        match opcode {
            DataMovement::Frnd => {
                let format = format_of(op.ty());
                let source = self.flushed_if(op.has("ftz"), width, format, source);
                let rounded = self.rounded_to_integral(op.rounding(), width, format, &source);
                let pattern = self.pattern(width, format, &rounded);
                self.flushed_if(op.has("ftz"), width, format, &pattern)
            }
            DataMovement::Fext => self.widen(width, format_of(op.to()), format_of(op.from()), source),
            DataMovement::Ftrunc | DataMovement::Ftrunc2 => self.truncate(op, width, source),
            DataMovement::I2f => {
                let result = self.integer_to_float(op, width, source);
                self.finite_if(op.has("dsat"), width, format_of(op.to()), result)
            }
            _ => self.float_to_integer(op, width, source),
        }
    }

    /// `ftrunc`, and an element of `ftrunc2`.
    fn truncate(&mut self, op: Op, width: Width, source: &str) -> String {
        let (from, to) = (format_of(op.from()), format_of(op.to()));
        let flush = op.has("ftz");
        let way = Way::Mode(op.rounding().unwrap_or(Rounding::NearestEven));
        let source = self.flushed_if(flush, width, from, source);
        let number = self.number(width, from, &source);
        let result = self.rounded(way, width, [from, to], &number);
        let result = self.flushed_if(flush, width, to, &result);
        self.finite_if(op.has("dsat"), width, to, result)
    }

    /// What `.dsat` makes of the result of a conversion: the greatest number, where it is infinite.
    fn finite_if(&mut self, saturate: bool, width: Width, format: FloatFormat, pattern: String) -> String {
        if !saturate {
            return pattern;
        }
        let (bits, infinity) = (layout(format).bits, layout(format).exponent);
        let sign = 1 << (bits - 1);
        let magnitude = self.binary(width, "and", bits, &pattern, &constant(width, bits, sign - 1));
        let is_infinite = self.compare(width, "eq", bits, &magnitude, &constant(width, bits, infinity));
        let greatest = self.binary(width, "sub", bits, &pattern, &constant(width, bits, 1));
        self.select(width, &is_infinite, bits, &greatest, &pattern)
    }

    fn integer_to_float(&mut self, op: Op, width: Width, source: &str) -> String {
        let (from, to) = (op.from().unwrap_or(Type::S32), format_of(op.to()));
        let bits = from.element_bits();
        let operation = if from.is_signed() { "sitofp" } else { "uitofp" };
        let ways_match = is_to_nearest(op) && matches!(to, FloatFormat::F | FloatFormat::Df);
        let way = Way::Mode(op.rounding().unwrap_or(Rounding::NearestEven));
        let number = match bits {
            64 if !ways_match => {
                let first = if to == FloatFormat::Df { way } else { Way::Odd };
                self.wide_integer(first, width, from.is_signed(), source)
            }
            _ => {
                let kind = if ways_match && to == FloatFormat::F { "float" } else { "double" };
                self.writer.value(&format!("{operation} {} {source} to {}", width.int(bits), width.of(kind)))
            }
        };
        if ways_match {
            return self.pattern(width, to, &number);
        }
        self.rounded(way, width, [FloatFormat::Df, to], &number)
    }

    /// A number rounded to an integral one, in the type in which its format is computed.
    fn rounded_to_integral(
        &mut self,
        rounding: Option<Rounding>,
        width: Width,
        format: FloatFormat,
        pattern: &str,
    ) -> String {
        let number = self.number(width, format, pattern);
        let name = match rounding {
            Some(Rounding::NearestEven) | None => "roundeven",
            Some(Rounding::Down) => "floor",
            Some(Rounding::Up) => "ceil",
            Some(Rounding::TowardZero) => "trunc",
            Some(Rounding::NearestAway) => "round",
        };
        self.unary(width, name, format, &number)
    }

    /// `f2i`: clamped to the range of the integer; NaN gives zero.
    fn float_to_integer(&mut self, op: Op, width: Width, source: &str) -> String {
        let to = op.to().unwrap_or(Type::S32);
        let format = format_of(op.from());
        // The conversion itself rounds toward zero.
        let mut number = match op.rounding() {
            Some(Rounding::TowardZero) => self.number(width, format, source),
            rounding => self.rounded_to_integral(rounding, width, format, source),
        };
        let (mut ty, mut suffix) = match format {
            FloatFormat::Df => ("double", "f64"),
            FloatFormat::F | FloatFormat::Bf => ("float", "f32"),
            FloatFormat::Hf => ("half", "f16"),
        };
        if format == FloatFormat::Hf {
            number = self.writer.value(&format!("fpext {} {number} to {}", width.of(ty), width.of("float")));
            (ty, suffix) = ("float", "f32");
        }
        let bits = to.element_bits();
        let name = if to.is_signed() { "fptosi" } else { "fptoui" };
        let name = format!("llvm.{name}.sat.{}.{}", width.suffix(bits), width.suffix_of(suffix));
        self.writer.call(&width.int(bits), &name, &[(&width.of(ty), &number)])
    }

    /// A pattern in a wider format.
    pub(in crate::lower) fn widen(
        &mut self,
        width: Width,
        to: FloatFormat,
        from: FloatFormat,
        source: &str,
    ) -> String {
        let source = self.quieted(width, from, source);
        let single = self.widened(width, from, &source);
        if to == FloatFormat::F {
            return self.pattern(width, FloatFormat::F, &single);
        }
        let double =
            self.writer.value(&format!("fpext {} {single} to {}", width.of("float"), width.of("double")));
        self.pattern(width, FloatFormat::Df, &double)
    }

    /// A pattern of double or single precision, rounded to the nearest number of the format that is one step narrower.
    pub(in crate::lower) fn narrow(
        &mut self,
        width: Width,
        to: FloatFormat,
        from: FloatFormat,
        source: &str,
    ) -> String {
        if to == FloatFormat::Bf {
            return self.rounded_to_bf(width, source);
        }
        let mut number = self.number(width, from, source);
        if to == FloatFormat::Hf {
            number = self.apart(width, &number);
        }
        let (wide, narrow) = if from == FloatFormat::Df { ("double", "float") } else { ("float", "half") };
        let narrowed =
            self.writer.value(&format!("fptrunc {} {number} to {}", width.of(wide), width.of(narrow)));
        self.pattern(width, to, &narrowed)
    }
}
