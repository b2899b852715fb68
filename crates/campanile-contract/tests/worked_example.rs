//! The worked example of the contract, field by field.

mod support;

use campanile_contract::interface::{ArgumentKind, Intent, Shape};
use campanile_contract::layout::{IndexType, Kernarg, Kind};
use campanile_contract::noalias::{Launch, Storage};
use campanile_contract::{
    ElementType, Extent, Field, FinalizeFault, InterfaceFile, Invariant, KernelInterface, KernelLayout,
    LanesFault, Number, finalize,
};
use support::{layout, step};

fn buffers(layout: &KernelLayout) -> Vec<String> {
    let line = |buffer: &campanile_contract::layout::Buffer| {
        let member = buffer.member.as_ref().map_or(String::new(), |member| format!(".{member}"));
        let (name, kind, ty) = (&buffer.variable, buffer.kind, &buffer.ty);
        format!("{name}{member} {kind:?} {ty} {} {}", buffer.argument_index, buffer.written)
    };
    layout.buffers.iter().map(line).collect()
}

fn scalars(layout: &KernelLayout) -> Vec<String> {
    let line = |scalar: &campanile_contract::layout::Scalar| {
        let (name, kind, ty) = (&scalar.variable, scalar.kind, &scalar.ty);
        let dimension = scalar.dimension.map_or(-1, i64::from);
        format!("{name} {kind:?} {ty} {} {dimension}", scalar.argument_index)
    };
    layout.scalars.iter().map(line).collect()
}

fn alone(interface: &KernelInterface) -> Vec<bool> {
    layout(interface, None).buffers.iter().map(|buffer| buffer.noalias).collect()
}

fn launch(u: &str, v: &str, cells: &str) -> Launch {
    [("u", u), ("v", v), ("cells", cells)].map(|(name, value)| (name.into(), value.into())).into()
}

#[test]
fn entries_stand_in_binding_order() {
    let layout = layout(&step(), None);
    let expected = [
        "u Array f32 0 false",
        "v Array f32 1 true",
        "cells Array Cell 2 false",
        "cells.q MemberData f32 2 false",
        "cells.q MemberOffsets i32 2 false",
        "cells.q MemberSizes i32 2 false",
    ];
    assert_eq!(buffers(&layout), expected);
    let expected = [
        "n Scalar i32 3 -1",
        "tmp.extent.0 Scalar i32 4 -1",
        "u ArrayExtent i32 0 0",
        "u ArrayExtent i32 0 1",
        "v ArrayExtent i32 1 0",
        "v ArrayExtent i32 1 1",
        "cells ArrayExtent i32 2 0",
    ];
    assert_eq!(scalars(&layout), expected);
    assert_eq!((layout.source_argument_count, layout.parameters.len()), (4, 5));
    let workspace = &layout.workspaces[0];
    assert_eq!((workspace.element_size, workspace.ptr_align), (4, 16));
    assert_eq!(
        (&workspace.dims[0].extent, workspace.dims[0].parameter),
        (&"n + 1".parse().unwrap(), Some(4))
    );
    assert_eq!((&workspace.dims[1].extent, workspace.dims[1].parameter), (&Extent::Literal(4), None));
}

#[test]
fn separate_scalars_are_parameters() {
    let layout = layout(&step(), None);
    let offsets: Vec<u32> = layout.buffers.iter().map(|buffer| buffer.offset).collect();
    assert_eq!(offsets, [0, 8, 16, 24, 32, 40]);
    let offsets: Vec<u32> = layout.scalars.iter().map(|scalar| scalar.offset).collect();
    assert_eq!(offsets, [48, 52, 56, 60, 64, 68, 72]);
    let workspace = &layout.workspaces[0];
    assert_eq!((workspace.buffer_index, workspace.param, workspace.offset), (13, 13, 80));
    assert_eq!(layout.kernarg, Kernarg { size: 88, align: 8 });
}

#[test]
fn a_block_of_scalars_is_one_parameter() {
    let layout = layout(&step().scalar_block(), None);
    let scalars: Vec<(u32, u32)> =
        layout.scalars.iter().map(|scalar| (scalar.param, scalar.offset)).collect();
    assert_eq!(scalars, [(6, 48), (6, 52), (6, 56), (6, 60), (6, 64), (6, 68), (6, 72)]);
    assert_eq!((layout.workspaces[0].buffer_index, layout.workspaces[0].offset), (7, 80));
    assert_eq!(layout.kernarg.size, 88);
    assert!(!layout.packed);
}

