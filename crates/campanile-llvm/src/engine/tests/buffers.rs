//! What is known of the buffers of launches, and stores past the caches.

use std::ops::Range;

use campanile_contract::{Policy, infer};
use campanile_core::analysis::LaunchShape;
use campanile_core::module::{FunctionId, Module};
use campanile_engine::{AddressArgument, Engine, EngineLaunch, MemoryClaim, MemoryId};

use super::{engine, line, module, run, words};
use crate::engine::buffers::BufferUse;
use crate::lower::{Instrumentation, Lowered, Specialization, Target, lower_specialized};

/// A kernel that reads from `%in`, writes to `%out` and reads and writes `%both`, with one more instruction.
fn text(instruction: &str) -> String {
    format!(
        ".version 0.1; .target 100;
.kernel @k(.param[8] .addrspace(global) %in, .param[8] .addrspace(global) %out, .param[8] .addrspace(global) %both) {{
  .reg .64b %in_at, %out_at, %both_at; .reg .32b %a, %b;
  ld.param.64b %in_at, [%in]; ld.param.64b %out_at, [%out]; ld.param.64b %both_at, [%both];
  ld.global.32b %a, [%in_at]; ld.global.32b %b, [%both_at]; iadd.32b %a, %a, %b;
  st.global.32b [%both_at], %a; st.global.32b [%out_at], %a; {instruction}
  return;
}}"
    )
}

/// More than any cache has.
const LARGE: u64 = 1 << 40;

/// No parameters.
const NONE: [u32; 0] = [];

/// What is fixed of a launch with these bytes of these memories, of which each has so many.
fn specialization(text: &str, size: u64, passed: &[(u64, Range<u64>)]) -> Specialization {
    let module = module(text);
    let layout = infer(&module, "k", Policy::LANGUAGE).unwrap();
    let addresses = passed.iter().zip(0..).map(|((memory, bytes), parameter)| AddressArgument {
        place: 8 * parameter,
        parameter,
        memory: MemoryId(*memory),
        start: bytes.start,
    });
    let claims = passed.iter().zip(0..).map(|((memory, bytes), parameter)| MemoryClaim {
        name: String::new(),
        parameter,
        memory: MemoryId(*memory),
        bytes: bytes.clone(),
        written: true,
        noalias: false,
    });
    let (addresses, claims) = (addresses.collect::<Vec<_>>(), claims.collect::<Vec<_>>());
    let launch = EngineLaunch {
        layout: &layout,
        grid: [64, 1, 1],
        local: [64, 1, 1],
        offset: [0; 3],
        dimensions: 1,
        non_uniform: false,
        arguments: &[0; 24],
        addresses: &addresses,
        claims: &claims,
        shared: &[],
        printf_buffer: None,
    };
    let uses = BufferUse::of(&module, module.kernel("k").unwrap());
    let found = uses.specialization(LaunchShape::default(), &launch, |_| Some(size));
    let unclaimed = EngineLaunch { claims: &[], ..launch };
    let all = uses.specialization(LaunchShape::default(), &unclaimed, |_| Some(size));
    assert!(found.disjoint || !all.disjoint, "nothing is known of what is not claimed");
    found
}

#[test]
fn what_is_large_and_only_written_goes_past_the_caches() {
    let streamed = |instruction: &str, size: u64| {
        let apart = [0, 1, 2].map(|memory| (memory, 0..size));
        specialization(&text(instruction), size, &apart).streamed.into_iter().collect::<Vec<_>>()
    };
    let out: &[u32] = if cfg!(target_arch = "x86_64") { &[1] } else { &[] };
    assert_eq!(streamed("", LARGE), out);
    assert_eq!(streamed("", 1 << 12), NONE);
    assert_eq!(streamed("ld.global.32b %b, [%out_at + 4];", LARGE), NONE);
    // Whoever waits for what is released must see what was stored before.
    assert_eq!(streamed("fence.release.gpu;", LARGE), NONE);
    assert_eq!(streamed("st.global.release.gpu.32b [%both_at], %a;", LARGE), NONE);
}

#[test]
fn buffers_share_bytes_or_not() {
    let disjoint = |passed: &[(u64, Range<u64>)]| specialization(&text(""), 100, passed).disjoint;
    assert!(disjoint(&[(0, 0..100), (1, 0..100), (2, 0..100)]));
    assert!(disjoint(&[(0, 0..40), (0, 40..60), (0, 60..100)]), "parts of one memory");
    assert!(!disjoint(&[(0, 0..41), (0, 40..60), (0, 60..100)]), "one byte of what is written");
    assert!(!disjoint(&[(0, 0..100), (1, 0..100), (1, 0..100)]), "both are written");
    assert!(!disjoint(&[(0, 0..100), (1, 0..100)]), "an address from elsewhere");
    let reads = text("").replace("st.global.32b [%both_at], %a; st.global.32b [%out_at], %a;", "");
    let same = [(0, 0..100), (0, 0..100), (0, 0..100)];
    assert!(specialization(&reads, 100, &same).disjoint, "nobody writes");
}

/// Lowers for launches whose first buffer goes past the caches.
fn streaming(
    module: &Module,
    kernel: FunctionId,
    fixed: &Specialization,
    target: &Target,
    instrumentation: Instrumentation,
) -> Lowered {
    let fixed = Specialization { streamed: [0].into(), ..fixed.clone() };
    let lowered = lower_specialized(module, kernel, &fixed, target, instrumentation);
    assert!(lowered.text.contains("!nontemporal"), "{}", lowered.text);
    lowered
}

/// Whole lines at their places, half a line off, and one word off.
#[test]
fn stores_past_the_caches_store() {
    for offset in [0, 4, 32, 64] {
        let module = module(&format!(
            ".version 0.1; .target 100; .kernel @k(.param[8] .addrspace(global) %out) {{
  .reg .64b %at; .reg .32b %index, %value;
  ld.param.64b %at, [%out]; umad.32b %index, %groupid.x, %localsize.x, %localid.x;
  umad.full.32b %at, %index, 4, %at; umul.32b %value, %index, 3; st.global.32b [%at + {offset}], %value;
}}"
        ));
        let Some(mut engine) = engine(&module, 2, streaming) else { return };
        let out = engine.allocate(4 * 8192 + 64).unwrap();
        run(&mut engine, &module, &line(8192, 256), Some(out), None).unwrap();
        let before = offset / 4;
        let expected: Vec<u32> = (0..8192).map(|index| index * 3).collect();
        assert_eq!(words(&mut engine, out, before + 8192)[before..], expected, "{offset}");
    }
}
