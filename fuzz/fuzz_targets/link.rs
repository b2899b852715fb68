//! Parts of samples with a few edits are linked without a panic; the result survives printing.

#![no_main]

use campanile_core::diagnostic::Sink;
use campanile_core::link::{Options, link};
use campanile_core::module::Module;
use campanile_fuzz::{check_printed, edit, read};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (sample_bytes, edit_bytes) = bytes.split_at(bytes.len() - bytes.len() / 8);
    let Ok(sample) = campanile_smith::sample(&mut arbitrary::Unstructured::new(sample_bytes)) else { return };
    let mut edits = arbitrary::Unstructured::new(edit_bytes);
    let texts = sample.parts.iter().chain([&sample.text]).map(|part| edit(part, &mut edits));
    let modules: Vec<Module> = texts.filter_map(|text| read(&text).module).collect();
    for (first, library) in [(0, false), (0, true), (1, true)] {
        let chosen: Vec<Module> = modules.iter().skip(first).take(2).cloned().collect();
        let (mut sink, empty) = (Sink::new(), chosen.is_empty());
        match link(chosen, Options { library }, &mut sink) {
            Some(linked) => drop(check_printed(&linked)),
            None => assert!(empty || sink.errors() > 0, "modules are refused with errors"),
        }
    }
});
