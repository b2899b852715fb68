//! Floating-point results against tables from exact rational arithmetic (`data/float/generate.py`).

use campanile_core::isa::{Comparison, FloatFormat, Rounding};
use campanile_engine::float::{self, Mode};

/// The rows of a table under `data/float`.
macro_rules! table {
    ($name:literal) => {
        rows(include_str!(concat!("data/float/", $name, ".txt")))
    };
}

/// A line `words -> results`.
struct Row {
    text: &'static str,
    words: Vec<&'static str>,
    results: Vec<&'static str>,
}

fn rows(table: &'static str) -> Vec<Row> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.map(|text| {
        let (words, results) = text.split_once(" -> ").expect(text);
        Row { text, words: words.split(' ').collect(), results: results.split(' ').collect() }
    });
    let rows = rows.collect::<Vec<_>>();
    assert!(rows.len() > 100);
    rows
}

impl Row {
    fn format(&self, column: usize) -> FloatFormat {
        FloatFormat::from_text(self.words[column]).expect(self.text)
    }

    fn has(&self, column: usize, flag: char) -> bool {
        self.words[column].contains(flag)
    }

    fn bits(&self, column: usize) -> u64 {
        u64::from_str_radix(self.words[column], 16).expect(self.text)
    }

    fn result(&self, column: usize) -> u64 {
        let text = self.results.get(column).unwrap_or(&self.results[0]);
        u64::from_str_radix(text, 16).expect(self.text)
    }

    /// Width and signedness of an integer type such as `s16`.
    fn integer(&self, column: usize) -> (u32, bool) {
        let (kind, bits) = self.words[column].split_at(1);
        (bits.parse().expect(self.text), kind == "s")
    }

    fn mode(&self, column: usize, rounding: Rounding) -> Mode {
        Mode { rounding, flush: self.has(column, 'z'), saturate: self.has(column, 's') }
    }
}

/// Holds `compute` against a table with a result for each rounding mode.
#[track_caller]
fn in_all_modes(rows: Vec<Row>, compute: impl Fn(&Row, Rounding) -> u64) {
    for row in rows {
        for (column, &rounding) in Rounding::ALL.iter().enumerate() {
            let (actual, expected) = (compute(&row, rounding), row.result(column));
            assert_eq!(actual, expected, "{rounding} gives {actual:x}, not {expected:x}: {}", row.text);
        }
    }
}

#[test]
fn sums() {
    in_all_modes(table!("add"), |row, rounding| {
        float::add(row.format(0), row.mode(1, rounding), row.bits(2), row.bits(3))
    });
}

#[test]
fn differences() {
    in_all_modes(table!("sub"), |row, rounding| {
        float::sub(row.format(0), row.mode(1, rounding), row.bits(2), row.bits(3))
    });
}

#[test]
fn products() {
    in_all_modes(table!("mul"), |row, rounding| {
        float::mul(row.format(0), row.mode(1, rounding), row.bits(2), row.bits(3))
    });
}

#[test]
fn full_products() {
    in_all_modes(table!("mul_full"), |row, rounding| {
        float::multiply_full(row.format(0), row.mode(1, rounding), row.bits(2), row.bits(3))
    });
}

#[test]
fn quotients() {
    in_all_modes(table!("div"), |row, rounding| {
        float::div(row.format(0), row.mode(1, rounding), row.bits(2), row.bits(3))
    });
}

#[test]
fn fused_products_and_sums() {
    in_all_modes(table!("fma"), |row, rounding| {
        let [a, b, c] = [2, 3, 4].map(|column| row.bits(column));
        float::fused_multiply_add(row.format(0), row.mode(1, rounding), a, b, c)
    });
}

#[test]
fn roots() {
    in_all_modes(table!("sqrt"), |row, rounding| {
        float::sqrt(row.format(0), row.mode(1, rounding), row.bits(2))
    });
}

#[test]
fn reciprocal_roots() {
    for row in table!("rsqrt") {
        let actual = float::reciprocal_sqrt(row.format(0), row.has(1, 'z'), row.bits(2));
        assert_eq!(actual, row.result(0), "{actual:x}: {}", row.text);
    }
}

