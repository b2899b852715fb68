//! Bytes move only when the side that needs them has no current copy, and what the device says of it is what the engine
//! has seen.

mod support;

use campanile::contract::{KernelInterface, Number};
use campanile::engine::MemoryId;
use campanile::{Action, Buffer, Device, Kernel, LaunchError};
use support::kernels::combine;
use support::separate::{Copied, Ledger};
use support::{kernel, run, separate};

/// The transfers since a mark: launch, array, sentence.
fn since(device: &Device, mark: &mut usize) -> Vec<String> {
    let new = &device.transfers()[*mark..];
    *mark = device.transfers().len();
    new.iter().map(ToString::to_string).collect()
}

/// What a device says that it copied, as an engine counts it.
fn copied(device: &Device) -> Vec<(Action, u64)> {
    let copies = device.transfers().iter().filter(|one| one.action != Action::Nothing);
    copies.map(|one| (one.action, one.bytes)).collect()
}

fn counted(ledger: &Ledger) -> Vec<(Action, u64)> {
    ledger.copies.iter().map(|Copied { action, bytes, .. }| (*action, *bytes)).collect()
}

fn numbers(device: &mut Device, name: &str, numbers: &[i32]) -> Buffer<i32> {
    let buffer = device.buffer(numbers);
    device.name(buffer.any(), name).unwrap();
    buffer
}

/// The memory that holds the address of a parameter in the last launch.
fn memory(ledger: &Ledger, parameter: u32) -> MemoryId {
    ledger.last().addresses.iter().find(|address| address.parameter == parameter).unwrap().memory
}

#[test]
fn five_launches_move_what_they_must() {
    let kernel = combine();
    let (mut device, ledger) = separate(kernel.module());
    let a = numbers(&mut device, "a", &[1; 16]);
    let b = numbers(&mut device, "b", &[2; 20]);
    let c = numbers(&mut device, "c", &[3; 16]);
    let d = numbers(&mut device, "d", &[4; 5]);
    let mut mark = 0;
    let mut launch = |device: &mut Device, [a, b, c]: [&Buffer<i32>; 3], grid: u64| {
        let launch = kernel.launch().set("a", a).set("b", b).set("c", c).set("d", &d);
        run(launch.grid([grid]), device);
        since(device, &mut mark)
    };
    let untouched = "nothing of `d`: the kernel does not touch it";
    let kept = |name: &str| {
        format!("nothing of `{name}`: the kernel may have written it; it stays until the host reads it")
    };
    let current = |name: &str| format!("nothing of `{name}`: the device's copy is current");

    // The first one brings what is read; of c all is overwritten.
    let first = launch(&mut device, [&a, &b, &c], 16);
    let expected = [
        "64 bytes of `a` to the device: the kernel reads it, and the device has no copy yet",
        "80 bytes of `b` to the device: the kernel reads it, and the device has no copy yet",
        "nothing of `c`: the kernel overwrites all of it",
        untouched,
        &kept("b"),
        &kept("c"),
    ];
    assert_eq!(first, expected);

    // The second one brings nothing.
    let second = launch(&mut device, [&a, &b, &c], 16);
    let stays = [current("a"), current("b"), current("c"), untouched.into(), kept("b"), kept("c")];
    assert_eq!(second, stays);

    // What the host writes goes there again, and only that.
    device.write(&a, &[10; 16]).unwrap();
    let third = launch(&mut device, [&a, &b, &c], 16);
    assert_eq!(third[0], "64 bytes of `a` to the device: the host has written it since the last copy");
    assert_eq!(third[1..], stays[1..]);

    // A grid without iterations touches nothing, whatever the host has written.
    device.write(&a, &[11; 16]).unwrap();
    assert!(launch(&mut device, [&a, &b, &c], 0).is_empty());

    // Arrays change places without a copy: c is on the device, and a need not get there.
    let fifth = launch(&mut device, [&c, &b, &a], 16);
    assert_eq!(fifth[0], "nothing of `a`: the kernel overwrites all of it");
    assert_eq!(fifth[1..4], stays[1..4]);

    // b and c after each launch: (1, 3), (1, 2), (10, 11); then a = c + b = 21, b = c = 11.
    let expected_b = [[11; 16].as_slice(), &[2; 4]].concat();
    assert_eq!(device.read(&b).unwrap(), expected_b);
    assert_eq!(device.read(&a).unwrap(), [21; 16]);
    assert_eq!(device.read(&c).unwrap(), [11; 16]);
    // What the host has read, or no kernel has written, is not fetched.
    assert_eq!(device.read(&b).unwrap(), expected_b);
    assert_eq!(device.read(&d).unwrap(), [4; 5]);

    let expected = [
        (Action::Upload, 64),
        (Action::Upload, 80),
        (Action::Upload, 64),
        (Action::Download, 80),
        (Action::Download, 64),
        (Action::Download, 64),
    ];
    assert_eq!(copied(&device), expected);
    assert_eq!(counted(&ledger.borrow()), expected);
    let launches: Vec<_> = device.transfers().iter().filter_map(|one| one.launch).collect();
    assert!(launches.is_sorted() && launches.last() == Some(&5), "{launches:?}");

    for array in [a, b, c, d] {
        device.free(array.any().clone()).unwrap();
    }
    assert!(ledger.borrow().live.is_empty());
}

