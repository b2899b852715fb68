//! Records: fields where the layout has them, components taken apart, and sizes that the host reads from them.

mod support;

use campanile::contract::interface::{ArgumentKind, Intent, Shape};
use campanile::contract::layout::{IndexType, Limits};
use campanile::contract::{ElementType, Field, KernelInterface, Number, stub};
use campanile::{Action, Kernel, Module, RecordsBuilder};
use support::{devices, kernel, run, separate};

/// `Cell { id: u8; scale: f64; q: i32 (:,:) allocatable; r: i16 (:) allocatable }`.
fn cell() -> Vec<Field> {
    vec![
        Field::plain("id", Number::U8),
        Field::plain("scale", Number::F64),
        Field::allocatable("q", Number::I32, 2),
        Field::allocatable("r", Number::I16, 1),
    ]
}

/// For each cell: raises `id` by one, doubles `scale`, and sets each element of q to its place among those of its cell.
const NUMBER: &str = ".reg .64b %cell, %place, %scale;
  .reg .32b %index, %end, %columns, %count;
  .reg .16b %wide;
  .reg .8b %id;
  .pred %done;
  umad.64b %cell, %iteration, 16, %cells_address;
  ld.global.8b %id, [%cell];
  zext.16b.8b %wide, %id;
  iadd.16b %wide, %wide, 1;
  trunc.8b.16b %id, %wide;
  st.global.8b [%cell], %id;
  ld.global.64b %scale, [%cell + 8];
  fadd.df %scale, %scale, %scale;
  st.global.64b [%cell + 8], %scale;
  umad.64b %place, %iteration, 8, %cells_q_sizes_address;
  ld.global.32b %end, [%place];
  ld.global.32b %columns, [%place + 4];
  umul.32b %end, %end, %columns;
  umad.64b %place, %iteration, 4, %cells_q_offsets_address;
  ld.global.32b %index, [%place];
  umad.full.32b %place, %index, 4, %cells_q_address;
  mov.32b %count, 0;
next:
  ucmp.ge.32b %done, %count, %end;
  goto.cond %done, numbered;
  st.global.32b [%place], %count;
  iadd.64b %place, %place, 4;
  iadd.32b %count, %count, 1;
  goto next;
numbered:";

fn number() -> Kernel {
    kernel(&KernelInterface::kernel("number").record("Cell", cell()).records("cells", "Cell", 2), NUMBER)
}

#[test]
fn components_are_taken_apart_and_come_back() {
    let kernel = number();
    for mut device in devices(kernel.module()) {
        let cells = RecordsBuilder::new(kernel.layout(), "cells", [2, 2]).unwrap();
        let cells = cells.field("id", &[1u8, 2, 3, 255]).unwrap();
        let cells = cells.field("scale", &[0.5f64, 1.0, -2.0, 4.0]).unwrap();
        // The second cell has no q, the third one without elements.
        let cells = cells.component("q", 0, [2, 3], &[9i32; 6]).unwrap();
        let cells = cells.component("q", 2, [0, 5], &[0i32; 0]).unwrap();
        let cells = cells.component("q", 3, [1, 4], &[9i32; 4]).unwrap();
        let cells = cells.component("r", 1, [2], &[7i16, -7]).unwrap();
        let cells = device.records("cells", cells).unwrap();
        run(kernel.launch().set("cells", &cells).grid([2, 2]), &mut device);
        assert_eq!(device.read_field::<u8>(&cells, "id").unwrap(), [2, 3, 4, 0]);
        assert_eq!(device.read_field::<f64>(&cells, "scale").unwrap(), [1.0, 2.0, -4.0, 8.0]);
        let mut q = |record| device.read_component::<i32>(&cells, "q", record).unwrap();
        assert_eq!(q(0), Some(vec![0, 1, 2, 3, 4, 5]));
        assert_eq!(q(1), None);
        assert_eq!(q(2), Some(vec![]));
        assert_eq!(q(3), Some(vec![0, 1, 2, 3]));
        assert_eq!(device.read_component::<i16>(&cells, "r", 1).unwrap(), Some(vec![7, -7]));
    }
}

#[test]
fn components_move_apart_and_records_are_freed() {
    let kernel = number();
    let (mut device, ledger) = separate(kernel.module());
    let cells = RecordsBuilder::new(kernel.layout(), "cells", [1, 2]).unwrap();
    let cells = cells.component("q", 0, [2, 3], &[9i32; 6]).unwrap();
    let cells = cells.component("r", 0, [2], &[1i16, 2]).unwrap();
    let cells = device.records("c", cells).unwrap();
    run(kernel.launch().set("cells", &cells).grid([1, 2]), &mut device);
    device.read_component::<i32>(&cells, "q", 0).unwrap();
    let copied = device.transfers().iter().filter(|one| one.action != Action::Nothing);
    let copied: Vec<_> = copied.map(|one| (one.action, one.array.as_str(), one.bytes)).collect();
    // Two records of 16 bytes, q with its offsets and two sizes a record; r is not touched.
    let expected = [
        (Action::Upload, "c", 32),
        (Action::Upload, "c.q", 24),
        (Action::Upload, "c.q offsets", 8),
        (Action::Upload, "c.q sizes", 16),
        (Action::Download, "c.q", 24),
    ];
    assert_eq!(copied, expected);
    let clone = cells.clone();
    device.free_records(cells).unwrap();
    assert!(ledger.borrow().live.is_empty());
    assert!(device.free_records(clone.clone()).is_err());
    assert!(device.read_field::<u8>(&clone, "id").is_err());
}

