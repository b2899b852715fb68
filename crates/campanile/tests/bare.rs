//! Kernels that nobody describes: buffers are bytes, values have a size, and addresses may be given as they are.

mod support;

use campanile::{Action, ArgumentError, Device, LaunchError, Module, Reason, Value};
use support::{devices, module, run};

/// `u[0] = p[0..4] + p[16..20] + n + (the number at p[8..16])`; stores it at q too, unless q is null.
const SUM: &str = ".kernel @sum(
  .param[8] .addrspace(global) .ptr_align(4) %u,
  .param[4] .align(4) %n,
  .param[24] %p,
  .param[8] %q
) {
  .reg .64b %at;
  .reg .32b %sum, %x;
  .pred %null;
  ld.param.32b %sum, [%n];
  ld.param.32b %x, [%p];
  iadd.32b %sum, %sum, %x;
  ld.param.32b %x, [%p + 16];
  iadd.32b %sum, %sum, %x;
  ld.param.64b %at, [%p + 8];
  ld.global.32b %x, [%at];
  iadd.32b %sum, %sum, %x;
  ld.param.64b %at, [%u];
  st.global.32b [%at], %sum;
  ld.param.64b %at, [%q];
  ucmp.eq.64b %null, %at, 0;
  return.cond %null;
  st.global.32b [%at], %sum;
  return;
}";

/// Eight bytes 1, eight of which nobody knows, and eight bytes 100.
fn values() -> Vec<u8> {
    [1u64, u64::MAX, 100].iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn addresses_within_parameters_have_names_of_their_own() {
    let module = module(SUM);
    let sum = module.kernel("sum").unwrap();
    for mut device in devices(&module) {
        let (u, v) = (device.buffer(&[0u32; 2]), device.buffer(&[1000i32, 2000]));
        let q = device.buffer(&[0.0f32]);
        // Whatever the type of an array, its bytes are what the kernel gets; so with values.
        let launch =
            sum.launch().set("u", &u.part(1..2).unwrap()).set("n", 10u32).set("p", Value::bytes(values()));
        run(launch.set("p+8", &v.part(1..2).unwrap()).set("q", &q), &mut device);
        assert_eq!(device.read(&u).unwrap(), [0, 2111]);
        assert_eq!(device.read(&q).unwrap(), [f32::from_bits(2111)]);
        // No address at all.
        let launch =
            sum.launch().set("u", &u).set("n", Value::bytes([2, 0, 0, 0])).set("p", Value::bytes(values()));
        run(launch.set("p+8", &v).set("q", 0u64), &mut device);
        assert_eq!(device.read(&u).unwrap(), [1103, 2111]);
    }
}

#[test]
fn values_have_the_size_of_their_parameters() {
    let module = module(SUM);
    let sum = module.kernel("sum").unwrap();
    for mut device in devices(&module) {
        let (u, v) = (device.buffer(&[0u32; 2]), device.buffer(&[1000i32, 2000]));
        let mut faults = |n: Value<'static>, p: Value<'static>, q: Value<'static>| {
            let launch = sum.launch().set("u", &u).set("n", n).set("p", p).set("p+8", &v).set("q", q);
            launch.run(&mut device).unwrap_err().to_string()
        };
        let n = || 10u32.into();
        let p = || Value::bytes(values());
        assert_eq!(faults(10u64.into(), p(), 0u64.into()), "argument `n` has 4 bytes, got 8");
        assert_eq!(faults(n(), Value::bytes([0; 23]), 0u64.into()), "argument `p` has 24 bytes, got 23");
        assert_eq!(faults(n(), Value::bytes([0; 25]), 0u64.into()), "argument `p` has 24 bytes, got 25");
        assert_eq!(faults(n(), p(), 0u32.into()), "argument `q` has 8 bytes, got 4");
        assert_eq!(faults(n(), p(), Value::bytes([0; 9])), "argument `q` has 8 bytes, got 9");
        assert_eq!(faults(n(), p(), Value::shared(4)), "argument `q` is an array, got shared memory");
    }
}

#[test]
fn an_array_is_none_of_several_things_in_a_parameter() {
    let module = module(SUM);
    let sum = module.kernel("sum").unwrap();
    for mut device in devices(&module) {
        let u = device.buffer(&[0u32; 6]);
        let launch = sum.launch().set("u", &u).set("n", 1i32).set("p", &u).set("q", 0u64);
        let expected = ArgumentError::Kind { name: "p".into(), expected: "bytes", given: "an array" };
        assert_eq!(launch.run(&mut device).unwrap_err(), LaunchError::Arguments(vec![expected]));
    }
}

