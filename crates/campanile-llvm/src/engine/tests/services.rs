//! What compiled code asks for. Changing memory at an address is unsafe: here it is that of a block.
#![allow(unsafe_code)]

use std::thread;

use campanile_core::isa::Op;
use campanile_core::module::{FunctionId, Module};
use campanile_engine::{Engine, FindingKind};

use super::super::block::Block;
use super::super::operation::{Atomic, Operation};
use super::{Shape, engine, line, lowered, module, run, words};
use crate::lower::{Instrumentation, Lowered, Specialization, Target};

/// The operations of the first kernel, but its return.
fn operations(module: &Module) -> Vec<Op> {
    let kernel = module.kernels().next().unwrap();
    let instructions = &module.functions[kernel].body.as_ref().unwrap().instructions;
    instructions[..instructions.len() - 1].iter().map(|one| one.op).collect()
}

const COMPUTING: &str = ".version 0.1;
.target 100;
.kernel @k (.param[8] .addrspace(global) %out) {
  .reg .32b %a, %b;
  smad.32b %a, %a, %b, %b;
  ired.sum.32b %a, %b, 0xffffffff;
  return;
}
";

/// `lane * 3 + 5` by the first operation, then the sum of the even lanes of that by the second.
fn compute(
    module: &Module,
    _: FunctionId,
    _: &Specialization,
    target: &Target,
    _: Instrumentation,
) -> Lowered {
    let ir = "
define void @fill(ptr %lanes, i64 %scale, i64 %offset) {
entry:
  br label %loop
loop:
  %lane = phi i64 [ 0, %entry ], [ %next, %loop ]
  %scaled = mul i64 %lane, %scale
  %value = add i64 %scaled, %offset
  %place = getelementptr i64, ptr %lanes, i64 %lane
  store i64 %value, ptr %place
  %next = add i64 %lane, 1
  %again = icmp ult i64 %next, 32
  br i1 %again, label %loop, label %end
end:
  ret void
}
define void @sub(ptr %sub) {
  %sources = alloca [3 x [32 x i64]], align 64
  %result = alloca [32 x i64], align 64
  %sum = alloca [32 x i64], align 64
  %second = getelementptr [32 x i64], ptr %sources, i64 1
  %third = getelementptr [32 x i64], ptr %sources, i64 2
  call void @fill(ptr %sources, i64 1, i64 0)
  call void @fill(ptr %second, i64 0, i64 3)
  call void @fill(ptr %third, i64 0, i64 5)
  %compute = call ptr @service(ptr %sub, i64 2)
  call void %compute(ptr %sub, i32 0, ptr %sources, ptr %result)
  %values = load [32 x i64], ptr %result
  store [32 x i64] %values, ptr %sources
  call void @fill(ptr %second, i64 0, i64 1431655765)
  %cross = call ptr @service(ptr %sub, i64 3)
  %written = call i32 %cross(ptr %sub, i32 1, i32 -1, ptr %sources, ptr %sum)
  %launch = call ptr @launch(ptr %sub)
  %out = call ptr @argument(ptr %launch, i64 0)
  store i32 %written, ptr %out
  %last = getelementptr i64, ptr %result, i64 31
  %value = load i32, ptr %last
  %to = getelementptr i32, ptr %out, i64 1
  store i32 %value, ptr %to
  %total = load i32, ptr %sum
  %at = getelementptr i32, ptr %out, i64 2
  store i32 %total, ptr %at
  ret void
}";
    Lowered { operations: operations(module), ..lowered(target, ir) }
}

#[test]
fn operations_are_computed_for_all_lanes() {
    let module = module(COMPUTING);
    let Some(mut engine) = engine(&module, 1, compute) else { return };
    let out = engine.allocate(12).unwrap();
    run(&mut engine, &module, &line(32, 32), Some(out), None).unwrap();
    // The even lanes: 3 * (0 + 2 + … + 30) + 16 * 5.
    assert_eq!(words(&mut engine, out, 3), [0x5555_5555, 31 * 3 + 5, 3 * 240 + 80]);
}

const ATOMIC: &str = ".version 0.1;
.target 100;
.kernel @k (.param[8] .addrspace(global) %out) {
  .reg .64b %p;
  .reg .32b %a;
  iatom.global.add.32b %a, [%p], %a;
  return;
}
";

/// The lanes 1 and 3 add 10 and 30 to the buffer, and write what they found.
fn add(module: &Module, _: FunctionId, _: &Specialization, target: &Target, _: Instrumentation) -> Lowered {
    let ir = "
define void @sub(ptr %sub) {
  %addresses = alloca [32 x i64], align 64
  %operands = alloca [2 x [32 x i64]], align 64
  %results = alloca [2 x [32 x i64]], align 64
  %launch = call ptr @launch(ptr %sub)
  %out = call ptr @argument(ptr %launch, i64 0)
  %address = ptrtoint ptr %out to i64
  %a1 = getelementptr i64, ptr %addresses, i64 1
  %a3 = getelementptr i64, ptr %addresses, i64 3
  store i64 %address, ptr %a1
  store i64 %address, ptr %a3
  %o1 = getelementptr i64, ptr %operands, i64 1
  %o3 = getelementptr i64, ptr %operands, i64 3
  store i64 10, ptr %o1
  store i64 30, ptr %o3
  %atomic = call ptr @service(ptr %sub, i64 4)
  call void %atomic(ptr %sub, i32 0, i32 10, ptr %addresses, ptr %operands, ptr %results)
  %r1 = getelementptr i64, ptr %results, i64 1
  %r3 = getelementptr i64, ptr %results, i64 3
  %v1 = load i32, ptr %r1
  %v3 = load i32, ptr %r3
  %to1 = getelementptr i32, ptr %out, i64 1
  %to3 = getelementptr i32, ptr %out, i64 2
  store i32 %v1, ptr %to1
  store i32 %v3, ptr %to3
  ret void
}";
    Lowered { operations: operations(module), ..lowered(target, ir) }
}

