//! The kernel that a layout asks for, as text.

mod support;

use std::sync::Arc;

use campanile_contract::interface::{ArgumentKind, Shape};
use campanile_contract::layout::IndexType;
use campanile_contract::{Extent, KernelInterface, KernelLayout, Number, stub};
use campanile_core::diagnostic::Sink;
use campanile_core::module::FunctionKind;
use campanile_core::source::SourceFile;
use support::{layout, step};

/// The stub of a layout, in which nothing is to be found fault with.
fn checked(layout: &KernelLayout) -> String {
    let text = stub::stub(layout);
    let source = Arc::new(SourceFile::new("stub.pisa", text.clone()).unwrap());
    let mut sink = Sink::new();
    let module = campanile_core::load(&source, &mut sink);
    let findings = sink.into_sorted();
    assert!(module.is_some() && findings.is_empty(), "{text}{findings:?}");
    text
}

fn small() -> KernelInterface {
    let shape = Shape::Explicit(vec![Extent::Literal(8)]);
    KernelInterface::kernel("small")
        .argument("u", ArgumentKind::Array { element: Number::F64.into(), shape })
        .scalar("n", Number::I32)
        .scalar("flag", Number::U8)
        .shared("tile", "n * 4")
        .unwrap()
        .workspace("tmp", Number::F32, ["n + 1", "4"])
        .unwrap()
        .lanes(4)
}

const SMALL: &str = ".version 0.1;
.target 100;

.kernel @small(
  .param[8] .align(8) .addrspace(global) .ptr_align(8) %u,
  .param[4] .align(4) %n,
  .param[1] .align(1) %flag,
  .param[4] .align(4) %tmp_extent_0,
  .param[4] .align(4) %lanes,
  .param[8] .align(8) .addrspace(global) .ptr_align(4) %tmp,
  .param[4] .align(4) .addrspace(shared) .ptr_align(16) %tile
) {
  .reg .64b %u_address, %tmp_slice, %iteration, %partial, %factor;
  .reg .32b %n_value, %tmp_extent_0_value, %lanes_value, %tile_address, %lane, %first_lane;
  .reg .8b %flag_value;

  // n: i32.
  ld.param.32b %n_value, [%n];
  // flag: u8.
  ld.param.8b %flag_value, [%flag];
  // tmp: size along dimension 0, i32.
  ld.param.32b %tmp_extent_0_value, [%tmp_extent_0];
  // lanes: work-items of an iteration, i32.
  ld.param.32b %lanes_value, [%lanes];
  // u: array of f64, rank 1.
  ld.param.64b %u_address, [%u];
  // tile: shared memory of the work-group, n * 4 bytes.
  ld.param.32b %tile_address, [%tile];

  // The iteration: the linear global id, divided by the lanes; these must divide the local size along x.
  zext.64b.32b %iteration, %localid.z;
  umad.full.32b %iteration, %groupid.z, %enqueuedlocalsize.z, %iteration;
  zext.64b.32b %partial, %localid.y;
  umad.full.32b %partial, %groupid.y, %enqueuedlocalsize.y, %partial;
  umad.64b %iteration, %iteration, %globalsize.y, %partial;
  zext.64b.32b %partial, %localid.x;
  umad.full.32b %partial, %groupid.x, %enqueuedlocalsize.x, %partial;
  umad.64b %iteration, %iteration, %globalsize.x, %partial;
  zext.64b.32b %partial, %lanes_value;
  udiv.64b %iteration, %iteration, %partial;

  // The lane within the iteration, and how `shfl` finds lane 0 of the same iteration.
  isub.32b %lane, %lanes_value, 1;
  xor.32b %first_lane, %lane, 31;
  shl.32b %first_lane, %first_lane, 16;
  or.32b %first_lane, %first_lane, 0x1f00;
  and.32b %lane, %laneid, %lane;
  // To see what the other lanes stored before, all lanes reach together: fence.subgroup.
  // To take a value of lane 0: shfl.idx.sg.32b %to, %from, %first_lane, 0xffffffff.

  // tmp: scratch array of f32, (n + 1, 4), the slice of this iteration.
  ld.param.64b %tmp_slice, [%tmp];
  umul.64b %partial, %iteration, 16;
  zext.64b.32b %factor, %tmp_extent_0_value;
  umul.64b %partial, %partial, %factor;
  iadd.64b %tmp_slice, %tmp_slice, %partial;

  // The body of the kernel belongs here.

  return;
}
";

