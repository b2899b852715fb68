//! What is computed lane by lane, for one lane on scalars or for 32 on vectors: the chapters of the instruction set that
//! need nothing but their sources.

mod address;
mod approximate;
mod arithmetic;
mod avx512;
mod comparison;
mod conversion;
mod floating_point;
mod logical;
mod movement;
mod reduction;
mod rounding;
mod shuffle;
mod single;
pub(super) mod writer;

use std::collections::BTreeMap;

use campanile_core::isa::{Compare, Op, Opcode};
use campanile_core::module::{FunctionId, Instruction, Module};

use super::Target;
pub(super) use arithmetic::extension;
pub(super) use floating_point::layout;
pub(super) use reduction::{combination, neutral};
pub(super) use shuffle::default_clamp;
use writer::{Width, Writer};

/// An extension of its sources that an operation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extension {
    None,
    Zero,
    Sign,
}

/// Writes operations.
pub(super) struct Computation<'t> {
    pub target: &'t Target,
    pub writer: Writer,
    /// The active lanes, as a vector of bits; none while all 32 are active, or where there is one lane.
    pub mask: Option<String>,
    /// Functions that compute what takes many instructions, by name.
    pub subroutines: BTreeMap<String, String>,
}

impl<'t> Computation<'t> {
    pub fn new(target: &'t Target) -> Self {
        Computation { target, writer: Writer::default(), mask: None, subroutines: BTreeMap::new() }
    }

    /// The text of an instruction, as a comment.
    pub fn comment_source(&mut self, module: &Module, function: FunctionId, instruction: &Instruction) {
        let source = &module.sources[module.functions[function].place.source];
        let text = source.slice(instruction.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let (line, _) = source.position(instruction.span.start);
        self.writer.comment(&format!("{line}: {text}"));
    }

    /// Truncates, or extends by zeros.
    pub fn resize(&mut self, width: Width, value: &str, from: u32, to: u32) -> String {
        self.extend(width, value, from, to, false)
    }

    /// Truncates, or extends by zeros or the sign.
    pub fn extend(&mut self, width: Width, value: &str, from: u32, to: u32, signed: bool) -> String {
        let operation = match to.cmp(&from) {
            std::cmp::Ordering::Equal => return value.to_owned(),
            std::cmp::Ordering::Less => "trunc",
            std::cmp::Ordering::Greater if signed => "sext",
            std::cmp::Ordering::Greater => "zext",
        };
        self.writer.value(&format!("{operation} {} {value} to {}", width.int(from), width.int(to)))
    }

    /// A vector of bits as a number.
    pub fn bits_of(&mut self, mask: &str) -> String {
        self.writer.value(&format!("bitcast <32 x i1> {mask} to i32"))
    }

    /// The bits of a number as a vector.
    pub fn mask_of(&mut self, bits: &str) -> String {
        self.writer.value(&format!("bitcast i32 {bits} to <32 x i1>"))
    }

    /// A scalar in all lanes, or for the one that there is.
    pub fn spread(&mut self, width: Width, scalar: &str, bits: u32) -> String {
        match width {
            Width::One => scalar.to_owned(),
            Width::All => self.splat(scalar, bits),
        }
    }

    /// A scalar in all lanes.
    pub fn splat(&mut self, scalar: &str, bits: u32) -> String {
        if let Ok(number) = scalar.parse::<i128>() {
            if bits <= 64 {
                return writer::constant(Width::All, bits, number as u64);
            }
            return format!("splat (i{bits} {number})");
        }
        let first =
            self.writer.value(&format!("insertelement <32 x i{bits}> poison, i{bits} {scalar}, i32 0"));
        self.writer.value(&format!(
            "shufflevector <32 x i{bits}> {first}, <32 x i{bits}> poison, <32 x i32> zeroinitializer"
        ))
    }

    /// Makes conditions what stands for them in a destination that is no predicate: all ones or zero.
    pub fn fit(&mut self, width: Width, op: Op, computed: Vec<String>, bits: &[u32]) -> Vec<String> {
        if !matches!(op.opcode(), Opcode::Compare(Compare::Scmp | Compare::Ucmp | Compare::Fcmp)) {
            return computed;
        }
        computed
            .into_iter()
            .zip(bits)
            .map(|(value, bits)| self.extend(width, &value, 1, *bits, true))
            .collect()
    }
}

/// The operations of the chapters that compute lane by lane.
pub(super) fn compute(
    code: &mut Computation<'_>,
    op: Op,
    width: Width,
    element: u32,
    sources: &[String],
) -> Vec<String> {
    match op.opcode() {
        Opcode::Arithmetic(opcode) => code.arithmetic(opcode, op, width, sources),
        Opcode::Logical(opcode) => vec![code.logical(opcode, op, width, element, sources)],
        Opcode::Compare(opcode) => vec![code.comparison(opcode, op, width, sources)],
        Opcode::FloatingPoint(opcode) => vec![code.floating_point(opcode, op, width, sources)],
        Opcode::DataMovement(opcode) => code.movement(opcode, op, width, element, sources),
        other => unreachable!("{other:?} is not computed lane by lane"),
    }
}

/// Whether an operation that is computed lane by lane is written as instructions for a target; the host does the others.
pub(super) fn is_native(op: Op, target: &Target) -> bool {
    match op.opcode() {
        Opcode::Compare(Compare::Fcmp) | Opcode::FloatingPoint(_) => floating_point::is_native(op, target),
        Opcode::DataMovement(opcode) => conversion::is_native(opcode, op, target),
        _ => true,
    }
}
