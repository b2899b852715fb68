//! Arithmetic in single precision, for one lane or all, and functions of the module that are made of it.

use super::Computation;
use super::writer::{Width, constant};

/// A sum of this and a number below 2^22 is that number, rounded to an integral one, in its low bits.
pub(in crate::lower) const INTEGRAL: f32 = 12_582_912.0;

/// A number in IR: its pattern in double precision, which LLVM reads for single precision too.
pub(in crate::lower) fn float_literal(value: f64) -> String {
    format!("0x{:016X}", value.to_bits())
}

/// Writes a function of numbers, and gives the result.
pub(in crate::lower) type Body = fn(&mut Single<'_, '_>, &[String]) -> String;

/// What writes the operations of a function.
pub(in crate::lower) struct Single<'c, 't> {
    pub code: &'c mut Computation<'t>,
    pub width: Width,
}

impl Single<'_, '_> {
    /// The type of the numbers.
    pub fn ty(&self) -> String {
        self.width.of("float")
    }

    /// Whether the processor has AVX-512 and all lanes are computed at once.
    pub fn has_avx512(&self) -> bool {
        self.width == Width::All && self.code.target.avx512
    }

    /// Whether the processor multiplies and adds with one rounding.
    pub fn is_fused(&self) -> bool {
        self.code.target.fused
    }

    pub fn constant(&self, value: f32) -> String {
        self.float_constant("float", value.into())
    }

    /// A constant of a type of floating-point numbers.
    pub fn float_constant(&self, ty: &str, value: f64) -> String {
        let literal = float_literal(value);
        match self.width {
            Width::One => literal,
            Width::All => format!("splat ({ty} {literal})"),
        }
    }

    pub fn pattern_constant(&self, pattern: u32) -> String {
        constant(self.width, 32, pattern.into())
    }

    pub fn add(&mut self, a: &str, b: &str) -> String {
        self.operation("fadd", a, b)
    }

    pub fn sub(&mut self, a: &str, b: &str) -> String {
        self.operation("fsub", a, b)
    }

    pub fn mul(&mut self, a: &str, b: &str) -> String {
        self.operation("fmul", a, b)
    }

    pub fn div(&mut self, a: &str, b: &str) -> String {
        self.operation("fdiv", a, b)
    }

    pub fn neg(&mut self, a: &str) -> String {
        let ty = self.ty();
        self.code.writer.value(&format!("fneg {ty} {a}"))
    }

    fn operation(&mut self, operation: &str, a: &str, b: &str) -> String {
        let ty = self.ty();
        self.code.writer.value(&format!("{operation} {ty} {a}, {b}"))
    }

    /// `a * b + c`, with one rounding where the processor has such an instruction.
    pub fn multiply_add(&mut self, a: &str, b: &str, c: &str) -> String {
        if !self.is_fused() {
            let product = self.mul(a, b);
            return self.add(&product, c);
        }
        let ty = self.ty();
        let name = format!("llvm.fma.{}", self.width.suffix_of("f32"));
        self.code.writer.call(&ty, &name, &[(&ty, a), (&ty, b), (&ty, c)])
    }

    /// A polynomial; the coefficients begin with that of the least power.
    pub fn polynomial(&mut self, x: &str, coefficients: &[f32]) -> String {
        let mut descending = coefficients.iter().rev().map(|coefficient| self.constant(*coefficient));
        let highest = descending.next().unwrap_or_else(|| self.constant(0.0));
        let others: Vec<String> = descending.collect();
        others.iter().fold(highest, |sum, coefficient| self.multiply_add(&sum, x, coefficient))
    }

    /// A comparison of numbers.
    pub fn compare(&mut self, relation: &str, a: &str, b: &str) -> String {
        self.operation(&format!("fcmp {relation}"), a, b)
    }

    /// One of two numbers.
    pub fn select(&mut self, condition: &str, yes: &str, no: &str) -> String {
        let (ty, conditions) = (self.ty(), self.width.int(1));
        self.code.writer.value(&format!("select {conditions} {condition}, {ty} {yes}, {ty} {no}"))
    }

    /// The lesser of a number and a bound; a NaN stays one.
    pub fn at_most(&mut self, x: &str, bound: f32) -> String {
        let bound = self.constant(bound);
        let beyond = self.compare("olt", &bound, x);
        self.select(&beyond, &bound, x)
    }

    /// The greater of a number and a bound; a NaN stays one.
    pub fn at_least(&mut self, x: &str, bound: f32) -> String {
        let bound = self.constant(bound);
        let beyond = self.compare("ogt", &bound, x);
        self.select(&beyond, &bound, x)
    }

