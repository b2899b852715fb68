//! What is misused is refused, with a message that says what and where, and nothing has run.

mod support;

use campanile::contract::interface::{ArgumentKind, Intent};
use campanile::contract::layout::Limits;
use campanile::contract::{Field, KernelInterface, Number, finalize};
use campanile::engine::EngineError;
use campanile::{
    AccessError, AnyBuffer, BufferError, Device, Kernel, KernelError, Launch, LaunchError, Module,
    ModuleError, Records, RecordsBuilder, RecordsError, Value,
};
use support::{devices, kernel, module, run, separate};

fn interface() -> KernelInterface {
    let cell = vec![
        Field::plain("m", Number::I32),
        Field::plain("w", Number::F32),
        Field::allocatable("q", Number::U8, 2),
    ];
    KernelInterface::kernel("go")
        .record("Cell", cell)
        .array("u", Number::I32, 1)
        .records("cells", "Cell", 1)
        .scalar("n", Number::I64)
}

/// Stores n to the first element of u.
const STORE: &str = ".reg .32b %x;
  trunc.32b.64b %x, %n_value;
  st.global.32b [%u_address], %x;";

fn go() -> Kernel {
    kernel(&interface(), STORE)
}

fn with_workspace(dims: [&'static str; 2]) -> Kernel {
    let interface = interface().workspace("tmp", Number::F64, dims).unwrap();
    kernel(&interface, STORE)
}

/// Two cells without components.
fn cells(kernel: &Kernel, device: &mut Device) -> Records {
    let cells = RecordsBuilder::new(kernel.layout(), "cells", [2]).unwrap().field("m", &[3i32, 4]).unwrap();
    device.records("cells", cells).unwrap()
}

fn refused(launch: Launch<'_>, device: &mut Device) -> String {
    let transfers = device.transfers().len();
    let error = launch.run(device).expect_err("a launch that is refused");
    assert_eq!(device.transfers().len(), transfers, "{error}");
    error.to_string()
}

#[test]
fn arguments_that_are_not_those_of_the_kernel() {
    let kernel = go();
    for mut device in devices(kernel.module()) {
        let device = &mut device;
        let (u, cells) = (device.buffer(&[0i32; 4]), cells(&kernel, device));
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
    let kernel = go();
    for mut device in devices(kernel.module()) {
        let device = &mut device;
        let (u, cells) = (device.buffer(&[0i32; 4]), cells(&kernel, device));
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
    let kernel = go();
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
    let kernel = go();
    for (mut device, mut other) in devices(kernel.module()).into_iter().zip(devices(kernel.module())) {
        let device = &mut device;
        let (u, its_cells) = (device.buffer(&[0i32; 4]), cells(&kernel, device));
        let (foreign, foreign_cells) = (other.buffer(&[0i32; 4]), cells(&kernel, &mut other));
        let launch = |u, cells| kernel.launch().set("u", u).set("cells", cells).set("n", 1i64);
        let foreign_u = "the array passed for `u` is not of this device, or has been freed";
        let foreign_c = "the array passed for `cells` is not of this device, or has been freed";
        assert_eq!(refused(launch(&foreign, &its_cells), device), foreign_u);
        assert_eq!(refused(launch(&u, &foreign_cells), device), foreign_c);
        let (part, clone) = (u.part(1..2).unwrap(), u.clone());
        device.free(u.any().clone()).unwrap();
        assert_eq!(refused(launch(&clone, &its_cells), device), foreign_u);
        assert_eq!(refused(launch(&part, &its_cells), device), foreign_u);
        let text = "the array is not of this device, or has been freed";
        assert_eq!(device.read(&part).unwrap_err().to_string(), text);
        assert_eq!(device.write(&part, &[1]).unwrap_err(), AccessError::Foreign);
        assert_eq!(device.free(clone.any().clone()).unwrap_err(), AccessError::Foreign);
        assert_eq!(device.name(clone.any(), "u").unwrap_err(), AccessError::Foreign);
        assert_eq!(device.read(&foreign).unwrap_err(), AccessError::Foreign);
        let error = device.read_field::<i32>(&foreign_cells, "m").unwrap_err();
        assert_eq!(error, RecordsError::Access(AccessError::Foreign));
        assert_eq!(device.free_records(foreign_cells).unwrap_err(), AccessError::Foreign);
    }
}

#[test]
fn kernels_of_other_modules() {
    let (kernel, same_text) = (go(), go());
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
        let mut interface = interface().workspace("tmp", Number::F64, dims).unwrap();
        interface.arguments[1].intent = Intent::In;
        let kernel = kernel(&interface, STORE);
        for mut device in devices(kernel.module()) {
            let (u, cells) = (device.buffer(&[0i32; 4]), cells(&kernel, &mut device));
            let launch = kernel.launch().set("u", &u).set("cells", &cells).set("n", n);
            let text = refused(launch, &mut device);
            assert_eq!(text, format!("the size of `tmp` has no value: {fault}"));
        }
    }
}

/// Why a launch with so many iterations is refused, on each engine.
fn refusals(kernel: &Kernel, n: i64, grid: [u64; 3]) -> [LaunchError; 2] {
    devices(kernel.module()).map(|mut device| {
        let (u, cells) = (device.buffer(&[0i32; 4]), cells(kernel, &mut device));
        let launch = kernel.launch().set("u", &u).set("cells", &cells).set("n", n).grid(grid);
        launch.local([1]).run(&mut device).unwrap_err()
    })
}

#[test]
fn sizes_beyond_what_counts_them() {
    let kernel = with_workspace(["n", "1"]);
    for error in refusals(&kernel, 1 << 31, [1; 3]) {
        assert_eq!(error.to_string(), "`tmp.extent.0` is 2147483648, which does not fit in i32");
        assert!(matches!(error, LaunchError::Index { value: 0x8000_0000, .. }));
    }
    // 2^31 · 0 elements are none, and nothing is allocated for them.
    let kernel = go();
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
        let text = "no memory for 73400320000 bytes of workspace `tmp` in 1 iterations";
        assert_eq!(error.to_string(), text);
    }
    // What was allocated before is given back.
    let interface = interface().workspace("first", Number::U8, ["16"]).unwrap();
    let interface = interface.workspace("tmp", Number::F64, ["n", "70000"]).unwrap();
    let kernel = support::kernel(&interface, STORE);
    let (mut device, ledger) = separate(kernel.module());
    let (mut u, cells) = ([0i32], cells(&kernel, &mut device));
    let launch = kernel.launch().set("u", &mut u[..]).set("cells", &cells).set("n", 1i64 << 17);
    assert!(matches!(launch.run(&mut device), Err(LaunchError::WorkspaceMemory { .. })));
    device.free_records(cells).unwrap();
    assert!(ledger.borrow().live.is_empty());
}

#[test]
fn ranges_that_no_engine_has() {
    let kernel = go();
    for error in refusals(&kernel, 1, [1 << 40, 1 << 40, 1]) {
        assert_eq!(error.to_string(), "the ND-range has more work-items than 64 bits count");
    }
    // 2^59 iterations of 32 lanes are 2^64 work-items.
    let lanes = support::kernel(&interface().lanes(32), "fence.subgroup;");
    for grid in [[1 << 59, 1, 1], [1 << 30, 1 << 29, 1], [1 << 60, 1, 1]] {
        assert!(refusals(&lanes, 1, grid).iter().all(|error| *error == LaunchError::TooLarge));
    }
    for mut device in devices(kernel.module()) {
        let device = &mut device;
        let (u, cells) = (device.buffer(&[0i32; 4]), cells(&kernel, device));
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

#[test]
fn arrays_that_have_no_such_elements() {
    let kernel = go();
    let mut device = Device::checked(kernel.module()).unwrap();
    let u = device.buffer(&[1i32, 2, 3, 4, 5, 6]);
    let shape = |shape: &[u64]| u.clone().shaped(shape).unwrap_err().to_string();
    let text = "the shape [2, 2] has not as many elements as the array, which has 6";
    assert_eq!(shape(&[2, 2]), text);
    let text = format!("the shape [2, {}] has not as many elements as the array, which has 6", u64::MAX);
    assert_eq!(shape(&[2, u64::MAX]), text);
    assert_eq!(shape(&[]), "the shape [] has not as many elements as the array, which has 6");
    let part = |start, end| u.part(start..end).unwrap_err().to_string();
    assert_eq!(part(4, 7), "elements 4 to 7 are not all in the array, which has 6");
    #[allow(clippy::reversed_empty_ranges)]
    let backwards = u.part(3..2).unwrap_err();
    assert_eq!(backwards, BufferError::Range { start: 3, end: 2, elements: 6 });
    let part = u.part(2..4).unwrap();
    assert_eq!(
        part.part(1..3).unwrap_err().to_string(),
        "elements 1 to 3 are not all in the array, which has 2"
    );
    assert!(part.part(2..2).unwrap().is_empty());
    let any: AnyBuffer = u.any().clone();
    let error = any.clone().typed::<f32>().unwrap_err();
    assert_eq!(error.to_string(), "the array is of i32, not of f32");
    assert_eq!(any.typed::<i32>().unwrap(), u);

    let text = "2 elements given for an array of 6";
    assert_eq!(device.write(&u, &[1, 2]).unwrap_err().to_string(), text);
    let error = device.write_bytes(u.any(), &[0; 25]).unwrap_err();
    assert_eq!(error.to_string(), "25 bytes given for an array of 24");
    for (shape, given, text) in [
        (vec![3u64, 2], 23, "23 bytes given for an array of 24"),
        (vec![3, 2], 25, "25 bytes given for an array of 24"),
        (vec![u64::MAX, 2], 8, "8 bytes given for an array of 18446744073709551615"),
    ] {
        let error = device.array("v", Number::I32, &shape, vec![0; given]).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn records_that_the_kernel_does_not_take() {
    let kernel = go();
    let new = |argument, shape: &[u64]| RecordsBuilder::new(kernel.layout(), argument, shape);
    for argument in ["u", "n", "nothing"] {
        let text = format!("`{argument}` is no argument of records");
        assert_eq!(new(argument, &[2]).unwrap_err().to_string(), text);
    }
    let text = "no memory for so many records `cells`";
    assert_eq!(new("cells", &[1 << 40, 1 << 40]).unwrap_err().to_string(), text);
    assert_eq!(new("cells", &[1 << 62]).unwrap_err().to_string(), text);

    let two = || new("cells", &[2]).unwrap();
    let text = |result: Result<RecordsBuilder, RecordsError>| result.unwrap_err().to_string();
    assert_eq!(text(two().bytes(&[0; 15])), "`Cell` needs 16 bytes, got 15");
    assert_eq!(text(two().field("m", &[1i32])), "`m` needs 2 values, got 1");
    assert_eq!(text(two().field("m", &[1f32, 2.0])), "record `Cell` has no field `m` of f32");
    assert_eq!(text(two().field("q", &[1u8, 2])), "record `Cell` has no field `q` of u8");
    assert_eq!(text(two().component("m", 0, [], &[1i32])), "record `Cell` has no component `m` of i32");
    assert_eq!(text(two().component("q", 0, [1, 1], &[1i8])), "record `Cell` has no component `q` of i8");
    assert_eq!(text(two().component("q", 0, [1], &[1u8])), "`q` has 2 dimensions, got 1");
    assert_eq!(text(two().component("q", 0, [2, 2], &[1u8])), "`q` needs 4 values, got 1");
    assert_eq!(
        text(two().component("q", 2, [1, 1], &[1u8])),
        "there are 2 records, but record 2 is asked for"
    );
    let bytes = |number, count| two().component_bytes("q", 0, number, vec![1, 1], vec![0; count]);
    assert_eq!(text(bytes(Number::U8, 2)), "`q` needs 1 bytes, got 2");

    let mut device = Device::checked(kernel.module()).unwrap();
    let wide = two().component::<u8>("q", 1, [1 << 31, 0], &[]).unwrap();
    let text = "the elements of `q` are more than the kernel's index type counts";
    assert_eq!(device.records("wide", wide).unwrap_err().to_string(), text);
    let cells = device.records("cells", two()).unwrap();
    let text = device.read_component::<u8>(&cells, "q", 2).unwrap_err().to_string();
    assert_eq!(text, "there are 2 records, but record 2 is asked for");
    let text = device.read_component::<u8>(&cells, "m", 0).unwrap_err().to_string();
    assert_eq!(text, "record `Cell` has no component `m` of u8");
    let text = device.read_field::<i32>(&cells, "w").unwrap_err().to_string();
    assert_eq!(text, "record `Cell` has no field `w` of i32");
}

#[test]
fn half_an_element_is_none() {
    let cell = vec![Field::allocatable("q", Number::I32, 1)];
    let interface = KernelInterface::kernel("k").record("Cell", cell).records("cells", "Cell", 1);
    let kernel = kernel(&interface, "");
    let cells = RecordsBuilder::new(kernel.layout(), "cells", [1]).unwrap();
    let error = cells.component_bytes("q", 0, Number::I32, vec![1], vec![0; 7]).unwrap_err();
    assert_eq!(error.to_string(), "`q` needs 4 bytes, got 7");
}

#[test]
fn texts_that_are_no_modules() {
    let error = Module::open("/there/is/nothing.pisa").unwrap_err();
    assert!(matches!(error, ModuleError::File { .. }));
    assert!(error.to_string().starts_with("cannot read `/there/is/nothing.pisa`: "), "{error}");
    let text = ".version 0.1;\n.target 100;\n.kernel @k () {\n  jump;\n  leap;\n  return;\n}\n";
    let error = Module::from_text("two.pisa", text).unwrap_err();
    assert!(matches!(&error, ModuleError::Faults(faults) if faults.len() == 2));
    let expected = "two.pisa:4:3: P0201: no instruction is called `jump`\n\
        two.pisa:5:3: P0201: no instruction is called `leap`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn kernels_without_a_layout() {
    let kernel = go();
    let module = kernel.module();
    let text = "the module has no kernel `@stop`";
    assert_eq!(module.kernel("stop").unwrap_err().to_string(), text);
    let interface = KernelInterface::kernel("go").array("u", Number::I32, 1);
    let error = module.kernel_of(&interface, Limits::default()).unwrap_err();
    assert!(matches!(&error, KernelError::Finalize(faults) if faults.len() == 1));
    assert_eq!(error.to_string(), "kernel `@go` has 8 parameters, its interface needs 2");
    let record = ArgumentKind::Record { record: "Sell".into(), polymorphic: false };
    let error = module.kernel_of(&interface.argument("c", record), Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "argument `c` is of the record `Sell`, which is not declared");
}
