//! Floating point (spec chapter 2 of the instruction set).

use campanile_core::isa::{FloatFormat, FloatingPoint, Op as Operation, Rounding};
use campanile_core::module::Instruction;
use rspirv::spirv::Op;

use super::float::{Format, Mode};
use super::function::FunctionEmitter;

/// The mode that the qualifiers of an operation ask for.
pub(super) fn mode_of(op: Operation) -> Mode {
    let rounding = op.rounding().unwrap_or(Rounding::NearestEven);
    Mode { rounding, flush: op.has("ftz"), saturate: op.has("dsat") }
}

impl FunctionEmitter<'_, '_, '_> {
    pub(super) fn floating_point(&mut self, opcode: FloatingPoint, instruction: &Instruction) {
        let op = instruction.op;
        let format = Format::of(op.ty());
        let mode = mode_of(op);
        let is_full = op.has("precision");
        let is_fast = op.has("fast");
        self.elementwise(instruction, |emitter, sources| {
            let code = &mut emitter.code;
            let flushed = |code: &mut _| format.all_flushed(code, mode.flush, sources);
            match opcode {
                FloatingPoint::Fabs => {
                    let sources = flushed(code);
                    format.absolute(code, sources[0])
                }
                FloatingPoint::Fneg => {
                    let sources = flushed(code);
                    format.negated(code, sources[0])
                }
                FloatingPoint::Fmax | FloatingPoint::Fmin => {
                    let relation =
                        if opcode == FloatingPoint::Fmax { Op::SGreaterThan } else { Op::SLessThan };
                    let result = format.extreme(code, relation, op.has("nanp"), sources[0], sources[1]);
                    format.finished(code, mode, result)
                }
                FloatingPoint::Frc => {
                    let sources = flushed(code);
                    let result = format.fraction_of(code, sources[0]);
                    format.finished(code, mode, result)
                }
                FloatingPoint::Fmul if is_full => {
                    let single = Format::new(FloatFormat::F);
                    let wide: Vec<_> = flushed(code)
                        .into_iter()
                        .map(|source| format.converted(code, Mode { flush: false, ..mode }, single, source))
                        .collect();
                    single.operation(code, opcode, mode, &wide)
                }
                FloatingPoint::Fsqrt | FloatingPoint::Fdiv if !is_fast => {
                    format.operation(code, opcode, mode, sources)
                }
                FloatingPoint::Fadd | FloatingPoint::Fsub | FloatingPoint::Fmul | FloatingPoint::Fmad => {
                    format.operation(code, opcode, mode, sources)
                }
                FloatingPoint::Fcos
                | FloatingPoint::Fsin
                | FloatingPoint::Fexp2
                | FloatingPoint::Flog2
                | FloatingPoint::Ftanh
                | FloatingPoint::Frcp
                | FloatingPoint::Frsqrt
                | FloatingPoint::Fdiv
                | FloatingPoint::Fsqrt => format
                    .function(code, opcode, mode.flush, sources)
                    .unwrap_or_else(|| unreachable!("a function")),
            }
        });
    }
}
