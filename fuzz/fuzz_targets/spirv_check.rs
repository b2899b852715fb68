//! Checking a SPIR-V module never panics, and every finding has its place in a listing. The listing of a module is a text of
//! it, and of what is no module any text can be made one of.

#![no_main]

use campanile_fuzz::source;
use campanile_spirv::environment::{Finding, Listing, Module, check, is_binary, stated_version};

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    campanile_fuzz::mutate_words(data, size, max_size, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    match Module::read(bytes) {
        Ok(module) => check_module(module),
        Err(finding) => assert!(!finding.message.is_empty()),
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && !is_binary(bytes)
    {
        stated_version(text);
        let mut nothing = Module::read(&HEADER).expect("a header");
        Listing::written(&source(text), &mut nothing);
    }
});

/// A module without instructions.
const HEADER: [u8; 20] = [3, 2, 0x23, 7, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];

fn check_module(mut module: Module) {
    let listing = Listing::disassembled("fuzzed", &module).expect("a short text");
    check_places(&check(&module), &listing);
    stated_version(listing.source.text());
    // Named ids are other names in what is found.
    if let Some(written) = Listing::written(&listing.source, &mut module) {
        check_places(&check(&module), &written);
    }
}

fn check_places(findings: &[Finding], listing: &Listing) {
    for finding in findings {
        let places = finding.labels.iter().map(|(place, _)| *place).chain([finding.place]);
        for place in places {
            let span = listing.span(place);
            assert!(listing.source.text().get(span.range()).is_some(), "{finding:?}");
        }
    }
}
