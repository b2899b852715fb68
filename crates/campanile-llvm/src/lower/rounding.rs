//! Results rounded as an instruction says (spec 3.2), where the processor only rounds to the nearest, ties to even.
//!
//! What a rounding to the nearest has lost says whether another way ends at one of the two neighbours. Sums and products
//! of narrower formats are computed in double precision first, where what is lost makes the last bit odd: so a second
//! rounding, whatever its way, is that of the exact value. Quotients and roots need no such bit: that of single
//! precision are never so near to what 25 bits can hold that one in double precision is on the other side of it.

use campanile_core::isa::{FloatFormat, FloatingPoint, Rounding};

use super::floating_point::layout;
use super::function::FunctionLowering;
use super::writer::{Width, constant};

/// A way to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
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

impl FunctionLowering<'_, '_> {
    /// The result of an operation on numbers of a format of at most 32 bits, rounded once.
    pub(super) fn rounded_operation(
        &mut self,
        opcode: FloatingPoint,
        rounding: Rounding,
        width: Width,
        [from, to]: [FloatFormat; 2],
        sources: &[String],
    ) -> String {
        let double = width.of("double");
        let numbers: Vec<String> = sources.iter().map(|source| self.as_double(width, from, source)).collect();
        let way = Way::Mode(rounding);
        let exact = |lowering: &mut Self, operation: &str| {
            lowering.writer.value(&format!("{operation} {double} {}, {}", numbers[0], numbers[1]))
        };
        let result = match opcode {
            FloatingPoint::Fadd | FloatingPoint::Fsub => {
                let operation = if opcode == FloatingPoint::Fadd { "fadd" } else { "fsub" };
                self.odd_sum(way, width, operation, [&numbers[0], &numbers[1]])
            }
            FloatingPoint::Fmad => {
                let product = exact(self, "fmul");
                self.odd_sum(way, width, "fadd", [&product, &numbers[2]])
            }
            FloatingPoint::Fmul => exact(self, "fmul"),
            FloatingPoint::Fdiv => exact(self, "fdiv"),
            _ => self.unary(width, "sqrt", FloatFormat::Df, &numbers[0]),
        };
        self.rounded(way, width, to, &result)
    }

    /// A number of a narrower format, in double precision.
    fn as_double(&mut self, width: Width, format: FloatFormat, pattern: &str) -> String {
        let single = self.widened(width, format, pattern);
        self.writer.value(&format!("fpext {} {single} to {}", width.of("float"), width.of("double")))
    }

    /// A sum in double precision that `way` will round: rounded to odd, and with the sign that a zero has.
    fn odd_sum(&mut self, way: Way, width: Width, operation: &str, [a, b]: [&str; 2]) -> String {
        let sum = self.sum(width, operation, [a, b]);
        let pattern = self.pattern(width, FloatFormat::Df, &sum.rounded);
        let mut pattern =
            self.toward_lost(Way::Odd, width, FloatFormat::Df, &pattern, &sum.lost, FloatFormat::Df);
        if way == Way::Mode(Rounding::Down) {
            pattern = self.negative_zero(width, operation, [a, b], &sum.rounded, &pattern);
        }
        self.number(width, FloatFormat::Df, &pattern)
    }

    /// A sum or difference in double precision, and what its rounding has lost: the error of a sum is a number itself.
    fn sum(&mut self, width: Width, operation: &str, [a, b]: [&str; 2]) -> Sum {
        let double = width.of("double");
        let mut write =
            |operation: &str, a: &str, b: &str| self.writer.value(&format!("{operation} {double} {a}, {b}"));
        let rounded = write(operation, a, b);
        let second = write("fsub", &rounded, a);
        let first = write("fsub", &rounded, &second);
        let lost_of_first = write("fsub", a, &first);
        let lost_of_second = match operation {
            "fadd" => write("fsub", b, &second),
            _ => {
                let minus = write("fadd", b, &second);
                self.writer.value(&format!("fneg {double} {minus}"))
            }
        };
        let lost = self.writer.value(&format!("fadd {double} {lost_of_first}, {lost_of_second}"));
        Sum { rounded, lost }
    }

