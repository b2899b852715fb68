//! What registers grow by in loops, as follows from the instructions by hand.

mod files;

use campanile_core::analysis::{ControlFlowGraph, Stride, Strides};
use campanile_core::isa::{ControlFlow, Opcode};
use campanile_core::module::{Body, RegisterId, Scalar, keys};
use files::module;

/// A loop in which `%a` grows by `%s`, `%i` by 3 and `%d` falls by `%s`, with more instructions in it.
fn looped(instructions: &str) -> String {
    format!(
        ".version 0.1; .target 100;
.kernel @k(.param[8] %p) {{
  .reg .64b %at, %base, %wide; .reg .32b %a, %d, %i, %j, %s, %r, %t; .pred %again, %odd;
  ld.param.64b %base, [%p]; ld.param.32b %s, [%p]; mov.32b %a, %laneid; mov.32b %d, %a; mov.32b %i, 0; mov.32b %j, 0;
again:
  iadd.32b %a, %s, %a; isub.32b %d, %d, %s; iadd.32b %i, %i, 3;
  {instructions}
  ucmp.lt.32b %again, %i, 100; goto.cond %again, again;
}}"
    )
}

fn register(body: &Body, name: &str) -> RegisterId {
    keys(&body.registers).find(|id| &*body.registers[*id].name == name).expect("a register of this name")
}

/// What `%name` grows by in the innermost loop around the first `goto`: a factor, and the step's name.
fn stride(instructions: &str, name: &str) -> Option<(i64, Option<String>)> {
    let module = module("loop", &looped(instructions));
    let kernel = module.kernels().next().expect("a kernel");
    let body = module.functions[kernel].body.as_ref().expect("a body");
    let graph = ControlFlowGraph::new(body);
    let is_goto = |opcode| opcode == Opcode::ControlFlow(ControlFlow::Goto);
    let mut blocks = keys(&body.blocks);
    let block = blocks.find(|block| {
        body.block_instructions(*block).last().is_some_and(|instruction| is_goto(instruction.op.opcode()))
    });
    let found = Strides::new(body, &graph).of(block.expect("a loop"), register(body, name));
    found.map(|Stride { step, factor }| {
        let step = step.map(|step| match step {
            Scalar::Register(id) => body.registers[id].name.to_string(),
            other => format!("{other:?}"),
        });
        (factor, step)
    })
}

fn of_s(factor: i64) -> Option<(i64, Option<String>)> {
    Some((factor, Some("s".to_owned())))
}

#[test]
fn sums_in_loops() {
    assert_eq!(stride("", "a"), of_s(1));
    assert_eq!(stride("", "d"), of_s(-1));
    assert_eq!(stride("", "i"), Some((3, None)));
    assert_eq!(stride("iadd.32b %j, %j, -5;", "j"), Some((-5, None)));
    assert_eq!(stride("", "s"), Some((0, None)), "what the loop does not write");
}

#[test]
fn what_follows_from_them() {
    assert_eq!(stride("umad.full.32b %at, %a, 4, %base;", "at"), of_s(4));
    assert_eq!(stride("smad.32b %t, %i, -8, %s;", "t"), Some((-24, None)));
    assert_eq!(stride("zext.64b.32b %wide, %a; shl.64b %at, %wide, 3;", "at"), of_s(8));
    assert_eq!(stride("umul.32b %r, %a, 6; isub.32b %t, %r, %a;", "t"), of_s(5));
    assert_eq!(stride("iadd.32b %t, %a, %d;", "t"), Some((0, None)));
    assert_eq!(stride("mov.32b %t, %i; sext.64b.32b %wide, %t;", "wide"), Some((3, None)));
}

#[test]
fn what_is_not_known() {
    assert_eq!(stride("iadd.32b %t, %a, %i;", "t"), None, "two steps");
    assert_eq!(stride("umul.32b %t, %a, %s;", "t"), None, "a factor that is no constant");
    assert_eq!(stride("iadd.32b %j, %j, %a;", "j"), None, "a step that grows itself");
    assert_eq!(stride("iadd.32b %j, %j, 1; iadd.32b %j, %j, 1;", "j"), None, "two writes");
    assert_eq!(stride("ld.global.32b %t, [%base];", "t"), None, "from memory");
    assert_eq!(stride("mov.32b %t, %activemask;", "t"), None, "what the way taken decides");
    assert_eq!(stride("mov.32b %t, %r; mov.32b %r, %t;", "t"), None, "a circle");
}

#[test]
fn no_loop() {
    let text = ".version 0.1; .target 100; .kernel @k() { .reg .32b %a; mov.32b %a, 1; iadd.32b %a, %a, 1; return; }";
    let module = module("line", text);
    let kernel = module.kernels().next().expect("a kernel");
    let body = module.functions[kernel].body.as_ref().expect("a body");
    let strides = Strides::new(body, &ControlFlowGraph::new(body));
    assert_eq!(strides.of(keys(&body.blocks).next().expect("a block"), register(body, "a")), None);
}