#[test]
fn a_single_record_is_an_array_of_one() {
    for polymorphic in [false, true] {
        let cell_argument = ArgumentKind::Record { record: "Cell".into(), polymorphic };
        let interface = KernelInterface::kernel("sum").record("Cell", cell());
        let interface = interface.argument("cell", cell_argument).array("out", Number::I32, 1);
        let interface = interface.index(IndexType::I64);
        // All of q, whose sizes are 64 bits wide, added up.
        let body = ".reg .64b %count, %columns, %at;
            .reg .32b %sum, %x;
            .pred %done;
            ld.global.64b %count, [%cell_q_sizes_address];
            ld.global.64b %columns, [%cell_q_sizes_address + 8];
            umul.64b %count, %count, %columns;
            ld.global.64b %at, [%cell_q_offsets_address];
            umad.64b %at, %at, 4, %cell_q_address;
            mov.32b %sum, 0;
        next:
            ucmp.eq.64b %done, %count, 0;
            goto.cond %done, added;
            ld.global.32b %x, [%at];
            iadd.32b %sum, %sum, %x;
            iadd.64b %at, %at, 4;
            isub.64b %count, %count, 1;
            goto next;
        added:
            st.global.32b [%out_address], %sum;";
        let kernel = kernel(&interface, body);
        for mut device in devices(kernel.module()) {
            for (q, sum) in [(vec![], 0), (vec![1i32, 2, 3, 4, 5, 6], 21)] {
                let mut cell = RecordsBuilder::new(kernel.layout(), "cell", []).unwrap();
                if !q.is_empty() {
                    cell = cell.component("q", 0, [3, 2], &q).unwrap();
                }
                let cell = device.records("cell", cell).unwrap();
                let out = device.buffer(&[-1i32]);
                run(kernel.launch().set("cell", &cell).set("out", &out), &mut device);
                assert_eq!(device.read(&out).unwrap(), [sum]);
            }
            let one =
                device.records("one", RecordsBuilder::new(kernel.layout(), "cell", [1]).unwrap()).unwrap();
            let out = device.buffer(&[0i32]);
            let launch = kernel.launch().set("cell", &one).set(1, &out);
            let text = "argument `cell` has 0 dimensions, got an array of 1";
            assert_eq!(launch.run(&mut device).unwrap_err().to_string(), text);
        }
    }
}

/// Raises m of the second cell by ten.
const RAISE: &str = "
.kernel @raise(
  .param[8] .addrspace(global) .ptr_align(4) %cells,
  .param[8] .addrspace(global) %q,
  .param[8] .addrspace(global) %q_offsets,
  .param[8] .addrspace(global) %q_sizes
) {
  .reg .64b %at;
  .reg .32b %m;
  ld.param.64b %at, [%cells];
  ld.global.32b %m, [%at + 4];
  iadd.32b %m, %m, 10;
  st.global.32b [%at + 4], %m;
  return;
}
";

#[test]
fn sizes_come_from_fields_as_kernels_left_them() {
    let fields = vec![Field::plain("m", Number::I32), Field::allocatable("q", Number::I32, 1)];
    let interface = KernelInterface::kernel("sizes").record("Cell", fields.clone());
    let interface = interface.records("cells", "Cell", 1).intent(Intent::In).array("out", Number::I32, 1);
    let dims = ["cells[1].m + count(cells[0].q)", "extent(cells[1].q, 0) + count(cells)"];
    let interface = interface.workspace("tmp", Number::I32, dims).unwrap();
    let body = "st.global.32b [%out_address], %tmp_extent_0_value;
        st.global.32b [%out_address + 4], %tmp_extent_1_value;";
    let sizes = kernel(&interface, body);
    // Both kernels in one module, so that one device runs both.
    let text = stub::stub(sizes.layout()).replace(stub::BODY, body);
    let module = Module::from_text("both.pisa", text + RAISE).unwrap();
    let sizes = module.kernel_of(&interface, Limits::default()).unwrap();
    let shape = Shape::Explicit(vec!["2".parse().unwrap()]);
    let cells = ArgumentKind::Array { element: ElementType::Record("Cell".into()), shape };
    let raise = KernelInterface::kernel("raise").record("Cell", fields).argument("cells", cells);
    let raise = module.kernel_of(&raise, Limits::default()).unwrap();
    for mut device in devices(&module) {
        let cells = RecordsBuilder::new(sizes.layout(), "cells", [2]).unwrap();
        let cells = cells.field("m", &[100i32, 5]).unwrap().component("q", 0, [3], &[0i32; 3]).unwrap();
        let cells = device.records("cells", cells).unwrap();
        let out = device.buffer(&[0i32; 2]);
        for expected in [[8, 2], [18, 2]] {
            run(sizes.launch().set("cells", &cells).set("out", &out), &mut device);
            assert_eq!(device.read(&out).unwrap(), expected);
            run(raise.launch().set("cells", &cells), &mut device);
        }
    }
}