    /// The pattern of a number.
    pub fn pattern(&mut self, number: &str) -> String {
        let (ty, patterns) = (self.ty(), self.width.int(32));
        self.code.writer.value(&format!("bitcast {ty} {number} to {patterns}"))
    }

    /// The number of a pattern.
    pub fn number(&mut self, pattern: &str) -> String {
        let (ty, patterns) = (self.ty(), self.width.int(32));
        self.code.writer.value(&format!("bitcast {patterns} {pattern} to {ty}"))
    }

    /// An operation on patterns, with a constant.
    pub fn on_pattern(&mut self, operation: &str, pattern: &str, constant: u32) -> String {
        let constant = self.pattern_constant(constant);
        self.on_patterns(operation, pattern, &constant)
    }

    /// An operation on patterns.
    pub fn on_patterns(&mut self, operation: &str, a: &str, b: &str) -> String {
        self.code.binary(self.width, operation, 32, a, b)
    }

    /// The magnitude of a number, and its sign in its place in the pattern.
    pub fn magnitude_and_sign(&mut self, x: &str) -> (String, String) {
        let pattern = self.pattern(x);
        let magnitude = self.on_pattern("and", &pattern, 0x7fff_ffff);
        let sign = self.on_pattern("and", &pattern, 0x8000_0000);
        (self.number(&magnitude), sign)
    }

    /// A number with its sign changed where this sign is set.
    pub fn signed(&mut self, x: &str, sign: &str) -> String {
        let pattern = self.pattern(x);
        let signed = self.on_patterns("xor", &pattern, sign);
        self.number(&signed)
    }

    /// A number below 2^22 rounded to the nearest integral one, and that as an integer.
    pub fn nearest_integral(&mut self, x: &str) -> (String, String) {
        let offset = self.constant(INTEGRAL);
        let sum = self.add(x, &offset);
        let pattern = self.pattern(&sum);
        let integer = self.on_pattern("sub", &pattern, INTEGRAL.to_bits());
        (self.sub(&sum, &offset), integer)
    }

    /// Whether a condition holds in any lane. Those of lanes that are not active may be no values at all, by which code
    /// must not branch.
    fn any(&mut self, condition: &str) -> String {
        let ty = self.width.int(1);
        let condition = self.code.writer.value(&format!("freeze {ty} {condition}"));
        match self.width {
            Width::One => condition,
            Width::All => {
                let bits = self.code.bits_of(&condition);
                self.code.writer.value(&format!("icmp ne i32 {bits}, 0"))
            }
        }
    }

    /// A result, or where a condition that seldom holds does so in any lane, another one for those lanes.
    pub fn unless(
        &mut self,
        condition: &str,
        result: &str,
        other: impl FnOnce(&mut Self) -> String,
    ) -> String {
        let any = self.any(condition);
        let writer = &mut self.code.writer;
        let (rare, done) = (writer.label("rare"), writer.label("done"));
        // Functions that use this have no block before it but their entry.
        writer.line(&format!("br i1 {any}, label %{rare}, label %{done}, !prof !1"));
        writer.place(&rare);
        let other = other(self);
        let other = self.select(condition, &other, result);
        let ty = self.ty();
        self.code.writer.line(&format!("br label %{done}"));
        self.code.writer.place(&done);
        self.code.writer.value(&format!("phi {ty} [ {result}, %entry ], [ {other}, %{rare} ]"))
    }
}

impl Computation<'_> {
    /// Calls a function of the module, which is written where it is wanted first.
    pub fn subroutine(
        &mut self,
        stem: &str,
        attributes: &str,
        width: Width,
        arguments: &[String],
        body: Body,
    ) -> String {
        let ty = width.of("float");
        // No function of a PISA module has such a name.
        let name = format!("{stem}-{}", width.suffix_of("f32"));
        if !self.subroutines.contains_key(&name) {
            let caller = std::mem::take(&mut self.writer);
            let parameters: Vec<String> = (0..arguments.len()).map(|index| format!("%a{index}")).collect();
            self.writer.place("entry");
            let result = body(&mut Single { code: self, width }, &parameters);
            let mut own = std::mem::replace(&mut self.writer, caller);
            self.writer.declarations.append(&mut own.declarations);
            let parameters: Vec<String> = parameters.iter().map(|name| format!("{ty} {name}")).collect();
            let text = format!(
                "define internal {ty} @{name}({}) {attributes} {{\n{}  ret {ty} {result}\n}}\n\n",
                parameters.join(", "),
                own.text()
            );
            self.subroutines.insert(name.clone(), text);
        }
        let arguments: Vec<String> = arguments.iter().map(|argument| format!("{ty} {argument}")).collect();
        self.writer.value(&format!("call {ty} @{name}({})", arguments.join(", ")))
    }
}
