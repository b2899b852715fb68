//! Which sub-groups run, in which order, and with what.

use super::{ONE_BUFFER, Shape, engine, line, lowered, module, run, words};
use campanile_core::analysis::LaunchShape;
use campanile_core::module::{FunctionId, Module};
use campanile_engine::Engine;

use crate::lower::{EntryName, Instrumentation, Lowered, Specialization, Target};

/// Counts each work-group, which code does by itself.
fn count_groups(
    _: &Module,
    _: FunctionId,
    fixed: &Specialization,
    target: &Target,
    _: Instrumentation,
) -> Lowered {
    assert_eq!(fixed.shape, LaunchShape::with_local_size(1, [64, 1, 1]));
    let ir = "
define void @sub(ptr %sub) { unreachable }
define void @groups(ptr %launch, ptr %shared, ptr %private, i64 %first, i64 %end) {
entry:
  %out = call ptr @argument(ptr %launch, i64 0)
  br label %loop
loop:
  %group = phi i64 [ %first, %entry ], [ %next, %loop ]
  %place = getelementptr i32, ptr %out, i64 %group
  %old = load i32, ptr %place
  %new = add i32 %old, 1
  store i32 %new, ptr %place
  store i8 1, ptr %shared
  store i32 1, ptr %private, align 128
  %next = add i64 %group, 1
  %again = icmp ult i64 %next, %end
  br i1 %again, label %loop, label %end_
end_:
  ret void
}";
    let entry = EntryName::Groups("groups".to_owned());
    Lowered { entry, shared_bytes: 1, private_bytes: Some(3), ..lowered(target, ir) }
}

#[test]
fn every_group_runs_once_on_any_number_of_threads() {
    let module = module(ONE_BUFFER);
    for threads in [1, 2, 7] {
        let Some(mut engine) = engine(&module, threads, count_groups) else { return };
        for groups in [1, 63, 64, 100_000] {
            let out = engine.allocate(groups * 4).unwrap();
            let report = run(&mut engine, &module, &line(groups * 64, 64), Some(out), None).unwrap();
            assert_eq!((report.work_groups, report.work_items), (groups, groups * 64));
            assert!(words(&mut engine, out, groups as usize).iter().all(|count| *count == 1));
        }
    }
}

/// Each sub-group writes the sum of what all wrote to shared memory before a barrier, twice over, to its private memory
/// and from there to the result.
fn sum_across_barriers(
    _: &Module,
    _: FunctionId,
    _: &Specialization,
    target: &Target,
    _: Instrumentation,
) -> Lowered {
    let ir = "
define void @step(ptr %sub, i32 %value) {
  %shared = call ptr @shared(ptr %sub)
  %number = call i32 @number(ptr %sub)
  %barrier = call ptr @service(ptr %sub, i64 0)
  call void %barrier(ptr %sub)
  %place = getelementptr i32, ptr %shared, i32 %number
  store i32 %value, ptr %place
  call void %barrier(ptr %sub)
  ret void
}
define i32 @sum(ptr %sub) {
  %shared = call ptr @shared(ptr %sub)
  %v = load <4 x i32>, ptr %shared, align 4
  %sum = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)
  ret i32 %sum
}
define void @sub(ptr %sub) {
  %number = call i32 @number(ptr %sub)
  %value = add i32 %number, 1
  call void @step(ptr %sub, i32 %value)
  %once = call i32 @sum(ptr %sub)
  %more = add i32 %once, %number
  %at = getelementptr %Sub, ptr %sub, i32 0, i32 1
  %private = load ptr, ptr %at
  store i32 %more, ptr %private, align 128
  call void @step(ptr %sub, i32 %more)
  %kept = load i32, ptr %private, align 128
  %twice = call i32 @sum(ptr %sub)
  %result = add i32 %twice, %kept
  %launch = call ptr @launch(ptr %sub)
  %out = call ptr @argument(ptr %launch, i64 0)
  %group = call i32 @group_id(ptr %sub)
  %before = mul i32 %group, 4
  %index = add i32 %before, %number
  %place = getelementptr i32, ptr %out, i32 %index
  store i32 %result, ptr %place
  ret void
}";
    Lowered { shared_bytes: 16, private_bytes: Some(4), ..lowered(target, ir) }
}

#[test]
fn a_barrier_waits_for_every_sub_group() {
    let module = module(ONE_BUFFER);
    let Some(mut engine) = engine(&module, 2, sum_across_barriers) else { return };
    let out = engine.allocate(1000 * 16).unwrap();
    run(&mut engine, &module, &line(128_000, 128), Some(out), None).unwrap();
    // 1 + 2 + 3 + 4 = 10 first, then 10 + 11 + 12 + 13 = 46.
    let expected: Vec<u32> = (0..4000).map(|index| 46 + 10 + index % 4).collect();
    assert_eq!(words(&mut engine, out, 4000), expected);
}

