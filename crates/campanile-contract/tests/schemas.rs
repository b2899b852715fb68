//! The published schemas: what they refuse.

mod support;

use campanile_contract::{interface, schema};

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
