//! Results rounded as an instruction says (spec 3.2), where the processor only rounds to the nearest, ties to even.
//!
//! What a rounding to the nearest has lost says whether another way ends at one of the two neighbours. Sums and products
//! are computed in a wider format first, half precision in single and the others in double precision, where what is lost
//! makes the last bit odd: so a second rounding, whatever its way, is that of the exact value. Quotients and roots need no
//! such bit: those of single precision are never so near to what 25 bits can hold that in double precision they end on
//! the other side of it.

use campanile_core::isa::{FloatFormat, FloatingPoint, Rounding};

use super::Computation;
use super::floating_point::{kind, layout};
use super::single::Single;
use super::writer::{Width, constant};

/// A way to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Way {
    /// As an instruction says.
    Mode(Rounding),
    /// To the neighbour with an odd pattern, if the value is between two.
    Odd,
}

/// A sum that has been rounded to the nearest, and what was lost.
struct Sum {
    rounded: String,
    lost: String,
}

impl Computation<'_> {
    /// The result of an operation on numbers of a format of at most 32 bits, rounded once.
    pub(in crate::lower) fn rounded_operation(
        &mut self,
        opcode: FloatingPoint,
        rounding: Rounding,
        width: Width,
        [from, to]: [FloatFormat; 2],
        sources: &[String],
    ) -> String {
        let way = Way::Mode(rounding);
        if (opcode, from) == (FloatingPoint::Fmad, FloatFormat::Bf) {
            return self.bf_multiply_add(way, width, sources);
        }
        // Products of half precision are exact in single precision.
        let wide = if from == FloatFormat::Hf { FloatFormat::F } else { FloatFormat::Df };
        let ty = width.of(kind(wide).0);
        let numbers: Vec<String> =
            sources.iter().map(|source| self.widened_to(width, wide, from, source)).collect();
        let [a, b] = [&numbers[0], numbers.get(1).unwrap_or(&numbers[0])];
        let mut exact = |operation: &str| self.writer.value(&format!("{operation} {ty} {a}, {b}"));
        let result = match opcode {
            FloatingPoint::Fadd => self.odd_sum(way, width, wide, "fadd", [a, b]),
            FloatingPoint::Fsub => self.odd_sum(way, width, wide, "fsub", [a, b]),
            FloatingPoint::Fmad => {
                let product = exact("fmul");
                self.odd_sum(way, width, wide, "fadd", [&product, &numbers[2]])
            }
            FloatingPoint::Fmul => exact("fmul"),
            FloatingPoint::Fdiv => exact("fdiv"),
            _ => self.unary(width, "sqrt", wide, a),
        };
        self.rounded(way, width, [wide, to], &result)
    }

    /// `fmad` of bfloat16. Nearly always, products are exact in single precision too.
    fn bf_multiply_add(&mut self, way: Way, width: Width, sources: &[String]) -> String {
        let single = FloatFormat::F;
        let numbers: Vec<String> =
            sources.iter().map(|source| self.widened(width, FloatFormat::Bf, source)).collect();
        let sum = self.subroutine("fmad.odd", "alwaysinline", width, &numbers, multiply_add_to_odd);
        let mut pattern = self.pattern(width, single, &sum);
        if way == Way::Mode(Rounding::Down) {
            let ty = width.of("float");
            let product = self.writer.value(&format!("fmul {ty} {}, {}", numbers[0], numbers[1]));
            pattern = self.negative_zero(width, single, "fadd", [&product, &numbers[2]], &sum, &pattern);
        }
        self.rounded_step(way, width, FloatFormat::Bf, single, &pattern)
    }

    /// A number in single or double precision.
    fn widened_to(&mut self, width: Width, to: FloatFormat, from: FloatFormat, pattern: &str) -> String {
        let single = self.widened(width, from, pattern);
        if to == FloatFormat::F {
            return single;
        }
        self.writer.value(&format!("fpext {} {single} to {}", width.of("float"), width.of("double")))
    }

    /// A sum in single or double precision that `way` will round: rounded to odd, and with the sign that a zero has.
    fn odd_sum(
        &mut self,
        way: Way,
        width: Width,
        format: FloatFormat,
        operation: &str,
        [a, b]: [&str; 2],
    ) -> String {
        let sum = self.sum(width, format, operation, [a, b]);
        let pattern = self.pattern(width, format, &sum.rounded);
        let mut pattern = self.toward_lost(Way::Odd, width, [format; 2], &pattern, &sum.lost);
        if way == Way::Mode(Rounding::Down) {
            pattern = self.negative_zero(width, format, operation, [a, b], &sum.rounded, &pattern);
        }
        self.number(width, format, &pattern)
    }

    /// A sum or difference, and what its rounding has lost: the error of a sum is a number itself.
    fn sum(&mut self, width: Width, format: FloatFormat, operation: &str, [a, b]: [&str; 2]) -> Sum {
        let ty = width.of(kind(format).0);
        let mut write =
            |operation: &str, a: &str, b: &str| self.writer.value(&format!("{operation} {ty} {a}, {b}"));
        let rounded = write(operation, a, b);
        let second = write("fsub", &rounded, a);
        let first = write("fsub", &rounded, &second);
        let lost_of_first = write("fsub", a, &first);
        let lost = match operation {
            "fadd" => {
                let lost_of_second = write("fsub", b, &second);
                write("fadd", &lost_of_first, &lost_of_second)
            }
            _ => {
                let gained_by_second = write("fadd", b, &second);
                write("fsub", &lost_of_first, &gained_by_second)
            }
        };
        Sum { rounded, lost }
    }

    /// Rounding down, a sum that is zero is negative unless both its terms are positive zeros.
    fn negative_zero(
        &mut self,
        width: Width,
        format: FloatFormat,
        operation: &str,
        [a, b]: [&str; 2],
        sum: &str,
        pattern: &str,
    ) -> String {
        let bits = layout(format).bits;
        let [a, mut b] = [a, b].map(|term| self.pattern(width, format, term));
        let sign = constant(width, bits, 1 << (bits - 1));
        if operation == "fsub" {
            b = self.binary(width, "xor", bits, &b, &sign);
        }
        let either = self.binary(width, "or", bits, &a, &b);
        let either = self.binary(width, "and", bits, &either, &sign);
        let zero = self.number_constant(width, format, 0);
        let is_zero = self.writer.value(&format!("fcmp oeq {} {sum}, {zero}", width.of(kind(format).0)));
        self.select(width, &is_zero, bits, &either, pattern)
    }

    /// The pattern of a number in single or double precision, rounded to a format that is not wider.
    pub(in crate::lower) fn rounded(
        &mut self,
        way: Way,
        width: Width,
        [from, to]: [FloatFormat; 2],
        number: &str,
    ) -> String {
        let pattern = self.pattern(width, from, number);
        match (from, to) {
            _ if from == to => pattern,
            (FloatFormat::Df, FloatFormat::Hf | FloatFormat::Bf) => {
                let single = self.rounded_step(Way::Odd, width, FloatFormat::F, from, &pattern);
                self.rounded_step(way, width, to, FloatFormat::F, &single)
            }
            _ => self.rounded_step(way, width, to, from, &pattern),
        }
    }

    /// The pattern of a number, rounded from double to single precision or from that to 16 bits.
    pub(in crate::lower) fn rounded_step(
        &mut self,
        way: Way,
        width: Width,
        to: FloatFormat,
        from: FloatFormat,
        pattern: &str,
    ) -> String {
        let nearest = self.narrow(width, to, from, pattern);
        if way == Way::Mode(Rounding::NearestEven) {
            return nearest;
        }
        let ty = width.of(kind(from).0);
        let value = self.number(width, from, pattern);
        let lost = |code: &mut Self, result: &str| {
            let result = code.widen(width, from, to, result);
            let result = code.number(width, from, &result);
            code.writer.value(&format!("fsub {ty} {value}, {result}"))
        };
        let lost_by_nearest = lost(self, &nearest);
        if way != Way::Mode(Rounding::NearestAway) {
            return self.toward_lost(way, width, [to, from], &nearest, &lost_by_nearest);
        }
        // Of two neighbours at the same distance, the one away from zero.
        let bits = layout(to).bits;
        let away = self.binary(width, "add", bits, &nearest, &constant(width, bits, 1));
        let lost_by_away = lost(self, &away);
        let minus = self.writer.value(&format!("fneg {ty} {lost_by_away}"));
        let is_tie = self.writer.value(&format!("fcmp oeq {ty} {minus}, {lost_by_nearest}"));
        self.select(width, &is_tie, bits, &away, &nearest)
    }

    /// A pattern rounded to the nearest, moved to the neighbour where another way would have ended. What was lost is a
    /// number of its own format.
    fn toward_lost(
        &mut self,
        way: Way,
        width: Width,
        [format, lost_format]: [FloatFormat; 2],
        pattern: &str,
        lost: &str,
    ) -> String {
        let bits = layout(format).bits;
        let zero = constant(width, bits, 0);
        let ty = width.of(kind(lost_format).0);
        let none = self.number_constant(width, lost_format, 0);
        let is_negative = self.compare(width, "slt", bits, pattern, &zero);
        let [is_below, is_above] =
            ["ogt", "olt"].map(|relation| self.writer.value(&format!("fcmp {relation} {ty} {lost}, {none}")));
        let outward = self.select(width, &is_negative, 1, &is_above, &is_below);
        let inward = self.select(width, &is_negative, 1, &is_below, &is_above);
        let condition = match way {
            Way::Mode(Rounding::TowardZero) => return self.step(width, bits, pattern, None, &inward),
            Way::Mode(Rounding::Up) => is_below,
            Way::Mode(Rounding::Down) => is_above,
            // Ties are not seen here.
            Way::Mode(Rounding::NearestEven | Rounding::NearestAway) => return pattern.to_owned(),
            Way::Odd => {
                let low = self.binary(width, "and", bits, pattern, &constant(width, bits, 1));
                self.compare(width, "eq", bits, &low, &zero)
            }
        };
        let [outward, inward] =
            [outward, inward].map(|direction| self.binary(width, "and", 1, &direction, &condition));
        self.step(width, bits, pattern, Some(&outward), &inward)
    }

    /// The next pattern away from zero or toward zero where these conditions hold.
    fn step(
        &mut self,
        width: Width,
        bits: u32,
        pattern: &str,
        outward: Option<&str>,
        inward: &str,
    ) -> String {
        let minus_one = self.extend(width, inward, 1, bits, true);
        let pattern = self.binary(width, "add", bits, pattern, &minus_one);
        let Some(outward) = outward else { return pattern };
        let minus_one = self.extend(width, outward, 1, bits, true);
        self.binary(width, "sub", bits, &pattern, &minus_one)
    }

    /// An integer of 64 bits in double precision, rounded in a direction or to odd.
    pub(in crate::lower) fn wide_integer(
        &mut self,
        way: Way,
        width: Width,
        signed: bool,
        integer: &str,
    ) -> String {
        let (int, double) = (width.int(64), width.of("double"));
        let high =
            self.binary(width, if signed { "ashr" } else { "lshr" }, 64, integer, &constant(width, 64, 32));
        let low = self.binary(width, "and", 64, integer, &constant(width, 64, u32::MAX.into()));
        let [high, low] =
            [high, low].map(|half| self.writer.value(&format!("sitofp {int} {half} to {double}")));
        let unit = self.number_constant(width, FloatFormat::Df, 32f64.exp2().to_bits());
        let high = self.writer.value(&format!("fmul {double} {high}, {unit}"));
        let format = FloatFormat::Df;
        let sum = self.sum(width, format, "fadd", [&high, &low]);
        let pattern = self.pattern(width, format, &sum.rounded);
        let pattern = self.toward_lost(way, width, [format; 2], &pattern, &sum.lost);
        self.number(width, format, &pattern)
    }
}

