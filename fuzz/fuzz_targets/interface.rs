//! Any interface file is read without a panic; a layout that comes of it holds, and its stub is the kernel it asks for.

#![no_main]

use campanile_contract::layout::Limits;
use campanile_contract::{InterfaceFile, Policy, finalize, finalize_for, stub};
use campanile_fuzz::{check_layout, must_load};

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    campanile_fuzz::mutate(data, size, max_size, seed)
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(file) = InterfaceFile::parse(text) else { return };
    for interface in file.kernels().filter_map(|name| file.kernel(name)?.ok()) {
        for limits in [None, Some(3)].map(|slots| Limits { slots }) {
            let Ok(layout) = finalize(&interface, limits) else { continue };
            check_layout(&layout);
            let stub = must_load(&stub::stub(&layout));
            let bound = finalize_for(&interface, &stub, limits, Policy::LANGUAGE);
            assert_eq!(bound.map(|bound| bound.kernarg), Ok(layout.kernarg));
        }
    }
});
