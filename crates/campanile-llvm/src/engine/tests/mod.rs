//! The host's side of the fast engine, with code written by hand in place of the lowering's.

mod buffers;
mod cache;
mod launching;
mod running;
mod services;
mod variables;

use std::sync::Arc;

use campanile_contract::{KernelLayout, Policy, infer};
use campanile_core::diagnostic::Sink;
use campanile_core::module::{FunctionId, FunctionKind, Module};
use campanile_core::source::SourceFile;
use campanile_engine::{
    AddressArgument, CheckedEngine, Engine, EngineError, EngineLaunch, MemoryId, Options, Report,
    SharedMemoryArgument,
};

use super::{JitEngine, JitOptions, JitUnavailable, Lower};
use crate::lower::{EntryName, Lowered, Target};

/// The frames as IR has them, and getters of what tests need.
const FRAMES: &str = "
%Launch = type { ptr, ptr, ptr, ptr, i64, [3 x i64], [3 x i64], [3 x i32], [3 x i32], i32, i32 }
%Group = type { ptr, ptr, [3 x i32], [3 x i32] }
%Sub = type { ptr, ptr, ptr, i32, i32 }

define internal ptr @launch(ptr %sub) {
  %group = load ptr, ptr %sub
  %launch = load ptr, ptr %group
  ret ptr %launch
}
define internal ptr @service(ptr %sub, i64 %number) {
  %launch = call ptr @launch(ptr %sub)
  %at = getelementptr %Launch, ptr %launch, i32 0, i32 1
  %services = load ptr, ptr %at
  %place = getelementptr ptr, ptr %services, i64 %number
  %service = load ptr, ptr %place
  ret ptr %service
}
define internal ptr @argument(ptr %launch, i64 %place) {
  %arguments = load ptr, ptr %launch
  %at = getelementptr i8, ptr %arguments, i64 %place
  %address = load i64, ptr %at
  %pointer = inttoptr i64 %address to ptr
  ret ptr %pointer
}
define internal ptr @shared(ptr %sub) {
  %group = load ptr, ptr %sub
  %at = getelementptr %Group, ptr %group, i32 0, i32 1
  %shared = load ptr, ptr %at
  ret ptr %shared
}
define internal i32 @group_id(ptr %sub) {
  %group = load ptr, ptr %sub
  %at = getelementptr %Group, ptr %group, i32 0, i32 2
  %id = load i32, ptr %at
  ret i32 %id
}
define internal i32 @local_size(ptr %sub) {
  %group = load ptr, ptr %sub
  %at = getelementptr %Group, ptr %group, i32 0, i32 3
  %size = load i32, ptr %at
  ret i32 %size
}
define internal i32 @number(ptr %sub) {
  %at = getelementptr %Sub, ptr %sub, i32 0, i32 3
  %number = load i32, ptr %at
  ret i32 %number
}
define internal i32 @lanes(ptr %sub) {
  %at = getelementptr %Sub, ptr %sub, i32 0, i32 4
  %lanes = load i32, ptr %at
  ret i32 %lanes
}
";

/// A kernel with one buffer that runs nothing of what stands in it.
const ONE_BUFFER: &str = ".version 0.1;
.target 100;
.kernel @k (.param[8] .addrspace(global) %out) { return; }
";

fn module(text: &str) -> Arc<Module> {
    let source = Arc::new(SourceFile::new("test.pisa", text.to_owned()).unwrap());
    let mut sink = Sink::new();
    let module = campanile_core::load(&source, &mut sink);
    Arc::new(module.unwrap_or_else(|| panic!("{:?}", sink.into_sorted())))
}

/// A kernel whose sub-groups run this IR; `@sub` is its entry.
fn lowered(target: &Target, ir: &str) -> Lowered {
    let Target { triple, data_layout, .. } = target;
    Lowered {
        text: format!("target triple = \"{triple}\"\ntarget datalayout = \"{data_layout}\"\n{FRAMES}\n{ir}"),
        entry: EntryName::Subgroup("sub".to_owned()),
        operations: Vec::new(),
        shared_bytes: 0,
        private_bytes: Some(0),
        together: false,
        sites: Vec::new(),
        counted: Vec::new(),
    }
}

/// An engine without a cache; nothing where there is no LLVM, which continuous integration has.
fn engine(module: &Arc<Module>, threads: usize, lower: Lower) -> Option<JitEngine> {
    let options = JitOptions { threads: Some(threads), cache: None, ..JitOptions::default() };
    match JitEngine::with_lowering(module.clone(), options, lower) {
        Ok(engine) => Some(engine),
        Err(JitUnavailable::Llvm(error)) if std::env::var_os("CI").is_none_or(|ci| ci != "true") => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn checked(module: &Arc<Module>) -> CheckedEngine {
    CheckedEngine::new(module.clone(), Options::default()).unwrap()
}

/// A launch of the only kernel, without offset.
struct Shape {
    grid: [u64; 3],
    local: [u32; 3],
    non_uniform: bool,
}

/// A launch in one dimension.
fn line(grid: u64, local: u32) -> Shape {
    Shape { grid: [grid, 1, 1], local: [local, 1, 1], non_uniform: false }
}

/// Runs the kernel `@k` with the address of some memory as its first argument, and shared memory as the second.
fn run(
    engine: &mut dyn Engine,
    module: &Module,
    shape: &Shape,
    memory: Option<MemoryId>,
    shared: Option<u32>,
) -> Result<Report, EngineError> {
    // Engines want no more of the layout than the kernel's name.
    let layout: KernelLayout = infer(&self::module(ONE_BUFFER), "k", Policy::LANGUAGE).unwrap();
    let kernel: FunctionId = module.kernel("k").unwrap();
    let FunctionKind::Kernel(declared) = &module.functions[kernel].kind else { panic!("a kernel") };
    let bytes = declared.argument_bytes() as usize;
    let addresses = memory.map(|memory| AddressArgument { place: 0, parameter: 0, memory, start: 0 });
    let shared = shared.map(|bytes| SharedMemoryArgument { parameter: 1, bytes });
    engine.run(&EngineLaunch {
        layout: &layout,
        grid: shape.grid,
        local: shape.local,
        offset: [0; 3],
        dimensions: if shape.local[2] > 1 { 3 } else { 1 },
        non_uniform: shape.non_uniform,
        arguments: &vec![0; bytes],
        addresses: addresses.as_slice(),
        claims: &[],
        shared: shared.as_slice(),
        printf_buffer: None,
    })
}

/// The words of memory.
fn words(engine: &mut dyn Engine, memory: MemoryId, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; count * 4];
    engine.download(memory, 0, &mut bytes).unwrap();
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}
