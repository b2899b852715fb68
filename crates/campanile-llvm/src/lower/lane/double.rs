//! Results of double precision that no processor rounds as an instruction says: calls of functions that compute them in
//! integers, exactly as the checked engine does. `double.ll` has these functions.

use campanile_core::isa::{DataMovement, FloatFormat, FloatingPoint, Op, Opcode, Rounding};

use super::function::FunctionLowering;
use crate::lower::compute::writer::Width;

const TEXT: &str = include_str!("double.ll");

impl FunctionLowering<'_> {
    /// The pattern of a result: of rounded arithmetic, or of a conversion from 64 bits.
    pub(super) fn exact_double(&mut self, op: Op, sources: &[String]) -> String {
        let (declarations, definitions): (Vec<&str>, Vec<&str>) =
            TEXT.lines().partition(|line| line.starts_with("declare "));
        self.code.writer.declarations.extend(declarations.into_iter().map(str::to_owned));
        self.code.subroutines.insert("double".to_owned(), definitions.join("\n") + "\n\n");

        let is_arithmetic = matches!(op.opcode(), Opcode::FloatingPoint(_));
        let flush = is_arithmetic && op.has("ftz");
        let (width, format) = (Width::One, FloatFormat::Df);
        let sources = sources.iter().map(|source| self.code.flushed_if(flush, width, format, source));
        let arguments: String = sources.map(|source| format!("i64 {source}, ")).collect();
        let call = format!("call i64 @{}({arguments}i32 {})", function(op), way(op));
        let result = self.code.writer.value(&call);
        // No integer is so great that it would be saturated.
        if is_arithmetic { self.code.finished(op, width, format, result) } else { result }
    }
}

/// The function of `double.ll` for an operation.
fn function(op: Op) -> &'static str {
    match op.opcode() {
        Opcode::FloatingPoint(FloatingPoint::Fadd) => "double-add",
        Opcode::FloatingPoint(FloatingPoint::Fsub) => "double-sub",
        Opcode::FloatingPoint(FloatingPoint::Fmul) => "double-mul",
        Opcode::FloatingPoint(FloatingPoint::Fdiv) => "double-div",
        Opcode::FloatingPoint(FloatingPoint::Fmad) => "double-fma",
        Opcode::FloatingPoint(FloatingPoint::Fsqrt) => "double-sqrt",
        Opcode::DataMovement(DataMovement::I2f) if op.from().is_some_and(|from| from.is_signed()) => {
            "double-from.signed"
        }
        Opcode::DataMovement(DataMovement::I2f) => "double-from.unsigned",
        _ => unreachable!("`{op}` is written as instructions for every machine that runs single lanes"),
    }
}

/// The number of an operation's way to round, as the functions have it.
fn way(op: Op) -> u32 {
    match op.rounding().unwrap_or(Rounding::NearestEven) {
        Rounding::TowardZero => 0,
        Rounding::NearestEven => 1,
        Rounding::Up => 2,
        Rounding::Down => 3,
        Rounding::NearestAway => 4,
    }
}
