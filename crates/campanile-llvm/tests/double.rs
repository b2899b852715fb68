//! Double precision in integers, rounded as an instruction says: functions of IR that give the very patterns of the checked
//! engine and of the specification. Calling them is unsafe: their types are only in the IR.
#![allow(unsafe_code)]

mod found;
#[allow(dead_code, reason = "the fast engine there has 32 lanes together")]
mod launched;

use campanile_core::isa::{Op, resolve};
use campanile_engine::meaning::meaning;
use campanile_engine::{CheckedEngine, Engine, Options};
use campanile_llvm::{Entry, Jit, JitEngine, JitOptions, JitUnavailable, Llvm, Module, TargetMachine};
use launched::{Kernel, load};

const FUNCTIONS: &str = include_str!("../src/lower/lane/double.ll");

/// The modes with the numbers of their ways in `llvm.get.rounding`.
const MODES: [(&str, u32); 5] = [(".re", 1), (".rd", 3), (".ru", 2), (".rz", 0), (".rna", 4)];

/// Instructions, where `*` stands for a mode, with their functions and the numbers of their sources.
const ARITHMETIC: [(&str, &str, usize); 6] = [
    ("fadd*.df", "double-add", 2),
    ("fsub*.df", "double-sub", 2),
    ("fmul*.df", "double-mul", 2),
    ("fdiv*.df", "double-div", 2),
    ("fmad*.df", "double-fma", 3),
    ("fsqrt*.df", "double-sqrt", 1),
];
const CONVERSIONS: [(&str, &str, usize); 2] =
    [("i2f.df.s64*", "double-from.signed", 1), ("i2f.df.u64*", "double-from.unsigned", 1)];

const SIGN: u64 = 1 << 63;
const ONE: u64 = 1023 << 52;
const INFINITY: u64 = 2047 << 52;
const NAN: u64 = INFINITY | 1 << 51;

/// How many operands each operation is given: a multiple of 32, as a meaning is of a whole sub-group.
const ROWS: usize = 131_072;

/// An operation, and the call of the function for it.
struct Case {
    op: Op,
    sources: usize,
    call: String,
}

/// The instructions in all modes.
fn cases(instructions: &[(&str, &str, usize)]) -> Vec<Case> {
    let case = |(instruction, function, sources): (&str, &str, usize), (mode, way): (&str, u32)| {
        let mnemonic = instruction.replace('*', mode);
        let op = resolve(&mnemonic).unwrap_or_else(|fault| panic!("{mnemonic}: {fault:?}")).candidates[0];
        let arguments = ["i64 %a, ", "i64 %b, ", "i64 %c, "][..sources].concat();
        Case { op, sources, call: format!("call i64 @{function}({arguments}i32 {way})") }
    };
    instructions.iter().flat_map(|one| MODES.map(|mode| case(*one, mode))).collect()
}

/// A compiled function.
struct Compiled(Entry<unsafe extern "C" fn(u64, u64, u64) -> u64>);

impl Compiled {
    fn of(&self, [a, b, c]: [u64; 3]) -> u64 {
        // SAFETY: `compile` gives the function this type, and it accesses no memory.
        unsafe { self.0.call((a, b, c)) }
    }
}

/// Compiles the calls for this machine.
fn compile(llvm: &'static Llvm, cases: &[Case]) -> Vec<Compiled> {
    let callers = cases.iter().enumerate().map(|(index, Case { call, .. })| {
        format!("define i64 @case.{index}(i64 %a, i64 %b, i64 %c) {{\n  %r = {call}\n  ret i64 %r\n}}\n")
    });
    let text = FUNCTIONS.to_owned() + &callers.collect::<String>();
    let machine = TargetMachine::host(llvm).unwrap();
    let module = machine.optimize(Module::parse(llvm, &text).unwrap(), "default<O3>").unwrap();
    let jit = Jit::new(llvm).unwrap();
    jit.add(&machine.object(module).unwrap()).unwrap();
    (0..cases.len()).map(|index| Compiled(jit.entry(&format!("case.{index}")).unwrap())).collect()
}

/// Holds compiled functions against the checked engine, on rows of operands.
fn compare(cases: &[Case], mut operands: impl FnMut(&mut Random) -> [u64; 3]) {
    let Some(llvm) = found::llvm() else { return };
    let compiled = compile(llvm, cases);
    let meanings: Vec<_> = cases.iter().map(|case| meaning(case.op).unwrap()).collect();
    let mut random = Random(1);
    for _ in 0..ROWS / 32 {
        let rows: [[u64; 3]; 32] = std::array::from_fn(|_| operands(&mut random));
        let sources: [[u64; 32]; 3] = std::array::from_fn(|source| rows.map(|row| row[source]));
        for ((case, compiled), meaning) in cases.iter().zip(&compiled).zip(&meanings) {
            let mut expected = [[0; 32]];
            meaning(&sources[..case.sources], &mut expected);
            for (row, expected) in rows.iter().zip(expected[0]) {
                check(case, *row, compiled.of(*row), expected);
            }
        }
    }
}

