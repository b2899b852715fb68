//! Iterations that several work-items share.

mod support;

use campanile::contract::{KernelInterface, Number};
use campanile::{Kernel, LaunchError};
use support::{devices, kernel, run, separate};

/// Each lane puts the sum of every so many elements of the iteration's row into the scratch array, lane 0 adds these up
/// and stores the sum, all lanes get it by shuffling and add it to the iteration's total.
const SUM: &str = ".reg .64b %row, %at;
  .reg .32b %index, %sum, %x;
  .pred %done;
  zext.64b.32b %at, %rows_extent_0_value;
  umul.64b %at, %at, 4;
  umad.64b %row, %iteration, %at, %rows_address;
  mov.32b %index, %lane;
  mov.32b %sum, 0;
next_element:
  ucmp.ge.32b %done, %index, %rows_extent_0_value;
  goto.cond %done, row_done;
  umad.full.32b %at, %index, 4, %row;
  ld.global.32b %x, [%at];
  iadd.32b %sum, %sum, %x;
  iadd.32b %index, %index, %lanes_value;
  goto next_element;
row_done:
  umad.full.32b %at, %lane, 4, %parts_slice;
  st.global.32b [%at], %sum;
  fence.subgroup;
  ucmp.ne.32b %done, %lane, 0;
  goto.cond %done, stored;
  mov.32b %index, 1;
next_part:
  ucmp.ge.32b %done, %index, %lanes_value;
  goto.cond %done, added;
  umad.full.32b %at, %index, 4, %parts_slice;
  ld.global.32b %x, [%at];
  iadd.32b %sum, %sum, %x;
  iadd.32b %index, %index, 1;
  goto next_part;
added:
  umad.64b %at, %iteration, 4, %sums_address;
  st.global.32b [%at], %sum;
stored:
  shfl.idx.sg.32b %sum, %sum, %first_lane, 0xffffffff;
  umad.64b %at, %iteration, 4, %totals_address;
  iatom.global.add.32b %x, [%at], %sum;";

fn sum(lanes: u32) -> Kernel {
    let interface = KernelInterface::kernel("sum").array("rows", Number::I32, 2);
    let interface = interface.array("sums", Number::I32, 1).undefined().array("totals", Number::I32, 1);
    kernel(&interface.workspace("parts", Number::I32, ["32"]).unwrap().lanes(lanes), SUM)
}

/// Rows of ten numbers, one after the other, and their sums.
fn rows(count: i32) -> (Vec<i32>, Vec<i32>) {
    let rows: Vec<i32> = (0..count * 10).map(|index| index * index % 97 - 40).collect();
    let sums = rows.chunks(10).map(|row| row.iter().sum()).collect();
    (rows, sums)
}

#[test]
fn the_number_of_lanes_changes_no_result() {
    let (numbers, expected) = rows(12);
    for lanes in [1, 8, 16, 32] {
        let kernel = sum(lanes);
        let totals: Vec<i32> = expected.iter().map(|sum| sum * lanes as i32).collect();
        for mut device in devices(kernel.module()) {
            let rows = device.buffer(&numbers).shaped([10, 12]).unwrap();
            let mut found = |grid: [u64; 2], local: Option<[u32; 2]>| {
                let (sums, totals) = (device.buffer(&[0i32; 12]), device.buffer(&[0i32; 12]));
                let launch = kernel.launch().set("rows", &rows).set("sums", &sums).set("totals", &totals);
                let launch = launch.grid(grid);
                run(if let Some(local) = local { launch.local(local) } else { launch }, &mut device);
                (device.read(&sums).unwrap(), device.read(&totals).unwrap())
            };
            let expected = (expected.clone(), totals.clone());
            assert_eq!(found([12, 1], None), expected, "{lanes}");
            assert_eq!(found([6, 2], None), expected, "{lanes}");
            assert_eq!(found([6, 2], Some([3 * lanes, 2])), expected, "{lanes}");
            assert_eq!(found([2, 6], Some([lanes, 3])), expected, "{lanes}");
        }
    }
}

#[test]
fn a_scratch_array_belongs_to_an_iteration_and_not_to_a_lane() {
    for lanes in [1, 8, 32] {
        let kernel = sum(lanes);
        let (mut device, ledger) = separate(kernel.module());
        let rows = device.buffer(&rows(12).0).shaped([10, 12]).unwrap();
        let (sums, totals) = (device.buffer(&[0i32; 12]), device.buffer(&[0i32; 12]));
        let launch = kernel.launch().set("rows", &rows).set("sums", &sums).set("totals", &totals);
        let report = launch.grid([4, 3]).run(&mut device).unwrap();
        assert_eq!(report.work_items, 12 * u64::from(lanes));
        let ledger = ledger.borrow();
        let address = ledger.last().addresses.last().unwrap();
        assert_eq!(ledger.allocated[&address.memory], 12 * 32 * 4);
        let scalar = kernel.layout().scalars.last().unwrap();
        assert_eq!(u32::from_le_bytes(ledger.scalar(scalar.offset)), lanes);
    }
}

#[test]
fn no_work_group_divides_an_iteration() {
    let kernel = sum(8);
    for mut device in devices(kernel.module()) {
        let rows = device.buffer(&rows(12).0).shaped([10, 12]).unwrap();
        let (sums, totals) = (device.buffer(&[0i32; 12]), device.buffer(&[0i32; 12]));
        let launch = kernel.launch().set("rows", &rows).set("sums", &sums).set("totals", &totals);
        let error = launch.grid([12]).local([12]).run(&mut device).unwrap_err();
        assert_eq!(error, LaunchError::LaneGroup { local: 12, lanes: 8 });
        let text = "a local size of 12 in the first dimension is not a multiple of 8 lanes";
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn smaller_groups_at_the_edge_still_hold_whole_iterations() {
    let (numbers, expected) = rows(7);
    let kernel = sum(8);
    for mut device in devices(kernel.module()) {
        let rows = device.buffer(&numbers).shaped([10, 7]).unwrap();
        let (sums, totals) = (device.buffer(&[0i32; 7]), device.buffer(&[0i32; 7]));
        let launch = kernel.launch().set("rows", &rows).set("sums", &sums).set("totals", &totals);
        run(launch.grid([7]).local([32]).non_uniform(), &mut device);
        assert_eq!(device.read(&sums).unwrap(), expected);
    }
}

/// Stores what the kernel sees of its place to the iteration's three words.
const PLACES: &str = ".reg .64b %at, %x;
  mov.64b %x, %globaloffset.x;
  umad.64b %at, %iteration, 24, %seen_address;
  st.global.64b [%at], %x;
  mov.64b %x, %globaloffset.y;
  st.global.64b [%at + 8], %x;
  mov.64b %x, %globalsize.x;
  st.global.64b [%at + 16], %x;";

#[test]
fn an_offset_counts_iterations() {
    for lanes in [1, 8] {
        let interface = KernelInterface::kernel("places").array("seen", Number::U64, 2).lanes(lanes);
        // Lane 0 alone stores, or the lanes would race.
        let body = format!(
            ".pred %other;
            ucmp.ne.32b %other, %lane, 0;
            return.cond %other;
            {PLACES}"
        );
        let kernel = kernel(&interface, &body);
        for mut device in devices(kernel.module()) {
            let seen = device.buffer(&[0u64; 6]).shaped([3, 2]).unwrap();
            run(kernel.launch().set("seen", &seen).grid([2, 1]).offset([5, 3]), &mut device);
            let lanes = u64::from(lanes);
            assert_eq!(device.read(&seen).unwrap(), [5 * lanes, 3, 2 * lanes].repeat(2));
        }
    }
}
