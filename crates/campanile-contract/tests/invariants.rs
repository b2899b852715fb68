//! Every field of a valid layout broken, one at a time: the fault must be the one of its invariant.

mod support;

use campanile_contract::layout::Kind;
use campanile_contract::{
    Invariant, InvariantFault, KernelInterface, KernelLayout, LoadFault, Number, Policy, infer, validate,
};
use serde_json::{Value, json};
use support::{layout, step};

fn faults(change: impl FnOnce(&mut Value)) -> Vec<Invariant> {
    let mut value = serde_json::to_value(layout(&step().lanes(4), None)).unwrap();
    value["device_functions"] = json!(["f", "g"]);
    change(&mut value);
    match KernelLayout::from_json(&value.to_string()) {
        Ok(_) => Vec::new(),
        Err(LoadFault::Invariants(faults)) => faults.into_iter().map(|fault| fault.invariant).collect(),
        Err(fault) => panic!("{fault}"),
    }
}

fn field(of: &str, index: Value, name: &str) -> Value {
    json!({"field": {"of": of, "index": index, "name": name}})
}

fn along(name: &str, dimension: u32) -> Value {
    json!({"component_extent": {"of": "cells", "index": 0, "name": name, "dimension": dimension}})
}

#[test]
fn each_broken_field_has_its_own_fault() {
    use Invariant::*;
    assert_eq!(faults(|_| ()), []);
    for (pointer, value, expected) in [
        ("/buffers/0/kind", json!("scalar"), Role),
        ("/buffers/0/member", json!("q"), Role),
        ("/buffers/3/member", json!(null), Role),
        ("/scalars/0/kind", json!("array"), Role),
        ("/scalars/0/member", json!("q"), Role),
        ("/parameters/0/rank", json!(0), Role),
        ("/parameters/2/rank", json!(0), Role),
        ("/buffers/2/kind", json!("struct"), Role),
        ("/buffers/0/kind", json!("class"), Role),
        ("/parameters/4/rank", json!(1), Role),
        ("/parameters/5/shape", json!([]), Role),
        ("/origin", json!("module"), Role),
        ("/buffers/0/argument_index", json!(1), Index),
        ("/buffers/0/argument_index", json!(99), Index),
        ("/buffers/1/variable", json!("u"), Index),
        ("/scalars/0/argument_index", json!(0), Index),
        ("/scalars/2/variable", json!("w"), Index),
        ("/source_argument_count", json!(3), Index),
        ("/source_argument_count", json!(9), Index),
        ("/parameters/0/name", json!("v"), Index),
        ("/parameters/3/role", json!("extent"), Index),
        ("/buffers/3/kind", json!("member_sizes"), Triple),
        ("/buffers/4/type", json!("f32"), Triple),
        ("/buffers/5/member", json!("r"), Triple),
        ("/buffers/2/type", json!("f32"), Triple),
        ("/buffers/0/dimension", json!(0), Dimension),
        ("/scalars/0/dimension", json!(0), Dimension),
        ("/scalars/2/dimension", json!(1), Dimension),
        ("/scalars/6/dimension", json!(null), Dimension),
        ("/parameters/0/rank", json!(3), Dimension),
        ("/parameters/1/shape", json!([1, 2]), Dimension),
        ("/parameters/1/shape", json!([1]), Dimension),
        ("/workspaces/0/dims/0/parameter", json!(null), ExtentParam),
        ("/workspaces/0/dims/0/parameter", json!(3), ExtentParam),
        ("/workspaces/0/dims/0/parameter", json!(77), ExtentParam),
        ("/workspaces/0/dims/1/parameter", json!(4), ExtentParam),
        ("/workspaces/0/dims/1/extent", json!(-1), ExtentParam),
        ("/scalars/1/type", json!("f32"), ExtentParam),
        ("/scalars/1/type", json!("u32"), ExtentParam),
        ("/scalars/2/type", json!("u32"), Dimension),
        ("/index", json!("i64"), Dimension),
        ("/index", json!("i64"), ExtentParam),
        ("/index", json!("i64"), Lanes),
        ("/index", json!("i64"), Triple),
        ("/workspaces/0/dims/0/extent", json!("%localid"), ExtentHost),
        ("/workspaces/0/dims/0/extent", json!({"extent": ["u", 2]}), ExtentHost),
        ("/workspaces/0/dims/0/extent", json!({"count": "n"}), ExtentHost),
        ("/workspaces/0/dims/0/extent", json!("tmp.extent.0"), ExtentHost),
        ("/workspaces/0/dims/0/extent", field("cells", json!(0), "k"), ExtentHost),
        ("/workspaces/0/dims/0/extent", field("cells", json!("n"), "q"), ExtentHost),
        ("/workspaces/0/dims/0/extent", field("u", json!(0), "k"), ExtentHost),
        ("/workspaces/0/dims/0/extent", json!({"component_count": {"of": "cells", "name": "q"}}), ExtentHost),
        ("/workspaces/0/dims/0/extent", along("q", 1), ExtentHost),
        ("/workspaces/0/dims/0/extent", along("k", 0), ExtentHost),
        ("/workspaces/0/dims/0/extent", json!({"rem": ["n", 0]}), ExtentHost),
        ("/workspaces/0/dims", json!([]), Dimension),
        ("/workspaces/0/buffer_index", json!(13), Slot),
        ("/workspaces/0/variable", json!("u"), Slot),
        ("/workspaces/0/element_size", json!(8), ElementSize),
        ("/workspaces/0/element_type", json!("f64"), ElementSize),
        ("/scalars/0/type", json!("i64"), ElementSize),
        ("/buffers/0/type", json!("Unknown"), ElementSize),
        ("/buffers/0/type", json!("bytes[0]"), ElementSize),
        ("/records/0/name", json!("f32"), ElementSize),
        ("/records/0/fields", json!([]), ElementSize),
        ("/buffers/0/ptr_align", json!(2), ElementSize),
        ("/buffers/2/ptr_align", json!(1), ElementSize),
        ("/records/0/size", json!(3), ElementSize),
        ("/records/0/size", json!(6), ElementSize),
        ("/records/0/alignment", json!(2), ElementSize),
        ("/records/0/alignment", json!(12), ElementSize),
        ("/records/0/fields/0/offset", json!(null), ElementSize),
        ("/records/0/fields/0/offset", json!(4), ElementSize),
        ("/records/0/fields/1/offset", json!(0), ElementSize),
        ("/packed", json!(true), Packed),
        ("/limits/slots", json!(7), Packed),
        ("/buffers/0/param", json!(1), Placement),
        ("/buffers/1/offset", json!(0), Placement),
        ("/scalars/0/offset", json!(50), Placement),
        ("/workspaces/0/offset", json!(4096), Placement),
        ("/buffers/0/ptr_align", json!(3), Placement),
        ("/workspaces/0/ptr_align", json!(0), Placement),
        ("/kernarg/size", json!(87), Placement),
        ("/kernarg/align", json!(3), Placement),
        ("/scalar_passing", json!("block"), Placement),
        ("/device_functions/0", json!("step"), CallOrder),
        ("/device_functions/0", json!("g"), CallOrder),
        ("/lanes", json!(3), Lanes),
        ("/lanes", json!(64), Lanes),
        ("/lanes", json!(null), Lanes),
        ("/resources/required_group_size", json!([6, 4, 1]), Lanes),
        ("/scalars/7/type", json!("f32"), Lanes),
        ("/scalars/7/type", json!("u32"), Lanes),
        ("/parameters/5/role", json!("extent"), Lanes),
        ("/buffers/0/written", json!(true), Written),
        ("/buffers/1/access", json!("read"), Written),
        ("/buffers/0/initial", json!("undefined"), Written),
        ("/launches", json!({"world": "open"}), Noalias),
    ] {
        let found = faults(|layout| *layout.pointer_mut(pointer).expect(pointer) = value.clone());
        assert!(found.contains(&expected), "{pointer} = {value}: {found:?}");
    }
    let written = faults(|layout| {
        layout["buffers"][3]["written"] = json!(true);
        layout["buffers"][3]["access"] = json!("read_write");
    });
    assert_eq!(written, [Noalias; 4]);
}

