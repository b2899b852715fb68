//! Any text is read without a panic, and what is reported lies within it.

#![no_main]

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    campanile_fuzz::mutate(data, size, max_size, seed)
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    campanile_fuzz::read(text);
});
