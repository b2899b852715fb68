//! What no program should ask for: refused, without a panic and before memory runs out.

use campanile::contract::layout::Limits;
use campanile::contract::{Field, KernelInterface, Number, Policy, finalize, infer};
use campanile::{Device, Kernel, LaunchError, Module, RecordsBuilder, RecordsError, Value};

#[test]
fn more_records_than_there_is_memory_for() {
    let fields = vec![Field::plain("k", Number::F64), Field::allocatable("q", Number::F32, 1)];
    let interface = KernelInterface::kernel("k").record("Cell", fields).records("cells", "Cell", 2);
    let layout = finalize(&interface, Limits::default()).unwrap();
    for shape in [vec![4_000_000_000, 4_000_000_000, 4_000_000_000], vec![u64::MAX / 8, 1], vec![u64::MAX, 2]]
    {
        let refused = RecordsBuilder::new(&layout, "cells", shape.clone()).unwrap_err();
        assert_eq!(refused, RecordsError::Memory("cells".into()));
    }
    assert!(RecordsBuilder::new(&layout, "cells", [0, u64::MAX]).is_ok());
}

/// One parameter with an address and three numbers.
const MIXED: &str = ".version 0.1;
.target 100;
.kernel @k(.param[32] .align(8) %p) {
    .reg .64b %to;
    .reg .32b %value;
    ld.param.64b %to, [%p + 8];
    ld.param.32b %value, [%p + 24];
    st.global.32b [%to], %value;
}";

#[test]
fn a_layout_that_leaves_bytes_of_a_parameter_out() {
    let module = Module::from_text("mixed.pisa", MIXED).unwrap();
    let mut layout = infer(module.program(), "k", Policy::LANGUAGE).unwrap();
    assert_eq!(layout.scalars.iter().map(|one| one.size).collect::<Vec<_>>(), [8, 16]);
    layout.scalars[1].size = 8;
    layout.scalars[1].offset = 24;
    layout.scalars[1].ty = Number::U64.into();
    let kernel = Kernel::trusting(&module, layout);
    let mut device = Device::checked(&module).unwrap();
    // The parameter has 32 bytes, whatever entries there are.
    for bytes in [0, 16, 24, 33] {
        let refused = kernel.launch().set("p", Value::bytes(vec![0; bytes])).grid([1]).run(&mut device);
        assert!(matches!(refused, Err(LaunchError::Arguments(_))), "{bytes} bytes: {refused:?}");
    }
    let null = kernel.launch().set("p", Value::bytes(vec![0; 32])).grid([1]).run(&mut device).unwrap();
    assert_eq!(null.findings.len(), 1, "a store through a null address");
}
