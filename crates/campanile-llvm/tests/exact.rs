//! Results that are specified exactly have the same bits on both engines, whatever the processor: numbers rounded in every
//! way, and quotients of integers, which are computed as numbers.

mod found;
mod launched;

use std::sync::Arc;

use campanile_core::module::Module;
use campanile_engine::{CheckedEngine, Options};
use launched::{Kernel, jit, load, processors};

/// Work-items, each with operands of its own.
const ITEMS: usize = 3000;

const MODES: [&str; 5] = [".re", ".rd", ".ru", ".rz", ".rna"];

/// A number format: its name, its bits, those of its exponent.
#[derive(Clone, Copy)]
struct Format(&'static str, u32, u32);

const SINGLE: Format = Format("f", 32, 8);
const DOUBLE: Format = Format("df", 64, 11);
const HALF: Format = Format("hf", 16, 5);
const BFLOAT: Format = Format("bf", 16, 8);

/// A random number from its index.
fn scattered(index: u64) -> u64 {
    let mixed = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ mixed >> 32
}

/// The pattern of an operand: any, one with few bits set, one next to a special value, or one near 1, so that sums
/// cancel and results lie between two numbers.
fn operand(Format(_, bits, exponent_bits): Format, index: u64) -> u64 {
    let random = scattered(index);
    let fraction_bits = bits - 1 - exponent_bits;
    let exponents = (1 << exponent_bits) - 1;
    let (sign, low) = (random >> 63 << (bits - 1), random >> 20);
    let fraction = low & ((1 << fraction_bits) - 1);
    let near = |exponent: u64| sign | exponent << fraction_bits | fraction;
    let pattern = match random % 5 {
        0 => low,
        1 => sign | (low % exponents) << fraction_bits | (1 << fraction_bits >> 1) >> (random >> 8 & 15),
        2 => {
            let special = (random >> 8 & 1) * (exponents << fraction_bits);
            sign | special.wrapping_add(low % 7).wrapping_sub(3) & (u64::MAX >> (65 - bits))
        }
        _ => near(exponents / 2 + low % 9 - 4),
    };
    pattern & (u64::MAX >> (64 - bits))
}

/// Integers: any, small ones, and those next to powers of two.
fn integer(index: u64) -> u64 {
    let random = scattered(index);
    match random % 3 {
        0 => random,
        1 => (random as i64 >> (random >> 8 & 63)) as u64,
        _ => (1u64 << (random >> 8 & 63)).wrapping_add(random >> 20 & 3).wrapping_sub(1),
    }
}

/// An instruction with its result's bits; its sources are `%a`, `%b` and `%c`.
struct Case(String, u32);

/// A kernel that runs every case on its work-item's operands of so many bits.
fn text(cases: &[Case], bits: u32) -> String {
    let bytes = bits / 8;
    let mut body = String::new();
    for Case(instruction, result) in cases {
        body.push_str(&format!("  {};\n", instruction.replace("%z", &format!("%z{result}"))));
        if *result < 64 {
            body.push_str(&format!("  zext.64b.{result}b %z64, %z{result};\n"));
        }
        body.push_str(&format!("  st.global.64b [%out], %z64;\n  umad.full.32b %out, {ITEMS}, 8, %out;\n"));
    }
    format!(
        ".version 0.1;
.target 100;
.kernel @k(.param[8] .addrspace(global) %pa, .param[8] .addrspace(global) %pb, .param[8] .addrspace(global) %pc,
           .param[8] .addrspace(global) %po) {{
  .reg .64b %at, %out, %z64;
  .reg .{bits}b %a, %b, %c;
  .reg .32b %z32, %id;
  .reg .16b %z16;
  umad.32b %id, %groupid.x, %enqueuedlocalsize.x, %localid.x;
  ld.param.64b %at, [%pa];
  umad.full.32b %at, %id, {bytes}, %at;
  ld.global.{bits}b %a, [%at];
  ld.param.64b %at, [%pb];
  umad.full.32b %at, %id, {bytes}, %at;
  ld.global.{bits}b %b, [%at];
  ld.param.64b %at, [%pc];
  umad.full.32b %at, %id, {bytes}, %at;
  ld.global.{bits}b %c, [%at];
  ld.param.64b %out, [%po];
  umad.full.32b %out, %id, 8, %out;
{body}  return;
}}
"
    )
}

/// Runs the cases on both engines and compares.
fn compare(cases: &[Case], bits: u32, operand: impl Fn(u64) -> u64) {
    if found::llvm().is_none() {
        return;
    }
    let module = load(&text(cases, bits));
    let inputs: Vec<Vec<u8>> = (0..3)
        .map(|source| {
            let patterns = (0..ITEMS as u64).map(|item| operand(item * 3 + source));
            patterns.flat_map(|pattern| pattern.to_le_bytes().into_iter().take(bits as usize / 8)).collect()
        })
        .collect();
    let checked = CheckedEngine::new(module.clone(), Options::default()).unwrap();
    let expected = run(&module, checked, cases, &inputs);
    for processor in processors() {
        let results = run(&module, jit(&module, processor.clone()), cases, &inputs);
        for (index, (result, expected)) in results.iter().zip(&expected).enumerate() {
            let (case, item) = (&cases[index / ITEMS], (index % ITEMS) as u64);
            let sources = [0, 1, 2].map(|source| format!("{:#x}", operand(item * 3 + source)));
            let same = result == expected || is_nan(case, *result) && is_nan(case, *expected);
            assert!(same, "{} on {processor:?}: {result:#x}, not {expected:#x}, of {sources:?}", case.0);
        }
    }
}

fn run<E: campanile_engine::Engine>(
    module: &Arc<Module>,
    engine: E,
    cases: &[Case],
    inputs: &[Vec<u8>],
) -> Vec<u64> {
    let output = 8 * ITEMS * cases.len();
    let input = inputs[0].len() as u64;
    let mut kernel = Kernel::new(module, engine, &[input, input, input, output as u64]);
    let bytes = kernel.run(inputs, ITEMS as u64, 100, output);
    bytes.chunks(8).map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap())).collect()
}

