//! Two hundred generated interfaces: each has a valid layout, which the schema allows, which is read back equal, and
//! whose stub, with a body, has the same layout again.

mod choices;

use std::sync::Arc;

use campanile_contract::extent::Reference;
use campanile_contract::interface::Intent;
use campanile_contract::layout::{Limits, Resources};
use campanile_contract::{
    Extent, KernelInterface, KernelLayout, Policy, finalize, finalize_for, schema, stub, validate,
};
use campanile_core::diagnostic::Sink;
use campanile_core::module::Module;
use campanile_core::source::SourceFile;
use campanile_core::{format, syntax};
use choices::Choices;

/// What is tried with each interface and its layout.
fn for_each(mut test: impl FnMut(&KernelInterface, Limits, &KernelLayout)) {
    let mut choices = Choices(7);
    for round in 0..200 {
        let interface = choices.interface();
        let limits = Limits { slots: choices.of(&[None, Some(4), Some(12), Some(31)]) };
        let layout = finalize(&interface, limits).unwrap_or_else(|faults| panic!("{round}: {faults:?}"));
        test(&interface, limits, &layout);
    }
}

#[test]
fn every_layout_is_valid_and_read_back_equal() {
    let schema = jsonschema::validator_for(schema().as_value()).unwrap();
    let mut packed = 0;
    for_each(|interface, limits, layout| {
        assert_eq!(validate(layout), Ok(()));
        assert_eq!(finalize(interface, limits).as_ref(), Ok(layout));
        let json = layout.to_json().unwrap();
        assert!(schema.is_valid(&serde_json::from_str(&json).unwrap()), "{json}");
        let read = KernelLayout::from_json(&json).unwrap();
        assert_eq!(read, *layout);
        assert_eq!(read.to_json().unwrap(), json);
        packed += u32::from(layout.packed);
    });
    assert!(packed > 20 && packed < 180, "{packed}");
}

#[test]
fn another_number_of_lanes_is_the_layout_made_with_it() {
    for_each(|interface, limits, layout| {
        for lanes in [None, Some(1), Some(16)] {
            let again = finalize(&KernelInterface { lanes, ..interface.clone() }, limits).unwrap();
            assert_eq!(layout.with_lanes(lanes), Ok(again));
        }
    });
}

#[test]
fn extents_are_read_as_they_are_written() {
    for_each(|_, _, layout| {
        for extent in extents(layout) {
            assert_eq!(extent.to_string().parse().as_ref(), Ok(extent));
        }
    });
    let mut choices = Choices(11);
    for _ in 0..2000 {
        let extent = choices.extent(4);
        assert_eq!(extent.to_string().parse().as_ref(), Ok(&extent));
    }
}

fn extents(layout: &KernelLayout) -> impl Iterator<Item = &Extent> {
    layout.workspaces.iter().flat_map(|workspace| workspace.dims.iter().map(|entry| &entry.extent))
}

/// The module of a text, in which nothing is to be found fault with.
fn load(text: &str) -> Module {
    let source = Arc::new(SourceFile::new("stub.pisa", text.to_owned()).unwrap());
    let mut sink = Sink::new();
    let module = campanile_core::load(&source, &mut sink);
    let findings = sink.into_sorted();
    assert!(findings.is_empty(), "{text}{findings:?}");
    module.unwrap()
}

/// Reads and writes each buffer as its argument says.
fn body(layout: &KernelLayout, interface: &KernelInterface) -> String {
    let mut body = ".reg .32b %seen;\n  mov.32b %seen, 0;\n".to_owned();
    for (buffer, register) in layout.buffers.iter().zip(stub::registers(layout).buffers) {
        let intent = interface.arguments[buffer.argument_index as usize].intent;
        if intent != Intent::Out {
            body += &format!("  ld.global.32b %seen, [%{register}];\n");
        }
        if intent != Intent::In {
            body += &format!("  st.global.32b [%{register}], %seen;\n");
        }
    }
    for register in stub::registers(layout).shared {
        body += &format!("  ld.shared.32b %seen, [%{register}];\n  st.shared.32b [%{register}], %seen;\n");
    }
    body
}

/// The layout without what only a module shows.
fn shown_by_interface(mut layout: KernelLayout) -> KernelLayout {
    layout.buffers.iter_mut().for_each(|buffer| buffer.atomic = true);
    layout.shared.iter_mut().for_each(|shared| shared.atomic = true);
    KernelLayout {
        module_digest: None,
        resources: Resources::default(),
        implicit: Vec::new(),
        device_functions: Vec::new(),
        globals: Vec::new(),
        ..layout
    }
}

#[test]
fn every_stub_takes_what_its_layout_says() {
    let (mut fields, mut lanes) = (0, 0);
    for_each(|interface, limits, layout| {
        let text = stub::stub(layout);
        load(&text);
        let source = SourceFile::new("stub.pisa", text.clone()).unwrap();
        let source = Arc::new(source);
        assert_eq!(format::format(&source, &syntax::parse(&source, &mut Sink::new())), text);
        assert!(text.contains(&stub::header(layout)));

        let reads_fields = extents(layout)
            .flat_map(Extent::references)
            .any(|reference| matches!(reference, Reference::Field(_) | Reference::Component(..)));
        let module = load(&text.replace(stub::BODY, &body(layout, interface)));
        let bound = finalize_for(interface, &module, limits, Policy::CONTRACT);
        let bound = shown_by_interface(bound.unwrap_or_else(|faults| panic!("{text}{faults:?}")));
        assert_eq!(bound, *layout, "{text}");
        fields += u32::from(reads_fields);
        lanes += u32::from(layout.lanes.is_some());
    });
    assert!(fields >= 10 && lanes > 100, "{fields} {lanes}");
}
