//! Launches that are refused, with a message that says what is wrong and where, and nothing has run.

mod support;

use campanile::contract::interface::Intent;
use campanile::contract::layout::Limits;
use campanile::contract::{Field, KernelInterface, Number, finalize};
use campanile::engine::EngineError;
use campanile::{AccessError, Device, Kernel, Launch, LaunchError, RecordsBuilder, RecordsError, Value};
use support::kernels::{STORE, plain_cells, store, store_interface};
use support::{devices, kernel, module, run, separate};

fn with_workspace(dims: [&'static str; 2]) -> Kernel {
    let interface = store_interface().workspace("tmp", Number::F64, dims).unwrap();
    kernel(&interface, STORE)
}

fn refused(launch: Launch<'_>, device: &mut Device) -> String {
    let transfers = device.transfers().len();
    let error = launch.run(device).expect_err("a launch that is refused");
    assert_eq!(device.transfers().len(), transfers, "{error}");
    error.to_string()
}

#[test]
fn arguments_that_are_not_those_of_the_kernel() {
    let kernel = store();
    for mut device in devices(kernel.module()) {
        let device = &mut device;
        let (u, cells) = (device.buffer(&[0i32; 4]), plain_cells(&kernel, device));
        let launch = || kernel.launch().set("u", &u).set("cells", &cells).set("n", 1i64);
        let known = "the arguments are u, cells, n";
        let text = refused(launch().set("v", &u), device);
        assert_eq!(text, format!("there is no argument `v`; {known}"));
        let text = refused(launch().set(3, &u), device);
        assert_eq!(text, format!("there is no argument 3; {known}"));
        assert_eq!(refused(launch().set(0, &u), device), "argument `u` is given twice");
        let text = refused(kernel.launch().set("cells", &cells), device);
        assert_eq!(text, "argument `u` has no value\nargument `n` has no value");
        run(launch(), device);
    }
}

#[test]
fn values_of_another_sort_or_type() {
    let kernel = store();
    for mut device in devices(kernel.module()) {
        let device = &mut device;
        let (u, cells) = (device.buffer(&[0i32; 4]), plain_cells(&kernel, device));
        let floats = device.buffer(&[0f32; 4]);
        let square = u.clone().shaped([2, 2]).unwrap();
        let tall = RecordsBuilder::new(kernel.layout(), "cells", [2, 1]).unwrap();
        let tall = device.records("tall", tall).unwrap();
        let one = RecordsBuilder::new(kernel.layout(), "cells", []).unwrap();
        let one = device.records("one", one).unwrap();
        let mut check = |u: Value<'_>, cells: Value<'_>, n: Value<'_>, expected: &str| {
            let launch = kernel.launch().set("u", u).set("cells", cells).set("n", n);
            assert_eq!(refused(launch, device), expected);
        };
        let (u, cells, n) = (|| Value::from(&u), || Value::from(&cells), || Value::from(1i64));
        check(cells(), cells(), n(), "argument `u` is an array, got records");
        check(7i32.into(), cells(), n(), "argument `u` is an array, got a number");
        check(Value::bytes([0; 8]), cells(), n(), "argument `u` is an array, got bytes");
        check(Value::shared(8), cells(), n(), "argument `u` is an array, got shared memory");
        check(u(), u(), n(), "argument `cells` is an array of records, got an array");
        check(u(), 7i64.into(), n(), "argument `cells` is an array of records, got a number");
        check(u(), cells(), u(), "argument `n` is a number, got an array");
        check(u(), cells(), 1i32.into(), "argument `n` is of i64, got i32");
        check(u(), cells(), 1u64.into(), "argument `n` is of i64, got u64");
        check(u(), cells(), Value::scalar(Number::I64, [0; 4]), "argument `n` has 8 bytes, got 4");
        check((&floats).into(), cells(), n(), "argument `u` is of i32, got f32");
        check((&square).into(), cells(), n(), "argument `u` has 1 dimensions, got an array of 2");
        check(u(), (&tall).into(), n(), "argument `cells` has 1 dimensions, got an array of 2");
        check(u(), (&one).into(), n(), "argument `cells` has 1 dimensions, got an array of 0");
        let all = "argument `u` is of i32, got f32\nargument `n` is of i64, got i32";
        check((&floats).into(), cells(), 1i32.into(), all);
        let lent = "argument `u` may be written, but its memory is lent to be read: pass `&mut`";
        check((&[0i32; 4][..]).into(), cells(), n(), lent);
    }
}

