//! Samples run without a finding, to the same end on any number of threads, when linked of their parts, and as
//! the printed text of their module.

#![no_main]

use campanile_fuzz::{check_printed, launch_sample, must_link, must_load};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(sample) = campanile_smith::sample(&mut arbitrary::Unstructured::new(bytes)) else { return };
    let module = must_load(&sample.text);
    let printed = check_printed(&module);
    let (report, contents) = launch_sample(module, &sample, 1);
    assert!(report.findings.is_empty(), "{:#?}\n{}", report.findings, sample.text);
    let linked = must_link(&sample.parts);
    let (_, of_linked) = launch_sample(linked, &sample, 1);
    assert_eq!(of_linked, contents, "another result when linked of the parts of\n{}", sample.text);
    let (_, of_printed) = launch_sample(must_load(&printed), &sample, 2);
    assert_eq!(of_printed, contents, "another result of\n{printed}\nthan of\n{}", sample.text);
});
