//! The kernel that a layout asks for, as PISA text to start from: its parameters, and a prologue that loads them.
//!
//! The kernel has the layout of its interface. What a layout took over from a module, such as wider alignments of
//! parameters, is that module's.

mod describe;
mod names;
mod prologue;
mod signature;

use std::sync::Arc;

use campanile_core::diagnostic::Sink;
use campanile_core::source::SourceFile;
use campanile_core::{format, syntax};

pub use names::{Lane, Registers};

use crate::layout::KernelLayout;
use names::{Names, Parameters};

/// The line of a stub, without indentation, in whose place the body of the kernel belongs.
pub const BODY: &str = "// The body of the kernel belongs here.";

/// The parameter list of the kernel, from `.kernel` to the closing parenthesis.
pub fn header(layout: &KernelLayout) -> String {
    let parameters = Parameters::new(layout, &mut Names::default());
    let text = formatted(signature::signature(layout, &parameters) + " {}");
    text.trim_end().trim_end_matches(['{', '}', '\n', ' ']).to_owned()
}

/// A module with the kernel: its parameters are loaded, and its body, marked by [`BODY`], is still to be written.
pub fn stub(layout: &KernelLayout) -> String {
    stubs(std::slice::from_ref(layout))
}

/// A module with a stub of each kernel.
pub fn stubs(layouts: &[KernelLayout]) -> String {
    let kernels: Vec<String> = layouts.iter().map(kernel).collect();
    formatted(format!(".version 0.1;\n.target 100;\n\n{}", kernels.join("\n")))
}

fn kernel(layout: &KernelLayout) -> String {
    let (parameters, registers) = names(layout);
    let signature = signature::signature(layout, &parameters);
    let body = prologue::prologue(layout, &parameters, &registers);
    format!("{signature} {{\n{body}\n\n{BODY}\n\nreturn;\n}}\n")
}

/// The registers that the [`stub`] of a layout loads.
pub fn registers(layout: &KernelLayout) -> Registers {
    names(layout).1
}

fn names(layout: &KernelLayout) -> (Parameters, Registers) {
    let mut names = Names::default();
    let parameters = Parameters::new(layout, &mut names);
    let registers = Registers::new(layout, &mut names);
    (parameters, registers)
}

/// The text as `pisa fmt` lays it out; one that is too long to be read stays as it is.
fn formatted(text: String) -> String {
    match SourceFile::new("stub.pisa", text.clone()) {
        Some(source) => {
            let source = Arc::new(source);
            format::format(&source, &syntax::parse(&source, &mut Sink::new()))
        }
        None => text,
    }
}
