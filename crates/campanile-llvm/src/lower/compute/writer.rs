//! Writes the text of LLVM IR: values by number, labels by number, constants for one lane or 32.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

/// Lanes of a sub-group.
pub(in crate::lower) const LANES: u32 = 32;

/// Whether an instruction is written for one lane, on scalars, or for 32, on vectors. The lowering of what is done lane
/// by lane is the same for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Width {
    /// A scalar.
    One,
    /// A vector of 32.
    All,
}

impl Width {
    /// The type of integers of so many bits.
    pub fn int(self, bits: u32) -> String {
        self.of(&format!("i{bits}"))
    }

    /// The type of values of a scalar type.
    pub fn of(self, scalar: &str) -> String {
        match self {
            Width::One => scalar.to_owned(),
            Width::All => format!("<32 x {scalar}>"),
        }
    }

    /// What follows the name of an intrinsic for integers of so many bits.
    pub fn suffix(self, bits: u32) -> String {
        self.suffix_of(&format!("i{bits}"))
    }

    /// What follows the name of an intrinsic for values of this kind: `f32`, `i16`.
    pub fn suffix_of(self, scalar: &str) -> String {
        match self {
            Width::One => scalar.to_owned(),
            Width::All => format!("v32{scalar}"),
        }
    }
}

/// A function under way.
#[derive(Debug, Default)]
pub(in crate::lower) struct Writer {
    text: String,
    values: u32,
    labels: u32,
    /// Declarations of the intrinsics that have been called.
    pub declarations: BTreeSet<String>,
    /// Patterns of floating-point numbers that are no signalling NaNs.
    pub quiet: HashSet<String>,
}

impl Writer {
    /// A line.
    pub fn line(&mut self, line: &str) {
        self.text.push_str("  ");
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A comment.
    pub fn comment(&mut self, comment: &str) {
        let _ = writeln!(self.text, "  ; {comment}");
    }

    /// An instruction that gives a value; the value's name.
    pub fn value(&mut self, instruction: &str) -> String {
        let name = format!("%v{}", self.values);
        self.values += 1;
        let _ = writeln!(self.text, "  {name} = {instruction}");
        name
    }

    /// A new label, to be placed by [`place`](Self::place).
    pub fn label(&mut self, stem: &str) -> String {
        self.labels += 1;
        format!("{stem}.{}", self.labels)
    }

    /// Places a label here.
    pub fn place(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
    }

    /// Calls an intrinsic or another external function, which is declared.
    pub fn call(&mut self, result: &str, name: &str, arguments: &[(&str, &str)]) -> String {
        self.call_with(result, name, arguments, "")
    }

    /// The same with metadata, which follows the call.
    pub fn call_with(
        &mut self,
        result: &str,
        name: &str,
        arguments: &[(&str, &str)],
        metadata: &str,
    ) -> String {
        let types: Vec<&str> = arguments.iter().map(|(ty, _)| *ty).collect();
        self.declarations.insert(format!("declare {result} @{name}({})", types.join(", ")));
        let arguments: Vec<String> = arguments.iter().map(|(ty, value)| format!("{ty} {value}")).collect();
        let call = format!("call {result} @{name}({}){metadata}", arguments.join(", "));
        if result == "void" {
            self.line(&call);
            return String::new();
        }
        self.value(&call)
    }

    /// A value of a structure that the host has made, by its offset in bytes.
    pub fn field(&mut self, structure: &str, offset: usize, ty: &str) -> String {
        self.field_with(structure, offset, ty, "")
    }

    /// The same with metadata, which follows the load.
    pub fn field_with(&mut self, structure: &str, offset: usize, ty: &str, metadata: &str) -> String {
        let place = self.value(&format!("getelementptr inbounds i8, ptr {structure}, i64 {offset}"));
        self.value(&format!("load {ty}, ptr {place}{metadata}"))
    }

    /// All lanes of two halves, of this type each.
    pub fn joined(&mut self, half: &str, [low, high]: [&str; 2]) -> String {
        let lanes = ramp(32, 1, LANES);
        self.value(&format!("shufflevector {half} {low}, {half} {high}, <32 x i32> {lanes}"))
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// An integer of so many bits, as a constant for one lane or all.
pub(in crate::lower) fn constant(width: Width, bits: u32, value: u64) -> String {
    let value = if bits >= 64 { value } else { value & ((1 << bits) - 1) };
    let signed = match bits {
        1 => (value & 1).to_string(),
        bits if bits >= 64 => (value as i64).to_string(),
        bits => (((value << (64 - bits)) as i64) >> (64 - bits)).to_string(),
    };
    match width {
        Width::One => signed,
        Width::All if signed == "0" => "zeroinitializer".to_owned(),
        Width::All => format!("splat (i{bits} {signed})"),
    }
}

/// A vector constant whose lanes are `inner * (lane mod width)`.
pub(in crate::lower) fn ramp(bits: u32, inner: u64, width: u32) -> String {
    let lanes = (0..u64::from(LANES))
        .map(|lane| constant(Width::One, bits, inner.wrapping_mul(lane % u64::from(width))));
    list(bits, lanes)
}

/// A vector constant of these elements.
pub(in crate::lower) fn list(bits: u32, lanes: impl Iterator<Item = String>) -> String {
    let lanes: Vec<String> = lanes.map(|lane| format!("i{bits} {lane}")).collect();
    format!("<{}>", lanes.join(", "))
}

/// The text without splats, which LLVM knows from version 19 on only.
pub(in crate::lower) fn without_splats(text: &str) -> String {
    let mut parts = text.split("splat (");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (element, rest) = part.split_once(')').unwrap_or((part, ""));
        plain.push_str(&format!("<{}>", vec![element; LANES as usize].join(", ")));
        plain.push_str(rest);
    }
    plain
}
