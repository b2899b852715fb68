//! Targets with few slots: all arrays of a kernel in one allocation.

mod support;

use campanile::contract::layout::{Kind, Limits};
use campanile::contract::{KernelInterface, Number, finalize, stub};
use campanile::{Action, Device, Kernel, Module};
use support::kernels::{step, step_interface, step_result, two_cells};
use support::separate::Ledger;
use support::{devices, kernel_within, run, separate};

/// The packed offsets of the last launch.
fn offsets(kernel: &Kernel, ledger: &Ledger) -> Vec<u64> {
    let scalars = kernel.layout().scalars.iter().filter(|scalar| scalar.kind == Kind::PackedOffset);
    scalars.map(|scalar| u64::from_le_bytes(ledger.scalar(scalar.offset))).collect()
}

/// Bytes of the memory that the kernel's first parameter points to, at its start.
fn packed_bytes(ledger: &Ledger) -> u64 {
    let address = &ledger.last().addresses[0];
    assert_eq!((address.place, address.parameter, address.start), (0, 0, 0));
    ledger.allocated[&address.memory]
}

/// What was copied since a mark.
fn copied(device: &Device, mark: &mut usize) -> Vec<(Action, String, u64)> {
    let new = device.transfers()[*mark..].iter().filter(|one| one.action != Action::Nothing);
    let copied = new.map(|one| (one.action, one.array.clone(), one.bytes)).collect();
    *mark = device.transfers().len();
    copied
}

#[test]
fn the_worked_example_lies_where_the_contract_says() {
    let kernel = step(&step_interface().scalar_block(), Limits { slots: Some(7) });
    assert!(kernel.layout().packed);
    let (mut device, ledger) = separate(kernel.module());
    let cells = two_cells(&kernel, &mut device);
    let numbers: [f32; 15] = std::array::from_fn(|index| index as f32);
    let u = device.buffer(&numbers).shaped([3, 5]).unwrap();
    let v = device.buffer(&[0.0f32; 15]).shaped([3, 5]).unwrap();
    let mut mark = 0;

    let launch =
        |u, v| kernel.launch().set("u", u).set("v", v).set("cells", &cells).set("n", 7i32).grid([15]);
    run(launch(&u, &v), &mut device);
    assert_eq!(offsets(&kernel, &ledger.borrow()), [0, 64, 128, 144, 176, 192]);
    assert_eq!(packed_bytes(&ledger.borrow()), 200);
    // 60 bytes of u, two records of 4 bytes, five elements, offsets and sizes; v is overwritten.
    let uploads: u64 = copied(&device, &mut mark).iter().map(|(_, _, bytes)| bytes).sum();
    assert_eq!(uploads, 60 + 8 + 20 + 8 + 8);

    // Everything stays where it is.
    run(launch(&u, &v), &mut device);
    assert_eq!(copied(&device, &mut mark), []);
    assert_eq!(device.read(&v).unwrap(), step_result(&numbers, 7));
    copied(&device, &mut mark);

    // One array for two arguments has one place, and its results are not lost.
    run(launch(&u, &u), &mut device);
    assert_eq!(offsets(&kernel, &ledger.borrow()), [0, 0, 64, 80, 112, 128]);
    assert_eq!(packed_bytes(&ledger.borrow()), 136);
    assert!(copied(&device, &mut mark).iter().all(|(action, _, _)| *action == Action::Move));
    assert_eq!(device.read(&u).unwrap(), step_result(&numbers, 7));

    // The old allocation goes with the last array in it.
    assert_eq!(ledger.borrow().live.len(), 2);
    device.free(v.any().clone()).unwrap();
    assert_eq!(ledger.borrow().live.len(), 1);
    device.free(u.any().clone()).unwrap();
    device.free_records(cells).unwrap();
    assert!(ledger.borrow().live.is_empty());
}

/// `to[i] = from[i] + 1`, packed.
fn next(extra: &str) -> Kernel {
    let interface = KernelInterface::kernel("next").array("from", Number::I16, 1).array("to", Number::I16, 1);
    let body = ".reg .64b %at;
        .reg .16b %x;
        umad.64b %at, %iteration, 2, %from_address;
        ld.global.16b %x, [%at];
        iadd.16b %x, %x, 1;
        umad.64b %at, %iteration, 2, %to_address;
        st.global.16b [%at], %x;";
    let limits = Limits { slots: Some(1) };
    if extra.is_empty() {
        return kernel_within(&interface, limits, body);
    }
    let layout = finalize(&interface, limits).unwrap();
    let text = stub::stub(&layout).replace(stub::BODY, body) + extra;
    Module::from_text("two.pisa", text).unwrap().kernel_of(&interface, limits).unwrap()
}

#[test]
fn parts_lie_within_their_arrays() {
    let kernel = next("");
    for mut device in devices(kernel.module()) {
        let (from, to) = (device.buffer(&[1i16, 2, 3, 4, 5]), device.buffer(&[0i16; 9]));
        let launch =
            kernel.launch().set("from", &from.part(2..4).unwrap()).set("to", &to.part(5..9).unwrap());
        run(launch.grid([2]), &mut device);
        assert_eq!(device.read(&to).unwrap(), [0, 0, 0, 0, 0, 4, 5, 0, 0]);
        // Two parts of one array.
        let launch = kernel.launch().set("from", &to.part(5..7).unwrap()).set("to", &to.part(0..2).unwrap());
        run(launch.grid([2]), &mut device);
        assert_eq!(device.read(&to).unwrap(), [5, 6, 0, 0, 0, 4, 5, 0, 0]);
    }
}

