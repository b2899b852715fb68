//! Samples with a few edits are verified without a panic; what is accepted survives printing and formatting.

#![no_main]

use campanile_fuzz::{check_printed, edit, must_load, read};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (sample_bytes, edit_bytes) = bytes.split_at(bytes.len() - bytes.len() / 8);
    let Ok(sample) = campanile_smith::sample(&mut arbitrary::Unstructured::new(sample_bytes)) else { return };
    let text = edit(&sample.text, &mut arbitrary::Unstructured::new(edit_bytes));
    let reading = read(&text);
    let Some(module) = reading.module else { return };
    let printed = check_printed(&module);
    if let Some(formatted) = reading.formatted {
        assert_eq!(check_printed(&must_load(&formatted)), printed, "the layout has another meaning");
    }
});