fn check(case: &Case, row: [u64; 3], result: u64, expected: u64) {
    let given = &row[..case.sources];
    assert!(result == expected, "{} of {given:#x?} is {result:#x}, not {expected:#x}", case.op);
}

/// A stream of random numbers.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least + 1) as u64) as i64
    }

    /// A fraction: any, one of few bits, or one next to the least or the greatest. The few make ties.
    fn fraction(&mut self) -> u64 {
        let fraction = match self.below(4) {
            0 | 1 => self.bits(),
            2 => (0..self.below(4)).fold(0, |bits, _| bits | 1 << self.below(52)),
            _ => self.below(5).wrapping_sub(2),
        };
        fraction & ((1 << 52) - 1)
    }

    /// A number of any sign with about this exponent, subnormal below the least and infinite above the greatest.
    fn near(&mut self, exponent: i64, distance: i64) -> u64 {
        let field = self.between(exponent - distance, exponent + distance) + 1023;
        let pattern = match field {
            ..=0 => (1 << 52 | self.fraction()) >> (1 - field).min(63),
            1..2047 => (field as u64) << 52 | self.fraction(),
            _ => INFINITY,
        };
        self.bits() & SIGN | pattern
    }

    /// A zero, the least or greatest numbers, an infinity, a NaN quiet or not, with a payload or without, or next to one
    /// of these.
    fn special(&mut self) -> u64 {
        let magnitude = [0, 1, 1 << 52, ONE, INFINITY - 1, INFINITY, INFINITY + 1, NAN, NAN + 1, SIGN - 1]
            [self.below(10) as usize];
        let step = [0, 0, 1, u64::MAX][self.below(4) as usize];
        self.bits() & SIGN | magnitude.wrapping_add(step) & !SIGN
    }

    /// The pattern of a number, or one a step or two away.
    fn beside(&mut self, number: f64) -> u64 {
        number.to_bits().wrapping_add([0, 0, 1, 2, u64::MAX, u64::MAX - 1][self.below(6) as usize])
    }
}

fn exponent(pattern: u64) -> i64 {
    (pattern >> 52 & 2047) as i64 - 1023
}

/// Operands of which results are hard to round.
fn numbers(random: &mut Random) -> [u64; 3] {
    match random.below(8) {
        0 => std::array::from_fn(|_| match random.below(3) {
            0 => random.near(0, 1080),
            _ => random.special(),
        }),
        1 => std::array::from_fn(|_| random.bits()),
        // Terms that overlap, or are just too far apart for that; quotients near 1.
        2 | 3 => {
            let a = random.near(0, 900);
            let b = random.near(exponent(a), 58);
            [a, b, random.near(exponent(a) + exponent(b), 112)]
        }
        // Products, or quotients, next to the least and the greatest numbers.
        limits @ (4 | 5) => {
            let a = random.near(0, 1080);
            let limit = if random.bits() & 1 == 0 { random.between(-1140, -1015) } else { 1023 };
            let rest = limit - exponent(a);
            let b = random.near(if limits == 4 { rest } else { -rest }, 2);
            [a, b, random.near(limit, 60)]
        }
        // Sums that nearly cancel, with the second or the third operand.
        6 => {
            let [a, b] = [random.near(0, 600), random.near(0, 400)];
            let product = -(f64::from_bits(a) * f64::from_bits(b));
            let other = if random.bits() & 1 == 0 { random.beside(-f64::from_bits(a)) } else { b };
            [a, other, random.beside(product)]
        }
        // Products and squares that are nearly numbers again.
        _ => {
            let [b, root] = [random.near(0, 500), random.near(0, 500)];
            let root = f64::from_bits(root);
            let product = if random.bits() & 1 == 0 { root * root } else { root * f64::from_bits(b) };
            [random.beside(product), b, random.near(0, 1080)]
        }
    }
}

/// An integer: any, a small one, one next to a power of two, and one half-way between two numbers, or next to that.
fn integer(random: &mut Random) -> u64 {
    let shift = random.below(64);
    let step = random.between(-2, 2) as u64;
    match random.below(4) {
        0 => random.bits(),
        1 => random.bits() >> shift,
        2 => (1u64 << shift).wrapping_add(step),
        _ => {
            let tie = (random.bits() >> 11 | 1 << 52) << 1 | 1;
            (tie << random.below(11)).wrapping_add(step)
        }
    }
}

