//! Every field of a valid layout broken, one at a time: the fault must be the one of its invariant.

mod support;

use campanile_contract::{Invariant, KernelLayout, LoadFault};
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
        ("/workspaces/0/buffer_index", json!(13), Slot),
        ("/workspaces/0/variable", json!("u"), Slot),
        ("/workspaces/0/element_size", json!(8), ElementSize),
        ("/workspaces/0/element_type", json!("f64"), ElementSize),
        ("/scalars/0/type", json!("i64"), ElementSize),
        ("/buffers/0/type", json!("Unknown"), ElementSize),
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
        ("/scalars/7/type", json!("f32"), Lanes),
        ("/scalars/7/type", json!("u32"), Lanes),
        ("/parameters/5/role", json!("extent"), Lanes),
        ("/buffers/0/written", json!(true), Written),
        ("/buffers/1/access", json!("read"), Written),
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

#[test]
fn packed_offsets_have_64_bits() {
    let mut value = serde_json::to_value(layout(&step(), Some(7))).unwrap();
    value["scalars"][7]["type"] = json!("i64");
    let Err(LoadFault::Invariants(faults)) = KernelLayout::from_json(&value.to_string()) else { panic!() };
    assert!(faults.iter().all(|fault| fault.invariant == Invariant::Dimension), "{faults:?}");
}

#[test]
fn extents_read_nothing_that_the_kernel_writes() {
    let reads = |extent: &Value, written: &[usize]| {
        faults(|layout| {
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
    let (value, size) = (field("cells", json!(0), "k"), along("q", 0));
    assert_eq!(reads(&value, &[]), []);
    assert_eq!(reads(&value, &[3, 4, 5]), []);
    assert_eq!(reads(&value, &[2]), [Invariant::ExtentReadsWritten]);
    assert_eq!(reads(&size, &[2, 3, 4]), []);
    assert_eq!(reads(&size, &[5]), [Invariant::ExtentReadsWritten]);
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
