//! Numbers, arrays, their sizes and parts: what a launch passes is what the kernel gets.

mod support;

use std::fmt::Debug;

use campanile::contract::interface::{ArgumentKind, Shape};
use campanile::contract::layout::{IndexType, Limits};
use campanile::contract::{ElementType, KernelInterface, Number};
use campanile::{ArgumentError, Element, LaunchError, Reason, Value};
use half::{bf16, f16};
use support::{devices, kernel, module, run};

/// A kernel that stores each of twelve numbers, of all types in order, in a word of its own.
fn twelve(block: bool) -> campanile::Kernel {
    let mut interface = KernelInterface::kernel("twelve").array("out", Number::U64, 1);
    let mut body = String::new();
    for (index, number) in Number::ALL.into_iter().enumerate() {
        let bits = number.size() * 8;
        interface = interface.scalar(number.as_str(), number);
        body += &format!("st.global.{bits}b [%out_address + {}], %{}_value;\n", index * 8, number.as_str());
    }
    kernel(&if block { interface.scalar_block() } else { interface }, &body)
}

#[test]
fn numbers_of_every_type_arrive() {
    let expected: [u64; 12] = [
        0xfe,
        0x80,
        0xfffe,
        0x8000,
        0xffff_fffe,
        0x8000_0000,
        u64::MAX - 1,
        1 << 63,
        0x3e00,
        0xbfc0,
        0x3fc0_0000,
        0xbff8_0000_0000_0000,
    ];
    for block in [false, true] {
        let kernel = twelve(block);
        for mut device in devices(kernel.module()) {
            let out = device.buffer(&[0u64; 12]);
            let launch = kernel.launch().set("out", &out).set("u8", u8::MAX - 1).set("i8", i8::MIN);
            let launch = launch.set("u16", u16::MAX - 1).set("i16", i16::MIN).set("u32", u32::MAX - 1);
            let launch = launch.set("i32", i32::MIN).set("u64", u64::MAX - 1).set("i64", i64::MIN);
            let launch = launch.set("f16", f16::from_f32(1.5)).set("bf16", bf16::from_f32(-1.5));
            run(launch.set("f32", 1.5f32).set("f64", -1.5f64), &mut device);
            assert_eq!(device.read(&out).unwrap(), expected, "{block}");

            // By position, with the types known at run time only.
            device.write(&out, &[0; 12]).unwrap();
            let mut launch = kernel.launch().set(0, out.any());
            for (index, number) in Number::ALL.into_iter().enumerate() {
                let bytes = &expected[index].to_le_bytes()[..number.size() as usize];
                launch = launch.set(index + 1, Value::scalar(number, bytes));
            }
            run(launch, &mut device);
            assert_eq!(device.read(&out).unwrap(), expected, "{block}");
        }
    }
}

/// Doubles every element in place by adding it to itself as an integer of its width.
fn elements_come_back<T: Element + PartialEq + Debug>(values: &[T]) {
    let (number, bits) = (T::NUMBER, T::NUMBER.size() * 8);
    let interface = KernelInterface::kernel("copy").array("from", number, 1).array("to", number, 1);
    let size = number.size();
    let body = format!(
        ".reg .64b %at;
         .reg .{bits}b %x;
         umad.64b %at, %iteration, {size}, %from_address;
         ld.global.{bits}b %x, [%at];
         umad.64b %at, %iteration, {size}, %to_address;
         st.global.{bits}b [%at], %x;"
    );
    let kernel = kernel(&interface, &body);
    for mut device in devices(kernel.module()) {
        let (from, to) = (device.buffer(values), device.buffer(&[values[0]; 3]));
        run(kernel.launch().set("from", &from).set("to", &to).grid([3]), &mut device);
        assert_eq!(device.read(&to).unwrap(), values);
    }
}

#[test]
fn arrays_of_every_type_come_back() {
    elements_come_back(&[1u8, 2, u8::MAX]);
    elements_come_back(&[1i8, -2, i8::MIN]);
    elements_come_back(&[1u16, 2, u16::MAX]);
    elements_come_back(&[1i16, -2, i16::MIN]);
    elements_come_back(&[1u32, 2, u32::MAX]);
    elements_come_back(&[1i32, -2, i32::MIN]);
    elements_come_back(&[1u64, 2, u64::MAX]);
    elements_come_back(&[1i64, -2, i64::MIN]);
    elements_come_back(&[f16::MIN, f16::MAX, f16::EPSILON]);
    elements_come_back(&[bf16::MIN, bf16::MAX, bf16::EPSILON]);
    elements_come_back(&[1.5f32, -0.0, f32::INFINITY]);
    elements_come_back(&[1.5f64, -0.0, f64::MIN_POSITIVE]);
}