#[test]
fn too_few_slots_pack_the_buffers() {
    let block = layout(&step().scalar_block(), Some(7));
    assert!(block.packed);
    assert_eq!(block.workspaces[0].buffer_index, 2);
    let offsets = block.scalars.iter().filter(|scalar| scalar.kind == Kind::PackedOffset);
    let offsets: Vec<_> = offsets.map(|scalar| (scalar.dimension, scalar.ty.clone())).collect();
    let expected: Vec<_> = (0..6).map(|index| (Some(index), ElementType::Number(Number::U64))).collect();
    assert_eq!(offsets, expected);
    assert_eq!(block.scalars[7].kind, Kind::PackedOffset);
    let separate = layout(&step(), Some(7));
    assert!(separate.packed);
    assert_eq!(separate.workspaces[0].buffer_index, 14);
    assert!(!layout(&step().scalar_block(), Some(8)).packed);
}

#[test]
fn extents_of_64_bits_are_wide_everywhere() {
    let layout = layout(&step().index(IndexType::I64).lanes(4), Some(7));
    let wide = ElementType::Number(Number::I64);
    assert_eq!([&layout.buffers[4].ty, &layout.buffers[5].ty], [&wide; 2]);
    assert_eq!((layout.buffers[4].ptr_align, layout.buffers[5].ptr_align), (8, 8));
    let sizes: Vec<u32> = layout.scalars.iter().map(|scalar| scalar.size).collect();
    assert_eq!(sizes, [vec![4], vec![8; 13]].concat());
    let packed = layout.scalars.iter().filter(|scalar| scalar.ty == Number::U64.into());
    assert_eq!(packed.count(), 6);
    let file = support::STEP.replacen("args", "index = \"i64\"\nargs", 1);
    let read = InterfaceFile::parse(&file).unwrap().kernel("step").unwrap().unwrap();
    assert_eq!(read, step().index(IndexType::I64));
}

#[test]
fn lanes_are_the_last_parameter_and_scalar() {
    let layout = layout(&step().lanes(4), None);
    assert_eq!((layout.parameters.len(), layout.lanes), (6, Some(4)));
    assert_eq!(scalars(&layout).last().unwrap(), "lanes Scalar i32 5 -1");
    assert_eq!(layout.workspaces[0].buffer_index, 14);
}

#[test]
fn lanes_alone_make_the_scalar_block() {
    let kernel = |lanes: bool| {
        let argument = ArgumentKind::Array {
            element: Number::F32.into(),
            shape: Shape::Explicit(vec![Extent::Literal(8)]),
        };
        let kernel = KernelInterface::kernel("k").argument("u", argument).scalar_block();
        let kernel = kernel.workspace("tmp", Number::F64, ["3"]).unwrap();
        if lanes { kernel.lanes(32) } else { kernel }
    };
    assert_eq!(layout(&kernel(false), Some(2)).workspaces[0].buffer_index, 1);
    let with = layout(&kernel(true), Some(2));
    assert!(with.packed);
    assert_eq!(with.workspaces[0].buffer_index, 2);
    assert_eq!(layout(&kernel(false), Some(2)).with_lanes(Some(32)), Ok(with.clone()));
    assert_eq!(with.with_lanes(None), Ok(layout(&kernel(false), Some(2))));
    let bound = KernelLayout { module_digest: Some("sha256:00".into()), ..with };
    assert_eq!(bound.with_lanes(Some(8)).unwrap().lanes, Some(8));
    assert_eq!(bound.with_lanes(None), Err(LanesFault::Bound("k".into())));
    assert!(matches!(bound.with_lanes(Some(64)), Err(LanesFault::Invariants(_))));
    let faults = finalize(&kernel(true).lanes(3), Default::default()).unwrap_err();
    let [FinalizeFault::Invariant(fault)] = faults.as_slice() else { panic!("{faults:?}") };
    assert_eq!(fault.invariant, Invariant::Lanes);
}

