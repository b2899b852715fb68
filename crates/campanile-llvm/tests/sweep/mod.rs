//! Kernels that apply one function to many numbers, and how far their results are off.

use campanile_llvm::JitEngine;

use crate::launched::{Kernel, jit, load};

/// Numbers that a launch computes.
const NUMBERS: usize = 1 << 18;

/// The distance of patterns of single precision that are tried: so there are 2^17 of them.
const STRIDE: u64 = (1 << 15) + 3;

/// A function of one number.
pub struct Function {
    pub name: &'static str,
    pub exact: fn(f64) -> f64,
    /// In units in the last place.
    pub bound: f64,
    /// The arguments for which it is in units of the least number that, added to 1, makes more of it.
    pub eased: std::ops::Range<f64>,
}

/// A format of floating-point numbers.
#[derive(Clone, Copy)]
pub struct Format {
    pub name: &'static str,
    bits: u32,
    fraction: u32,
    bias: i32,
}

impl Format {
    pub const SINGLE: Format = Format { name: "f", bits: 32, fraction: 23, bias: 127 };
    pub const HALF: Format = Format { name: "hf", bits: 16, fraction: 10, bias: 15 };
    pub const BFLOAT: Format = Format { name: "bf", bits: 16, fraction: 7, bias: 127 };

    /// The number of a pattern.
    fn value(self, pattern: u32) -> f64 {
        let sign = if pattern >> (self.bits - 1) == 1 { -1.0 } else { 1.0 };
        let exponent = (pattern >> self.fraction) as i32 & (2 * self.bias + 1);
        let fraction = f64::from(pattern & ((1 << self.fraction) - 1));
        let least_unit = 1 - self.bias - self.fraction as i32;
        sign * match exponent {
            0 => fraction * power_of_two(least_unit),
            _ if exponent <= 2 * self.bias => {
                (fraction + f64::from(1u32 << self.fraction)) * power_of_two(least_unit + exponent - 1)
            }
            _ if fraction == 0.0 => f64::INFINITY,
            _ => f64::NAN,
        }
    }

    /// How far a result is from the exact value, in units in the last place of that; infinitely, if a special value is
    /// missed.
    fn error(self, result: u32, exact: f64) -> f64 {
        let infinity = power_of_two(self.bias + 1);
        let value = self.value(result);
        let missed = |is_met| if is_met { 0.0 } else { f64::INFINITY };
        let signs_match = value.is_sign_negative() == exact.is_sign_negative();
        if exact.is_nan() || exact.is_infinite() || exact == 0.0 {
            return missed(value == exact && signs_match || exact.is_nan() && value.is_nan());
        }
        if value.is_nan() || !signs_match {
            return f64::INFINITY;
        }
        // Where the exact value has too great an exponent, infinity counts as the next number.
        let [value, exact] = [value.abs().min(infinity), exact.abs().min(infinity)];
        let exponent = (exact.to_bits() >> 52) as i32 - 1023;
        let unit = exponent.clamp(1 - self.bias, self.bias) - self.fraction as i32;
        (value - exact).abs() * power_of_two(-unit)
    }

    /// The patterns to try, in portions of at most [`NUMBERS`].
    fn portions(self) -> impl Iterator<Item = Vec<u32>> {
        let given = std::env::var("CAMPANILE_STRIDE").ok().and_then(|stride| stride.parse().ok());
        let stride = if self.bits == 16 { 1 } else { given.unwrap_or(STRIDE) };
        let (all, portion) = (1u64 << self.bits, stride * NUMBERS as u64);
        let regular = (0..all).step_by(portion as usize).map(move |start| {
            let end = all.min(start + portion);
            (start..end).step_by(stride as usize).map(|pattern| pattern as u32).collect()
        });
        regular.chain((self.bits == 32).then(|| self.around_special_values()))
    }

    /// The patterns of single precision next to powers of two, infinities and multiples of π/4, and that of the number which is nearest to
    /// one.
    fn around_special_values(self) -> Vec<u32> {
        let powers = (0..1 << (self.bits - self.fraction)).map(|upper: u32| upper << self.fraction);
        let angles = (1..2000u32).map(|count| {
            let angle = f64::from(count) * std::f64::consts::FRAC_PI_4;
            (angle as f32).to_bits()
        });
        let around = powers
            .chain(angles)
            .flat_map(|pattern| (-20..=20).map(move |distance: i32| pattern.wrapping_add_signed(distance)));
        around.chain([7.729_179e28f32.to_bits()]).collect()
    }
}

/// Two to a power within double precision.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// A kernel that applies a function to every number of a buffer.
pub struct Sweep {
    kernel: Kernel<JitEngine>,
    format: Format,
    scalar: bool,
}

