//! What the prologue of a stub computes, seen by running it.

use std::sync::Arc;

use campanile_contract::interface::{ArgumentKind, Shape};
use campanile_contract::layout::{IndexType, Kind, Limits};
use campanile_contract::{Extent, KernelInterface, KernelLayout, Number, finalize, stub};
use campanile_core::diagnostic::Sink;
use campanile_core::source::SourceFile;
use campanile_engine::{Argument, Device, Launch, Options, run};

/// Work-items along x and y; those of a group are half of that along x.
const GRID: [usize; 2] = [16, 2];

/// Four numbers of each work-item: the iteration, the lane, what lane 0 has in `%laneid`, where its slice begins.
const BODY: &str = ".reg .32b %id, %y, %leader;
  .reg .64b %at, %wide;
  umad.32b %id, %groupid.x, %localsize.x, %localid.x;
  umad.32b %y, %groupid.y, %localsize.y, %localid.y;
  umad.32b %id, %y, 16, %id;
  umad.full.32b %at, %id, 32, %out_address;
  st.global.64b [%at], %iteration;
  zext.64b.32b %wide, %lane;
  st.global.64b [%at + 8], %wide;
  mov.32b %leader, %laneid;
  shfl.idx.sg.32b %leader, %leader, %first_lane, 0xffffffff;
  zext.64b.32b %wide, %leader;
  st.global.64b [%at + 16], %wide;
  ld.param.64b %wide, [%tmp];
  isub.64b %wide, %tmp_slice, %wide;
  st.global.64b [%at + 24], %wide;
  fence.subgroup;";

fn interface(lanes: u32) -> KernelInterface {
    let shape = Shape::Explicit(vec![Extent::Literal((GRID[0] * GRID[1] * 4) as i64)]);
    KernelInterface::kernel("k")
        .argument("out", ArgumentKind::Array { element: Number::I64.into(), shape })
        .scalar("n", Number::U8)
        .workspace("tmp", Number::F32, ["n + 1", "4"])
        .unwrap()
        .lanes(lanes)
}

/// The bytes of each scalar: n is 4, and so n + 1 is 5.
fn scalars(layout: &KernelLayout, lanes: u32) -> Vec<(usize, Vec<u8>)> {
    let value = |name: &str| match name {
        "n" => 4u64,
        "tmp.extent.0" => 5,
        "lanes" => u64::from(lanes),
        _ => 16,
    };
    let start = layout.scalars[0].offset;
    let bytes = layout.scalars.iter().map(|scalar| {
        let value = if scalar.kind == Kind::PackedOffset { 16 } else { value(&scalar.variable) };
        ((scalar.offset - start) as usize, value.to_le_bytes()[..scalar.size as usize].to_vec())
    });
    bytes.collect()
}

/// What every work-item stores.
fn stored(layout: &KernelLayout, lanes: u32, block: bool) -> Vec<[u64; 4]> {
    let text = stub::stub(layout).replace(stub::BODY, BODY);
    let source = Arc::new(SourceFile::new("stub.pisa", text.clone()).unwrap());
    let mut sink = Sink::new();
    let module = campanile_core::load(&source, &mut sink);
    let module = module.unwrap_or_else(|| panic!("{text}{:?}", sink.into_sorted()));
    let kernel = module.kernel("k").unwrap();
    let mut device = Device::new(Arc::new(module)).unwrap();
    let size = GRID[0] * GRID[1] * 32;
    let out = device.add_buffer(vec![0xff; size + 16]);
    let workspace = device.add_buffer(vec![0; 4096]);
    let mut launch = Launch::new(kernel, 2, [GRID[0] as u64, GRID[1] as u64, 1], [GRID[0] as u32 / 2, 2, 1]);
    launch.arguments.push(Argument::Buffer(out));
    let scalars = scalars(layout, lanes);
    if block {
        let mut bytes = vec![0; (layout.workspaces[0].offset - layout.scalars[0].offset) as usize];
        for (offset, value) in &scalars {
            bytes[*offset..*offset + value.len()].copy_from_slice(value);
        }
        launch.arguments.push(Argument::Bytes(bytes));
    } else {
        launch.arguments.extend(scalars.into_iter().map(|(_, bytes)| Argument::Bytes(bytes)));
    }
    launch.arguments.push(Argument::Buffer(workspace));
    let report = run(&mut device, &launch, &Options::default()).unwrap();
    assert!(report.findings.is_empty(), "{text}{:?}", report.findings);
    let bytes = device.read_buffer(out);
    let start = if layout.packed { 16 } else { 0 };
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let items = bytes[start..start + size].chunks(32);
    items.map(|item| [0, 8, 16, 24].map(|at| word(&item[at..at + 8]))).collect()
}

#[test]
fn iterations_lanes_and_slices_are_where_they_must_be() {
    for lanes in [1, 2, 8] {
        let narrow = interface(lanes);
        let wide = interface(lanes).index(IndexType::I64).scalar_block();
        for (kernel, slots, block) in [(&narrow, None, false), (&wide, None, true), (&wide, Some(1), true)] {
            let layout = finalize(kernel, Limits { slots }).unwrap();
            assert_eq!(layout.packed, slots.is_some());
            for (id, found) in stored(&layout, lanes, block).into_iter().enumerate() {
                let (id, lanes) = (id as u64, u64::from(lanes));
                let (iteration, lane) = (id / lanes, id % lanes);
                let (x, y) = (id % 16, id / 16);
                let leader = y * 8 + x % 8 - lane;
                assert_eq!(found, [iteration, lane, leader, iteration * 80], "{id} with {lanes}");
            }
        }
    }
}