#[test]
fn sizes_of_deferred_arrays_are_handed_over() {
    for (index, bits) in [(IndexType::I32, 32), (IndexType::I64, 64)] {
        let interface = KernelInterface::kernel("sizes").array("u", Number::F64, 2);
        let interface = interface.array("out", index.number(), 1).index(index);
        let store =
            |at: u32, name: &str| format!("st.global.{bits}b [%out_address + {at}], %{name}_value;\n");
        let size = bits / 8;
        let body = store(0, "u_extent_0") + &store(size, "u_extent_1") + &store(2 * size, "out_extent_0");
        let kernel = kernel(&interface, &body);
        for mut device in devices(kernel.module()) {
            let u = device.buffer(&[0.0f64; 15]).shaped([3, 5]).unwrap();
            let bytes = vec![0; 4 * size as usize];
            let out = device.array("out", index.number(), &[4], bytes).unwrap();
            run(kernel.launch().set("u", &u).set("out", &out), &mut device);
            let found: Vec<u64> = match index {
                IndexType::I32 => device
                    .read(&out.typed::<i32>().unwrap())
                    .unwrap()
                    .into_iter()
                    .map(|one| one as u64)
                    .collect(),
                IndexType::I64 => device
                    .read(&out.typed::<i64>().unwrap())
                    .unwrap()
                    .into_iter()
                    .map(|one| one as u64)
                    .collect(),
            };
            assert_eq!(found, [3, 5, 4, 0]);
        }
    }
}

#[test]
fn arrays_of_explicit_shape_are_large_enough() {
    let shape = Shape::Explicit(vec!["n".parse().unwrap(), "3".parse().unwrap()]);
    let u = ArgumentKind::Array { element: Number::I32.into(), shape };
    let interface = KernelInterface::kernel("fill").argument("u", u).scalar("n", Number::I64);
    let body = ".reg .64b %at;
        .reg .32b %x;
        trunc.32b.64b %x, %iteration;
        umad.64b %at, %iteration, 4, %u_address;
        st.global.32b [%at], %x;";
    let kernel = kernel(&interface, body);
    assert_eq!(kernel.layout().scalars.len(), 1);
    for mut device in devices(kernel.module()) {
        let u = device.buffer(&[9i32; 7]);
        let launch = |n: i64| kernel.launch().set("u", &u).set("n", n).grid([6]);
        let error = launch(4).run(&mut device).unwrap_err();
        let fault = ArgumentError::TooSmall {
            name: "u".into(),
            sizes: vec![4, 3],
            element: 4,
            needed: 48,
            given: 28,
        };
        assert_eq!(error, LaunchError::Arguments(vec![fault]));
        assert_eq!(error.to_string(), "argument `u` needs 4·3·4 = 48 bytes, has 28");
        assert!(launch(i64::MAX).run(&mut device).is_err());
        run(launch(2), &mut device);
        assert_eq!(device.read(&u).unwrap(), [0, 1, 2, 3, 4, 5, 9]);
        // A negative size counts as none.
        run(launch(-1).grid([0]), &mut device);
        let part = u.part(0..5).unwrap();
        let error = kernel.launch().set("u", &part).set("n", 2i64).run(&mut device).unwrap_err();
        assert_eq!(error.to_string(), "argument `u` needs 2·3·4 = 24 bytes, has 20");
    }
}