impl Sweep {
    /// A kernel of the instruction of this name, which has two operands if it is a quotient. Where `scalar` says so,
    /// each sub-group computes one number.
    pub fn new(instruction: &str, format: Format, processor: Option<String>, scalar: bool) -> Self {
        let module = load(&text(instruction, format, scalar));
        let bytes = (NUMBERS as u64) * u64::from(format.bits / 8);
        Sweep { kernel: Kernel::new(&module, jit(&module, processor), &[bytes; 3]), format, scalar }
    }

    /// The results for these operands.
    fn results(&mut self, operands: [&[u32]; 2]) -> Vec<u32> {
        let bytes = self.format.bits as usize / 8;
        let inputs = operands.map(|patterns| {
            patterns.iter().flat_map(|pattern| pattern.to_le_bytes().into_iter().take(bytes)).collect()
        });
        let (count, local) = (operands[0].len(), if self.scalar { 1 } else { 128 });
        let results = self.kernel.run(&inputs, count as u64, local, count * bytes);
        let patterns = results
            .chunks(bytes)
            .map(|chunk| chunk.iter().rev().fold(0, |pattern, byte| pattern << 8 | u32::from(*byte)));
        patterns.collect()
    }
}

/// The greatest error of a function, and where it is.
pub fn worst(sweep: &mut Sweep, function: &Function) -> (f64, u32) {
    let format = sweep.format;
    let mut worst = (0.0, 0);
    for patterns in format.portions() {
        let results = sweep.results([&patterns, &patterns]);
        for (pattern, result) in patterns.iter().zip(results) {
            let (argument, exact) = (format.value(*pattern), (function.exact)(format.value(*pattern)));
            let mut error = format.error(result, exact);
            if error.is_finite() && exact != 0.0 && function.eased.contains(&argument) {
                let relative = ((format.value(result) - exact) / exact).abs();
                error = relative * power_of_two(format.fraction as i32);
            }
            if error > worst.0 {
                worst = (error, *pattern);
            }
        }
    }
    worst
}

/// The greatest error of quotients of scattered numbers, and where it is.
pub fn worst_quotient(sweep: &mut Sweep) -> (f64, [u32; 2]) {
    let format = sweep.format;
    let special = format.around_special_values();
    let scattered = |step: u32| (0..NUMBERS as u32).map(move |index| index.wrapping_mul(step));
    // Numbers of the same size, subnormal and other small ones, great ones, any, and what is special.
    let near_one = |pattern: u32| 0x3f00_0000 + pattern % 0x0100_0000;
    let small = |pattern: u32| pattern % 0x0400_0000;
    let great = |pattern: u32| 0x7f7f_ffff - pattern % 0x0400_0000;
    let pairs: [[Vec<u32>; 2]; 5] = [
        [0x9e37_79b1, 0x85eb_ca77].map(|step| scattered(step).map(small).collect()),
        [0x9e37_79b1, 0x85eb_ca77].map(|step| scattered(step).map(great).collect()),
        [0x9e37_79b1, 0x85eb_ca77].map(|step| scattered(step).map(near_one).collect()),
        [0x9e37_79b1, 0x85eb_ca77].map(|step| scattered(step).collect()),
        [0x9e37_79b1, 0x85eb_ca77].map(|step| {
            scattered(step).map(|pattern| special[(pattern >> 8) as usize % special.len()]).collect()
        }),
    ];
    let mut worst = (0.0, [0; 2]);
    for [a, b] in pairs {
        for (index, result) in sweep.results([&a, &b]).into_iter().enumerate() {
            let operands = [a[index], b[index]];
            let [a, b] = operands.map(|pattern| format.value(pattern));
            let error = format.error(result, a / b);
            if error > worst.0 {
                worst = (error, operands);
            }
        }
    }
    worst
}

fn text(instruction: &str, format: Format, scalar: bool) -> String {
    let Format { name, bits, .. } = format;
    let bytes = bits / 8;
    let id = match scalar {
        true => "mov.32b %id, %groupid.x;",
        false => "umad.32b %id, %groupid.x, %enqueuedlocalsize.x, %localid.x;",
    };
    let sources = if instruction.starts_with("fdiv") { "%x, %y" } else { "%x" };
    format!(
        ".version 0.1;
.target 100;
.kernel @k(.param[8] .addrspace(global) %a, .param[8] .addrspace(global) %b, .param[8] .addrspace(global) %out) {{
  .reg .64b %first, %second, %result;
  .reg .{bits}b %x, %y, %z;
  .reg .32b %id;
  {id}
  ld.param.64b %first, [%a];
  ld.param.64b %second, [%b];
  ld.param.64b %result, [%out];
  umad.full.32b %first, %id, {bytes}, %first;
  umad.full.32b %second, %id, {bytes}, %second;
  umad.full.32b %result, %id, {bytes}, %result;
  ld.global.{bits}b %x, [%first];
  ld.global.{bits}b %y, [%second];
  {instruction}.{name} %z, {sources};
  st.global.{bits}b [%result], %z;
  return;
}}
"
    )
}