/// Whether a pattern is a NaN of the format that a case gives.
fn is_nan(Case(instruction, bits): &Case, pattern: u64) -> bool {
    let exponent_bits = match bits {
        64 => 11,
        16 if instruction.contains("hf") => 5,
        _ => 8,
    };
    let fraction_bits = bits - 1 - exponent_bits;
    pattern & (u64::MAX >> (65 - bits)) > ((1 << exponent_bits) - 1) << fraction_bits
}

/// All arithmetic of a format, in all modes; in one of them with what may follow a mode.
fn arithmetic(format: Format) -> Vec<Case> {
    let Format(name, bits, _) = format;
    let flags = ["", ".nanp", ".ftz.dsat"];
    let extremes = ["fmin", "fmax"].into_iter().flat_map(|one| flags.map(|flags| format!("{one}{flags}")));
    let mut cases: Vec<Case> =
        extremes.map(|instruction| Case(format!("{instruction}.{name} %z, %a, %b"), bits)).collect();
    for mode in MODES {
        for (instruction, sources) in
            [("fadd", "%a, %b"), ("fsub", "%a, %b"), ("fmul", "%a, %b"), ("fmad", "%a, %b, %c")]
        {
            cases.push(Case(format!("{instruction}{mode}.{name} %z, {sources}"), bits));
            if mode == ".rd" {
                cases.push(Case(format!("{instruction}{mode}.ftz.dsat.{name} %z, {sources}"), bits));
            }
        }
        if bits >= 32 {
            cases.push(Case(format!("fdiv{mode}.{name} %z, %a, %b"), bits));
            cases.push(Case(format!("fsqrt{mode}.{name} %z, %a"), bits));
        } else {
            cases.push(Case(format!("fmul.full{mode}.{name} %z, %a, %b"), 32));
            cases.push(Case(format!("fmul.full{mode}.ftz.{name} %z, %a, %b"), 32));
        }
    }
    cases
}

#[test]
fn single_precision_is_rounded_in_every_way() {
    compare(&arithmetic(SINGLE), 32, |index| operand(SINGLE, index));
}

#[test]
fn double_precision_is_rounded_in_every_way() {
    compare(&arithmetic(DOUBLE), 64, |index| operand(DOUBLE, index));
}

#[test]
fn half_precision_is_rounded_in_every_way() {
    compare(&arithmetic(HALF), 16, |index| operand(HALF, index));
}

#[test]
fn bfloat16_is_rounded_in_every_way() {
    compare(&arithmetic(BFLOAT), 16, |index| operand(BFLOAT, index));
}

/// The cases of a conversion to each of some formats, in all modes; in one of them with what may follow a mode.
fn conversions(instruction: &str, to: &[Format], from: &str, flags: &[&str]) -> Vec<Case> {
    let mut cases = vec![];
    for Format(name, bits, _) in to {
        for mode in MODES {
            cases.push(Case(format!("{instruction}.{name}.{from}{mode} %z, %a"), *bits));
        }
        for flags in flags {
            cases.push(Case(format!("{instruction}.{name}.{from}.ru{flags} %z, %a"), *bits));
        }
    }
    cases
}

#[test]
fn formats_are_narrowed_in_every_way() {
    let flags = [".ftz", ".dsat"];
    let from_single = conversions("ftrunc", &[HALF, BFLOAT], "f", &flags);
    compare(&from_single, 32, |index| operand(SINGLE, index));
    let from_double = conversions("ftrunc", &[SINGLE, HALF, BFLOAT], "df", &flags);
    // Numbers that the narrower formats nearly hold, and any.
    compare(&from_double, 64, |index| match index % 3 {
        0 => operand(DOUBLE, index),
        _ => f64::from(f32::from_bits(operand(SINGLE, index) as u32)).to_bits() ^ (index % 7 / 5),
    });
}

#[test]
fn integers_are_rounded_in_every_way() {
    for (bits, types) in [(64, ["s64", "u64"]), (32, ["s32", "u32"])] {
        let mut cases = vec![];
        for ty in types {
            cases.extend(conversions("i2f", &[SINGLE, DOUBLE, HALF, BFLOAT], ty, &[".dsat"]));
        }
        compare(&cases, bits, integer);
    }
}

#[test]
fn numbers_become_integers_in_every_way() {
    for format in [SINGLE, DOUBLE, HALF, BFLOAT] {
        let mut cases = vec![];
        for (ty, bits) in [("s64", 64), ("u32", 32), ("s16", 16)] {
            cases.extend(MODES.map(|mode| Case(format!("f2i.{ty}.{}{mode} %z, %a", format.0), bits)));
        }
        compare(&cases, format.1, |index| operand(format, index));
    }
}

#[test]
fn integers_are_divided() {
    for bits in [64, 32, 16] {
        let mut cases = vec![];
        for instruction in ["udiv", "sdiv", "udiv.rem", "sdiv.rem"] {
            for divisor in ["%b", "10", "16", "-7"] {
                cases.push(Case(format!("{instruction}.{bits}b %z, %a, {divisor}"), bits));
            }
        }
        let ones = u64::MAX >> (64 - bits);
        // Divisors are the second sources.
        compare(&cases, bits, |index| (integer(index) & ones).max(u64::from(index % 3 == 1)));
    }
}