#[test]
fn offsets_of_parts_count_from_the_allocation() {
    let kernel = next("");
    let (mut device, ledger) = separate(kernel.module());
    let (from, to) = (device.buffer(&[1i16, 2, 3, 4, 5]), device.buffer(&[0i16; 9]));
    let launch = kernel.launch().set("from", &from.part(2..4).unwrap()).set("to", &to.part(5..9).unwrap());
    run(launch.grid([2]), &mut device);
    assert_eq!(offsets(&kernel, &ledger.borrow()), [4, 16 + 10]);
    assert_eq!(packed_bytes(&ledger.borrow()), 16 + 18);
}

/// Doubles the first element.
const TWICE: &str = "
.kernel @twice(.param[8] .addrspace(global) .ptr_align(2) %u) {
  .reg .64b %at;
  .reg .16b %x;
  ld.param.64b %at, [%u];
  ld.global.16b %x, [%at];
  iadd.16b %x, %x, %x;
  st.global.16b [%at], %x;
  return;
}
";

#[test]
fn kernels_that_pack_and_kernels_that_do_not_share_arrays() {
    let next = next(TWICE);
    let twice = next.module().kernel("twice").unwrap();
    let (mut device, _) = separate(next.module());
    let [a, b, c] = [[1i16, 2], [0; 2], [0; 2]].map(|numbers| device.buffer(&numbers));
    let mut mark = 0;
    let launch = |from, to| next.launch().set("from", from).set("to", to).grid([2]);
    let moved = |index: usize| (Action::Move, format!("array {index}"), 4);
    run(launch(&a, &b), &mut device);
    copied(&device, &mut mark);
    // A kernel that takes one address finds the array where it is.
    run(twice.launch().set("u", &b), &mut device);
    assert_eq!(copied(&device, &mut mark), []);
    // Another pair, another allocation: b goes there, c comes from the host.
    run(launch(&b, &c), &mut device);
    let expected = [moved(1), (Action::Upload, "array 2".into(), 4)];
    assert_eq!(copied(&device, &mut mark), expected);
    // The same pair the other way round is another one too.
    run(launch(&c, &b), &mut device);
    assert_eq!(copied(&device, &mut mark), [moved(2), moved(1)]);
    // What the host has written goes to where the array is.
    device.write(&c, &[10, 20]).unwrap();
    run(launch(&c, &b), &mut device);
    assert_eq!(copied(&device, &mut mark), [(Action::Upload, "array 2".into(), 4)]);
    assert_eq!(device.read(&b).unwrap(), [11, 21]);
    assert_eq!(device.read(&a).unwrap(), [1, 2]);
}

#[test]
fn an_array_that_lies_too_close_to_others_is_moved_away() {
    let next = next(&TWICE.replace(".ptr_align(2)", ".ptr_align(64)"));
    let twice = next.module().kernel("twice").unwrap();
    let (mut device, ledger) = separate(next.module());
    let (a, b) = (device.buffer(&[1i16, 2]), device.buffer(&[5i16, 6]));
    run(next.launch().set("from", &a).set("to", &b).grid([2]), &mut device);
    let mut mark = device.transfers().len();
    // It lies at byte 16, and the kernel needs a multiple of 64.
    run(twice.launch().set("u", &b), &mut device);
    assert_eq!(ledger.borrow().last().addresses[0].start, 0);
    assert_eq!(copied(&device, &mut mark), [(Action::Move, "array 1".into(), 4)]);
    let reason = "4 bytes of `array 1` within the device: the kernel needs it at a greater alignment";
    assert!(device.transfers().iter().any(|one| one.to_string() == reason));
    // There it stays, and its old place goes with the other array.
    run(twice.launch().set("u", &b), &mut device);
    assert_eq!(copied(&device, &mut mark), []);
    assert_eq!(device.read(&b).unwrap(), [8, 3]);
    device.free(a.any().clone()).unwrap();
    assert_eq!(ledger.borrow().live.len(), 1);
}

#[test]
fn a_packing_that_fails_loses_neither_arrays_nor_memory() {
    let next = next(TWICE);
    let twice = next.module().kernel("twice").unwrap();
    for first in ["from", "to"] {
        let (mut device, ledger) = separate(next.module());
        let (a, b) = (device.buffer(&[1i16, 2]), device.buffer(&[5i16, 6]));
        // One of both has been on the device before, and the device's copy is not the host's.
        run(twice.launch().set("u", if first == "from" { &a } else { &b }), &mut device);
        ledger.borrow_mut().broken = true;
        let launch = || next.launch().set("from", &a).set("to", &b).grid([1]);
        assert_eq!(launch().run(&mut device).unwrap_err().to_string(), "the cable is loose");
        ledger.borrow_mut().broken = false;
        run(launch(), &mut device);
        let expected = if first == "from" { ([2, 2], [3, 6]) } else { ([1, 2], [2, 6]) };
        assert_eq!(
            (device.read(&a).unwrap(), device.read(&b).unwrap()),
            (expected.0.into(), expected.1.into())
        );
        device.free(a.any().clone()).unwrap();
        device.free(b.any().clone()).unwrap();
        assert!(ledger.borrow().live.is_empty(), "{first}");
    }
}