#[test]
fn an_array_that_was_passed_but_never_copied_is_new_to_the_device() {
    let kernel = combine();
    let (mut device, _) = separate(kernel.module());
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| numbers(&mut device, name, &[1; 4]));
    let launch = |d| kernel.launch().set("a", d).set("b", &b).set("c", &c);
    run(launch(&a).set("d", &d).grid([4]), &mut device);
    let mut mark = device.transfers().len();
    run(launch(&d).set("d", &a).grid([4]), &mut device);
    let expected = "16 bytes of `d` to the device: the kernel reads it, and the device has no copy yet";
    assert!(since(&device, &mut mark).iter().any(|one| one == expected), "{:?}", device.transfers());
}

#[test]
fn an_array_passed_twice_is_copied_once_and_lives_in_one_memory() {
    let kernel = combine();
    let (mut device, ledger) = separate(kernel.module());
    let (a, c) = (device.buffer(&[1i32, 2, 3]), device.buffer(&[0i32; 3]));
    run(kernel.launch().set("a", &a).set("b", &a).set("c", &c).set("d", &a).grid([3]), &mut device);
    assert_eq!(counted(&ledger.borrow()), [(Action::Upload, 12)]);
    {
        let ledger = ledger.borrow();
        assert_eq!(memory(&ledger, 0), memory(&ledger, 1));
        assert_eq!(memory(&ledger, 0), memory(&ledger, 3));
        assert_ne!(memory(&ledger, 0), memory(&ledger, 2));
    }
    assert_eq!(device.read(&c).unwrap(), [2, 4, 6]);
    assert_eq!(device.read(&a).unwrap(), [1, 2, 3]);
}

#[test]
fn a_promise_to_overwrite_holds_for_whole_arrays_only() {
    let kernel = combine();
    let (mut device, ledger) = separate(kernel.module());
    let a = device.buffer(&[1i32, 2, 3]);
    let c = device.buffer(&[9i32; 5]);
    let middle = c.part(1..4).unwrap();
    run(kernel.launch().set("a", &a).set("b", &a).set("c", &middle).set("d", &a).grid([3]), &mut device);
    assert_eq!(counted(&ledger.borrow()), [(Action::Upload, 12), (Action::Upload, 20)]);
    assert_eq!(device.read(&c).unwrap(), [9, 2, 4, 6, 9]);
    assert_eq!(device.read(&middle).unwrap(), [2, 4, 6]);
}

#[test]
fn an_array_that_one_argument_overwrites_and_another_reads_is_copied() {
    let kernel = combine();
    let (mut device, ledger) = separate(kernel.module());
    let (a, b) = (device.buffer(&[1i32, 2, 3]), device.buffer(&[4i32, 5, 6]));
    run(kernel.launch().set("a", &a).set("b", &b).set("c", &a).set("d", &b).grid([3]), &mut device);
    assert_eq!(counted(&ledger.borrow()), [(Action::Upload, 12), (Action::Upload, 12)]);
    assert_eq!(device.read(&a).unwrap(), [5, 7, 9]);
}