#[test]
fn the_builder_equals_the_file() {
    let built = KernelInterface::kernel("step")
        .record("Cell", vec![Field::plain("k", Number::F32), Field::allocatable("q", Number::F32, 1)])
        .array("u", Number::F32, 2)
        .intent(Intent::In)
        .array("v", Number::F32, 2)
        .undefined()
        .records("cells", "Cell", 1)
        .intent(Intent::In)
        .scalar("n", Number::I32)
        .workspace("tmp", Number::F32, ["n + 1", "4"])
        .unwrap()
        .storage("a", Storage::default())
        .storage("b", Storage::default())
        .storage("c", Storage::default())
        .storage("p", Storage { pointer: true, ..Storage::default() })
        .launches(vec![launch("a", "b", "c")]);
    let mut read = step();
    read.workspaces[0].align = 4;
    assert_eq!(built, read);
}

#[test]
fn noalias_follows_the_launches() {
    let step = step();
    assert_eq!(alone(&step), [true; 6]);
    let same = step.clone().launches(vec![launch("a", "b", "c"), launch("a", "a", "c")]);
    assert_eq!(alone(&same), [false, false, true, true, true, true]);
    let pointer = step.clone().launches(vec![launch("a", "b", "c"), launch("p", "b", "c")]);
    assert_eq!(alone(&pointer), [false, false, true, true, true, true]);
    let mut written = step.clone();
    written.arguments[2].intent = Intent::Inout;
    assert_eq!(alone(&written), [true, true, false, false, false, false]);
    let open = KernelInterface { launches: None, ..step };
    assert_eq!(alone(&open), [false; 6]);
}

#[test]
fn without_launches_only_buffers_of_one_argument_are_not_alone() {
    let mut written = step().launches(vec![]);
    assert_eq!(alone(&written), [true; 6]);
    written.arguments[2].intent = Intent::Inout;
    assert_eq!(alone(&written), [true, true, false, false, false, false]);
}

#[test]
fn components_that_part_ways_are_apart() {
    let part = |path: &[&str]| Storage {
        part_of: Some("a".into()),
        path: path.iter().map(|name| (*name).to_owned()).collect(),
        ..Storage::default()
    };
    let step = step().storage("x", part(&["x"])).storage("y", part(&["y"])).storage("xz", part(&["x", "z"]));
    let two = |u, v| alone(&step.clone().launches(vec![launch(u, v, "c")]))[..2].to_vec();
    assert_eq!(two("x", "y"), [true, true]);
    assert_eq!(two("y", "xz"), [true, true]);
    assert_eq!(two("x", "xz"), [false, false]);
    assert_eq!(two("a", "xz"), [false, false]);
    let overlapping = Storage { overlaps: vec!["a".into()], ..Storage::default() };
    let step = step.clone().storage("e", overlapping).launches(vec![launch("x", "b", "c")]);
    assert_eq!(alone(&step)[..2], [false, false]);
}

#[test]
fn what_an_interface_may_not_say_is_refused() {
    let faulty = |from: &str, to: &str| {
        let file =
            InterfaceFile::parse(&support::STEP.replacen(from, to, 1)).map_err(|fault| fault.to_string())?;
        let kernel = file.kernel("step").unwrap().map_err(|faults| faults[0].to_string())?;
        finalize(&kernel, Default::default()).map(|_| ()).map_err(|faults| faults[0].to_string())
    };
    assert_eq!(faulty("u", "u"), Ok(()));
    for (from, to, message) in [
        ("\"n + 1\"", "\"k + 1\"", "invariant.extent_host: an extent of `tmp` uses `k`"),
        ("\"n + 1\"", "\"n +\"", "size of `tmp`"),
        ("array = \"Cell\"", "array = \"Sell\"", "which is not declared"),
        ("scalar = \"i32\"", "scalar = \"i32\", rank = 1", "cannot have `rank`"),
        ("scalar = \"i32\"", "scalar = \"i32\", intent = \"out\"", "cannot have `intent`"),
        ("scalar = \"i32\"", "intent = \"in\"", "must have one of `array`"),
        ("rank = 2", "rank = 0", "has no dimensions"),
        ("u = \"a\"", "u = \"z\"", "storage `z` is not declared"),
        ("u = \"a\", ", "", "passes nothing for `u`"),
        ("align = 16", "align = 2", "alignment 2"),
        ("rank = 1, allocatable", "allocatable", "is allocatable and a scalar"),
        ("\"f32\" }, {", "\"f32\", offset = 2 }, {", "must be a multiple of 4"),
        ("[kernel", "size = 2\n[kernel", "record `Cell` has 2 bytes"),
        ("interface/1", "interface/2", "interface/2"),
        ("align = 16", "colour = 16", "colour"),
    ] {
        let found = faulty(from, to).expect_err(to);
        assert!(found.contains(message), "{found}");
    }
}