#[test]
fn lanes_change_memory_in_ascending_order() {
    let module = module(ATOMIC);
    let Some(mut engine) = engine(&module, 1, add) else { return };
    let out = engine.allocate(12).unwrap();
    run(&mut engine, &module, &line(32, 32), Some(out), None).unwrap();
    assert_eq!(words(&mut engine, out, 3), [40, 0, 10]);
}

/// An atomic operation of a kernel without any others.
fn atomic_of(mnemonic: &str, ty: &str, operands: &str) -> Atomic {
    let width = if ty == "f" { "32b" } else { ty };
    let text = format!(
        ".version 0.1;\n.target 100ca;\n.kernel @k () {{\n  .reg .64b %p;\n  .reg .{width} %a;\n  \
         {mnemonic}.{ty} %a, [%p]{operands};\n  return;\n}}\n"
    );
    match Operation::of(operations(&module(&text))[0]) {
        Some(Operation::Atomic(atomic)) => atomic,
        _ => panic!("`{mnemonic}.{ty}` is atomic"),
    }
}

/// What is in a block after four threads have done something with its address.
fn after_four_threads(work: impl Fn(u64) + Sync) -> u128 {
    let block = Block::zeroed(16, 16).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| work(block.address()));
        }
    });
    let mut bytes = [0; 16];
    block.read(0, &mut bytes).unwrap();
    u128::from_le_bytes(bytes)
}

/// How often each thread does it.
const TIMES: u128 = 10_000;

#[test]
fn atomic_operations_lose_nothing_between_threads() {
    let one = u128::from(1f32.to_bits());
    let cases = [
        (atomic_of("iatom.global.add", "16b", ", %a"), 1, 4 * TIMES),
        (atomic_of("iatom.global.add", "32b", ", %a"), 1, 4 * TIMES),
        (atomic_of("iatom.global.inc", "64b", ""), 0, 4 * TIMES),
        (atomic_of("fatom.global.add", "f", ", %a"), one, u128::from(40_000f32.to_bits())),
    ];
    for (atomic, operand, expected) in cases {
        let sum = after_four_threads(|address| {
            for _ in 0..TIMES {
                // SAFETY: the block has the bytes, and only such operations access them.
                unsafe { atomic.update(address, operand, 0) };
            }
        });
        assert_eq!(sum, expected, "{:?}", atomic.change);
    }
}

#[test]
fn wide_exchanges_are_whole() {
    // Both halves count.
    const STEP: u128 = 1 << 64 | 1;
    let atomic = atomic_of("iatom.global.cas", "128b", ", %a, %a");
    let sum = after_four_threads(|address| {
        let mut expected = 0;
        for _ in 0..TIMES {
            loop {
                // SAFETY: the block has the bytes, and only such operations access them.
                let old = unsafe { atomic.update(address, expected, expected + STEP) };
                if old == expected {
                    break;
                }
                expected = old;
            }
        }
    });
    assert_eq!(sum, 4 * TIMES * STEP);
}

#[test]
fn nothing_happens_at_addresses_that_no_kernel_may_use() {
    let atomic = atomic_of("iatom.global.add", "32b", ", %a");
    let sum = after_four_threads(|address| {
        // SAFETY: the address is within the block, or null.
        let old = unsafe { (atomic.update(0, 1, 0), atomic.update(address + 2, 1, 0)) };
        assert_eq!(old, (0, 0));
    });
    assert_eq!(sum, 0);
}

/// Two lanes of the second sub-group of each group call what is no function.
fn bad_call(_: &Module, _: FunctionId, _: &Specialization, target: &Target, _: Instrumentation) -> Lowered {
    let ir = "
define void @sub(ptr %sub) {
  %number = call i32 @number(ptr %sub)
  %second = icmp eq i32 %number, 1
  br i1 %second, label %bad, label %end
bad:
  %fault = call ptr @service(ptr %sub, i64 5)
  call void %fault(ptr %sub, i32 1, i32 0, i32 1, i32 24)
  br label %end
end:
  ret void
}";
    lowered(target, ir)
}

#[test]
fn faults_become_findings() {
    let text =
        ".version 0.1;\n.target 100;\n.kernel @k () {\n  .reg .32b %a;\n  mov.32b %a, 1;\n  return;\n}\n";
    let module = module(text);
    let Some(mut engine) = engine(&module, 1, bad_call) else { return };
    let shape = Shape { grid: [8, 8, 4], local: [4, 8, 2], non_uniform: false };
    let report = run(&mut engine, &module, &shape, None, None).unwrap();
    assert!(report.given_up);
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    assert!(matches!(finding.kind, FindingKind::BadFunctionPointer { .. }));
    // Lane 3 of the second sub-group is work-item 35 of the first group.
    let item = finding.work_item.unwrap();
    assert_eq!((item.local, item.group, item.global), ([3, 0, 1], [0; 3], [3, 0, 1]));
    assert_eq!(finding.instruction, 1);
    let source = &module.sources[finding.place.source];
    assert_eq!(source.position(finding.place.span.start).0, 6);
}