#[test]
fn every_entry_is_loaded() {
    let layout = layout(&small(), None);
    assert_eq!(checked(&layout), SMALL);
    let (start, end) = (SMALL.find(".kernel").unwrap(), SMALL.find(" {").unwrap());
    assert_eq!(stub::header(&layout), SMALL[start..end]);
    assert_eq!(stub::header(&support::layout(&KernelInterface::kernel("none"), None)), ".kernel @none()");
}

#[test]
fn what_is_told_of_lanes_is_pisa() {
    let broadcast = "fence.subgroup;\n  shfl.idx.sg.32b %n_value, %n_value, %first_lane, 0xffffffff;";
    let text = SMALL.replace(stub::BODY, broadcast);
    let source = Arc::new(SourceFile::new("stub.pisa", text).unwrap());
    let mut sink = Sink::new();
    assert!(campanile_core::load(&source, &mut sink).is_some(), "{:?}", sink.into_sorted());
}

#[test]
fn packed_buffers_lie_behind_one_pointer() {
    let layout = layout(&step().scalar_block().lanes(4).index(IndexType::I64), Some(7));
    let text = checked(&layout);
    let header = ".kernel @step(
  .param[8] .align(8) .addrspace(global) %packed,
  .param[112] .align(8) %scalars,
  .param[8] .align(8) .addrspace(global) .ptr_align(16) %tmp
)";
    assert_eq!(stub::header(&layout), header);
    for lines in [
        "  // u: size along dimension 1, i64.\n  ld.param.64b %u_extent_1_value, [%scalars + 24];\n",
        "  // cells.q sizes: place in the packed allocation in bytes, u64.
  ld.param.64b %cells_q_sizes_offset_value, [%scalars + 96];\n",
        "  // cells.q sizes: dimensions of each record, i64.
  ld.param.64b %cells_q_sizes_address, [%packed];
  iadd.64b %cells_q_sizes_address, %cells_q_sizes_address, %cells_q_sizes_offset_value;\n",
        "  trunc.32b.64b %lane, %lanes_value;\n",
        "  umul.64b %partial, %partial, %tmp_extent_0_value;\n",
    ] {
        assert!(text.contains(lines), "{lines}{text}");
    }
}

#[test]
fn names_are_what_pisa_allows_and_all_different() {
    let mut kernel = KernelInterface::kernel("a kernel \"of\" mine");
    for name in ["laneid", "iteration", "n", "n_value", "3d", "a%b", "a.b", "a b", "ä", "", "x\ny", "lanes"]
    {
        kernel = kernel.scalar(name, Number::F32).array(&format!("{name}@"), Number::I16, 1);
    }
    let layout = layout(&kernel.lanes(8), None);
    let text = checked(&layout);
    assert!(text.contains("// x y: f32.\n"), "{text}");
    assert!(text.contains(" %laneid_,\n") && text.contains(" %_3d,\n") && text.contains(" %a_b__,\n"));
    assert_ne!(stub::registers(&layout).iteration, "iteration");
}

#[test]
fn names_that_pisa_does_not_allow_are_told_apart() {
    let names = ["é", "ü", "ö", "_", "a b", "a-b", "9", "laneid"];
    let interface = names
        .iter()
        .fold(KernelInterface::kernel("a \"b\"\n"), |interface, name| interface.scalar(name, Number::I32));
    let layout = layout(&interface, None);
    let module = support::module(&checked(&layout));
    let kernel = module.kernel("a \"b\"\n").expect("a name may be anything in quotes");
    let FunctionKind::Kernel(kernel) = &module.functions[kernel].kind else { panic!("it is a kernel") };
    let parameters: Vec<&str> = kernel.parameters.iter().map(|parameter| &parameter.name[..]).collect();
    assert_eq!(parameters, ["_", "__", "__2", "__3", "a_b", "a_b_", "_9", "laneid_"]);
}