#[test]
fn memory_of_the_caller_is_copied_for_each_launch() {
    let kernel = combine();
    let (mut device, ledger) = separate(kernel.module());
    let (a, mut b, mut c) = ([1i32, 2], [5i32, 6], [0i32; 2]);
    for round in 1..3 {
        let launch = kernel.launch().set("a", &a[..]).set("b", &mut b[..]).set("c", &mut c[..]);
        run(launch.set("d", &a[..]).grid([2]), &mut device);
        // Two arrays there, two back; what is overwritten does not go there, and what is not touched nowhere.
        let [up, down] = [(Action::Upload, 8), (Action::Download, 8)];
        assert_eq!(counted(&ledger.borrow()), [up, up, down, down].repeat(round));
        assert!(ledger.borrow().live.is_empty());
    }
    assert_eq!((b, c), ([1, 2], [2, 4]));
    let mut sentences = since(&device, &mut 0);
    sentences.retain(|one| !one.starts_with("nothing"));
    assert_eq!(sentences[0], "8 bytes of `a` to the device: it is the caller's own memory");
    assert_eq!(sentences[2], "8 bytes of `b` to the host: it is the caller's own memory");
    assert_eq!(copied(&device), counted(&ledger.borrow()));
    // Nothing is run, and nothing comes back.
    let launch = kernel.launch().set("a", &a[..]).set("b", &mut b[..]).set("c", &mut c[..]);
    run(launch.set("d", &a[..]).grid([2, 0]), &mut device);
    assert_eq!(ledger.borrow().copies.len(), 8);
    assert_eq!((b, c), ([1, 2], [2, 4]));
}

/// Fills all of u.
fn fill() -> Kernel {
    let interface = KernelInterface::kernel("fill").array("u", Number::I32, 1).undefined();
    kernel(&interface, FILL)
}

const FILL: &str = ".reg .64b %at;
    .reg .32b %seven;
    mov.32b %seven, 7;
    umad.64b %at, %iteration, 4, %u_address;
    st.global.32b [%at], %seven;";

#[test]
fn memory_of_the_caller_is_freed_even_when_it_does_not_come_back() {
    let fill = fill();
    let (mut device, ledger) = separate(fill.module());
    let mut u = [1i32, 2];
    ledger.borrow_mut().broken = true;
    let error = fill.launch().set("u", &mut u[..]).grid([2]).run(&mut device).unwrap_err();
    assert_eq!(error.to_string(), "the cable is loose");
    assert!(matches!(error, LaunchError::Engine(_)));
    assert_eq!(ledger.borrow().launches.len(), 1);
    assert!(ledger.borrow().live.is_empty());
    assert_eq!(u, [1, 2]);
}

#[test]
fn what_a_kernel_wrote_waits_until_it_can_be_fetched() {
    let fill = fill();
    let (mut device, ledger) = separate(fill.module());
    let u = device.buffer(&[1i32, 2]);
    run(fill.launch().set("u", &u).grid([2]), &mut device);
    ledger.borrow_mut().broken = true;
    assert_eq!(device.read(&u).unwrap_err().to_string(), "the cable is loose");
    ledger.borrow_mut().broken = false;
    assert_eq!(device.read(&u).unwrap(), [7, 7]);
}

#[test]
fn a_write_to_a_part_keeps_what_the_kernel_wrote_to_the_rest() {
    let fill = kernel(&KernelInterface::kernel("fill").array("u", Number::I32, 1), FILL);
    let (mut device, ledger) = separate(fill.module());
    let u = device.buffer(&[0i32; 4]);
    run(fill.launch().set("u", &u).grid([3]), &mut device);
    device.write(&u.part(1..2).unwrap(), &[1]).unwrap();
    assert_eq!(device.read(&u).unwrap(), [7, 1, 7, 0]);
    run(fill.launch().set("u", &u).grid([1]), &mut device);
    assert_eq!(device.read(&u).unwrap(), [7, 1, 7, 0]);
    // The kernel may write a part only, and so all must be there; the host's part goes there with the rest.
    let [up, down] = [(Action::Upload, 16), (Action::Download, 16)];
    assert_eq!(counted(&ledger.borrow()), [up, down, up, down]);
    let reason = "16 bytes of `array 0` to the device: the kernel may write only a part, and the device has no copy yet";
    assert_eq!(since(&device, &mut 0)[0], reason);
    // A write to all of it makes what the kernel wrote of no interest.
    device.write(&u, &[2; 4]).unwrap();
    assert_eq!(device.read(&u).unwrap(), [2; 4]);
    assert_eq!(ledger.borrow().copies.len(), 4);
}

#[test]
fn what_has_been_taken_is_told_no_more() {
    let kernel = combine();
    let (mut device, _) = separate(kernel.module());
    let arrays = ["a", "b", "c", "d"].map(|name| (name, numbers(&mut device, name, &[1; 4])));
    for count in [5, 1] {
        let launch = arrays.iter().fold(kernel.launch(), |launch, (name, array)| launch.set(*name, array));
        run(launch.grid([4]), &mut device);
        let taken = device.take_transfers();
        assert!(taken.len() >= count && taken.iter().all(|one| one.launch == taken[0].launch));
        assert_eq!(device.transfers(), []);
    }
}