#[test]
fn conversions() {
    in_all_modes(table!("convert"), |row, rounding| {
        float::convert(row.format(0), row.format(1), row.mode(2, rounding), row.bits(3))
    });
}

#[test]
fn integral_numbers() {
    in_all_modes(table!("integral"), |row, rounding| {
        float::round_to_integral(row.format(0), rounding, row.has(1, 'z'), row.bits(2))
    });
}

#[test]
fn integers_of_numbers() {
    in_all_modes(table!("to_integer"), |row, rounding| {
        let (bits, signed) = row.integer(1);
        float::to_integer(row.format(0), bits, signed, rounding, row.bits(2))
    });
}

#[test]
fn numbers_of_integers() {
    in_all_modes(table!("from_integer"), |row, rounding| {
        let (bits, signed) = row.integer(1);
        float::from_integer(row.format(0), row.mode(2, rounding), bits, signed, row.bits(3))
    });
}

#[test]
fn minima_and_maxima() {
    for row in table!("choose") {
        let mode = row.mode(1, Rounding::NearestEven);
        let (format, propagate_nan, a, b) = (row.format(0), row.has(1, 'n'), row.bits(2), row.bits(3));
        let actual =
            [float::min(format, mode, propagate_nan, a, b), float::max(format, mode, propagate_nan, a, b)];
        assert_eq!(actual, [row.result(0), row.result(1)], "{actual:x?}: {}", row.text);
    }
}

#[test]
fn comparisons() {
    for row in table!("compare") {
        for (&comparison, expected) in Comparison::ALL.iter().zip(&row.results) {
            let actual = float::compare(row.format(0), row.has(1, 'z'), comparison, row.bits(2), row.bits(3));
            assert_eq!(u8::from(actual).to_string(), *expected, "{comparison}: {}", row.text);
        }
    }
}

#[test]
fn approximations() {
    for row in table!("approximate") {
        let function = match row.words[0] {
            "sin" => float::sine,
            "cos" => float::cosine,
            "exp2" => float::exp2,
            "log2" => float::log2,
            "tanh" => float::tanh,
            other => panic!("no function {other}"),
        };
        let format = row.format(1);
        let actual = function(format, false, row.bits(2));
        // The table holds the true value in double precision, where the results that a second rounding may miss by
        // one are not in the table.
        let expected = float::convert(format, FloatFormat::Df, Mode::default(), row.result(0));
        assert_eq!(actual, expected, "{actual:x}, not {expected:x}: {}", row.text);
    }
}

fn single(value: f32) -> u64 {
    u64::from(value.to_bits())
}

#[test]
fn fractions() {
    let cases = [
        (1.75, 0.75),
        (-1.75, 0.25),
        (-3.0, 0.0),
        (-0.0, 0.0),
        (8_388_607.5, 0.5),
        (16_777_216.0, 0.0),
        // One less than this rounds to 1, which the definition in the specification keeps.
        (-2f32.powi(-30), 1.0),
        (f32::from_bits(1), f32::from_bits(1)),
        (-f32::from_bits(1), 1.0),
    ];
    for (a, expected) in cases {
        assert_eq!(float::fraction(false, single(a)), single(expected), "{a}");
    }
    assert_eq!(float::fraction(true, single(f32::from_bits(1))), 0);
    assert_eq!(float::fraction(true, single(-f32::from_bits(1))), 0);
    assert_eq!(float::fraction(false, single(f32::NEG_INFINITY)), 0x7FC0_0000);
    assert_eq!(float::fraction(false, 0xFF80_0001), 0xFFC0_0001);
}

#[test]
fn decimal_immediates() {
    assert_eq!(float::from_decimal(FloatFormat::Df, 0.1), 0.1f64.to_bits());
    assert_eq!(float::from_decimal(FloatFormat::F, 0.1), single(0.1));
    assert_eq!(float::from_decimal(FloatFormat::F, 1e-40), single(1e-40));
    assert_eq!(float::from_decimal(FloatFormat::F, 1e39), single(f32::INFINITY));
    assert_eq!(float::from_decimal(FloatFormat::Hf, -65_519.0), 0xFBFF);
    assert_eq!(float::from_decimal(FloatFormat::Hf, -65_520.0), 0xFC00);
    assert_eq!(float::from_decimal(FloatFormat::Bf, 1.0 + 1.0 / 256.0), 0x3F80);
    assert_eq!(float::from_decimal(FloatFormat::Bf, 1.0 + 1.1 / 256.0), 0x3F81);
}