/// Copies a number from the first address of a pair to the second.
const PAIR: &str = ".kernel @pair(.param[16] %pair) {
  .reg .64b %at;
  .reg .32b %x;
  ld.param.64b %at, [%pair];
  ld.global.32b %x, [%at];
  ld.param.64b %at, [%pair + 8];
  st.global.32b [%at], %x;
  return;
}";

#[test]
fn a_parameter_of_addresses_needs_no_bytes() {
    let module = module(PAIR);
    let kernel = module.kernel("pair").unwrap();
    for mut device in devices(&module) {
        let (u, v) = (device.buffer(&[7i32]), device.buffer(&[0i32]));
        run(kernel.launch().set("pair+0", &u).set("pair+8", &v), &mut device);
        assert_eq!(device.read(&v).unwrap(), [7]);
        let error = kernel.launch().set("pair+0", &u).run(&mut device).unwrap_err();
        assert_eq!(error.to_string(), "argument `pair` has no value");
        let launch = kernel.launch().set("pair", Value::bytes([0; 24])).set("pair+0", &u);
        assert_eq!(launch.run(&mut device).unwrap_err().to_string(), "argument `pair` has 16 bytes, got 24");
        // Null is an address like any other, and a kernel that uses it is at fault.
        let report = kernel.launch().set("pair+0", &u).set("pair+8", 0u64).run(&mut device).unwrap();
        assert_eq!(report.findings.len(), 1);
        let error = kernel.launch().set("pair+0", &u).set("pair+8", 0u32).run(&mut device).unwrap_err();
        assert_eq!(error.to_string(), "argument `pair+8` has 8 bytes, got 4");
    }
}

/// Stores the address of u to u, and where q says the number 7.
const ADDRESSES: &str = ".kernel @addresses(.param[8] %u, .param[8] %q) {
  .reg .64b %at;
  .reg .32b %x;
  ld.param.64b %at, [%q];
  mov.32b %x, 7;
  st.global.32b [%at], %x;
  ld.param.64b %at, [%u];
  st.global.64b [%at], %at;
  return;
}";

#[test]
fn an_address_that_the_kernel_told_is_good_as_long_as_the_array_is() {
    let module = module(&format!("{ADDRESSES}\n{PAIR}"));
    let kernel = module.kernel("addresses").unwrap();
    let mut device = Device::checked(&module).unwrap();
    let (u, v, q) = (device.buffer(&[0u64; 2]), device.buffer(&[0u64; 2]), device.buffer(&[0i32]));
    run(kernel.launch().set("u", &u).set("q", &q), &mut device);
    let address = device.read(&u).unwrap()[0];
    run(kernel.launch().set("u", &v).set("q", address + 8), &mut device);
    assert_eq!(device.read(&q).unwrap(), [7]);
    // No array was named, so the host's copy counts as current.
    assert_eq!(device.read(&u).unwrap(), [address, 0]);
    // So are several in one parameter.
    let pair: Vec<u8> = [address + 4, address + 8].iter().flat_map(|address| address.to_le_bytes()).collect();
    run(module.kernel("pair").unwrap().launch().set("pair", Value::bytes(pair)), &mut device);
    device.write(&q, &[0]).unwrap();
    run(kernel.launch().set("u", &u).set("q", &q), &mut device);
    assert_eq!(device.read(&u).unwrap(), [address, address >> 32]);
    // Nothing is left at the address of what was given back.
    device.free(u.any().clone()).unwrap();
    let report = kernel.launch().set("u", &v).set("q", address).run(&mut device).unwrap();
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
}

/// Adds up what the work-items of a group put into shared memory, and what lies behind a computed address.
const SHARED: &str = ".kernel @shared(
  .param[4] .align(4) .addrspace(shared) .ptr_align(4) %tile,
  .param[8] .addrspace(global) .ptr_align(4) %u,
  .param[8] %place
) {
  .reg .64b %at, %offset;
  .reg .32b %slot, %x, %y;
  ld.param.32b %slot, [%tile];
  umad.32b %slot, %localid.x, 4, %slot;
  st.shared.32b [%slot], %localid.x;
  barrier.workgroup;
  ld.param.32b %slot, [%tile];
  xor.32b %x, %localid.x, 1;
  umad.32b %slot, %x, 4, %slot;
  ld.shared.32b %y, [%slot];
  ld.param.64b %at, [%u];
  ld.param.64b %offset, [%place];
  iadd.64b %at, %at, %offset;
  umad.full.32b %at, %localid.x, 4, %at;
  st.global.32b [%at], %y;
  return;
}";

