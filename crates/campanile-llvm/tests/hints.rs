//! What compiled code does for speed alone: whether it is there, where it should be and only there.

mod found;
mod launched;

use campanile_core::analysis::LaunchShape;
use campanile_llvm::TargetMachine;
use campanile_llvm::lower::{Target, lower};
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

/// The IR of the kernel for work-groups of 64.
fn ir(text: &str) -> Option<String> {
    let machine = TargetMachine::host(found::llvm()?).unwrap();
    let module = load(text);
    let shape = LaunchShape::with_local_size(1, [64, 1, 1]);
    Some(lower(&module, module.kernel("k").unwrap(), shape, &Target::of(&machine)).text)
}

#[test]
fn loads_that_go_from_page_to_page_are_prefetched() {
    for (step, is_there) in [("4096", true), ("-8192", true), ("4095", false), ("128", false), ("%far", true)]
    {
        let Some(text) = ir(&sums(step)) else { return };
        assert_eq!(text.contains("call void @llvm.prefetch"), is_there, "{step}:\n{text}");
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