#[test]
fn records_of_another_layout() {
    let kernel = store();
    let cell = vec![Field::plain("m", Number::I32), Field::plain("w", Number::F32)];
    for (record, text) in [
        ("Cell", "the records passed for `cells` are laid out otherwise than its `Cell`"),
        ("Other", "argument `cells` is of Cell, got Other"),
    ] {
        let other = KernelInterface::kernel("go").record(record, cell.clone()).records("cells", record, 1);
        let other = finalize(&other, Limits::default()).unwrap();
        for mut device in devices(kernel.module()) {
            let u = device.buffer(&[0i32; 4]);
            let cells = RecordsBuilder::new(&other, "cells", [2]).unwrap();
            let cells = device.records("cells", cells).unwrap();
            let launch = kernel.launch().set("u", &u).set("cells", &cells).set("n", 1i64);
            assert_eq!(refused(launch, &mut device), text);
        }
    }
}

#[test]
fn arrays_of_other_devices_and_freed_ones() {
    let kernel = store();
    for (mut device, mut other) in devices(kernel.module()).into_iter().zip(devices(kernel.module())) {
        let device = &mut device;
        let (u, its_cells) = (device.buffer(&[0i32; 4]), plain_cells(&kernel, device));
        let (foreign, foreign_cells) = (other.buffer(&[0i32; 4]), plain_cells(&kernel, &mut other));
        let launch = |u, cells| kernel.launch().set("u", u).set("cells", cells).set("n", 1i64);
        let foreign_u = "the array passed for `u` is not of this device, or has been freed";
        let foreign_c = "the array passed for `cells` is not of this device, or has been freed";
        assert_eq!(refused(launch(&foreign, &its_cells), device), foreign_u);
        assert_eq!(refused(launch(&u, &foreign_cells), device), foreign_c);
        // The other device's arrays are counted as those of this one.
        assert_eq!(device.read(&foreign).unwrap_err(), AccessError::Foreign);
        let (part, clone) = (u.part(1..2).unwrap(), u.clone());
        device.free(u.any().clone()).unwrap();
        assert_eq!(refused(launch(&clone, &its_cells), device), foreign_u);
        assert_eq!(refused(launch(&part, &its_cells), device), foreign_u);
        let text = "the array is not of this device, or has been freed";
        assert_eq!(device.read(&part).unwrap_err().to_string(), text);
        assert_eq!(device.write(&part, &[1]).unwrap_err(), AccessError::Foreign);
        assert_eq!(device.free(clone.any().clone()).unwrap_err(), AccessError::Foreign);
        assert_eq!(device.name(clone.any(), "u").unwrap_err(), AccessError::Foreign);
        let error = device.read_field::<i32>(&foreign_cells, "m").unwrap_err();
        assert_eq!(error, RecordsError::Access(AccessError::Foreign));
        assert_eq!(device.free_records(foreign_cells).unwrap_err(), AccessError::Foreign);
    }
}

#[test]
fn kernels_of_other_modules() {
    let (kernel, same_text) = (store(), store());
    for mut device in devices(kernel.module()) {
        let text = refused(same_text.launch(), &mut device);
        assert_eq!(text, "kernel `@go` is not of the module that the device was made for");
    }
}

#[test]
fn sizes_without_a_value() {
    for (dims, n, fault) in [
        (["8 / n", "1"], 0i64, "extent divides by zero"),
        (["n * n", "1"], i64::MAX, "extent overflows 64 bits"),
        (["cells[n].m", "1"], 2, "extent needs element 2 of `cells`, which has 2"),
        (["count(cells[n].q)", "1"], -1, "extent needs element -1 of `cells`, which has 2"),
    ] {
        let mut interface = store_interface().workspace("tmp", Number::F64, dims).unwrap();
        interface.arguments[1].intent = Intent::In;
        let kernel = kernel(&interface, STORE);
        for mut device in devices(kernel.module()) {
            let (u, cells) = (device.buffer(&[0i32; 4]), plain_cells(&kernel, &mut device));
            let launch = kernel.launch().set("u", &u).set("cells", &cells).set("n", n);
            let text = refused(launch, &mut device);
            assert_eq!(text, format!("the size of `tmp` has no value: {fault}"));
        }
    }
}

/// Why a launch with so many iterations is refused, on each engine.
fn refusals(kernel: &Kernel, n: i64, grid: [u64; 3]) -> Vec<LaunchError> {
    let refusal = |mut device: Device| {
        let (u, cells) = (device.buffer(&[0i32; 4]), plain_cells(kernel, &mut device));
        let launch = kernel.launch().set("u", &u).set("cells", &cells).set("n", n).grid(grid);
        launch.local([1]).run(&mut device).unwrap_err()
    };
    devices(kernel.module()).into_iter().map(refusal).collect()
}