/// The faults of a layout that is changed so.
fn broken(layout: &KernelLayout, change: impl FnOnce(&mut KernelLayout)) -> Vec<InvariantFault> {
    assert_eq!(validate(layout), Ok(()));
    let mut layout = layout.clone();
    change(&mut layout);
    validate(&layout).err().unwrap_or_default()
}

/// The same, where all faults are of one invariant.
fn broken_only(
    expected: Invariant,
    layout: &KernelLayout,
    change: impl FnOnce(&mut KernelLayout),
) -> Vec<String> {
    let faults = broken(layout, change);
    assert!(!faults.is_empty() && faults.iter().all(|fault| fault.invariant == expected), "{faults:?}");
    faults.into_iter().map(|fault| fault.message).collect()
}

#[test]
fn packed_offsets_have_64_bits() {
    let packed = layout(&step(), Some(7));
    broken_only(Invariant::Dimension, &packed, |layout| layout.scalars[7].ty = Number::I64.into());
}

#[test]
fn a_block_has_no_gaps_but_those_of_alignment() {
    let interface = KernelInterface::kernel("k").scalar_block();
    let block = layout(&interface.scalar("a", Number::U8).scalar("b", Number::U16), None);
    let messages = broken_only(Invariant::Placement, &block, |layout| {
        layout.scalars[1].offset = 4;
        layout.kernarg.size = 6;
    });
    assert_eq!(messages, ["scalar `b` of the block is at 4, must be at 2"]);
}

