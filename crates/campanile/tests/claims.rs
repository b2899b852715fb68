//! What a layout claims wrongly: the checked engine finds it, and where nobody looks the launch is refused.

mod support;

use campanile::contract::layout::{Access, Limits};
use campanile::contract::noalias::Storage;
use campanile::contract::{KernelInterface, Number};
use campanile::engine::{Check, Checks, FindingKind, Options, Report};
use campanile::{Buffer, Device, Kernel, LaunchError};
use support::{kernel, kernel_within, module, run, separate};

/// `to[i] = from[i]` with one launch in the world, which passes two arrays.
fn copy() -> Kernel {
    let launch = [("from", "a"), ("to", "b")].map(|(name, array)| (name.to_owned(), array.to_owned()));
    let interface = KernelInterface::kernel("copy").array("from", Number::I32, 1).array("to", Number::I32, 1);
    let interface = interface.storage("a", Storage::default()).storage("b", Storage::default());
    let body = ".reg .64b %at;
        .reg .32b %x;
        umad.64b %at, %iteration, 4, %from_address;
        ld.global.32b %x, [%at];
        umad.64b %at, %iteration, 4, %to_address;
        st.global.32b [%at], %x;";
    let kernel = kernel(&interface.launches(vec![launch.into()]), body);
    assert!(kernel.layout().buffers.iter().all(|buffer| buffer.noalias));
    kernel
}

/// The same with a layout that says of no buffer that it is written.
fn denying() -> Kernel {
    let kernel = copy();
    let mut layout = kernel.layout().clone();
    (layout.buffers[1].written, layout.buffers[1].access) = (false, Access::Read);
    Kernel::trusting(kernel.module(), layout)
}

/// The checked engine without the check of claims.
fn unchecked(kernel: &Kernel) -> Device {
    let checks = Checks::default().without(Check::Layout);
    Device::checked_with(kernel.module(), Options { checks, ..Options::default() }).unwrap()
}

fn codes(report: &Report) -> Vec<u32> {
    report.findings.iter().map(|finding| finding.kind.code()).collect()
}

#[test]
fn a_store_that_the_layout_denies_is_found() {
    let kernel = denying();
    let mut device = Device::checked(kernel.module()).unwrap();
    let (from, to) = (device.buffer(&[1i32, 2]), device.buffer(&[0i32; 2]));
    let report = kernel.launch().set("from", &from).set("to", &to).grid([2]).run(&mut device).unwrap();
    assert_eq!(codes(&report), [125]);
    let finding = &report.findings[0];
    assert_eq!(finding.count, 2);
    let text = finding.kind.to_string();
    assert!(text.starts_with("store to memory that the layout says is only read: "), "{text}");
    assert!(text.contains("buffer `to`"), "{text}");
    let source = &kernel.module().program().sources[finding.place.source];
    let span = finding.place.span.start as usize..finding.place.span.end as usize;
    assert!(source.text()[span].starts_with("st.global"), "{finding:?}");
    // The claim counts for one launch: another kernel may write the array.
    let honest = copy();
    let mut device = Device::checked(honest.module()).unwrap();
    let denying = Kernel::trusting(honest.module(), kernel.layout().clone());
    let (from, to) = (device.buffer(&[1i32, 2]), device.buffer(&[0i32; 2]));
    for (kernel, findings) in [(&denying, 1), (&honest, 0)] {
        let report = kernel.launch().set("from", &from).set("to", &to).grid([2]).run(&mut device).unwrap();
        assert_eq!(report.findings.len(), findings);
    }
    assert_eq!(device.read(&to).unwrap(), [1, 2]);
}

