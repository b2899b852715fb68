//! Holds the host's arithmetic against that on integers: where both apply, they give the same bits.

use campanile_core::isa::{FloatFormat, Rounding};

use super::format::Layout;
use super::number::Value;
use super::{Mode, exact};

/// Patterns of all kinds: any exponent, exponents close to one another, few or many fraction bits, special values.
struct Patterns {
    layout: Layout,
    state: u64,
}

impl Patterns {
    fn of(format: FloatFormat) -> Self {
        Self { layout: Layout::of(format), state: 754 }
    }

    /// SplitMix64.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random() % limit
    }

    fn one(&mut self) -> u64 {
        let layout = self.layout;
        let fields = layout.infinity() >> layout.fraction_bits;
        let fraction = match self.below(4) {
            0 => self.random(),
            1 => self.random() & self.random() & self.random(),
            2 => 1 << self.below(64),
            _ => u64::MAX << self.below(64),
        };
        let field = match self.below(16) {
            0 => 0,
            1 => fields - 1,
            2 => fields,
            3..8 => fields / 2 + self.below(8) - 4,
            _ => self.below(fields),
        };
        let negative = self.below(2) == 1;
        layout.with_sign(negative, field << layout.fraction_bits | fraction & layout.fraction())
    }

    fn some<const N: usize>(&mut self) -> [u64; N] {
        std::array::from_fn(|_| self.one())
    }
}

/// Compares an operation with the one on integers, to nearest even, with `.ftz` and without.
#[track_caller]
fn agree<const N: usize>(
    operation: impl Fn(FloatFormat, Mode, [u64; N]) -> u64,
    exact: impl Fn(Layout, Rounding, [u64; N]) -> u64,
) {
    agree_on(|_, operands| operands, operation, exact);
}

/// The same on random patterns that `choose` has changed.
#[track_caller]
fn agree_on<const N: usize>(
    choose: impl Fn(Layout, [u64; N]) -> [u64; N],
    operation: impl Fn(FloatFormat, Mode, [u64; N]) -> u64,
    exact: impl Fn(Layout, Rounding, [u64; N]) -> u64,
) {
    for &format in FloatFormat::ALL {
        let layout = Layout::of(format);
        let mut patterns = Patterns::of(format);
        for round in 0..20_000 {
            let flush = round % 4 == 0;
            let operands = choose(layout, patterns.some());
            let flushed = operands.map(|bits| layout.flushed(flush, bits));
            let expected = if flushed.iter().any(|&bits| layout.is_nan(bits)) {
                layout.nan_among(flushed)
            } else {
                layout.flushed(flush, exact(layout, Rounding::NearestEven, flushed))
            };
            let actual = operation(format, Mode { flush, ..Mode::default() }, operands);
            assert_eq!(actual, expected, "{format} {operands:x?}: {actual:x}, not {expected:x}");
        }
    }
}

#[test]
fn sums() {
    agree(|format, mode, [a, b]| super::add(format, mode, a, b), exact::add);
    agree(|format, mode, [a, b]| super::sub(format, mode, a, b), exact::sub);
}

#[test]
fn products_and_quotients() {
    agree(|format, mode, [a, b]| super::mul(format, mode, a, b), exact::mul);
    agree(|format, mode, [a, b]| super::div(format, mode, a, b), exact::div);
}

#[test]
fn fused_products_and_sums() {
    let fused = |format, mode, [a, b, c]: [u64; 3]| super::fused_multiply_add(format, mode, a, b, c);
    agree(fused, exact::fused_multiply_add);
    // The last operand close to the product, so that leading bits cancel and the trailing ones decide.
    let close = |layout: Layout, [a, b, c]: [u64; 3]| {
        let product = exact::mul(layout, Rounding::NearestEven, [a, b]);
        [a, b, product ^ layout.sign() ^ c & 3]
    };
    agree_on(close, fused, exact::fused_multiply_add);
    // And the last operand half a unit of the product or so, or the product that of the last operand.
    let half = |layout: Layout, [a, b, c]: [u64; 3]| {
        let product = exact::mul(layout, Rounding::NearestEven, [a, b]) & layout.infinity();
        let distance = u64::from(layout.fraction_bits + 1) << layout.fraction_bits;
        let field = if c & 1 == 0 { product.saturating_sub(distance) } else { product + distance };
        [a, b, c & layout.sign() | field.min(layout.infinity()) | c >> 1 & 1]
    };
    agree_on(half, fused, exact::fused_multiply_add);
}

#[test]
fn roots() {
    agree(|format, mode, [a]| super::sqrt(format, mode, a), exact::sqrt);
    agree(|format, mode, [a]| super::reciprocal_sqrt(format, mode.flush, a), exact::reciprocal_sqrt);
}

#[test]
fn conversions() {
    for &from in FloatFormat::ALL {
        let mut patterns = Patterns::of(from);
        for _ in 0..20_000 {
            let a = patterns.one();
            if patterns.layout.is_nan(a) {
                continue;
            }
            for &to in FloatFormat::ALL {
                let expected = Value::of(patterns.layout, a).round(Layout::of(to), Rounding::NearestEven);
                assert_eq!(super::convert(to, from, Mode::default(), a), expected, "{a:x}, {from} to {to}");
            }
        }
    }
}
