//! Arrays, records, modules and kernels that there cannot be, each with a message that says why.

mod support;

use campanile::contract::interface::ArgumentKind;
use campanile::contract::layout::Limits;
use campanile::contract::{Field, KernelInterface, Number};
use campanile::{BufferError, Device, KernelError, Module, ModuleError, RecordsBuilder, RecordsError};
use support::kernel;
use support::kernels::store;

#[test]
fn arrays_that_have_no_such_elements() {
    let kernel = store();
    let mut device = Device::checked(kernel.module()).unwrap();
    let u = device.buffer(&[1i32, 2, 3, 4, 5, 6]);
    let shape = |shape: &[u64]| u.clone().shaped(shape).unwrap_err().to_string();
    let text = "the shape [2, 2] has not as many elements as the array, which has 6";
    assert_eq!(shape(&[2, 2]), text);
    let text = format!("the shape [2, {}] has not as many elements as the array, which has 6", u64::MAX);
    assert_eq!(shape(&[2, u64::MAX]), text);
    assert_eq!(shape(&[]), "the shape [] has not as many elements as the array, which has 6");
    let part = |start, end| u.part(start..end).unwrap_err().to_string();
    assert_eq!(part(4, 7), "elements 4 to 7 are not all in the array, which has 6");
    #[allow(clippy::reversed_empty_ranges)]
    let backwards = u.part(3..2).unwrap_err();
    assert_eq!(backwards, BufferError::Range { start: 3, end: 2, elements: 6 });
    let part = u.part(2..4).unwrap();
    assert_eq!(
        part.part(1..3).unwrap_err().to_string(),
        "elements 1 to 3 are not all in the array, which has 2"
    );
    assert!(part.part(2..2).unwrap().is_empty());
    let any = u.any().clone();
    let error = any.clone().typed::<f32>().unwrap_err();
    assert_eq!(error.to_string(), "the array is of i32, not of f32");
    assert_eq!(any.typed::<i32>().unwrap(), u);

    let text = "2 elements given for an array of 6";
    assert_eq!(device.write(&u, &[1, 2]).unwrap_err().to_string(), text);
    let error = device.write_bytes(u.any(), &[0; 25]).unwrap_err();
    assert_eq!(error.to_string(), "25 bytes given for an array of 24");
    for (shape, given, text) in [
        (vec![3u64, 2], 23, "23 bytes given for an array of 24"),
        (vec![3, 2], 25, "25 bytes given for an array of 24"),
        (vec![u64::MAX, 2], 8, "8 bytes given for an array of 18446744073709551615"),
    ] {
        let error = device.array("v", Number::I32, &shape, vec![0; given]).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn records_that_the_kernel_does_not_take() {
    let kernel = store();
    let new = |argument, shape: &[u64]| RecordsBuilder::new(kernel.layout(), argument, shape);
    for argument in ["u", "n", "nothing"] {
        let text = format!("`{argument}` is no argument of records");
        assert_eq!(new(argument, &[2]).unwrap_err().to_string(), text);
    }
    let text = "no memory for so many records `cells`";
    assert_eq!(new("cells", &[1 << 40, 1 << 40]).unwrap_err().to_string(), text);
    assert_eq!(new("cells", &[1 << 62]).unwrap_err().to_string(), text);

    let two = || new("cells", &[2]).unwrap();
    let text = |result: Result<RecordsBuilder, RecordsError>| result.unwrap_err().to_string();
    assert_eq!(text(two().bytes(&[0; 15])), "`Cell` needs 16 bytes, got 15");
    assert_eq!(text(two().field("m", &[1i32])), "`m` needs 2 values, got 1");
    assert_eq!(text(two().field("m", &[1f32, 2.0])), "record `Cell` has no field `m` of f32");
    assert_eq!(text(two().field("q", &[1u8, 2])), "record `Cell` has no field `q` of u8");
    assert_eq!(text(two().component("m", 0, [], &[1i32])), "record `Cell` has no component `m` of i32");
    assert_eq!(text(two().component("q", 0, [1, 1], &[1i8])), "record `Cell` has no component `q` of i8");
    assert_eq!(text(two().component("q", 0, [1], &[1u8])), "`q` has 2 dimensions, got 1");
    assert_eq!(text(two().component("q", 0, [2, 2], &[1u8])), "`q` needs 4 values, got 1");
    assert_eq!(
        text(two().component("q", 2, [1, 1], &[1u8])),
        "there are 2 records, but record 2 is asked for"
    );
    let bytes = |number, count| two().component_bytes("q", 0, number, vec![1, 1], vec![0; count]);
    assert_eq!(text(bytes(Number::U8, 2)), "`q` needs 1 values, got 2");

    let mut device = Device::checked(kernel.module()).unwrap();
    let wide = two().component::<u8>("q", 1, [1 << 31, 0], &[]).unwrap();
    let text = "the elements of `q` are more than the kernel's index type counts";
    assert_eq!(device.records("wide", wide).unwrap_err().to_string(), text);
    let cells = device.records("cells", two()).unwrap();
    let text = device.read_component::<u8>(&cells, "q", 2).unwrap_err().to_string();
    assert_eq!(text, "there are 2 records, but record 2 is asked for");
    let text = device.read_component::<u8>(&cells, "m", 0).unwrap_err().to_string();
    assert_eq!(text, "record `Cell` has no component `m` of u8");
    let text = device.read_field::<i32>(&cells, "w").unwrap_err().to_string();
    assert_eq!(text, "record `Cell` has no field `w` of i32");
}

#[test]
fn half_an_element_is_none() {
    let cell = vec![Field::allocatable("q", Number::I32, 1)];
    let interface = KernelInterface::kernel("k").record("Cell", cell).records("cells", "Cell", 1);
    let kernel = kernel(&interface, "");
    let cells = RecordsBuilder::new(kernel.layout(), "cells", [1]).unwrap();
    let error = cells.component_bytes("q", 0, Number::I32, vec![1], vec![0; 7]).unwrap_err();
    assert_eq!(error.to_string(), "`q` needs 4 bytes, got 7");
    let cells = RecordsBuilder::new(store().layout(), "cells", [1]).unwrap();
    let error = cells.field_bytes("m", Number::I32, &[0; 7]).unwrap_err();
    assert_eq!(error.to_string(), "`m` needs 4 bytes, got 7");
}

#[test]
fn texts_that_are_no_modules() {
    let error = Module::open("/there/is/nothing.pisa").unwrap_err();
    assert!(matches!(error, ModuleError::File { .. }));
    assert!(error.to_string().starts_with("cannot read `/there/is/nothing.pisa`: "), "{error}");
    let text = ".version 0.1;\n.target 100;\n.kernel @k () {\n  jump;\n  leap;\n  return;\n}\n";
    let error = Module::from_text("two.pisa", text).unwrap_err();
    assert!(matches!(&error, ModuleError::Faults(faults) if faults.len() == 2));
    let expected = "two.pisa:4:3: P0201: no instruction is called `jump`\n\
        two.pisa:5:3: P0201: no instruction is called `leap`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn kernels_without_a_layout() {
    let kernel = store();
    let module = kernel.module();
    let text = "the module has no kernel `@stop`";
    assert_eq!(module.kernel("stop").unwrap_err().to_string(), text);
    let interface = KernelInterface::kernel("go").array("u", Number::I32, 1);
    let error = module.kernel_of(&interface, Limits::default()).unwrap_err();
    assert!(matches!(&error, KernelError::Finalize(faults) if faults.len() == 1));
    let text = "kernel `@go` has 8 parameters, its interface needs 2; too much is `%cells`, `%cells_q`, \
        `%cells_q_offsets`, `%cells_q_sizes` and 2 more";
    assert_eq!(error.to_string(), text);
    let record = ArgumentKind::Record { record: "Sell".into(), polymorphic: false };
    let error = module.kernel_of(&interface.argument("c", record), Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "argument `c` is of the record `Sell`, which is not declared");
}
