//! Conversions of numbers (spec instructions 4.5 to 4.10 and 4.15).

use campanile_core::isa::{DataMovement, FloatFormat, Rounding, Type};
use campanile_core::module::Instruction;
use rspirv::spirv::{FPRoundingMode, Op, OpenclStd100Op};

use super::code::Code;
use super::float::{Format, Mode, Way, integral_function, narrowed};
use super::floating_point::mode_of;
use super::function::FunctionEmitter;
use super::value::{Bits, Number};

impl FunctionEmitter<'_, '_, '_> {
    pub(super) fn conversion(&mut self, opcode: DataMovement, instruction: &Instruction) {
        let op = instruction.op;
        let mode = mode_of(op);
        let to = op.to().or(op.ty()).unwrap_or(Type::F);
        let from = op.from().or(op.ty()).unwrap_or(Type::F);
        let (to_format, from_format) = (Format::of(Some(to)), Format::of(Some(from)));
        if opcode == DataMovement::Ftrunc2 {
            let sources = self.sources(instruction);
            let results: Vec<Bits> = sources
                .iter()
                .map(|source| {
                    Format::new(FloatFormat::F).converted(&mut self.code, mode, to_format, source[0])
                })
                .collect();
            return self.assign(&self.body.operands(instruction)[0], &results);
        }
        self.elementwise(instruction, |emitter, sources| {
            let code = &mut emitter.code;
            match opcode {
                DataMovement::F2i | DataMovement::Pf2i => {
                    // The default of these is toward zero.
                    to_integer(
                        code,
                        from_format,
                        op.rounding().unwrap_or(Rounding::TowardZero),
                        to,
                        sources[0],
                    )
                }
                DataMovement::I2f => from_integer(code, to_format, mode, from, sources[0]),
                DataMovement::Frnd => {
                    let sources = to_format.all_flushed(code, mode.flush, sources);
                    let result = to_format.integral(code, mode.rounding, sources[0]);
                    to_format.finished(code, mode, result)
                }
                _ => from_format.converted(code, mode, to_format, sources[0]),
            }
        });
    }
}

impl Format {
    /// A pattern in another format; a NaN becomes quiet and keeps the leading bits of its payload.
    pub(super) fn converted(self, code: &mut Code<'_>, mode: Mode, to: Format, source: Bits) -> Bits {
        let flushed = if mode.flush { self.flushed(code, source) } else { source };
        let number = self.widened(code, flushed);
        let width = if to.kind == FloatFormat::Df { 64 } else { number.width };
        let number = code.resize_number(number, width);
        let result = narrowed(code, Way::Mode(mode.rounding), to, number);
        let result = if mode.flush { to.flushed(code, result) } else { result };
        let result = if mode.saturate { to.finite(code, result) } else { result };
        let is_nan = self.is_nan(code, source);
        let nan = self.converted_nan(code, to, source);
        code.select(is_nan, nan, result)
    }

    fn converted_nan(self, code: &mut Code<'_>, to: Format, nan: Bits) -> Bits {
        let wide = code.resize(nan, 64);
        let fraction = code.constant(64, (1 << self.fraction) - 1);
        let fraction = code.and(wide, fraction);
        let payload = if to.fraction < self.fraction {
            code.shift_by(Op::ShiftRightLogical, fraction, self.fraction - to.fraction)
        } else {
            code.shift_by(Op::ShiftLeftLogical, fraction, to.fraction - self.fraction)
        };
        let sign = code.shift_by(Op::ShiftRightLogical, wide, self.bits - 1);
        let sign = code.shift_by(Op::ShiftLeftLogical, sign, to.bits - 1);
        let quiet = to.nan_among(code, &[]);
        let quiet = code.resize(quiet, 64);
        let nan = code.or(payload, sign);
        let nan = code.or(nan, quiet);
        code.resize(nan, to.bits)
    }
}

/// `f2i`: clamped to the range of the integer; NaN gives zero. By comparisons, as not every device has conversions that do
/// that for vectors of all sizes.
fn to_integer(code: &mut Code<'_>, from: Format, rounding: Rounding, to: Type, source: Bits) -> Bits {
    let mut number = from.widened(code, source);
    if rounding != Rounding::TowardZero {
        number = code.extended_number(integral_function(rounding), &[number]);
    }
    let (width, signed) = (to.element_bits(), to.is_signed());
    let power = if signed { width - 1 } else { width };
    let limit = exact_power(code, number.width, power);
    let least = match signed {
        true => code.calculate(Op::FNegate, &[limit]),
        false => code.number_constant(number.width, 0),
    };
    let is_high = code.compare_numbers(Op::FOrdGreaterThanEqual, number, limit);
    let is_low = code.compare_numbers(Op::FOrdLessThan, number, least);
    let is_above = code.compare_numbers(Op::FOrdGreaterThanEqual, number, least);
    let is_below = code.compare_numbers(Op::FOrdLessThan, number, limit);
    let is_inside = code.both(is_above, is_below);
    let pattern = code.pattern(number);
    let zero = code.constant(pattern.width, 0);
    let inside = code.select(is_inside, pattern, zero);
    let inside = code.number(inside);
    let wide = width.max(32);
    let ty = code.assembly.int(wide);
    let op = if signed { Op::ConvertFToS } else { Op::ConvertFToU };
    let integer = Bits { id: code.of(op, ty, &[inside.id]), width: wide };
    let integer = code.resize(integer, width);
    let [greatest, lowest] = match signed {
        true => [(1 << (width - 1)) - 1, 1 << (width - 1)],
        false => [u64::MAX, 0],
    };
    let [greatest, lowest] = [greatest, lowest].map(|value| code.constant(width, value));
    let result = code.select(is_low, lowest, integer);
    code.select(is_high, greatest, result)
}

