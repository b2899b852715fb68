//! The worked example that the tests share: a kernel over arrays, records with a component, and a workspace.

#![allow(dead_code)]

pub mod mutate;

use std::sync::Arc;

use campanile_contract::layout::Limits;
use campanile_contract::{InterfaceFile, KernelInterface, KernelLayout, finalize};
use campanile_core::diagnostic::Sink;
use campanile_core::module::Module;
use campanile_core::source::SourceFile;

/// The interface file of the example.
pub const STEP: &str = r#"
schema = "campanile.interface/1"
[record.Cell]
fields = [ { name = "k", type = "f32" }, { name = "q", type = "f32", rank = 1, allocatable = true } ]
[kernel.step]
args = [
  { name = "u", array = "f32", rank = 2, intent = "in" },
  { name = "v", array = "f32", rank = 2, initial = "undefined" },
  { name = "cells", array = "Cell", rank = 1, intent = "in" },
  { name = "n", scalar = "i32" } ]
workspaces = [ { name = "tmp", type = "f32", dims = ["n + 1", 4], align = 16 } ]
launches = [ { u = "a", v = "b", cells = "c" } ]
[storage]
a = {}
b = {}
c = {}
p = { pointer = true }
"#;

/// The interface of the example.
pub fn step() -> KernelInterface {
    let file = InterfaceFile::parse(STEP).expect("the example is an interface file");
    file.kernel("step").expect("it has the kernel").expect("the kernel is in order")
}

/// The layout of an interface, with so many slots.
pub fn layout(interface: &KernelInterface, slots: Option<u32>) -> KernelLayout {
    finalize(interface, Limits { slots }).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// A module of these lines, before which the header may be left out.
pub fn module(text: &str) -> Module {
    let header = if text.contains(".version") { "" } else { ".version 0.1;\n.target 100;\n" };
    let text = format!("{header}{text}");
    let source = Arc::new(SourceFile::new("test.pisa", text).expect("it is short"));
    let mut sink = Sink::new();
    let module = campanile_core::load(&source, &mut sink);
    let messages = || sink.into_sorted().into_iter().map(|one| one.message).collect::<Vec<_>>();
    module.unwrap_or_else(|| panic!("{:#?}", messages()))
}
