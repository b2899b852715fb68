//! What an interface may not say.

mod support;

use campanile_contract::layout::Limits;
use campanile_contract::{FinalizeFault, InterfaceFile, finalize};
use support::STEP;

/// The faults of the example that is changed so, all of the stage that finds the first.
fn faults(changes: &[(&str, &str)]) -> Vec<String> {
    let mut text = STEP.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let texts = |faults: Vec<FinalizeFault>| faults.iter().map(ToString::to_string).collect();
    let file = InterfaceFile::parse(&text).unwrap();
    match file.kernel("step").unwrap() {
        _ if !file.unused_faults().is_empty() => texts(file.unused_faults()),
        Ok(interface) => finalize(&interface, Limits::default()).err().map_or(Vec::new(), texts),
        Err(faults) => faults.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn all_faults_of_the_file_are_told() {
    let found = faults(&[
        ("rank = 2, intent = \"in\"", "align = 4, polymorphic = true"),
        ("scalar = \"i32\"", "scalar = \"Cell\", rank = 1"),
        ("\"n + 1\", 4", "\"n +\", \"*\""),
    ]);
    let [shape, polymorphic, align, number, rank, first, second] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(shape, "array `u` must have one of `rank` and `shape`");
    assert_eq!(polymorphic, "argument `u` cannot have `polymorphic`");
    assert_eq!(align, "argument `u` cannot have `align`");
    assert_eq!(number, "`n` is of type `Cell`, must be a number");
    assert_eq!(rank, "argument `n` cannot have `rank`");
    assert!(first.starts_with("size of `tmp`: ") && second.starts_with("size of `tmp`: "));
}

#[test]
fn each_has_its_fault() {
    let cell = "{ name = \"cells\", array = \"Cell\", rank = 1, intent = \"in\" }";
    let shaped = |shape: &str| format!("{{ name = \"cells\", array = \"f32\", shape = [{shape}] }}");
    let shared = "{ name = \"cells\", shared_bytes = -1 }";
    let launch = "cells = \"c\" }";
    for (from, to, message) in [
        (
            "initial = \"undefined\"",
            "initial = \"undefined\", intent = \"in\"",
            "`v` is declared `in`, and cannot be undefined at first",
        ),
        ("[\"n + 1\", 4]", "[]", "array `tmp` has no dimensions"),
        (cell, &shaped("-1"), "invariant.extent_host: a size of `cells` is -1"),
        (
            cell,
            &shaped("\"n / (2 - 2)\""),
            "invariant.extent_host: a size of `cells` has no value: extent divides by zero",
        ),
        (
            cell,
            &shaped("\"9223372036854775807 + 1\""),
            "invariant.extent_host: a size of `cells` has no value: extent overflows 64 bits",
        ),
        (
            "\"n + 1\"",
            "\"n + 1 % 0\"",
            "invariant.extent_host: a size of `tmp` has no value: extent divides by zero",
        ),
        (
            "array = \"f32\", rank = 2, intent",
            "array = \"bytes[0]\", rank = 2, intent",
            "invariant.element_size: buffer `u` has elements of no bytes",
        ),
        ("[record.Cell]", "[record.Unused]\nfields = []\n[record.Cell]", "record `Unused` has no fields"),
        ("[record.Cell]", "[record.f32]\nfields = []\n[record.Cell]", "`f32` cannot be the name of a record"),
        (
            "[record.Cell]",
            "[record.Unused]\nfields = [{ name = \"k\", type = \"f32\", rank = 1 }]\n[record.Cell]",
            "component `Unused.k` is an array: make it allocatable",
        ),
        ("a = {}", "a = {}\nd = { overlaps = [\"e\"] }", "storage `e` is not declared"),
        ("a = {}", "a = {}\nd = { part_of = \"e\", path = [\"x\"] }", "storage `e` is not declared"),
        ("a = {}", "a = {}\nd = { part_of = \"d\", path = [\"x\"] }", "storage `d` is a part of itself"),
        (
            "a = {}",
            "a = {}\nd = { path = [\"x\"] }",
            "storage `d` must have both `part_of` and `path`, or neither",
        ),
        (
            launch,
            "cells = \"c\", w = \"a\" }",
            "launch 1 passes something for `w`; the arguments are u, v, cells, n",
        ),
    ] {
        let found = faults(&[(from, to)]);
        assert!(found.iter().any(|found| found == message), "{to}: {found:#?}");
    }
    assert_eq!(faults(&[(launch, "cells = \"c\", n = \"7\" }")]), [] as [String; 0]);
    let negative = faults(&[(cell, shared), (launch, "}")]);
    assert_eq!(negative, ["invariant.extent_host: a size of `cells` is -1"]);
}

#[test]
fn all_faults_of_launches_are_told() {
    let found = faults(&[
        ("launches = [ {", "launches = [ { v = \"z\", cells = \"c\" }, {"),
        ("u = \"a\", v = \"b\"", "u = \"y\", w = \"b\""),
    ]);
    assert_eq!(
        found,
        [
            "launch 1 passes nothing for `u`",
            "launch 2 passes nothing for `v`",
            "launch 2 passes something for `w`; the arguments are u, v, cells, n",
            "storage `y` is not declared",
            "storage `z` is not declared",
        ]
    );
}
