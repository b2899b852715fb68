//! What compiled code does for speed alone: whether it is there, where it should be and only there.

mod found;
mod launched;

use campanile_core::analysis::LaunchShape;
use campanile_llvm::TargetMachine;
use campanile_llvm::lower::{Instrumentation, Specialization, Target, lower_specialized};
use launched::{Kernel, jit, load, processors};

/// Lanes add up the words that lie so many bytes apart from iteration to iteration.
fn sums(step: &str) -> String {
    format!(
        ".version 0.1; .target 100;
.kernel @k(.param[8] .addrspace(global) %in, .param[8] .addrspace(global) %out) {{
  .reg .64b %base, %at, %far; .reg .32b %offset, %sum, %word, %i; .pred %again;
  ld.param.64b %base, [%in]; umad.full.32b %at, %localid.x, 4, %base;
  ld.global.32b %offset, [%base]; zext.64b.32b %far, %offset;
  mov.32b %sum, 0; mov.32b %i, 0;
again:
  ld.global.32b %word, [%at]; iadd.32b %sum, %sum, %word;
  iadd.64b %at, %at, {step}; iadd.32b %i, %i, 1;
  ucmp.lt.32b %again, %i, 20; goto.cond %again, again;
  ld.param.64b %base, [%out]; umad.full.32b %at, %localid.x, 4, %base; st.global.32b [%at], %sum;
}}"
    )
}

/// The IR of the kernel for work-groups of 64 and buffers of which this is known.
fn ir(text: &str, disjoint: bool, streamed: &[u32]) -> Option<String> {
    ir_of([64, 1, 1], text, disjoint, streamed)
}

/// The same for work-groups of another size.
fn ir_of(local: [u32; 3], text: &str, disjoint: bool, streamed: &[u32]) -> Option<String> {
    let target = Target::of(&TargetMachine::host(found::llvm()?).unwrap());
    let module = load(text);
    let shape = LaunchShape::with_local_size(3, local);
    let fixed = Specialization { shape, disjoint, streamed: streamed.iter().copied().collect() };
    let kernel = module.kernel("k").unwrap();
    Some(lower_specialized(&module, kernel, &fixed, &target, Instrumentation::default()).text)
}

#[test]
fn loads_that_go_from_page_to_page_are_prefetched() {
    for (step, is_there) in [("4096", true), ("-8192", true), ("4095", false), ("128", false), ("%far", true)]
    {
        let Some(text) = ir(&sums(step), false, &[]) else { return };
        assert_eq!(text.contains("call void @llvm.prefetch"), is_there, "{step}:\n{text}");
    }
}

#[test]
fn rows_of_the_next_work_groups_are_prefetched() {
    let square = "umad.32b %i, %localid.y, %sum, %localid.x; umad.full.32b %at, %i, 4, %base; ld.global.32b %word, [%at];";
    let text = sums("4").replace("mov.32b %sum, 0;", &format!("mov.32b %sum, %offset; {square}"));
    for (local, prefetches) in [([16, 16, 1], 2), ([8, 8, 1], 4), ([64, 1, 1], 0), ([64, 2, 1], 0)] {
        let Some(text) = ir_of(local, &text, false, &[]) else { return };
        assert_eq!(text.matches("call void @llvm.prefetch").count(), prefetches, "{local:?}:\n{text}");
    }
}

/// Sums of words that are their own places, with prefetches that go past the end of the buffer.
#[test]
fn prefetching_changes_no_results() {
    if found::llvm().is_none() {
        return;
    }
    let module = load(&sums("%far"));
    for step in [0, 4, 4096, 40960] {
        let words = 19 * step / 4 + 64;
        let mut input: Vec<u32> = (0..words).collect();
        input[0] = step;
        let expected: Vec<u32> = (0..64u32)
            .map(|lane| (0..20).map(|i| input[(lane + i * step / 4) as usize]).fold(0, u32::wrapping_add))
            .collect();
        let input: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
        for processor in processors() {
            let engine = jit(&module, processor.clone());
            let mut kernel = Kernel::new(&module, engine, &[u64::from(words) * 4, 256]);
            let output = kernel.run(std::slice::from_ref(&input), 64, 64, 256);
            let output: Vec<u32> =
                output.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            assert_eq!(output, expected, "{step} on {processor:?}");
        }
    }
}

