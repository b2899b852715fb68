//! Arguments that are shared memory.

use std::sync::Arc;

use campanile_contract::interface::SHARED_ALIGN;
use campanile_contract::layout::{Access, Limits, SharedArgument};
use campanile_contract::{
    FinalizeFault, InterfaceFile, Invariant, KernelInterface, KernelLayout, LoadFault, Number, Policy,
    finalize, finalize_for,
};
use campanile_core::diagnostic::Sink;
use campanile_core::source::SourceFile;

const FILE: &str = r#"
schema = "campanile.interface/1"
[kernel.k]
args = [
  { name = "tile", shared_bytes = "n * 4" },
  { name = "u", array = "f32", rank = 1 },
  { name = "n", scalar = "i32" },
  { name = "row", shared_bytes = 256, align = 4 } ]
workspaces = [ { name = "tmp", type = "f64", dims = [2] } ]
"#;

fn interface(text: &str) -> Result<KernelInterface, String> {
    let file = InterfaceFile::parse(text).map_err(|fault| fault.to_string())?;
    file.kernel("k").unwrap().map_err(|faults| faults[0].to_string())
}

fn layout() -> KernelLayout {
    finalize(&interface(FILE).unwrap(), Limits::default()).unwrap()
}

#[test]
fn shared_memory_comes_behind_workspaces() {
    let layout = layout();
    let expected = |name: &str, argument_index, bytes: &str, param, offset, ptr_align| SharedArgument {
        variable: name.into(),
        argument_index,
        bytes: Some(bytes.parse().unwrap()),
        written: true,
        access: Access::ReadWrite,
        atomic: true,
        param,
        offset,
        size: 4,
        ptr_align,
    };
    assert_eq!(
        layout.shared,
        [expected("tile", 0, "n * 4", 4, 24, SHARED_ALIGN), expected("row", 3, "256", 5, 28, 4)]
    );
    assert_eq!(layout.workspaces[0].param, 3);
    assert_eq!(layout.kernarg.size, 32);
    assert!(layout.parameters.iter().all(|parameter| parameter.rank <= 1));
    assert_eq!(KernelLayout::from_json(&layout.to_json().unwrap()).unwrap(), layout);
}

#[test]
fn the_builder_equals_the_file() {
    let built = KernelInterface::kernel("k").shared("tile", "n * 4").unwrap().array("u", Number::F32, 1);
    let built = built.scalar("n", Number::I32).shared("row", "256").unwrap();
    let read = interface(&FILE.replace(", align = 4", "")).unwrap();
    assert_eq!(built.workspace("tmp", Number::F64, ["2"]).unwrap(), read);
}

#[test]
fn what_does_not_fit_is_refused() {
    for (from, to, message) in [
        ("shared_bytes = 256", "shared_bytes = 256, rank = 1", "cannot have `rank`"),
        ("shared_bytes = 256", "shared_bytes = 256, intent = \"in\"", "cannot have `intent`"),
        ("shared_bytes = 256", "shared_bytes = \"256 +\"", "size of `row`"),
        ("rank = 1", "rank = 1, align = 4", "cannot have `align`"),
        ("scalar = \"i32\"", "scalar = \"i32\", shared_bytes = 1", "must have one of"),
    ] {
        let found = interface(&FILE.replace(from, to)).unwrap_err();
        assert!(found.contains(message), "{found}");
    }
    let fault = |from: &str, to: &str| {
        finalize(&interface(&FILE.replace(from, to)).unwrap(), Limits::default()).unwrap_err().remove(0)
    };
    assert_eq!(
        fault("align = 4", "align = 6"),
        FinalizeFault::Alignment { of: "row".into(), align: 6, least: 1 }
    );
    let found = fault("n * 4", "m * 4");
    assert!(matches!(&found, FinalizeFault::Invariant(fault) if fault.invariant == Invariant::ExtentHost));
    let mut value = serde_json::to_value(layout()).unwrap();
    value["shared"][0]["offset"] = 26.into();
    let Err(LoadFault::Invariants(faults)) = KernelLayout::from_json(&value.to_string()) else { panic!() };
    assert!(faults.iter().any(|fault| fault.invariant == Invariant::Placement));
}

#[test]
fn a_kernel_may_take_shared_addresses_of_either_size() {
    let bound = |tile: &str, row: &str| {
        let text = format!(
            ".version 0.1; .target 100; .kernel @k (.param[8] .addrspace(global) %u, .param[4] %n, .param[4] %e, \
             .param[8] %w, {tile} %tile, {row} %row) {{ return; }}"
        );
        let source = Arc::new(SourceFile::new("k.pisa", text).unwrap());
        let mut sink = Sink::new();
        let module = campanile_core::load(&source, &mut sink);
        let module = module.unwrap_or_else(|| panic!("{:?}", sink.into_sorted()));
        finalize_for(&interface(FILE).unwrap(), &module, Limits::default(), Policy::CONTRACT)
    };
    let shared = ".param[4] .align(4) .addrspace(shared) .ptr_align(64)";
    let layout = bound(shared, ".param[8]").unwrap();
    let found: Vec<_> = layout.shared.iter().map(|one| (one.offset, one.size, one.ptr_align)).collect();
    assert_eq!(found, [(32, 4, 64), (40, 8, 4)]);
    assert_eq!(layout.kernarg.size, 48);
    let faults = bound(shared, ".param[8] .addrspace(global)").unwrap_err();
    assert!(matches!(faults[0], FinalizeFault::ParameterSpace { .. }), "{faults:?}");
    let faults = bound(".param[2]", shared).unwrap_err();
    assert!(matches!(faults[0], FinalizeFault::ParameterSize { expected: 4, found: 2, .. }), "{faults:?}");
}