    /// Rounding down, a sum that is zero is negative unless both its terms are positive zeros.
    fn negative_zero(
        &mut self,
        width: Width,
        operation: &str,
        [a, b]: [&str; 2],
        sum: &str,
        pattern: &str,
    ) -> String {
        let double = width.of("double");
        let [a, mut b] = [a, b].map(|term| self.pattern(width, FloatFormat::Df, term));
        let sign = constant(width, 64, 1 << 63);
        if operation == "fsub" {
            b = self.binary(width, "xor", 64, &b, &sign);
        }
        let either = self.binary(width, "or", 64, &a, &b);
        let either = self.binary(width, "and", 64, &either, &sign);
        let zero = constant(width, 64, 0);
        let zero = self.number(width, FloatFormat::Df, &zero);
        let is_zero = self.writer.value(&format!("fcmp oeq {double} {sum}, {zero}"));
        self.select(width, &is_zero, 64, &either, pattern)
    }

    /// The pattern of a number in double precision, rounded to a narrower format.
    pub(super) fn rounded(&mut self, way: Way, width: Width, to: FloatFormat, number: &str) -> String {
        let pattern = self.pattern(width, FloatFormat::Df, number);
        match to {
            FloatFormat::Df => pattern,
            FloatFormat::F => self.rounded_step(way, width, to, FloatFormat::Df, &pattern),
            FloatFormat::Hf | FloatFormat::Bf => {
                let single = self.rounded_step(Way::Odd, width, FloatFormat::F, FloatFormat::Df, &pattern);
                self.rounded_step(way, width, to, FloatFormat::F, &single)
            }
        }
    }

    /// The pattern of a number, rounded from double to single precision or from that to 16 bits.
    pub(super) fn rounded_step(
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
        let ty = width.of(if from == FloatFormat::Df { "double" } else { "float" });
        let value = self.number(width, from, pattern);
        let lost = |lowering: &mut Self, result: &str| {
            let result = lowering.widen(width, from, to, result);
            let result = lowering.number(width, from, &result);
            lowering.writer.value(&format!("fsub {ty} {value}, {result}"))
        };
        let lost_by_nearest = lost(self, &nearest);
        if way != Way::Mode(Rounding::NearestAway) {
            return self.toward_lost(way, width, to, &nearest, &lost_by_nearest, from);
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
        format: FloatFormat,
        pattern: &str,
        lost: &str,
        lost_format: FloatFormat,
    ) -> String {
        let bits = layout(format).bits;
        let zero = constant(width, bits, 0);
        let ty = width.of(if lost_format == FloatFormat::Df { "double" } else { "float" });
        let none = constant(width, layout(lost_format).bits, 0);
        let none = self.number(width, lost_format, &none);
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

    /// An integer of 64 bits in double precision, rounded to odd.
    pub(super) fn wide_integer(&mut self, width: Width, signed: bool, integer: &str) -> String {
        let (int, double) = (width.int(64), width.of("double"));
        let high =
            self.binary(width, if signed { "ashr" } else { "lshr" }, 64, integer, &constant(width, 64, 32));
        let low = self.binary(width, "and", 64, integer, &constant(width, 64, u32::MAX.into()));
        let [high, low] =
            [high, low].map(|half| self.writer.value(&format!("sitofp {int} {half} to {double}")));
        let unit = constant(width, 64, (32f64.exp2()).to_bits());
        let unit = self.number(width, FloatFormat::Df, &unit);
        let high = self.writer.value(&format!("fmul {double} {high}, {unit}"));
        self.odd_sum(Way::Odd, width, "fadd", [&high, &low])
    }
}