#[test]
fn sizes_beyond_what_counts_them() {
    let kernel = with_workspace(["n", "1"]);
    for error in refusals(&kernel, 1 << 31, [1; 3]) {
        assert_eq!(error.to_string(), "`tmp.extent.0` is 2147483648, which does not fit in i32");
        assert!(matches!(error, LaunchError::Index { value: 0x8000_0000, .. }));
    }
    // 2^31 · 0 elements are none, and nothing is allocated for them.
    let kernel = store();
    for mut device in devices(kernel.module()) {
        let empty = device.array("empty", Number::I32, &[1 << 31], vec![]).unwrap_err();
        assert_eq!(empty.to_string(), "0 bytes given for an array of 8589934592");
    }
    let flat = kernel_of_rank_two();
    for mut device in devices(flat.module()) {
        let wide = device.array("wide", Number::U8, &[1 << 31, 0], vec![]).unwrap();
        let error = flat.launch().set("u", &wide).run(&mut device).unwrap_err();
        assert_eq!(error.to_string(), "size 0 of `u` is 2147483648, which does not fit in i32");
    }
}

fn kernel_of_rank_two() -> Kernel {
    kernel(&KernelInterface::kernel("flat").array("u", Number::U8, 2), "")
}

#[test]
fn scratch_arrays_beyond_all_memory() {
    let kernel = with_workspace(["n", "70000"]);
    for error in refusals(&kernel, 70000, [1 << 20, 1 << 12, 1]) {
        let text = "workspace `tmp`: 70000·70000 elements of 8 bytes for each of 4294967296 iterations exceed 2^63 bytes";
        assert_eq!(error.to_string(), text);
    }
    for error in refusals(&kernel, 1 << 17, [1; 3]) {
        let text = "no memory for 73400320000 bytes of workspace `tmp`: 131072·70000 elements in each of 1 iterations";
        assert_eq!(error.to_string(), text);
    }
    // What was allocated before is given back.
    let interface = store_interface().workspace("first", Number::U8, ["16"]).unwrap();
    let interface = interface.workspace("tmp", Number::F64, ["n", "70000"]).unwrap();
    let kernel = support::kernel(&interface, STORE);
    let (mut device, ledger) = separate(kernel.module());
    let (mut u, cells) = ([0i32], plain_cells(&kernel, &mut device));
    let launch = kernel.launch().set("u", &mut u[..]).set("cells", &cells).set("n", 1i64 << 17);
    assert!(matches!(launch.run(&mut device), Err(LaunchError::WorkspaceMemory { .. })));
    device.free_records(cells).unwrap();
    assert!(ledger.borrow().live.is_empty());
}

#[test]
fn ranges_that_no_engine_has() {
    let kernel = store();
    for error in refusals(&kernel, 1, [1 << 40, 1 << 40, 1]) {
        assert_eq!(error.to_string(), "the ND-range has more work-items than 64 bits count");
    }
    // 2^59 iterations of 32 lanes are 2^64 work-items.
    let lanes = support::kernel(&store_interface().lanes(32), "fence.subgroup;");
    for grid in [[1 << 59, 1, 1], [1 << 30, 1 << 29, 1], [1 << 60, 1, 1]] {
        assert!(refusals(&lanes, 1, grid).iter().all(|error| *error == LaunchError::TooLarge));
    }
    for mut device in devices(kernel.module()) {
        let device = &mut device;
        let (u, cells) = (device.buffer(&[0i32; 4]), plain_cells(&kernel, device));
        let mut refused = |grid: u64, local: u32| {
            let launch = kernel.launch().set("u", &u).set("cells", &cells).set("n", 1i64);
            let error = launch.grid([grid]).local([local]).run(device).unwrap_err();
            assert!(matches!(error, LaunchError::Engine(EngineError::Launch(_))), "{error:?}");
            error.to_string()
        };
        let texts = [refused(7, 2), refused(4096, 2048), refused(4, 0)];
        assert!(texts[0].contains('7') && texts[0].contains('2'), "{}", texts[0]);
        assert!(texts[1].contains("2048"), "{}", texts[1]);
        assert!(texts[2].contains('0'), "{}", texts[2]);
    }
}

#[test]
fn local_sizes_that_the_kernel_does_not_have() {
    let module = module(".kernel .reqd_work_group_size(4, 2, 1) @k () { return; }");
    let kernel = module.kernel("k").unwrap();
    for mut device in devices(&module) {
        run(kernel.launch().grid([8, 4]), &mut device);
        let error = kernel.launch().grid([8, 4]).local([8, 1]).run(&mut device).unwrap_err();
        let text = "kernel `@k` requires the local size (4, 2, 1), not (8, 1, 1)";
        assert_eq!(error.to_string(), text);
    }
}