/// Lanes copy elements of so many bits, and add up in `%sums`.
fn copies(bits: u32) -> String {
    format!(
        ".version 0.1; .target 100;
.kernel @k(.param[8] .addrspace(global) %in, .param[8] .addrspace(global) %out, .param[8] .addrspace(global) %sums) {{
  .reg .64b %at, %base; .reg .{bits}b %value, %sum;
  ld.param.64b %base, [%in]; umad.full.32b %at, %localid.x, {bytes}, %base; ld.global.{bits}b %value, [%at];
  ld.param.64b %base, [%sums]; umad.full.32b %at, %localid.x, {bytes}, %base; ld.global.{bits}b %sum, [%at];
  iadd.{bits}b %sum, %sum, %value; st.global.{bits}b [%at], %sum;
  ld.param.64b %base, [%out]; umad.full.32b %at, %localid.x, {bytes}, %base; st.global.{bits}b [%at], %value;
}}",
        bytes = bits / 8
    )
}

#[test]
fn whole_lines_go_past_the_caches() {
    for (bits, streamed, stores) in
        [(32, &[1][..], 1), (64, &[1], 1), (16, &[1], 1), (32, &[], 0), (32, &[0], 0)]
    {
        let Some(text) = ir(&copies(bits), false, streamed) else { return };
        assert_eq!(text.matches("!nontemporal").count(), stores, "{bits} {streamed:?}:\n{text}");
    }
}

/// The loads and stores of buffers.
fn accesses_of(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains(" x i32>") && line.contains("align 1")).collect()
}

/// What an access says of its object is as true of all other work-items; of pointers nothing is said.
#[test]
fn accesses_say_of_which_buffer_they_are() {
    let Some(text) = ir(&copies(32), true, &[]) else { return };
    let accesses = accesses_of(&text);
    let [read, sum, added, written] = accesses[..] else { panic!("{accesses:#?}") };
    let said =
        |line: &str| line.split_once("!alias.scope").map(|(_, said)| said.to_owned()).unwrap_or_default();
    assert!(said(read).contains("!invariant.load"), "{read}");
    assert!(!said(sum).is_empty() && !said(sum).contains("!invariant.load"), "it is written: {sum}");
    assert_eq!(said(sum), said(added));
    assert_ne!(said(added), said(written));
    assert!(!text.contains("noalias ptr") && !text.contains("ptr noalias"), "{text}");
    let Some(text) = ir(&copies(32), false, &[]) else { return };
    assert!(accesses_of(&text).iter().all(|line| said(line).is_empty() && !line.contains("!invariant.load")));
}

/// What lanes are to find in memory, one after another, is stored by halves of vectors where vectors have 64 bytes.
#[test]
fn lanes_read_from_halves_of_vectors() {
    let text = ".version 0.1; .target 100; .kernel @k(.param[8] .addrspace(global) %in) {
  .shared .align 4 @bins[4096]; .reg .64b %at; .reg .32b %place, %old;
  ld.param.64b %at, [%in]; umad.full.32b %at, %localid.x, 4, %at; ld.global.32b %place, [%at];
  and.32b %place, %place, 1020; addrof.32b %old, @bins; iadd.32b %place, %place, %old; iatom.shared.inc.32b %old, [%place];
}";
    let Some(llvm) = found::llvm() else { return };
    let has_avx512 = Target::of(&TargetMachine::host(llvm).unwrap()).avx512;
    let Some(text) = ir(text, false, &[]) else { return };
    let halves = text.matches("store volatile <8 x i32>").count();
    assert_eq!(halves, if has_avx512 { 4 } else { 0 }, "{text}");
}
