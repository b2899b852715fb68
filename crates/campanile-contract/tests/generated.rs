//! Two hundred generated interfaces: each has a valid layout, which the schema allows and which is read back equal.

mod support;

use campanile_contract::interface::{ArgumentKind, Intent, Shape};
use campanile_contract::layout::Limits;
use campanile_contract::noalias::{Launch, Storage};
use campanile_contract::{
    ElementType, Extent, Field, KernelInterface, KernelLayout, Number, finalize, interface, schema, validate,
};

/// Numbers that look random and are the same in every run.
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn number(&mut self) -> Number {
        Number::ALL[self.below(Number::ALL.len())]
    }
}

fn interface(choices: &mut Choices) -> KernelInterface {
    let mut kernel = KernelInterface::kernel("k").scalar("n", Number::I32);
    for record in 0..choices.below(3) {
        let fields = (0..=choices.below(4)).map(|field| {
            let rank = choices.below(3) as u32;
            let name = format!("f{field}");
            match rank {
                0 => Field::plain(&name, choices.number()),
                _ => Field::allocatable(&name, choices.number(), rank),
            }
        });
        kernel = kernel.record(&format!("R{record}"), fields.collect::<Vec<_>>());
    }
    let mut launch = Launch::new();
    for index in 0..choices.below(8) {
        let name = format!("a{index}");
        let record = kernel.records.keys().nth(choices.below(3)).cloned();
        let shape = match choices.below(3) {
            0 => Shape::Explicit(vec![Extent::Literal(3), Extent::Scalar("n".into())]),
            _ => Shape::Deferred(1 + choices.below(3) as u32),
        };
        let kind = match (choices.below(4), record) {
            (0, _) => ArgumentKind::Scalar(choices.number()),
            (1, Some(record)) => ArgumentKind::Array { element: ElementType::Record(record), shape },
            (2, Some(record)) => ArgumentKind::Record { record, polymorphic: index % 2 == 0 },
            _ => ArgumentKind::Array { element: choices.number().into(), shape },
        };
        let storage = format!("s{}", choices.below(8));
        launch.insert(name.clone(), storage.clone());
        kernel = kernel.argument(&name, kind).storage(&storage, Storage::default());
        kernel = kernel.intent([Intent::In, Intent::Out, Intent::Inout][choices.below(3)]);
    }
    for index in 0..choices.below(3) {
        let dims: Vec<&str> =
            (0..=choices.below(3)).map(|_| ["n * 2", "4", "min(n, 3)"][choices.below(3)]).collect();
        kernel = kernel.workspace(&format!("w{index}"), choices.number(), dims).unwrap();
    }
    kernel.lanes = [None, Some(1), Some(8), Some(32)][choices.below(4)];
    if choices.below(2) == 0 {
        kernel = kernel.scalar_block();
    }
    if choices.below(2) == 0 {
        kernel = kernel.launches(vec![launch]);
    }
    kernel
}

#[test]
fn every_layout_is_valid_and_read_back_equal() {
    let schema = jsonschema::validator_for(schema().as_value()).unwrap();
    let mut choices = Choices(7);
    let mut packed = 0;
    for round in 0..200 {
        let interface = interface(&mut choices);
        let limits = Limits { slots: [None, Some(4), Some(12), Some(31)][choices.below(4)] };
        let layout = finalize(&interface, limits).unwrap_or_else(|faults| panic!("{round}: {faults:?}"));
        assert_eq!(validate(&layout), Ok(()));
        assert_eq!(finalize(&interface, limits), Ok(layout.clone()));
        let json = layout.to_json().unwrap();
        assert!(schema.is_valid(&serde_json::from_str(&json).unwrap()), "{json}");
        let read = KernelLayout::from_json(&json).unwrap();
        assert_eq!(read, layout);
        assert_eq!(read.to_json().unwrap(), json);
        for lanes in [None, Some(1), Some(16)] {
            let again = finalize(&KernelInterface { lanes, ..interface.clone() }, limits).unwrap();
            assert_eq!(layout.with_lanes(lanes), Ok(again));
        }
        packed += u32::from(layout.packed);
    }
    assert!(packed > 20 && packed < 180, "{packed}");
}

#[test]
fn the_schemas_refuse_what_is_not_a_layout_or_interface() {
    let layouts = jsonschema::validator_for(schema().as_value()).unwrap();
    let mut layout = serde_json::to_value(support::layout(&support::step(), None)).unwrap();
    assert!(layouts.is_valid(&layout));
    layout["colour"] = 1.into();
    assert!(!layouts.is_valid(&layout));
    let interfaces = jsonschema::validator_for(interface::schema().as_value()).unwrap();
    let mut file: serde_json::Value = toml::from_str(support::STEP).unwrap();
    assert!(interfaces.is_valid(&file));
    file["kernel"]["step"]["args"][0]["colour"] = 1.into();
    assert!(!interfaces.is_valid(&file));
}
