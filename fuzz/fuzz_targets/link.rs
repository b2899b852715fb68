//! Texts, parted by a line of dashes, are linked without a panic; the result survives printing.

#![no_main]

use campanile_core::diagnostic::Sink;
use campanile_core::link::{Options, link};
use campanile_core::module::Module;
use campanile_fuzz::{check_printed, read};

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    campanile_fuzz::mutate(data, size, max_size, seed)
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    let modules: Vec<Module> = text.split("\n---\n").filter_map(|part| read(part).module).collect();
    for library in [false, true] {
        let mut sink = Sink::new();
        let count = modules.len();
        match link(modules.clone(), Options { library }, &mut sink) {
            Some(linked) => drop(check_printed(&linked)),
            None => assert!(count == 0 || sink.errors() > 0, "modules are refused with errors"),
        }
    }
});
