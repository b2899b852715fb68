//! Instructions of AVX-512 that LLVM's own operations do not reach. A register holds 16 numbers in single precision or 8
//! in double precision, so that 32 lanes take several.

use campanile_core::isa::{FloatFormat, FloatingPoint, Rounding};

use super::Computation;
use super::single::float_literal;
use super::writer::{LANES, Width};

/// A register full of numbers.
#[derive(Clone, Copy)]
struct Register {
    /// The type of a number.
    scalar: &'static str,
    /// How intrinsics name that.
    suffix: &'static str,
    /// How instructions name it.
    packed: &'static str,
    lanes: u32,
    /// The mask that leaves no lane out.
    every_lane: (&'static str, &'static str),
}

const SINGLES: Register =
    Register { scalar: "float", suffix: "f32", packed: "ps", lanes: 16, every_lane: ("i16", "-1") };
const DOUBLES: Register =
    Register { scalar: "double", suffix: "f64", packed: "pd", lanes: 8, every_lane: ("i8", "-1") };

impl Register {
    fn ty(self) -> String {
        format!("<{} x {}>", self.lanes, self.scalar)
    }
}

/// Classes of numbers that an instruction tells from the others.
#[derive(Clone, Copy)]
pub(in crate::lower) enum Classes {
    Subnormal = 0x20,
    /// Zeros, subnormal numbers, infinities and NaN.
    NotNormal = 0xbf,
    /// The same and negative numbers.
    NotPositiveNormal = 0xff,
}

/// To round as the processor's mode says, which is to the nearest.
const CURRENT: (&str, &str) = ("i32", "4");