#[test]
fn shared_addresses_have_4_or_8_bytes() {
    let shared = layout(&KernelInterface::kernel("k").shared("scratch", "64").unwrap(), None);
    let messages = broken_only(Invariant::ElementSize, &shared, |layout| layout.shared[0].size = 2);
    assert_eq!(messages, ["the address of shared memory `scratch` has 2 bytes, must have 4 or 8"]);
}

#[test]
fn records_are_listed_once() {
    let messages = broken_only(Invariant::ElementSize, &layout(&step(), None), |layout| {
        layout.records.push(layout.records[0].clone());
    });
    assert_eq!(messages, ["record `Cell` is listed twice"]);
}

#[test]
fn a_layout_of_a_module_alone_has_no_more_than_a_module_shows() {
    let module = support::module(
        ".kernel @k(.param[8] .addrspace(global) %a, .param[8] .addrspace(global) %b, .param[4] %c) { return; }",
    );
    let found = infer(&module, "k", Policy::CONTRACT).unwrap();
    broken_only(Invariant::Placement, &found, |layout| layout.buffers.swap(0, 1));
    broken_only(Invariant::Role, &found, |layout| layout.buffers[0].ty = Number::I8.into());
    broken_only(Invariant::Role, &found, |layout| layout.records = support::layout(&step(), None).records);
    for change in [
        (|layout| layout.buffers[0].kind = Kind::Struct) as fn(&mut KernelLayout),
        |layout| layout.parameters[0].rank = 1,
        |layout| layout.scalars[0].kind = Kind::ArrayExtent,
        |layout| layout.lanes = Some(4),
    ] {
        let faults = broken(&found, change);
        assert!(faults.iter().any(|fault| fault.invariant == Invariant::Role), "{faults:?}");
    }
}

#[test]
fn faults_name_the_entries() {
    let example = layout(&step(), None);
    let messages = broken_only(Invariant::Placement, &example, |layout| layout.buffers[3].param = 9);
    assert_eq!(messages, ["buffer `cells.q` is in parameter 9, must be in 3"]);
    let messages = broken_only(Invariant::Placement, &example, |layout| layout.workspaces[0].offset = 81);
    let expected = "workspace `tmp` of 8 bytes at 81 is misaligned, outside, or not after the one before";
    assert_eq!(messages, [expected]);
}

#[test]
fn extents_read_nothing_that_the_kernel_writes() {
    let of = |module: &Value, extent: &Value, written: &[usize]| {
        faults(|layout| {
            layout["module_digest"] = module.clone();
            layout["records"][0]["fields"][0]["type"] = json!("i32");
            layout["workspaces"][0]["dims"][0]["extent"] = extent.clone();
            for buffer in written {
                layout["buffers"][*buffer]["written"] = json!(true);
                layout["buffers"][*buffer]["access"] = json!("read_write");
            }
            for buffer in 2..6 {
                layout["buffers"][buffer]["noalias"] = json!(false);
            }
        })
    };
    let module = json!("sha256:00");
    let reads = |extent: &Value, written: &[usize]| of(&module, extent, written);
    let (value, size) = (field("cells", json!(0), "k"), along("q", 0));
    assert_eq!(reads(&value, &[]), []);
    assert_eq!(reads(&value, &[3, 4, 5]), []);
    assert_eq!(reads(&value, &[2]), [Invariant::ExtentReadsWritten]);
    assert_eq!(reads(&size, &[2, 3, 4]), []);
    assert_eq!(reads(&size, &[5]), [Invariant::ExtentReadsWritten]);
    // Without a module nobody knows what the kernel writes.
    assert_eq!(of(&json!(null), &value, &[2]), []);
}

#[test]
fn entries_may_neither_be_missing_nor_be_added() {
    for (list, expected) in [
        ("buffers", Invariant::Triple),
        ("scalars", Invariant::Lanes),
        ("workspaces", Invariant::ExtentParam),
        ("parameters", Invariant::Lanes),
    ] {
        let found = faults(|layout| {
            layout[list].as_array_mut().unwrap().pop();
        });
        assert!(found.contains(&expected), "{list}: {found:?}");
        let found = faults(|layout| {
            let list = layout[list].as_array_mut().unwrap();
            list.push(list[0].clone());
        });
        assert!(!found.is_empty(), "{list}");
    }
}

#[test]
fn unknown_fields_and_versions_are_refused() {
    for (pointer, value) in [("/schema", json!("campanile.layout/2")), ("/kernarg", json!({"colour": 1}))] {
        let mut layout = serde_json::to_value(layout(&step(), None)).unwrap();
        *layout.pointer_mut(pointer).unwrap() = value;
        let fault = KernelLayout::from_json(&layout.to_string()).unwrap_err();
        assert!(matches!(fault, LoadFault::Form(_)), "{fault}");
    }
}
