//! Launches that are refused, and what a kernel finds of those that are not.

use std::sync::Arc;

use campanile_core::module::{FunctionId, Module};
use campanile_engine::{Engine, EngineError, LaunchError, MemoryId};

use super::{ONE_BUFFER, Shape, checked, engine, line, lowered, module, run, words};
use crate::lower::{Instrumentation, Lowered, Specialization, Target};

fn nothing(_: &Module, _: FunctionId, _: &Specialization, target: &Target, _: Instrumentation) -> Lowered {
    lowered(target, "define void @sub(ptr %sub) {\n  ret void\n}\n")
}

/// Both engines refuse the launch, for the same reason.
fn refused(module: &Arc<Module>, shape: &Shape, shared: Option<u32>) -> Option<EngineError> {
    let refuse = |engine: &mut dyn Engine| {
        let buffer = engine.allocate(4).unwrap();
        run(engine, module, shape, Some(buffer), shared).unwrap_err()
    };
    let error = refuse(&mut engine(module, 1, nothing)?);
    assert_eq!(error, refuse(&mut checked(module)));
    Some(error)
}

#[test]
fn what_the_checked_engine_refuses_is_refused() {
    let buffer = module(ONE_BUFFER);
    refused(&buffer, &line(0, 1), None);
    refused(&buffer, &line(10, 4), None);
    refused(&buffer, &line(4096, 2048), None);
    let with = |line: &str| module(&ONE_BUFFER.replace("{ return; }", line));
    let required = module(&ONE_BUFFER.replace("@k", ".reqd_work_group_size(4, 1, 1) @k"));
    refused(&required, &line(8, 8), None);
    let private = with("{\n  .private @p[300000];\n  return;\n}");
    refused(&private, &line(8, 8), None);
    let import = ONE_BUFFER
        .replace(".kernel", ".import .function void @f();\n.kernel")
        .replace("{ return; }", "{\n  call void, @f();\n  return;\n}");
    refused(&module(&import), &line(8, 8), None);
}

const SHARED: &str = ".version 0.1;
.target 100;
.kernel @k (.param[8] .addrspace(global) %out, .param[4] .addrspace(shared) .ptr_align(256) %memory) {
  .shared @s[100];
  return;
}
";

#[test]
fn shared_memory_has_a_limit() {
    refused(&module(SHARED), &line(8, 8), Some(128 << 10));
}

/// Writes the address of the shared argument and what is there after a store.
fn use_shared(_: &Module, _: FunctionId, _: &Specialization, target: &Target, _: Instrumentation) -> Lowered {
    let ir = "
define void @sub(ptr %sub) {
  %launch = call ptr @launch(ptr %sub)
  %out = call ptr @argument(ptr %launch, i64 0)
  %arguments = load ptr, ptr %launch
  %at = getelementptr i8, ptr %arguments, i64 8
  %address = load i32, ptr %at
  store i32 %address, ptr %out
  %shared = call ptr @shared(ptr %sub)
  %place = getelementptr i8, ptr %shared, i32 %address
  %last = getelementptr i8, ptr %place, i64 9996
  store volatile i32 9, ptr %last
  %value = load volatile i32, ptr %last
  %to = getelementptr i32, ptr %out, i64 1
  store i32 %value, ptr %to
  ret void
}";
    Lowered { shared_bytes: 100, ..lowered(target, ir) }
}

#[test]
fn shared_arguments_lie_behind_the_variables() {
    let module = module(SHARED);
    let Some(mut engine) = engine(&module, 1, use_shared) else { return };
    let out = engine.allocate(8).unwrap();
    run(&mut engine, &module, &line(32, 32), Some(out), Some(10_000)).unwrap();
    assert_eq!(words(&mut engine, out, 2), [256, 9]);
}

#[test]
fn memory_must_be_there() {
    let module = module(ONE_BUFFER);
    let Some(mut engine) = engine(&module, 1, nothing) else { return };
    let buffer = engine.allocate(8).unwrap();
    engine.upload(buffer, 4, &[1, 2, 3, 4]).unwrap();
    let past = Err(EngineError::OutOfRange { start: 5, end: 9, size: 8 });
    assert_eq!(engine.upload(buffer, 5, &[0; 4]), past);
    engine.free(buffer);
    assert_eq!(engine.download(buffer, 0, &mut [0]), Err(EngineError::UnknownMemory));
    assert_eq!(engine.allocate(u64::MAX), Err(EngineError::OutOfMemory { bytes: u64::MAX }));
    for memory in [buffer, MemoryId(99)] {
        let error = run(&mut engine, &module, &line(1, 1), Some(memory), None).unwrap_err();
        assert_eq!(error, EngineError::Launch(LaunchError::UnknownBuffer));
    }
}

fn broken(_: &Module, _: FunctionId, _: &Specialization, target: &Target, _: Instrumentation) -> Lowered {
    lowered(target, "define void @sub(ptr %sub) {\n  ret i32 1\n}\n")
}

fn absent(_: &Module, _: FunctionId, _: &Specialization, target: &Target, _: Instrumentation) -> Lowered {
    lowered(target, "define void @other(ptr %sub) {\n  ret void\n}\n")
}

#[test]
fn what_llvm_refuses_is_told() {
    let module = module(ONE_BUFFER);
    for lower in [broken, absent] {
        let Some(mut engine) = engine(&module, 1, lower) else { return };
        let out = engine.allocate(8).unwrap();
        let error = run(&mut engine, &module, &line(1, 1), Some(out), None).unwrap_err();
        let EngineError::Other(message) = error else { panic!("{error:?}") };
        assert!(message.starts_with("kernel `@k` cannot be compiled: "), "{message}");
    }
}