impl Computation<'_> {
    /// Approximates `1 / a` in single precision, with a relative error of 2^-14.
    pub fn reciprocal_estimate(&mut self, a: &str) -> String {
        self.estimate(SINGLES, "rcp14", a)
    }

    /// Approximates `1 / a` in double precision, with a relative error of 2^-14.
    pub fn double_reciprocal_estimate(&mut self, a: &str) -> String {
        self.estimate(DOUBLES, "rcp14", a)
    }

    /// Approximates `1 / √a` in single precision, with a relative error of 2^-14.
    pub fn root_estimate(&mut self, a: &str) -> String {
        self.estimate(SINGLES, "rsqrt14", a)
    }

    fn estimate(&mut self, register: Register, name: &str, a: &str) -> String {
        let ty = register.ty();
        self.by_registers(Width::All, register, &[a], |code, operands| {
            let arguments = [(&*ty, &*operands[0]), (&ty, "zeroinitializer"), register.every_lane];
            code.on_register(register, name, &arguments)
        })
    }

    /// What remains of `a` beside the nearest integral number, in [-0.5, 0.5]; zero of infinities.
    pub fn rest_beside_integral(&mut self, a: &str) -> String {
        let (ty, to_nearest) = (SINGLES.ty(), ("i32", "8"));
        self.by_registers(Width::All, SINGLES, &[a], |code, operands| {
            let arguments =
                [(&*ty, &*operands[0]), to_nearest, (&ty, "zeroinitializer"), SINGLES.every_lane, CURRENT];
            code.on_register(SINGLES, "mask.reduce", &arguments)
        })
    }

    /// `a` times two to the power of the integral number `n`, rounded once.
    pub fn scaled_by_power(&mut self, a: &str, n: &str) -> String {
        let ty = SINGLES.ty();
        self.by_registers(Width::All, SINGLES, &[a, n], |code, operands| {
            let [a, n] = [0, 1].map(|index| (&*ty, &*operands[index]));
            code.on_register(
                SINGLES,
                "mask.scalef",
                &[a, n, (&ty, "zeroinitializer"), SINGLES.every_lane, CURRENT],
            )
        })
    }

    /// The exponent of `a` as a number; that of a subnormal number too. Of zeros it is -∞, of infinities ∞.
    pub fn exponent(&mut self, a: &str) -> String {
        let ty = SINGLES.ty();
        self.by_registers(Width::All, SINGLES, &[a], |code, operands| {
            let arguments = [(&*ty, &*operands[0]), (&ty, "zeroinitializer"), SINGLES.every_lane, CURRENT];
            code.on_register(SINGLES, "mask.getexp", &arguments)
        })
    }

    /// The significand of `a`, in [1, 2); of zeros and infinities 1, of negative numbers NaN.
    pub fn significand(&mut self, a: &str) -> String {
        let (ty, negative_is_nan) = (SINGLES.ty(), ("i32", "8"));
        self.by_registers(Width::All, SINGLES, &[a], |code, operands| {
            let arguments = [
                (&*ty, &*operands[0]),
                negative_is_nan,
                (&ty, "zeroinitializer"),
                SINGLES.every_lane,
                CURRENT,
            ];
            code.on_register(SINGLES, "mask.getmant", &arguments)
        })
    }

    /// What the table has at the place that the four lowest bits of `index` say.
    pub fn looked_up(&mut self, table: &[f32; 16], index: &str) -> String {
        let ty = SINGLES.ty();
        let elements = table.map(|element| format!("float {}", float_literal(element.into())));
        let table = format!("<{}>", elements.join(", "));
        self.by_registers(Width::All, SINGLES, &[index], |code, operands| {
            let index = code.writer.value(&format!("bitcast {ty} {} to <16 x i32>", operands[0]));
            let name = "llvm.x86.avx512.permvar.sf.512";
            code.writer.call(&ty, name, &[(&ty, &table), ("<16 x i32>", &index)])
        })
    }

    /// Whether `a` is of one of these classes.
    pub fn is_of_class(&mut self, a: &str, classes: Classes) -> String {
        let (half, name) = ("<16 x i1>", "llvm.x86.avx512.fpclass.ps.512");
        let classes = (classes as u8).to_string();
        let [low, high] = [0, SINGLES.lanes].map(|first| {
            let part = self.part(SINGLES, a, first);
            self.writer.call(half, name, &[(&SINGLES.ty(), &part), ("i32", &classes)])
        });
        self.writer.joined(half, [&low, &high])
    }

    /// An operation of single or double precision on numbers, rounded in a direction.
    pub fn rounded_by_processor(
        &mut self,
        opcode: FloatingPoint,
        rounding: Rounding,
        width: Width,
        format: FloatFormat,
        numbers: &[String],
    ) -> String {
        let name = match opcode {
            FloatingPoint::Fadd => "add",
            FloatingPoint::Fsub => "sub",
            FloatingPoint::Fmul => "mul",
            FloatingPoint::Fdiv => "div",
            FloatingPoint::Fmad => "vfmadd",
            _ => "sqrt",
        };
        // Besides the direction, these say that no exception is wanted.
        let rounding = match rounding {
            Rounding::Down => "9",
            Rounding::Up => "10",
            Rounding::TowardZero => "11",
            Rounding::NearestEven | Rounding::NearestAway => "8",
        };
        let register = if format == FloatFormat::Df { DOUBLES } else { SINGLES };
        let (ty, numbers) = (register.ty(), numbers.iter().map(String::as_str).collect::<Vec<_>>());
        self.by_registers(width, register, &numbers, |code, operands| {
            let mut arguments: Vec<(&str, &str)> =
                operands.iter().map(|operand| (&*ty, operand.as_str())).collect();
            arguments.push(("i32", rounding));
            code.on_register(register, name, &arguments)
        })
    }

    fn on_register(&mut self, register: Register, name: &str, arguments: &[(&str, &str)]) -> String {
        let name = format!("llvm.x86.avx512.{name}.{}.512", register.packed);
        self.writer.call(&register.ty(), &name, arguments)
    }

    /// Computes with the parts of operands that fill a register each, or with one lane of a register.
    fn by_registers(
        &mut self,
        width: Width,
        register: Register,
        operands: &[&str],
        mut compute: impl FnMut(&mut Self, &[String]) -> String,
    ) -> String {
        let Register { scalar, suffix, lanes, .. } = register;
        let (part, whole) = (register.ty(), Width::All.of(scalar));
        if width == Width::One {
            let operands: Vec<String> = operands
                .iter()
                .map(|one| self.writer.value(&format!("insertelement {part} poison, {scalar} {one}, i64 0")))
                .collect();
            let result = compute(self, &operands);
            return self.writer.value(&format!("extractelement {part} {result}, i64 0"));
        }
        let mut results = "poison".to_owned();
        for first in (0..LANES).step_by(lanes as usize) {
            let parts: Vec<String> =
                operands.iter().map(|operand| self.part(register, operand, first)).collect();
            let result = compute(self, &parts);
            let name = format!("llvm.vector.insert.v32{suffix}.v{lanes}{suffix}");
            let first = first.to_string();
            let arguments = [(&*whole, &*results), (&part, &result), ("i64", &first)];
            results = self.writer.call(&whole, &name, &arguments);
        }
        results
    }

    /// A part of all lanes' numbers, from a lane on, that fills a register.
    fn part(&mut self, register: Register, of: &str, first: u32) -> String {
        let Register { scalar, suffix, lanes, .. } = register;
        let name = format!("llvm.vector.extract.v{lanes}{suffix}.v32{suffix}");
        let arguments = [(&*Width::All.of(scalar), of), ("i64", &first.to_string())];
        self.writer.call(&register.ty(), &name, &arguments)
    }
}