/// Products below this one may have lost bits.
const LEAST_PRODUCT: f32 = 1.0 / (1u128 << 100) as f32;

/// `a * b + c` in single precision, rounded to odd. Where the product is no number of that precision or the sum too great
/// for it, double precision serves; so it does for a product that is too great and whose sum with an infinity is a NaN.
fn multiply_add_to_odd(single: &mut Single<'_, '_>, arguments: &[String]) -> String {
    let [a, b, c] = [&arguments[0], &arguments[1], &arguments[2]];
    let (width, way) = (single.width, Way::Odd);
    let product = single.mul(a, b);
    let sum = single.code.odd_sum(way, width, FloatFormat::F, "fadd", [&product, c]);
    let [none, least, infinity] = [0.0, LEAST_PRODUCT, f32::INFINITY].map(|value| single.constant(value));
    let size_of_product = single.magnitude_and_sign(&product).0;
    let size_of_sum = single.magnitude_and_sign(&sum).0;
    let is_small = single.compare("olt", &size_of_product, &least);
    let [a_is_some, b_is_some] = [a, b].map(|factor| single.compare("une", factor, &none));
    let is_great = single.compare("uge", &size_of_sum, &infinity);
    let code = &mut *single.code;
    let is_inexact = code.binary(width, "and", 1, &is_small, &a_is_some);
    let is_inexact = code.binary(width, "and", 1, &is_inexact, &b_is_some);
    let is_beyond = code.binary(width, "or", 1, &is_inexact, &is_great);
    single.unless(&is_beyond, &sum, |single| {
        let (ty, double) = (single.ty(), width.of("double"));
        let code = &mut *single.code;
        let [a, b, c] =
            [a, b, c].map(|number| code.writer.value(&format!("fpext {ty} {number} to {double}")));
        let product = code.writer.value(&format!("fmul {double} {a}, {b}"));
        let sum = code.odd_sum(way, width, FloatFormat::Df, "fadd", [&product, &c]);
        let pattern = code.rounded(way, width, [FloatFormat::Df, FloatFormat::F], &sum);
        code.number(width, FloatFormat::F, &pattern)
    })
}