#[test]
fn a_denied_store_is_found_among_packed_arrays_and_in_parts() {
    let launch = [("from", "a"), ("to", "b")].map(|(name, array)| (name.to_owned(), array.to_owned()));
    let interface = KernelInterface::kernel("copy").array("from", Number::I32, 1).array("to", Number::I32, 1);
    let interface = interface.storage("a", Storage::default()).storage("b", Storage::default());
    let body = "st.global.32b [%from_address], %from_extent_0_value;
        st.global.32b [%to_address], %from_extent_0_value;";
    let limits = Limits { slots: Some(1) };
    let honest = kernel_within(&interface.launches(vec![launch.into()]), limits, body);
    let mut layout = honest.layout().clone();
    assert!(layout.packed && layout.buffers.iter().all(|buffer| buffer.written));
    (layout.buffers[0].written, layout.buffers[0].access) = (false, Access::Read);
    let denying = Kernel::trusting(honest.module(), layout);
    let mut device = Device::checked(honest.module()).unwrap();
    let (from, to) = (device.buffer(&[1i32]), device.buffer(&[2i32]));
    let report = denying.launch().set("from", &from).set("to", &to).run(&mut device).unwrap();
    assert_eq!(codes(&report), [125]);
    assert_eq!((device.read(&from).unwrap(), device.read(&to).unwrap()), (vec![1], vec![1]));

    // Two parts of one array, of which the kernel may write one.
    let all = device.buffer(&[0i32; 8]);
    let (read, written) = (all.part(4..8).unwrap(), all.part(0..4).unwrap());
    let report = denying.launch().set("from", &read).set("to", &written).run(&mut device).unwrap();
    assert_eq!(codes(&report), [125]);
    assert_eq!(device.read(&all).unwrap(), [4, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn a_store_through_a_constant_address_is_found() {
    let module = module(
        ".kernel @k (.param[8] .addrspace(const) %u) {
  .reg .64b %a;
  ld.param.64b %a, [%u];
  st.global.64b [%a], %a;
  return;
}",
    );
    let mut device = Device::checked(&module).unwrap();
    let u = device.buffer(&[1u64]);
    let report = module.kernel("k").unwrap().launch().set("u", &u).run(&mut device).unwrap();
    assert_eq!(codes(&report), [125]);
}

#[test]
fn an_array_that_one_argument_may_write_is_not_protected_by_another() {
    let kernel = copy();
    let mut layout = kernel.layout().clone();
    layout.buffers.iter_mut().for_each(|buffer| buffer.noalias = false);
    let kernel = Kernel::trusting(kernel.module(), layout);
    let mut device = Device::checked(kernel.module()).unwrap();
    let u = device.buffer(&[1i32, 2, 3, 4]);
    let launch = kernel.launch().set("from", &u.part(0..2).unwrap()).set("to", &u.part(1..3).unwrap());
    // Work-items that read what others write race, but only one is there.
    run(launch, &mut device);
    assert_eq!(device.read(&u).unwrap(), [1, 1, 3, 4]);
}

#[test]
fn a_store_that_nobody_watches_is_no_finding() {
    let kernel = denying();
    for mut device in [unchecked(&kernel), separate(kernel.module()).0] {
        let (from, to) = (device.buffer(&[1i32, 2]), device.buffer(&[0i32; 2]));
        run(kernel.launch().set("from", &from).set("to", &to).grid([2]), &mut device);
        // The layout says that there is nothing to fetch.
        assert_eq!(device.read(&to).unwrap(), [0, 0]);
    }
}

/// Launches one iteration over parts of one array.
fn launch(
    kernel: &Kernel,
    device: &mut Device,
    u: &Buffer<i32>,
    from: [u64; 2],
    to: [u64; 2],
) -> Result<Report, LaunchError> {
    let [from, to] = [from, to].map(|[start, end]| u.part(start..end).unwrap());
    kernel.launch().set("from", &from).set("to", &to).run(device)
}

#[test]
fn arrays_that_the_layout_says_are_apart_must_not_overlap() {
    let kernel = copy();
    let mut device = Device::checked(kernel.module()).unwrap();
    let u = device.buffer(&[1i32, 2, 3, 4, 5, 6, 7, 8]);
    for (from, to, bytes) in
        [([0, 8], [0, 8], 0..32), ([0, 5], [4, 8], 16..20), ([4, 8], [0, 5], 0..4), ([0, 8], [2, 3], 8..12)]
    {
        let report = launch(&kernel, &mut device, &u, from, to).unwrap();
        assert_eq!(codes(&report), [126]);
        let expected = FindingKind::DeniedOverlap { first: "from".into(), second: "to".into(), bytes };
        assert_eq!(report.findings[0].kind, expected);
        // An engine that does not look runs nothing; one that has been told not to look runs all.
        let mut device = separate(kernel.module()).0;
        let u = device.buffer(&[1i32, 2, 3, 4, 5, 6, 7, 8]);
        let error = launch(&kernel, &mut device, &u, from, to).unwrap_err();
        assert_eq!(error, LaunchError::Overlap { first: "from".into(), second: "to".into() });
        let text = "`from` and `to` overlap, but the layout says that they share no memory";
        assert_eq!(error.to_string(), text);
        assert_eq!(device.read(&u).unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);
        let mut device = unchecked(&kernel);
        let u = device.buffer(&[1i32, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(codes(&launch(&kernel, &mut device, &u, from, to).unwrap()), [0u32; 0]);
    }
}

#[test]
fn one_of_two_arrays_that_is_alone_is_enough() {
    let kernel = copy();
    for alone in [0, 1] {
        let mut layout = kernel.layout().clone();
        layout.buffers[1 - alone].noalias = false;
        let kernel = Kernel::trusting(kernel.module(), layout);
        let mut device = Device::checked(kernel.module()).unwrap();
        let u = device.buffer(&[1i32, 2]);
        assert_eq!(codes(&launch(&kernel, &mut device, &u, [0, 2], [0, 2]).unwrap()), [126]);
        let mut device = separate(kernel.module()).0;
        let u = device.buffer(&[1i32, 2]);
        let error = launch(&kernel, &mut device, &u, [0, 2], [0, 2]).unwrap_err();
        assert!(matches!(error, LaunchError::Overlap { .. }), "{error}");
    }
}

#[test]
fn parts_that_do_not_overlap_are_apart() {
    let kernel = copy();
    for mut device in
        [Device::checked(kernel.module()).unwrap(), unchecked(&kernel), separate(kernel.module()).0]
    {
        let u = device.buffer(&[1i32, 2, 3, 4, 5, 6, 7, 8]);
        for (from, to) in [([0, 4], [4, 8]), ([4, 8], [0, 4]), ([2, 3], [3, 4])] {
            let report = launch(&kernel, &mut device, &u, from, to).unwrap();
            assert_eq!(codes(&report), [0u32; 0]);
        }
        assert_eq!(device.read(&u).unwrap(), [1, 2, 3, 3, 1, 6, 7, 8]);
    }
}

#[test]
fn a_part_without_elements_overlaps_nothing() {
    let kernel = copy();
    let mut device = Device::checked(kernel.module()).unwrap();
    let u = device.buffer(&[1i32, 2, 3, 4]);
    let (none, all) = (u.part(2..2).unwrap(), u.part(0..4).unwrap());
    let launch = |from, to| kernel.launch().set("from", from).set("to", to);
    assert_eq!(codes(&launch(&none, &all).run(&mut device).unwrap()), [0u32; 0]);
    // What the kernel stores where nothing is lands in what it may only read: that is found, and no overlap.
    assert_eq!(codes(&launch(&all, &none).run(&mut device).unwrap()), [125]);
    let mut device = separate(kernel.module()).0;
    let u = device.buffer(&[1i32, 2, 3, 4]);
    let (none, all) = (u.part(2..2).unwrap(), u.part(0..4).unwrap());
    for (from, to) in [(&none, &all), (&all, &none)] {
        launch(from, to).run(&mut device).unwrap();
    }
}

#[test]
fn arrays_that_nobody_writes_may_overlap() {
    let kernel = copy();
    let mut layout = kernel.layout().clone();
    (layout.buffers[1].written, layout.buffers[1].access) = (false, Access::None);
    let kernel = Kernel::trusting(kernel.module(), layout);
    for mut device in [unchecked(&kernel), separate(kernel.module()).0] {
        let u = device.buffer(&[1i32, 2]);
        assert!(launch(&kernel, &mut device, &u, [0, 2], [0, 2]).is_ok());
    }
}