#[test]
fn elements_of_bytes_are_rows_of_u8() {
    let shape = Shape::Deferred(1);
    let rows = ArgumentKind::Array { element: ElementType::Bytes(12), shape };
    let interface = KernelInterface::kernel("mark").argument("rows", rows);
    let body = ".reg .64b %at;
        umad.64b %at, %iteration, 12, %rows_address;
        st.global.32b [%at + 8], %rows_extent_0_value;";
    let kernel = kernel(&interface, body);
    for mut device in devices(kernel.module()) {
        let rows = device.buffer(&[9u8; 24]).shaped([2, 12]).unwrap();
        run(kernel.launch().set("rows", &rows).grid([2]), &mut device);
        let row = [9, 9, 9, 9, 9, 9, 9, 9, 2, 0, 0, 0];
        assert_eq!(device.read(&rows).unwrap(), [row, row].concat());
        let expected = ElementType::Bytes(12);
        for shape in [vec![24], vec![3, 8]] {
            let flat = device.buffer(&[0u8; 24]).shaped(shape).unwrap();
            let error = kernel.launch().set("rows", &flat).run(&mut device).unwrap_err();
            let LaunchError::Arguments(faults) = error else { panic!("{error}") };
            let fault = ArgumentError::ElementType {
                name: "rows".into(),
                expected: expected.clone(),
                given: Number::U8.into(),
            };
            assert!(faults.contains(&fault), "{faults:?}");
        }
    }
}

#[test]
fn what_lies_behind_an_overwritten_shape_is_kept() {
    let shape = Shape::Explicit(vec!["n".parse().unwrap()]);
    let u = ArgumentKind::Array { element: Number::I32.into(), shape };
    let interface = KernelInterface::kernel("fill").argument("u", u).undefined().scalar("n", Number::I32);
    let body = ".reg .64b %at;
        umad.64b %at, %iteration, 4, %u_address;
        st.global.32b [%at], %n_value;";
    let kernel = kernel(&interface, body);
    for mut device in devices(kernel.module()) {
        let u = device.buffer(&[1i32, 2, 3, 4]);
        run(kernel.launch().set("u", &u).set("n", 3i32).grid([3]), &mut device);
        assert_eq!(device.read(&u).unwrap(), [3, 3, 3, 4]);
        let reasons: Vec<Reason> = device.transfers().iter().map(|one| one.reason).collect();
        assert_eq!(reasons[0], Reason::Partly);
    }
}

#[test]
fn an_extent_of_an_explicit_shape_is_the_declared_one() {
    let shape = Shape::Explicit(vec!["n".parse().unwrap()]);
    let u = ArgumentKind::Array { element: Number::I32.into(), shape };
    let interface = KernelInterface::kernel("count").argument("u", u).scalar("n", Number::I32);
    let interface = interface.workspace("tmp", Number::I32, ["extent(u, 0)"]).unwrap();
    let kernel = kernel(&interface, "st.global.32b [%u_address], %tmp_extent_0_value;");
    for mut device in devices(kernel.module()) {
        let u = device.buffer(&[9i32; 7]);
        run(kernel.launch().set("u", &u).set("n", 2i32), &mut device);
        assert_eq!(device.read(&u).unwrap()[0], 2);
    }
}

#[test]
fn no_element_needs_no_byte_whatever_the_other_sizes() {
    let shape = Shape::Explicit(["n", "n", "0"].map(|extent| extent.parse().unwrap()).to_vec());
    let u = ArgumentKind::Array { element: Number::I32.into(), shape };
    let interface = KernelInterface::kernel("none").argument("u", u).scalar("n", Number::I64);
    let kernel = kernel(&interface, "");
    for mut device in devices(kernel.module()) {
        let u = device.buffer::<i32>(&[]);
        run(kernel.launch().set("u", &u).set("n", i64::MAX), &mut device);
    }
}

/// Adds 100 to the elements of an array.
const RAISE: &str = ".kernel @raise(.param[8] .addrspace(global) .ptr_align(16) %u) {
  .reg .64b %at;
  .reg .32b %x;
  ld.param.64b %at, [%u];
  umad.full.32b %at, %localid.x, 4, %at;
  ld.global.32b %x, [%at];
  iadd.32b %x, %x, 100;
  st.global.32b [%at], %x;
  return;
}";