#[test]
fn special_values_of_approximations() {
    const INFINITY: u64 = 0x7F80_0000;
    const MINUS: u64 = 0x8000_0000;
    const NAN: u64 = 0x7FC0_0000;
    const DENORMAL: u64 = 1;
    type Case = (&'static str, fn(FloatFormat, bool, u64) -> u64, bool, u64, u64);
    let cases: [Case; 34] = [
        ("frcp", float::reciprocal, false, 0, INFINITY),
        ("frcp", float::reciprocal, false, MINUS, MINUS | INFINITY),
        ("frcp", float::reciprocal, false, MINUS | INFINITY, MINUS),
        ("frcp", float::reciprocal, false, DENORMAL, INFINITY),
        ("frcp", float::reciprocal, false, 0x7F00_0000, 0x0040_0000),
        ("frcp.ftz", float::reciprocal, true, 0x7F00_0000, 0),
        ("frcp.ftz", float::reciprocal, true, MINUS | DENORMAL, MINUS | INFINITY),
        ("frsqrt", float::reciprocal_sqrt, false, 0, INFINITY),
        ("frsqrt", float::reciprocal_sqrt, false, MINUS, MINUS | INFINITY),
        ("frsqrt", float::reciprocal_sqrt, false, INFINITY, 0),
        ("frsqrt", float::reciprocal_sqrt, false, MINUS | DENORMAL, NAN),
        ("frsqrt.ftz", float::reciprocal_sqrt, true, MINUS | DENORMAL, MINUS | INFINITY),
        ("frsqrt", float::reciprocal_sqrt, false, single(4.0), single(0.5)),
        ("fsin", float::sine, false, MINUS, MINUS),
        ("fsin", float::sine, false, DENORMAL, DENORMAL),
        ("fsin.ftz", float::sine, true, MINUS | DENORMAL, MINUS),
        ("fsin", float::sine, false, INFINITY, NAN),
        ("fsin", float::sine, false, 0xFF80_0001, 0xFFC0_0001),
        ("fcos", float::cosine, false, MINUS, single(1.0)),
        ("fcos", float::cosine, false, MINUS | INFINITY, NAN),
        ("fexp2", float::exp2, false, INFINITY, INFINITY),
        ("fexp2", float::exp2, false, MINUS | INFINITY, 0),
        ("fexp2", float::exp2, false, single(-149.0), DENORMAL),
        ("fexp2.ftz", float::exp2, true, single(-127.0), 0),
        ("fexp2", float::exp2, false, single(128.0), INFINITY),
        ("flog2", float::log2, false, MINUS, MINUS | INFINITY),
        ("flog2", float::log2, false, INFINITY, INFINITY),
        ("flog2", float::log2, false, single(-1.0), NAN),
        ("flog2", float::log2, false, DENORMAL, single(-149.0)),
        ("flog2.ftz", float::log2, true, MINUS | DENORMAL, MINUS | INFINITY),
        ("ftanh", float::tanh, false, INFINITY, single(1.0)),
        ("ftanh", float::tanh, false, MINUS | INFINITY, single(-1.0)),
        ("ftanh", float::tanh, false, MINUS, MINUS),
        ("ftanh.ftz", float::tanh, true, MINUS | DENORMAL, MINUS),
    ];
    for (name, function, flush, a, expected) in cases {
        let actual = function(FloatFormat::F, flush, a);
        assert_eq!(actual, expected, "{name}.f {a:x}: {actual:x}, not {expected:x}");
    }
}

#[test]
fn powers_of_two_are_exact() {
    for exponent in -149..128 {
        let power = single(2f64.powi(exponent) as f32);
        assert_eq!(float::exp2(FloatFormat::F, false, single(exponent as f32)), power);
        assert_eq!(float::log2(FloatFormat::F, false, power), single(exponent as f32));
    }
}
