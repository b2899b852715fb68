//! Samples become SPIR-V for any target, or are refused for a reason that targets have; what comes out follows the rules of
//! the environment, and others read the same words in it.

#![no_main]

use campanile_core::diagnostic::{Code, Severity};
use campanile_fuzz::{must_load, translation};
use campanile_spirv::environment::{Module, check};
use campanile_spirv::{Options, emit};
use rspirv::binary::Assemble;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut bytes = arbitrary::Unstructured::new(bytes);
    let Ok(options) = translation(&mut bytes) else { return };
    let Ok(sample) = campanile_smith::sample(&mut bytes) else { return };
    match emit(&must_load(&sample.text), &options) {
        Ok(emitted) => check_words(&emitted.words, &options, &sample.text),
        Err(faults) => {
            let expected = [Code::TargetLacks, Code::DeviceRecursion, Code::Inexpressible];
            let other = faults.iter().find(|fault| !expected.contains(&fault.code));
            assert!(other.is_none() && !faults.is_empty(), "{other:#?}\n{options:#?}\n{}", sample.text);
        }
    }
});

fn check_words(words: &[u32], options: &Options, text: &str) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let module = Module::read(&bytes).unwrap_or_else(|finding| panic!("{finding:#?}\n{options:#?}\n{text}"));
    let findings = check(&module);
    let error = findings.iter().find(|finding| finding.severity() == Severity::Error);
    assert!(error.is_none(), "{error:#?}\n{options:#?}\n{text}");
    match rspirv::dr::load_words(words) {
        // The third word says who has written a module, which is rspirv then.
        Ok(read) => {
            let again = read.assemble();
            let is_same = again[..2] == words[..2] && again[3..] == words[3..];
            assert!(is_same, "other words when read\n{options:#?}\n{text}");
        }
        Err(fault) => panic!("{fault}\n{options:#?}\n{text}"),
    }
}
