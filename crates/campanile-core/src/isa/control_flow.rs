//! Chapter 6 of the instruction set: control flow.

use super::table::*;

opcodes! {
    /// Control flow (chapter 6).
    ControlFlow {
        Call = "call",
        Goto = "goto",
        Return = "return",
    }
}

pub(super) const INSTRUCTIONS: &[Instruction] = &[
    instruction(
        Opcode::ControlFlow(ControlFlow::Call),
        "6.1",
        "Calls a function, by name or through a 64-bit register.",
        &[
            form("always", "call retval, target (<arg1> <, arg2> ... <, argn>)").operands(&[
                result("retval"),
                target("target"),
                arguments("arg"),
            ]),
            form("conditional", "call.cond <!>pred, retval, target (<arg1> <, arg2> ... <, argn>)")
                .operands(&[condition("pred"), result("retval"), target("target"), arguments("arg")]),
        ],
    ),
    instruction(
        Opcode::ControlFlow(ControlFlow::Goto),
        "6.2",
        "Continues at a label.",
        &[
            form("always", "goto label").operands(&[label("label")]),
            form("conditional", "goto.cond <!>pred, label").operands(&[condition("pred"), label("label")]),
        ],
    ),
    instruction(
        Opcode::ControlFlow(ControlFlow::Return),
        "6.3",
        "Ends the function, or in a kernel the work-item.",
        &[
            form("always", "return <retval>").operands(&[return_value("retval")]),
            form("conditional", "return.cond <!>pred, retval")
                .operands(&[condition("pred"), return_value("retval")]),
        ],
    ),
];