#[test]
fn launches_say_how_much_shared_memory_there_is() {
    let module = module(SHARED);
    let kernel = module.kernel("shared").unwrap();
    for mut device in devices(&module) {
        let u = device.buffer(&[9i32; 6]);
        let launch = |bytes| {
            let launch = kernel.launch().set("tile", Value::shared(bytes)).set("u", &u).set("place", 4u64);
            launch.grid([4]).local([4])
        };
        run(launch(16), &mut device);
        assert_eq!(device.read(&u).unwrap(), [9, 1, 0, 3, 2, 9]);
        assert!(!launch(12).run(&mut device).unwrap().findings.is_empty());
        let error = launch(1 << 20).run(&mut device).unwrap_err();
        assert_eq!(error.to_string(), "1048576 bytes of shared memory exceed the limit of 131072");
        let launch = kernel.launch().set("tile", 16u32).set("u", &u).set("place", 4u64);
        let error = launch.run(&mut device).unwrap_err();
        assert_eq!(error.to_string(), "argument `tile` is shared memory, got a number");
    }
}

/// Stores 5 to where a value, which looks like none, says.
const HIDDEN: &str = ".kernel @hidden(.param[8] .addrspace(global) .ptr_align(8) %u, .param[8] %where) {
  .reg .64b %at, %value;
  ld.param.64b %at, [%u];
  ld.param.64b %value, [%where];
  st.global.64b [%at], %value;
  return;
}";

#[test]
fn the_address_of_an_array_is_a_value_too() {
    let module: Module = module(HIDDEN);
    let kernel = module.kernel("hidden").unwrap();
    assert_eq!((kernel.layout().buffers.len(), kernel.layout().scalars.len()), (1, 1));
    for mut device in devices(&module) {
        let (u, v) = (device.buffer(&[0u64]), device.buffer(&[0u64; 4]));
        let mut address = |start| {
            run(kernel.launch().set("u", &u).set("where", &v.part(start..4).unwrap()), &mut device);
            device.read(&u).unwrap()[0]
        };
        let first = address(0);
        assert_ne!(first, 0);
        assert_eq!(address(3) % 4096, first % 4096 + 24);
        // Nobody knows what the kernel does with it: it is there, and fetched when it is read.
        let first = device.transfers().iter().filter(|one| one.launch == Some(1) && one.array == "array 1");
        let first: Vec<_> = first.map(|one| (one.action, one.reason)).collect();
        assert_eq!(first, [(Action::Upload, Reason::First), (Action::Nothing, Reason::Kept)]);
        assert_eq!(device.read(&v).unwrap(), [0; 4]);
        assert_eq!(device.transfers().last().unwrap().action, Action::Download);
        // So what is lent to be read cannot be passed.
        let lent = [1u64];
        let error = kernel.launch().set("u", &u).set("where", &lent[..]).run(&mut device).unwrap_err();
        let text = "argument `where` may be written, but its memory is lent to be read: pass `&mut`";
        assert_eq!(error.to_string(), text);
    }
}

/// `keep` stores the address of u in v; `follow` adds one to what the address in v points to.
const FOLLOW: &str = ".kernel @keep(.param[8] .addrspace(global) %u, .param[8] .addrspace(global) %v) {
  .reg .64b %u0, %v0;
  ld.param.64b %u0, [%u];
  ld.param.64b %v0, [%v];
  st.global.64b [%v0], %u0;
}
.kernel @follow(.param[8] .addrspace(global) %v) {
  .reg .64b %v0;
  .reg .32b %x;
  ld.param.64b %v0, [%v];
  ld.global.64b %v0, [%v0];
  ld.global.32b %x, [%v0];
  iadd.32b %x, %x, 1;
  st.global.32b [%v0], %x;
}";

#[test]
fn arrays_that_only_an_address_in_memory_leads_to_are_current() {
    let module = module(FOLLOW);
    let (keep, follow) = (module.kernel("keep").unwrap(), module.kernel("follow").unwrap());
    assert!(follow.layout().resources.wild_writes && !keep.layout().resources.wild_writes);
    let mut device = Device::checked(&module).unwrap();
    let (u, v) = (device.buffer(&[5u32]), device.buffer(&[0u64]));
    run(keep.launch().set("u", &u).set("v", &v), &mut device);
    run(follow.launch().set("v", &v), &mut device);
    assert_eq!(device.read(&u).unwrap(), [6]);
    device.write(&u, &[20]).unwrap();
    run(follow.launch().set("v", &v), &mut device);
    assert_eq!(device.read(&u).unwrap(), [21]);
}
