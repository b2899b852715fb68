//! Kernels on an OpenCL device, with addresses and with buffers: the same launches as elsewhere, with the same results.

use campanile::engine::{EngineError, LaunchError as Refused, ndrange::ShapeError};
use campanile::opencl::{OpenClEngine, OpenClOptions};
use campanile::{Device, LaunchError, Module, Value};

const TEXT: &str = "\
.version 0.1;
.target 100;
.global .align 4 .host_access(\"total\") @sum[8] = { .32b 7, .32b 0x1234 };

// Each work-item writes its global id and a number behind it.
.kernel @number (.param[8] .addrspace(global) .ptr_align(4) %out, .param[4] %n) {
  .reg .64b %to, %at;
  .reg .32b %id, %number, %offset;
  ld.param.64b %to, [%out];
  ld.param.32b %number, [%n];
  umad.32b %id, %groupid.x, %enqueuedlocalsize.x, %localid.x;
  mov.64b %at, %globaloffset.x;
  trunc.32b.64b %offset, %at;
  iadd.32b %id, %id, %offset;
  iadd.32b %number, %number, %id;
  umul.full.32b %at, %id, 4;
  iadd.64b %to, %to, %at;
  st.global.32b [%to], %number;
  return;
}

// The same through an address that is a number to it.
.kernel @plain (.param[8] %out) {
  .reg .64b %to;
  .reg .32b %number;
  ld.param.64b %to, [%out];
  mov.32b %number, 99;
  st.global.32b [%to], %number;
  return;
}

// Work-items of a group exchange what they have, through memory that is passed.
.kernel @exchange (.param[8] .addrspace(global) %out, .param[4] .addrspace(shared) %room) {
  .reg .64b %to, %at;
  .reg .32b %start, %mine, %other, %id;
  ld.param.64b %to, [%out];
  ld.param.32b %start, [%room];
  mov.32b %id, %localid.x;
  shl.32b %mine, %id, 2;
  iadd.32b %mine, %mine, %start;
  st.shared.32b [%mine], %id;
  barrier.workgroup;
  xor.32b %other, %id, 1;
  shl.32b %other, %other, 2;
  iadd.32b %other, %other, %start;
  ld.shared.32b %other, [%other];
  umul.full.32b %at, %id, 4;
  iadd.64b %to, %to, %at;
  st.global.32b [%to], %other;
  return;
}

// Adds to a variable of the module.
.kernel @count () {
  .reg .32b %old, %more;
  mov.32b %more, 3;
  iatom.global.add.32b %old, [@sum], %more;
  return;
}
";

/// A device, with memory that has addresses or with buffers; none where there is no device, which continuous integration has.
fn device(buffers: bool) -> Option<(Module, Device)> {
    if let Err(error) = OpenClEngine::available() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{error}");
        eprintln!("skipped: {error}");
        return None;
    }
    let module = Module::from_text("opencl.pisa", TEXT).unwrap();
    let options = OpenClOptions { buffers, ..OpenClOptions::default() };
    let device = Device::opencl_with(&module, &options).unwrap();
    Some((module, device))
}

#[test]
fn offsets_and_smaller_groups_are_passed_on() {
    for buffers in [false, true] {
        let Some((module, mut device)) = device(buffers) else { return };
        let kernel = module.kernel("number").unwrap();
        let out = device.buffer(&[0u32; 12]);
        let launch = kernel.launch().set("out", &out).set("n", 100u32).grid([10]).local([4]).offset([2]);
        let report = launch.non_uniform().run(&mut device).unwrap();
        assert_eq!((report.work_items, report.work_groups, report.findings.len()), (10, 3, 0));
        let expected = [0, 0, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111];
        assert_eq!(device.read(&out).unwrap(), expected, "{buffers}");
    }
}

#[test]
fn parts_of_arrays_are_passed() {
    for buffers in [false, true] {
        let Some((module, mut device)) = device(buffers) else { return };
        let kernel = module.kernel("number").unwrap();
        let out = device.buffer(&[5u32; 1027]);
        // Devices let buffers begin at multiples of at most 4096 bytes.
        let part = out.part(1024..1027).unwrap();
        kernel.launch().set("out", &part).set("n", 1u32).grid([2]).run(&mut device).unwrap();
        assert_eq!(device.read(&out).unwrap()[1022..], [5, 5, 1, 2, 5], "{buffers}");
    }
}

#[test]
fn addresses_are_numbers_only_where_host_and_device_share_them() {
    let Some((module, mut device)) = device(false) else { return };
    let out = device.buffer(&[0u32, 1]);
    module.kernel("plain").unwrap().launch().set("out", &out).run(&mut device).unwrap();
    assert_eq!(device.read(&out).unwrap(), [99, 1]);
    let Some((module, mut device)) = self::device(true) else { return };
    let out = device.buffer(&[0u32, 1]);
    let error = module.kernel("plain").unwrap().launch().set("out", &out).run(&mut device).unwrap_err();
    let LaunchError::Engine(EngineError::Unsupported(message)) = error else { panic!("{error:?}") };
    assert!(message.contains("`%out`") && message.contains("it lacks shared virtual memory"), "{message}");
}

#[test]
fn shared_memory_has_the_size_that_is_passed() {
    let Some((module, mut device)) = device(false) else { return };
    let kernel = module.kernel("exchange").unwrap();
    let out = device.buffer(&[9u32; 4]);
    let launch = kernel.launch().set("out", &out).set("room", Value::shared(16));
    launch.grid([4]).local([4]).run(&mut device).unwrap();
    assert_eq!(device.read(&out).unwrap(), [1, 0, 3, 2]);
}

#[test]
fn variables_keep_their_contents_between_launches() {
    let Some((module, mut device)) = device(false) else { return };
    let kernel = module.kernel("count").unwrap();
    let bytes = |first: u32, second: u32| [first.to_le_bytes(), second.to_le_bytes()].concat();
    assert_eq!(device.read_variable("total").unwrap(), bytes(7, 0x1234));
    kernel.launch().grid([10]).run(&mut device).unwrap();
    assert_eq!(device.read_variable("total").unwrap(), bytes(37, 0x1234));
    device.write_variable("total", &5u32.to_le_bytes()).unwrap();
    kernel.launch().grid([2]).run(&mut device).unwrap();
    assert_eq!(device.read_variable("sum").unwrap(), bytes(11, 0x1234));
    assert!(device.read_variable("product").is_err());
    assert!(device.write_variable("sum", &[0; 9]).is_err());
}

#[test]
fn variables_cannot_be_reached_without_addresses() {
    let Some((_, mut device)) = device(true) else { return };
    let error = device.read_variable("total").unwrap_err();
    assert!(
        matches!(&error, EngineError::Unsupported(message) if message.contains("cannot be reached")),
        "{error}"
    );
}

#[test]
fn groups_that_are_too_large_are_refused_as_elsewhere() {
    let Some((module, mut device)) = device(false) else { return };
    let kernel = module.kernel("number").unwrap();
    let out = device.buffer(&[0u32; 4]);
    let launch = kernel.launch().set("out", &out).set("n", 1u32).grid([1 << 20]).local([1 << 20]);
    let error = launch.run(&mut device).unwrap_err();
    let expected = |error: &LaunchError| {
        matches!(
            error,
            LaunchError::Engine(EngineError::Launch(Refused::Shape(ShapeError::GroupSize { .. })))
        )
    };
    assert!(expected(&error), "{error:?}");
}
