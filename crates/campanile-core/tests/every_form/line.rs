//! A line of text with one instruction, and what is found in it.

use std::sync::Arc;

use campanile_core::diagnostic::{Code, Sink};
use campanile_core::isa::{ExpectedOperand, FormId, Op, OperandKind, Space};
use campanile_core::load;
use campanile_core::source::SourceFile;

/// What stands around the line: registers of every type, named after it, and something of every other kind.
const BEFORE: &str = "\
.version 0.1;
.target 100;
.global .align 16 @global[64];
.function void @function() { return; }
.kernel @kernel(.param[256] .align(16) %parameter) {
  .private .align 16 @private[64];
  .pred %p0, %p1;
  .reg .8b %r8;
  .reg .16b %r16;
  .reg .32b %r32;
  .reg .64b %r64;
  .reg .128b %r128;
  .reg .v2.8b %v2_8;
  .reg .v3.8b %v3_8;
  .reg .v4.8b %v4_8;
  .reg .v2.16b %v2_16;
  .reg .v3.16b %v3_16;
  .reg .v4.16b %v4_16;
  .reg .v2.64b %v2_64;
  .reg .v3.64b %v3_64;
  .reg .v4.64b %v4_64;
  .reg .v2.32b %v2_32;
  .reg .v3.32b %v3_32;
  .reg .v4.32b %v4_32;
  .reg .v5.32b %v5_32;
  .reg .v6.32b %v6_32;
  .reg .v7.32b %v7_32;
  .reg .v8.32b %v8_32;
  .reg .v16.32b %v16_32;
  .reg .v32.32b %v32_32;
  .reg .v64.32b %v64_32;
here:
";

/// The codes found in a line, and the form that its instruction has if it is accepted.
pub fn codes(line: &str) -> (Vec<Code>, Option<FormId>) {
    let text = format!("{BEFORE}  {line}\n}}\n");
    let source = Arc::new(SourceFile::new("line.pisa", text).expect("a short text"));
    let mut sink = Sink::new();
    let module = load(&source, &mut sink);
    let form = module.and_then(|module| {
        let bodies = module.functions.values().filter(|one| one.name == "kernel");
        let instruction = bodies.filter_map(|one| one.body.as_ref()?.instructions.first().copied()).next()?;
        Some(instruction.op.form)
    });
    (sink.into_sorted().into_iter().map(|finding| finding.code).collect(), form)
}

/// A mnemonic with operands; the arguments of a call follow its target without a comma.
pub fn line(mnemonic: &str, operands: &[String]) -> String {
    let mut line = mnemonic.to_owned();
    for (index, operand) in operands.iter().enumerate() {
        line += match index {
            0 => " ",
            _ if operand.starts_with('(') => "",
            _ => ", ",
        };
        line += operand;
    }
    line + ";"
}

/// A register of so many elements of so many bits.
pub fn register(elements: u32, bits: u32) -> String {
    if elements == 1 { format!("%r{bits}") } else { format!("%v{elements}_{bits}") }
}

/// Operands that suit an operation.
pub fn operands(op: Op) -> Vec<String> {
    op.expected_operands().iter().filter_map(|expected| operand(op, expected)).collect()
}

/// What suits a place; nothing for the value of a `return`, which kernels lack.
fn operand(op: Op, expected: &ExpectedOperand) -> Option<String> {
    let bits = expected.bits;
    let text = match expected.kind {
        OperandKind::Register | OperandKind::Source | OperandKind::Pointer => register(1, bits),
        OperandKind::Packed | OperandKind::Data => register(expected.elements, bits),
        OperandKind::Vector { counted: true } => register(expected.elements, bits),
        OperandKind::Vector { counted: false } => register(64, bits),
        OperandKind::Swizzled => elements(bits).to_owned(),
        OperandKind::Predicate | OperandKind::Condition => "%p0".to_owned(),
        OperandKind::Address => {
            let base = op.space().unwrap_or(Space::Generic).address_bits();
            format!("[{}]", register(1, base))
        }
        OperandKind::ParameterAddress => "[%parameter]".to_owned(),
        OperandKind::Variable => (if bits == 32 { "@private" } else { "@global" }).to_owned(),
        OperandKind::Function | OperandKind::Target => "@function".to_owned(),
        OperandKind::Label => "here".to_owned(),
        OperandKind::Result => "void".to_owned(),
        OperandKind::Arguments => "()".to_owned(),
        OperandKind::ReturnValue => return None,
        OperandKind::AnyRegister => register(4, 32),
    };
    Some(text)
}

/// Elements of so many bits in all.
pub fn elements(bits: u32) -> &'static str {
    match bits {
        8 => "%v2_8.x",
        16 => "%v2_8.xy",
        32 => "%v4_16.zw",
        64 => "%v2_32.xy",
        _ => "%v4_32.xyzw",
    }
}