/// The same where functions call themselves, which needs deep stacks and private memory up to the limit.
fn sum_with_deep_stacks(
    module: &Module,
    id: FunctionId,
    fixed: &Specialization,
    target: &Target,
    instrumentation: Instrumentation,
) -> Lowered {
    Lowered { private_bytes: None, ..sum_across_barriers(module, id, fixed, target, instrumentation) }
}

#[test]
fn deep_calls_have_stacks_and_private_memory_of_their_own() {
    let module = module(ONE_BUFFER);
    let Some(mut engine) = engine(&module, 2, sum_with_deep_stacks) else { return };
    let out = engine.allocate(100 * 16).unwrap();
    run(&mut engine, &module, &line(12_800, 128), Some(out), None).unwrap();
    let expected: Vec<u32> = (0..400).map(|index| 46 + 10 + index % 4).collect();
    assert_eq!(words(&mut engine, out, 400), expected);
}

/// The first sub-group waits in a loop for what the last one writes.
fn spin(_: &Module, _: FunctionId, _: &Specialization, target: &Target, _: Instrumentation) -> Lowered {
    let ir = "
define void @sub(ptr %sub) {
entry:
  %shared = call ptr @shared(ptr %sub)
  %number = call i32 @number(ptr %sub)
  %yield = call ptr @service(ptr %sub, i64 1)
  switch i32 %number, label %end [ i32 0, label %wait
                                   i32 2, label %tell ]
tell:
  store atomic i32 1, ptr %shared release, align 4
  br label %end
wait:
  %flag = load atomic i32, ptr %shared acquire, align 4
  %there = icmp ne i32 %flag, 0
  br i1 %there, label %write, label %turn
turn:
  call void %yield(ptr %sub)
  br label %wait
write:
  %launch = call ptr @launch(ptr %sub)
  %out = call ptr @argument(ptr %launch, i64 0)
  store i32 7, ptr %out
  br label %end
end:
  ret void
}";
    Lowered { shared_bytes: 4, ..lowered(target, ir) }
}

#[test]
fn a_waiting_loop_lets_others_go_on() {
    let module = module(ONE_BUFFER);
    let Some(mut engine) = engine(&module, 1, spin) else { return };
    let out = engine.allocate(4).unwrap();
    run(&mut engine, &module, &line(96, 96), Some(out), None).unwrap();
    assert_eq!(words(&mut engine, out, 1), [7]);
}

/// A barrier, then each sub-group writes its lanes and the size of its work-group.
fn tell_lanes(
    _: &Module,
    _: FunctionId,
    fixed: &Specialization,
    target: &Target,
    _: Instrumentation,
) -> Lowered {
    let shape = fixed.shape;
    let ragged = LaunchShape { dimensions: Some(1), ..LaunchShape::default() };
    assert!(shape == ragged || shape == LaunchShape::with_local_size(1, [20, 1, 1]), "{shape:?}");
    let ir = "
define void @sub(ptr %sub) {
  %barrier = call ptr @service(ptr %sub, i64 0)
  call void %barrier(ptr %sub)
  %launch = call ptr @launch(ptr %sub)
  %out = call ptr @argument(ptr %launch, i64 0)
  %group = call i32 @group_id(ptr %sub)
  %number = call i32 @number(ptr %sub)
  %before = mul i32 %group, 2
  %index = add i32 %before, %number
  %place = getelementptr [2 x i32], ptr %out, i32 %index
  %lanes = call i32 @lanes(ptr %sub)
  store i32 %lanes, ptr %place
  %size = call i32 @local_size(ptr %sub)
  %second = getelementptr i32, ptr %place, i32 1
  store i32 %size, ptr %second
  ret void
}";
    lowered(target, ir)
}

#[test]
fn groups_at_ragged_edges_are_smaller() {
    let module = module(ONE_BUFFER);
    let Some(mut engine) = engine(&module, 2, tell_lanes) else { return };
    let out = engine.allocate(6 * 8).unwrap();
    let shape = Shape { non_uniform: true, ..line(100, 40) };
    run(&mut engine, &module, &shape, Some(out), None).unwrap();
    let expected = [u32::MAX, 40, 0xff, 40, u32::MAX, 40, 0xff, 40, 0xf_ffff, 20, 0, 0];
    assert_eq!(words(&mut engine, out, 12), expected);
}

#[test]
fn the_only_sub_group_of_a_group_waits_for_nobody() {
    let module = module(ONE_BUFFER);
    let Some(mut engine) = engine(&module, 1, tell_lanes) else { return };
    let out = engine.allocate(2 * 16).unwrap();
    run(&mut engine, &module, &line(40, 20), Some(out), None).unwrap();
    assert_eq!(words(&mut engine, out, 8), [0xf_ffff, 20, 0, 0, 0xf_ffff, 20, 0, 0]);
}
