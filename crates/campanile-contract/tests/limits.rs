//! Texts that ask for more than there can be: refused at once, with a typed fault.

mod support;

use campanile_contract::layout::Limits;
use campanile_contract::{
    Field, FieldFault, FinalizeFault, InterfaceFile, Invariant, KernelInterface, KernelLayout, LoadFault,
    Number, Record, RecordFault, RecordLayout, finalize,
};
use serde_json::{Value, json};
use support::{layout, step};

/// The only fault of a kernel with these lines.
fn fault(lines: &str) -> FinalizeFault {
    let text = format!("schema = \"campanile.interface/1\"\n[kernel.k]\n{lines}");
    let file = InterfaceFile::parse(&text).unwrap_or_else(|fault| panic!("{fault}"));
    let interface = file.kernel("k").unwrap().unwrap();
    let [fault] = &finalize(&interface, Limits::default()).unwrap_err()[..] else { panic!("not one fault") };
    fault.clone()
}

#[test]
fn an_array_has_at_most_32_dimensions() {
    let of = || "a".to_owned();
    assert_eq!(
        fault("args = [ { name = \"a\", array = \"f32\", rank = 4000000000 } ]"),
        FinalizeFault::Rank { of: of(), rank: 4_000_000_000 }
    );
    let ones = vec!["1"; 33].join(", ");
    let shape = fault(&format!("args = [ {{ name = \"a\", array = \"f32\", shape = [{ones}] }} ]"));
    assert_eq!(shape, FinalizeFault::Rank { of: of(), rank: 33 });
    assert_eq!(shape.to_string(), "`a` has 33 dimensions, can have at most 32");
    assert_eq!(shape.code(), "rank");
    let dims = fault(&format!("workspaces = [ {{ name = \"a\", type = \"f32\", dims = [{ones}] }} ]"));
    assert_eq!(dims, shape);
    let most = KernelInterface::kernel("k").array("a", Number::F32, 32);
    assert_eq!(layout(&most, None).scalars.len(), 32);
}

#[test]
fn so_has_a_component() {
    let record =
        |rank| RecordLayout::new("R", &Record::from(vec![Field::allocatable("q", Number::F32, rank)]));
    assert!(record(32).is_ok());
    let fault = RecordFault::Field { record: "R".into(), field: "q".into(), fault: FieldFault::Rank(33) };
    assert_eq!(fault.to_string(), "component `R.q` has 33 dimensions, can have at most 32");
    assert_eq!(record(33), Err(fault));
}

#[test]
fn components_of_many_arguments_are_counted_before_they_are_made() {
    let fields: Vec<Field> =
        (0..300).map(|index| Field::allocatable(&format!("q{index}"), Number::F32, 1)).collect();
    let all = |arguments: usize| {
        let interface = KernelInterface::kernel("k").record("R", fields.clone());
        let names = (0..arguments).map(|index| format!("a{index}"));
        names.fold(interface, |interface, name| interface.records(&name, "R", 1))
    };
    let faults = finalize(&all(73), Limits::default()).unwrap_err();
    assert_eq!(faults, [FinalizeFault::Buffers(73 * 901)]);
    assert_eq!(faults[0].to_string(), "the arguments become 65773 buffers, a kernel can have at most 65536");
    assert_eq!(layout(&all(3), None).buffers.len(), 3 * 901);
}

/// The invariants that a layout breaks when a value in it is replaced.
fn broken(pointer: &str, value: Value) -> Vec<Invariant> {
    let mut layout = serde_json::to_value(layout(&step(), None)).unwrap();
    *layout.pointer_mut(pointer).unwrap() = value;
    match KernelLayout::from_json(&layout.to_string()) {
        Err(LoadFault::Invariants(faults)) => faults.into_iter().map(|fault| fault.invariant).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_saved_layout_has_no_more_dimensions_either() {
    assert!(broken("/parameters/0/rank", json!(4_000_000_000u32)).contains(&Invariant::Dimension));
    assert!(broken("/records/0/fields/1/rank", json!(4_000_000_000u32)).contains(&Invariant::ElementSize));
    let dims = vec![json!({"extent": 1, "parameter": null}); 33];
    let dims = broken("/workspaces/0/dims", json!(dims));
    assert!(dims.contains(&Invariant::Dimension));
}