#[test]
fn parts_of_arrays_are_the_same_memory() {
    let module = module(RAISE);
    let interface = KernelInterface::kernel("raise").argument(
        "u",
        ArgumentKind::Array {
            element: Number::I32.into(),
            shape: Shape::Explicit(vec!["2".parse().unwrap()]),
        },
    );
    for kernel in [module.kernel_of(&interface, Limits::default()).unwrap(), module.kernel("raise").unwrap()]
    {
        for mut device in devices(&module) {
            let u = device.buffer(&[0i32, 1, 2, 3, 4, 5, 6, 7]);
            let part = u.part(4..7).unwrap();
            run(kernel.launch().set("u", &part).grid([2]), &mut device);
            assert_eq!(device.read(&part).unwrap(), [104, 105, 6]);
            device.write(&part.part(1..2).unwrap(), &[-1]).unwrap();
            assert_eq!(device.read(&u).unwrap(), [0, 1, 2, 3, 104, -1, 6, 7]);
            // The kernel wants addresses that are multiples of 16.
            let error = kernel.launch().set("u", &u.part(5..8).unwrap()).run(&mut device).unwrap_err();
            let text = "argument `u` must be aligned to 16 bytes, but the part passed begins at byte 20";
            assert_eq!(error.to_string(), text);
        }
    }
}

#[test]
fn constant_memory_may_be_lent() {
    let module = module(
        ".kernel @first(.param[8] .addrspace(const) %from, .param[8] .addrspace(global) %to) {
  .reg .64b %at;
  .reg .32b %x;
  ld.param.64b %at, [%from];
  ld.const.32b %x, [%at + 4];
  ld.param.64b %at, [%to];
  st.global.32b [%at], %x;
  return;
}",
    );
    let kernel = module.kernel("first").unwrap();
    for mut device in devices(&module) {
        let (from, mut to) = (device.buffer(&[7i32, 8]), [0i32]);
        run(kernel.launch().set("from", &from).set("to", &mut to[..]), &mut device);
        assert_eq!(to, [8]);
        run(kernel.launch().set("from", &[1i32, 2][..]).set("to", &mut to[..]), &mut device);
        assert_eq!(to, [2]);
    }
}

#[test]
fn arrays_may_be_empty() {
    let module = module(".kernel @idle(.param[8] .addrspace(global) %u) { return; }");
    let kernel = module.kernel("idle").unwrap();
    for mut device in devices(&module) {
        let u = device.buffer::<f64>(&[]);
        assert!(u.is_empty() && u.part(0..0).unwrap().is_empty());
        run(kernel.launch().set("u", &u), &mut device);
        run(kernel.launch().set("u", &mut [0f32; 0][..]), &mut device);
        device.write(&u, &[]).unwrap();
        assert!(device.read(&u).unwrap().is_empty());
    }
}

#[test]
fn shared_memory_is_as_large_as_the_host_computes() {
    let interface = KernelInterface::kernel("reverse").array("u", Number::I32, 1).scalar("n", Number::I32);
    let interface = interface.shared("tile", "n * 4").unwrap();
    let body = ".reg .64b %at;
        .reg .32b %x, %place;
        umad.64b %at, %iteration, 4, %u_address;
        ld.global.32b %x, [%at];
        umad.32b %place, %localid.x, 4, %tile_address;
        st.shared.32b [%place], %x;
        barrier.workgroup;
        isub.32b %place, %n_value, %localid.x;
        isub.32b %place, %place, 1;
        umad.32b %place, %place, 4, %tile_address;
        ld.shared.32b %x, [%place];
        st.global.32b [%at], %x;";
    let kernel = kernel(&interface, body);
    for mut device in devices(kernel.module()) {
        let u = device.buffer(&[1i32, 2, 3, 4, 5, 6, 7, 8]);
        run(kernel.launch().set("u", &u).set("n", 4i32).grid([8]).local([4]), &mut device);
        assert_eq!(device.read(&u).unwrap(), [4, 3, 2, 1, 8, 7, 6, 5]);
        let launch = kernel.launch().set("u", &u).set("n", 4i32).set("tile", Value::shared(16));
        let error = launch.run(&mut device).unwrap_err();
        let text =
            "the size of shared memory `tile` is computed from the other arguments: pass nothing for it";
        assert_eq!(error.to_string(), text);
        // Less than the work-items use is out of bounds.
        let report = kernel.launch().set("u", &u).set("n", 2i32).grid([4]).local([4]).run(&mut device);
        assert!(!report.unwrap().findings.is_empty());
        let launch = kernel.launch().set("u", &u).set("n", i32::MAX).grid([8]);
        let error = launch.run(&mut device).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the size of shared memory `tile` is 8589934588, which does not fit in u32"
        );
    }
}
