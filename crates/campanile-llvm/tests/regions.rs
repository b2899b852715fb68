//! Kernels that are cut at their barriers: what sub-groups have in common is kept once, and what they have not is not.

mod found;
mod launched;

use campanile_core::analysis::LaunchShape;
use campanile_llvm::TargetMachine;
use campanile_llvm::lower::{Target, lower};
use launched::{Kernel, jit, load, processors};

/// A kernel with these instructions after whose end the work-items of 4 sub-groups store `%a`.
fn text(instructions: &str) -> String {
    format!(
        ".version 0.1; .target 100;
.kernel @k(.param[8] .addrspace(global) %out) {{
  .shared .align 4 @words[512];
  .reg .64b %base, %at; .reg .32b %a, %b, %c, %i, %own; .pred %p, %again;
  addrof.32b %own, @words; umad.32b %own, %localid.x, 4, %own;
{instructions}
  ld.param.64b %base, [%out]; umad.full.32b %at, %localid.x, 4, %base; st.global.32b [%at], %a;
}}"
    )
}

/// Whether sub-groups keep anything in common at barriers; none if they may wait at different ones.
fn keeps_in_common(text: &str) -> Option<bool> {
    let module = load(text);
    let shape = LaunchShape::with_local_size(1, [128, 1, 1]);
    let target = Target::of(&TargetMachine::host(found::llvm()?).unwrap());
    let lowered = lower(&module, module.kernel("k").unwrap(), shape, &target);
    assert!(lowered.text.contains(".region.1"), "no regions:\n{}", lowered.text);
    (!lowered.text.contains(".apart(")).then(|| !lowered.text.contains("%common = alloca [0 x i8]"))
}

fn check(text: &str, expected: impl Fn(u32) -> u32) {
    if found::llvm().is_none() {
        return;
    }
    let module = load(text);
    for processor in processors() {
        let mut kernel = Kernel::new(&module, jit(&module, processor.clone()), &[512]);
        let output = kernel.run(&[], 128, 128, 512);
        let output: Vec<u32> = output.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(output, (0..128).map(&expected).collect::<Vec<_>>(), "on {processor:?}");
    }
}

/// The number of a round, which all have in common, changes while other sub-groups still read the old one.
#[test]
fn counted_rounds() {
    let rounds = text(
        "  mov.32b %a, 0; mov.32b %i, 1;
again:
  st.shared.32b [%own], %i;
  barrier.workgroup;
  ld.shared.32b %b, [%own]; umad.32b %a, %a, 3, %b; iadd.32b %a, %a, %localid.x; iadd.32b %i, %i, 1;
  barrier.workgroup;
  ucmp.le.32b %again, %i, 5; goto.cond %again, again;",
    );
    if found::llvm().is_some() {
        assert_eq!(keeps_in_common(&rounds), Some(true));
    }
    check(&rounds, |lane| (1..=5).fold(0, |a, round| a * 3 + round + lane));
}

/// The last sub-group has no value where the first one has 5.
#[test]
fn what_only_some_have() {
    let some = text(
        "  mov.32b %c, 7; ucmp.ge.32b %p, %localid.x, 32; goto.cond %p, both;
  mov.32b %i, 5;
both:
  st.shared.32b [%own], %localid.x;
  barrier.workgroup;
  ld.shared.32b %a, [%own]; ucmp.ge.32b %p, %localid.x, 32; goto.cond %p, others;
  umad.32b %a, %i, 100, %c;
others:
  iadd.32b %a, %a, 1;",
    );
    if found::llvm().is_some() {
        assert_eq!(keeps_in_common(&some), Some(false));
    }
    check(&some, |lane| if lane < 32 { 508 } else { lane + 1 });
}

/// What a sub-group has from its lanes, or from memory, is its own, even if all of its lanes have the same.
#[test]
fn what_is_a_subgroups_own() {
    let own = text(
        "  addrof.32b %c, @words; st.shared.32b [%own], %localid.x;
  shfl.idx.32b %b, %localid.x, 0, 0xffffffff; umad.32b %c, %b, 4, %c; ld.shared.32b %i, [%c];
  barrier.workgroup;
  umad.32b %a, %b, 1000, %i;",
    );
    check(&own, |lane| lane / 32 * 32 * 1001);
}

/// Sub-groups whose lanes are all of one mind wait at different barriers.
#[test]
fn different_barriers() {
    let apart = text(
        "  mov.32b %i, 1; ucmp.ge.32b %p, %localid.x, 64; shfl.idx.32b %b, %localid.x, 0, 0xffffffff;
  ucmp.ge.32b %p, %b, 64; goto.cond %p, later;
  mov.32b %i, 2;
  barrier.workgroup;
  iadd.32b %a, %i, 10; goto done;
later:
  mov.32b %i, 3;
  barrier.workgroup;
  iadd.32b %a, %i, 20;
done:",
    );
    if found::llvm().is_some() {
        assert_eq!(keeps_in_common(&apart), None);
    }
    check(&apart, |lane| if lane < 64 { 12 } else { 23 });
}