#[test]
fn arithmetic_gives_the_patterns_of_the_checked_engine() {
    compare(&cases(&ARITHMETIC), numbers);
}

#[test]
fn integers_become_the_numbers_of_the_checked_engine() {
    compare(&cases(&CONVERSIONS), |random| [integer(random), 0, 0]);
}

/// What all modes give, in the order of [`MODES`]: worked out by hand from parts 3.2 to 3.4 of the specification.
#[test]
fn modes_end_where_the_specification_says() {
    let Some(llvm) = found::llvm() else { return };
    let [add, sub, mul, div, fma, sqrt] = ARITHMETIC;
    let [from_signed, from_unsigned] = CONVERSIONS;
    let (two, half, least, greatest) = (ONE + (1 << 52), ONE - (1 << 52), 1, INFINITY - 1);
    let (half_ulp, three) = ((1023 - 53) << 52, ONE + (3 << 51));
    let (third, root_of_two) = (0x3FD5_5555_5555_5555, 0x3FF6_A09E_667F_3BCC);
    let power = |exponent: u64| (1023 + exponent) << 52;
    let negative = |patterns: [u64; 5]| patterns.map(|pattern| SIGN | pattern);
    let rows = [
        (add, [ONE, SIGN | ONE, 0], [0, SIGN, 0, 0, 0]),
        (add, [SIGN, SIGN, 0], [SIGN; 5]),
        (sub, [0, 0, 0], [0, SIGN, 0, 0, 0]),
        (fma, [SIGN | ONE, ONE, ONE], [0, SIGN, 0, 0, 0]),
        (mul, [SIGN, ONE, 0], [SIGN; 5]),
        (add, [ONE, half_ulp, 0], [ONE, ONE, ONE + 1, ONE, ONE + 1]),
        (sub, [SIGN | ONE, half_ulp, 0], negative([ONE, ONE + 1, ONE, ONE, ONE + 1])),
        (add, [ONE, least, 0], [ONE, ONE, ONE + 1, ONE, ONE]),
        (sub, [ONE, least, 0], [ONE, ONE - 1, ONE, ONE - 1, ONE]),
        (mul, [greatest, greatest, 0], [INFINITY, greatest, INFINITY, greatest, INFINITY]),
        (mul, [SIGN | greatest, two, 0], negative([INFINITY, INFINITY, greatest, greatest, INFINITY])),
        (fma, [greatest, two, SIGN | greatest], [greatest; 5]),
        (mul, [least, half, 0], [0, 0, 1, 0, 1]),
        (mul, [SIGN | least, least, 0], negative([0, 1, 0, 0, 0])),
        (div, [ONE, three, 0], [third, third, third + 1, third, third]),
        (div, [SIGN | ONE, 0, 0], [SIGN | INFINITY; 5]),
        (sqrt, [two, 0, 0], [1, 0, 1, 0, 1].map(|step| root_of_two + step)),
        (sqrt, [SIGN, 0, 0], [SIGN; 5]),
        (sqrt, [SIGN | ONE, 0, 0], [NAN; 5]),
        (add, [INFINITY, SIGN | INFINITY, 0], [NAN; 5]),
        (fma, [greatest, greatest, SIGN | INFINITY], [SIGN | INFINITY; 5]),
        (sub, [ONE, SIGN | INFINITY | 5, 0], [SIGN | NAN | 5; 5]),
        (fma, [ONE, INFINITY | 7, NAN | 5], [NAN | 7; 5]),
        (from_signed, [-1i64 as u64, 0, 0], [SIGN | ONE; 5]),
        (from_signed, [i64::MIN as u64, 0, 0], [SIGN | power(63); 5]),
        (from_signed, [(1 << 53) + 1, 0, 0], [0, 0, 1, 0, 1].map(|step| power(53) + step)),
        (from_unsigned, [u64::MAX, 0, 0], [0, 1, 0, 1, 0].map(|step| power(64) - step)),
        (from_unsigned, [0, 0, 0], [0; 5]),
    ];
    for (instruction, row, expected) in rows {
        let cases = cases(&[instruction]);
        for ((case, compiled), expected) in cases.iter().zip(compile(llvm, &cases)).zip(expected) {
            check(case, row, compiled.of(row), expected);
        }
    }
}

