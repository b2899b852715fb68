//! Scratch arrays: a slice for each iteration, as large as the host computes, there for one launch.

mod support;

use campanile::contract::layout::{IndexType, Limits};
use campanile::contract::{KernelInterface, Number};
use support::kernels::{step, step_interface, step_result, two_cells};
use support::{devices, kernel_within, run, separate};

const U: [f32; 64] = {
    let mut u = [0.0; 64];
    let mut index = 0;
    while index < 64 {
        u[index] = (index * 3) as f32;
        index += 1;
    }
    u
};

#[test]
fn the_worked_example_computes_what_it_must_in_every_form() {
    for interface in [step_interface(), step_interface().scalar_block()] {
        for slots in [None, Some(7), Some(1)] {
            let kernel = step(&interface, Limits { slots });
            for mut device in devices(kernel.module()) {
                let cells = two_cells(&kernel, &mut device);
                let u = device.buffer(&U).shaped([16, 4]).unwrap();
                let v = device.buffer(&[0.0f32; 64]).shaped([8, 8]).unwrap();
                for n in [7, 0, -5] {
                    let launch = kernel.launch().set("u", &u).set("v", &v).set("cells", &cells).set("n", n);
                    run(launch.grid([64]), &mut device);
                    assert_eq!(device.read(&v).unwrap(), step_result(&U, n), "{slots:?} {n}");
                }
            }
        }
    }
}

#[test]
fn a_workspace_has_a_slice_for_each_iteration_and_is_freed_after_the_launch() {
    let kernel = step(&step_interface(), Limits::default());
    let (mut device, ledger) = separate(kernel.module());
    let cells = two_cells(&kernel, &mut device);
    let (u, v) = (device.buffer(&U).shaped([8, 8]).unwrap(), device.buffer(&U).shaped([8, 8]).unwrap());
    // Slices of 8·4·4 = 128 bytes for n = 7; a negative size counts as none, and then no byte may be touched.
    for (n, grid, bytes) in [(7, [64, 1, 1], 8192), (0, [8, 4, 2], 64 * 16), (-1, [64, 1, 1], 0)] {
        let launch = kernel.launch().set("u", &u).set("v", &v).set("cells", &cells).set("n", n);
        run(launch.grid(grid), &mut device);
        let ledger = ledger.borrow();
        let workspace = &kernel.layout().workspaces[0];
        let address = ledger.last().addresses.iter().find(|one| one.parameter == workspace.param).unwrap();
        assert_eq!((address.place, address.start), (workspace.offset, 0));
        assert_eq!(ledger.allocated[&address.memory], bytes, "{n}");
        assert!(!ledger.live.contains(&address.memory));
        let extent = kernel.layout().scalars.iter().find(|one| one.variable == "tmp.extent.0").unwrap();
        assert_eq!(i32::from_le_bytes(ledger.scalar(extent.offset)), n + 1);
    }
}

#[test]
fn sizes_and_lanes_may_be_64_bits_wide() {
    let interface = KernelInterface::kernel("wide").array("out", Number::I64, 2).scalar("n", Number::U16);
    let interface = interface.workspace("tmp", Number::U8, ["n * 3", "max(n, 7)"]).unwrap();
    let interface = interface.index(IndexType::I64).lanes(2);
    // Lane 0 stores the two sizes, the lanes, and how far its slice is behind that of iteration 0.
    let body = ".reg .64b %at;
        .pred %other;
        ucmp.ne.32b %other, %lane, 0;
        return.cond %other;
        umad.64b %at, %iteration, 32, %out_address;
        st.global.64b [%at], %tmp_extent_0_value;
        st.global.64b [%at + 8], %tmp_extent_1_value;
        st.global.64b [%at + 16], %lanes_value;
        ld.param.64b %partial, [%tmp];
        isub.64b %partial, %tmp_slice, %partial;
        st.global.64b [%at + 24], %partial;";
    for slots in [None, Some(2)] {
        let kernel = kernel_within(&interface, Limits { slots }, body);
        for mut device in devices(kernel.module()) {
            let out = device.buffer(&[0i64; 12]).shaped([4, 3]).unwrap();
            run(kernel.launch().set("out", &out).set("n", 5u16).grid([3]), &mut device);
            let expected = [[15, 7, 2, 0], [15, 7, 2, 105], [15, 7, 2, 210]];
            assert_eq!(device.read(&out).unwrap(), expected.concat());
        }
    }
}