/// Two to a power, in single or double precision.
fn exact_power(code: &mut Code<'_>, width: u32, power: u32) -> Number {
    let format = Format::new(if width == 64 { FloatFormat::Df } else { FloatFormat::F });
    let bias = (1u64 << (format.bits - format.fraction - 2)) - 1;
    code.number_constant(width, (bias + u64::from(power)) << format.fraction)
}

/// `i2f`.
fn from_integer(code: &mut Code<'_>, to: Format, mode: Mode, from: Type, source: Bits) -> Bits {
    let signed = from.is_signed();
    let result = match (to.kind, mode.rounding) {
        (FloatFormat::F | FloatFormat::Df, Rounding::NearestAway) => {
            integer_tie_away(code, to, signed, source)
        }
        (FloatFormat::F | FloatFormat::Df, rounding) => {
            let number = integer_to_number(code, to.bits, signed, device_mode(rounding), source);
            code.pattern(number)
        }
        (_, rounding) => {
            let odd = integer_to_odd(code, signed, source);
            narrowed(code, Way::Mode(rounding), to, odd)
        }
    };
    if mode.saturate { to.finite(code, result) } else { result }
}

fn device_mode(rounding: Rounding) -> FPRoundingMode {
    match rounding {
        Rounding::NearestEven | Rounding::NearestAway => FPRoundingMode::RTE,
        Rounding::Up => FPRoundingMode::RTP,
        Rounding::Down => FPRoundingMode::RTN,
        Rounding::TowardZero => FPRoundingMode::RTZ,
    }
}

fn integer_to_number(
    code: &mut Code<'_>,
    width: u32,
    signed: bool,
    mode: FPRoundingMode,
    source: Bits,
) -> Number {
    let ty = code.float(width);
    let op = if signed { Op::ConvertSToF } else { Op::ConvertUToF };
    let id = code.of(op, ty, &[source.id]);
    code.round(id, mode);
    Number { id, width }
}

/// An integer in single precision, rounded to odd.
fn integer_to_odd(code: &mut Code<'_>, signed: bool, source: Bits) -> Number {
    let cut = integer_to_number(code, 32, signed, FPRoundingMode::RTZ, source);
    if source.width <= 16 {
        return cut;
    }
    let ty = code.assembly.int(source.width);
    let op = if signed { Op::ConvertFToS } else { Op::ConvertFToU };
    let back = Bits { id: code.of(op, ty, &[cut.id]), width: source.width };
    let is_inexact = code.compare(Op::INotEqual, back, source);
    let last = code.one_if(is_inexact, 32);
    let pattern = code.pattern(cut);
    let odd = code.or(pattern, last);
    code.number(odd)
}

/// An integer in single or double precision, rounded to the nearest, ties away from zero: half a unit is added to its
/// magnitude before what does not fit is cut off.
fn integer_tie_away(code: &mut Code<'_>, to: Format, signed: bool, source: Bits) -> Bits {
    let zero = code.constant(source.width, 0);
    let is_negative = code.compare(Op::SLessThan, source, zero);
    let negative = code.negate(source);
    let magnitude = if signed { code.select(is_negative, negative, source) } else { source };
    let magnitude = code.resize(magnitude, 64);
    let leading = code.extended_int(OpenclStd100Op::clz, &[magnitude]);
    let kept = code.constant(64, u64::from(64 - to.fraction - 1));
    // Bits that do not fit, or none.
    let unused = code.extended_int(OpenclStd100Op::s_min, &[leading, kept]);
    let excess = code.sub(kept, unused);
    let is_exact = code.is(excess, 0);
    let one = code.constant(64, 1);
    let before = code.sub(excess, one);
    let none = code.constant(64, 0);
    let before = code.select(is_exact, none, before);
    let twice = code.shift(Op::ShiftRightLogical, magnitude, before);
    let rounded = code.add(twice, one);
    let rounded = code.shift_by(Op::ShiftRightLogical, rounded, 1);
    let rounded = code.select(is_exact, magnitude, rounded);
    let number = integer_to_number(code, to.bits, false, FPRoundingMode::RTE, rounded);
    // The number times two to the power of the excess, in its exponent.
    let pattern = code.pattern(number);
    let excess = code.resize(excess, to.bits);
    let power = code.shift_by(Op::ShiftLeftLogical, excess, to.fraction);
    let scaled = code.add(pattern, power);
    if !signed {
        return scaled;
    }
    let sign = code.one_if(is_negative, to.bits);
    let sign = code.shift_by(Op::ShiftLeftLogical, sign, to.bits - 1);
    code.or(scaled, sign)
}