#[test]
fn graphics_processors_have_code_for_all_functions() {
    let Some(llvm) = found::llvm() else { return };
    if !llvm.targets().iter().any(|target| target == "amdgcn") {
        return;
    }
    let kernels = ARITHMETIC.iter().chain(&CONVERSIONS).map(|(_, function, sources)| {
        let arguments = ["i64 %a, ", "i64 %b, ", "i64 %c, "][..*sources].concat();
        format!(
            "define amdgpu_kernel void @of.{function}(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i32 %way) {{
  %r = call i64 @{function}({arguments}i32 %way)
  store i64 %r, ptr addrspace(1) %p
  ret void
}}
"
        )
    });
    let text = FUNCTIONS.to_owned() + &kernels.collect::<String>();
    for cpu in ["gfx1100", "gfx90a"] {
        let machine = TargetMachine::new(llvm, "amdgcn-amd-amdhsa", cpu, "").unwrap();
        for passes in ["default<O0>", "default<O3>"] {
            let module = machine.optimize(Module::parse(llvm, &text).unwrap(), passes).unwrap();
            let object = machine.object(module).unwrap_or_else(|error| panic!("{cpu} {passes}: {error}"));
            assert_eq!(&object.bytes()[..4], b"\x7fELF");
        }
    }
}

/// Work-items of the kernel below.
const ITEMS: usize = 2048;

/// A kernel that writes what instructions make of its work-item's operands `%a`, `%b` and `%c`.
fn kernel(instructions: &[String]) -> String {
    let read = ["a", "b", "c"].map(|name| {
        format!(
            "  ld.param.64b %at, [%p{name}];
  umad.full.32b %at, %id, 8, %at;
  ld.global.64b %{name}, [%at];
"
        )
    });
    let written = instructions.iter().map(|instruction| {
        format!("  {instruction};\n  st.global.64b [%out], %z;\n  umad.full.32b %out, {ITEMS}, 8, %out;\n")
    });
    format!(
        ".version 0.1;
.target 100;
.kernel @k(.param[8] .addrspace(global) %pa, .param[8] .addrspace(global) %pb, .param[8] .addrspace(global) %pc,
           .param[8] .addrspace(global) %po) {{
  .reg .64b %at, %out, %a, %b, %c, %z;
  .reg .32b %id;
  umad.32b %id, %groupid.x, %enqueuedlocalsize.x, %localid.x;
{}  ld.param.64b %out, [%po];
  umad.full.32b %out, %id, 8, %out;
{}  return;
}}
",
        read.concat(),
        written.collect::<String>()
    )
}

/// The results of all instructions on an engine.
fn run(text: &str, engine: impl Engine, inputs: &[Vec<u8>], results: usize) -> Vec<u64> {
    let output = 8 * ITEMS * results;
    let input = 8 * ITEMS as u64;
    let mut kernel = Kernel::new(&load(text), engine, &[input, input, input, output as u64]);
    let bytes = kernel.run(inputs, ITEMS as u64, 128, output);
    bytes.chunks(8).map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap())).collect()
}

/// Also what flags make of operands and results, on the engine that runs single lanes.
#[test]
fn single_lanes_give_the_patterns_of_the_checked_engine() {
    if found::llvm().is_none() {
        return;
    }
    let mut instructions = vec![];
    for (mode, _) in MODES.iter().filter(|(mode, _)| *mode != ".re") {
        for (instruction, _, sources) in ARITHMETIC {
            let flags: &[&str] = match instruction {
                "fdiv*.df" | "fsqrt*.df" => &["", ".ftz"],
                _ => &["", ".ftz", ".dsat", ".ftz.dsat"],
            };
            let sources = ["%a", "%b", "%c"][..sources].join(", ");
            let instruction = flags.iter().map(|flags| instruction.replace('*', &format!("{mode}{flags}")));
            instructions.extend(instruction.map(|instruction| format!("{instruction} %z, {sources}")));
        }
        instructions.extend(CONVERSIONS.map(|(name, ..)| format!("{} %z, %a", name.replace('*', mode))));
    }
    let text = kernel(&instructions);
    let mut random = Random(2);
    let rows: Vec<[u64; 3]> = (0..ITEMS).map(|_| numbers(&mut random)).collect();
    let inputs: Vec<Vec<u8>> =
        (0..3).map(|source| rows.iter().flat_map(|row| row[source].to_le_bytes()).collect()).collect();
    let cpu = cfg!(target_arch = "x86_64").then(|| "x86-64-v3".to_owned());
    let options = JitOptions { cache: None, cpu, scalar: true, ..JitOptions::default() };
    let scalar = match JitEngine::new(load(&text), options) {
        Err(JitUnavailable::Processor) => return,
        made => made.unwrap(),
    };
    let checked = CheckedEngine::new(load(&text), Options::default()).unwrap();
    let expected = run(&text, checked, &inputs, instructions.len());
    let results = run(&text, scalar, &inputs, instructions.len());
    for (index, (result, expected)) in results.iter().zip(&expected).enumerate() {
        let (instruction, row) = (&instructions[index / ITEMS], rows[index % ITEMS]);
        assert!(result == expected, "{instruction} of {row:#x?} is {result:#x}, not {expected:#x}");
    }
}
