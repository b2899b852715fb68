//! Layouts of kernels whose module is known: what they write, where their parameters lie, what does not fit.

mod support;

use campanile_contract::interface::Intent;
use campanile_contract::layout::{Access, Kernarg, Limits};
use campanile_contract::{
    Field, FinalizeFault, KernelInterface, KernelLayout, Number, Policy, finalize, finalize_for, stub,
};

const COPY: &str = ".function void @put(.reg .64b %to, .reg .32b %value) {
  st.global.32b [%to], %value;
  return;
}
.kernel @copy (.param[8] .addrspace(global) %u, .param[8] .addrspace(global) %v, .param[4] %n, .param[4] %e, .param[4] %f) {
  .reg .64b %a, %b;
  .reg .32b %x;
  ld.param.64b %a, [%u];
  ld.param.64b %b, [%v];
  ld.global.32b %x, [%a];
  call void, @put(%b, %x);
  return;
}
";

fn bound(text: &str, interface: &KernelInterface) -> Result<KernelLayout, Vec<FinalizeFault>> {
    let module = support::module(text);
    finalize_for(interface, &module, Limits::default(), Policy::CONTRACT)
}

fn copy() -> KernelInterface {
    KernelInterface::kernel("copy")
        .array("u", Number::F32, 1)
        .array("v", Number::F32, 1)
        .scalar("n", Number::I32)
}

#[test]
fn access_functions_and_places_come_from_the_module() {
    let layout = bound(COPY, &copy()).unwrap();
    assert_eq!((layout.buffers[0].access, layout.buffers[0].written), (Access::Read, false));
    assert_eq!((layout.buffers[1].access, layout.buffers[1].written), (Access::Write, true));
    assert_eq!(layout.device_functions, ["put"]);
    let offsets: Vec<u32> = layout.scalars.iter().map(|scalar| scalar.offset).collect();
    assert_eq!(offsets, [16, 24, 32]);
    assert_eq!(layout.kernarg, Kernarg { size: 40, align: 8 });
}

#[test]
fn an_extent_may_read_what_the_body_only_reads() {
    let cells = KernelInterface::kernel("k").record("Cell", vec![Field::plain("k", Number::I32)]);
    let cells = cells.records("cells", "Cell", 1).workspace("tmp", Number::F32, ["cells[0].k"]).unwrap();
    // The interface alone does not know what the kernel writes.
    let described = finalize(&cells, Limits::default()).unwrap();
    let with = |body: &str| bound(&stub::stub(&described).replace(stub::BODY, body), &cells);
    let load = ".reg .32b %seen;\n  ld.global.32b %seen, [%cells_address];";
    let layout = with(load).unwrap();
    assert_eq!(layout.buffers[0].access, Access::Read);
    let faults = with(&format!("{load}\n  st.global.32b [%cells_address], %seen;")).unwrap_err();
    let [FinalizeFault::ExtentReadsWritten { of, reads, place: Some(place) }] = faults.as_slice() else {
        panic!("{faults:?}")
    };
    assert_eq!((of.as_str(), reads.as_str()), ("tmp", "cells.k"));
    assert!(place.span.end > place.span.start);
}

#[test]
fn what_does_not_fit_is_refused() {
    let fault = |text: &str, interface: &KernelInterface| bound(text, interface).unwrap_err().remove(0);
    let violated = copy().argument("w", copy().arguments[1].kind.clone()).intent(Intent::In);
    assert!(matches!(fault(COPY, &violated), FinalizeFault::ParameterCount { expected: 7, found: 5, .. }));
    let mut read_only = copy();
    read_only.arguments[1].intent = Intent::In;
    assert!(
        matches!(fault(COPY, &read_only), FinalizeFault::IntentViolated { argument, .. } if argument == "v")
    );
    let wide = COPY.replace(".param[4] %n", ".param[8] %n");
    assert!(matches!(fault(&wide, &copy()), FinalizeFault::ParameterSize { expected: 4, found: 8, .. }));
    let tight = COPY.replace(".param[4] %n", ".param[4] .align(2) %n");
    assert!(matches!(
        fault(&tight, &copy()),
        FinalizeFault::ParameterAlignment { expected: 4, found: 2, .. }
    ));
    let marked = COPY.replace(".param[4] %n, .param[4] %e", ".param[4] .addrspace(shared) %n, .param[4] %e");
    assert!(matches!(fault(&marked, &copy()), FinalizeFault::ParameterSpace { .. }));
    let other = KernelInterface { name: "other".into(), ..copy() };
    assert_eq!(
        fault(COPY, &other),
        FinalizeFault::UnknownKernel { name: "other".into(), kernels: vec!["copy".into()] }
    );
}

#[test]
fn the_parameters_that_are_missing_are_named() {
    let fault = |text: &str, interface: &KernelInterface| bound(text, interface).unwrap_err()[0].to_string();
    let without = COPY.replace(", .param[4] %e", "").replace("%f)", "%v_extent_0)");
    assert_eq!(
        fault(&without, &copy()),
        "kernel `@copy` has 4 parameters, its interface needs 5; nothing is for `u.extent.0` (parameter 3, 4 bytes)"
    );
    let added = COPY.replace(".param[4] %n", ".param[8] %wide, .param[4] %n");
    assert_eq!(
        fault(&added, &copy()),
        "kernel `@copy` has 6 parameters, its interface needs 5; too much is `%wide`"
    );
    let changed = COPY.replace(".param[4] %n, .param[4] %e", ".param[2] %n");
    assert_eq!(
        fault(&changed, &copy()),
        "kernel `@copy` has 4 parameters, its interface needs 5; nothing is for `n` (parameter 2, 4 bytes), \
         `u.extent.0` (parameter 3, 4 bytes); too much is `%n`"
    );
}

#[test]
fn faults_of_parameters_calls_and_stores_are_told_together() {
    let text = ".function void @odd(.reg .32b %n) { call void, @even(%n); return; }
.function void @even(.reg .32b %n) { call void, @odd(%n); return; }
.kernel @copy(.param[8] .addrspace(global) %u, .param[8] .addrspace(const) %v, .param[8] %n, .param[4] %e, .param[4] %f) {
  .reg .64b %a, %b;
  .reg .32b %one;
  mov.32b %one, 1;
  ld.param.64b %a, [%u];
  ld.param.64b %b, [%v];
  st.global.32b [%a], %one;
  st.global.32b [%b], %one;
  call void, @odd(%one);
}
";
    let mut interface = copy();
    interface.arguments[0].intent = Intent::In;
    let faults = bound(text, &interface).unwrap_err();
    let codes: Vec<String> = faults.iter().map(FinalizeFault::code).collect();
    assert_eq!(codes, ["param_size", "mutual_recursion", "constant_written", "intent_violated"]);
}

#[test]
fn nothing_is_said_of_stores_where_a_function_is_missing() {
    let imported = format!(".import .function void @put{}", &COPY[COPY.find('(').unwrap()..]);
    let head = imported.find(" {").unwrap();
    let kernel = imported.find(".kernel").unwrap();
    let text = format!("{};\n{}", &imported[..head], &imported[kernel..]);
    let mut interface = copy();
    interface.arguments[1].intent = Intent::In;
    let faults = bound(&text, &interface).unwrap_err();
    assert!(matches!(&faults[..], [FinalizeFault::MissingBody { function, .. }] if function == "put"));
}
