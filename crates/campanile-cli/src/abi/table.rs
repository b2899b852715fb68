//! The ABI of a module as people read it.

use std::fmt::{Display, Write};

use campanile::amdgpu::{
    CallAbi, FunctionAbi, HiddenInput, InputAbi, KernelAbi, ModuleAbi, Place, RegisterRange,
};
use campanile::contract::show::Side::{Left, Right};
use campanile::contract::show::{Columns, printable};

/// The width that lists of registers are broken at, in characters.
const WIDTH: usize = 100;

/// Functions first, then kernels, then what is the same for all.
pub(super) fn text(abi: &ModuleAbi) -> String {
    let ModuleAbi { target, llvm, code_object, wave_lanes, .. } = abi;
    let mut text =
        format!("{target}: LLVM {llvm}, code object version {code_object}, waves of {wave_lanes} lanes\n");
    text.extend(abi.functions.iter().map(function));
    text.extend(abi.kernels.iter().map(kernel));
    text + &registers(abi)
}

fn function(function: &FunctionAbi) -> String {
    let imported = if function.imported { ", imported" } else { "" };
    let stack = match function.stack_bytes {
        0 => "no arguments on the stack".to_owned(),
        bytes => format!("{bytes} bytes of arguments on the stack"),
    };
    let mut text = format!("\nfunction {}: {stack}{imported}\n", printable(&function.name));
    let mut table = Columns::new(
        "arguments and result",
        &[("name", Left), ("type", Left), ("bytes", Right), ("where", Left), ("x86-64", Left)],
    );
    for argument in &function.args {
        let place: Place = argument.slots.iter().copied().collect();
        let bytes = argument.bytes.to_string();
        let x86_64 = joined(&argument.x86_64, " ");
        table.row([argument.name.clone(), argument.ty.clone(), bytes, place.to_string(), x86_64]);
    }
    if let Some(ty) = &function.result {
        let place: Place = function.returns.iter().copied().collect();
        let place =
            function.returns_through.map_or(place.to_string(), |pointer| format!("memory at {pointer}"));
        let x86_64 = joined(&function.returns_x86_64, " ");
        table.row(["(result)".to_owned(), ty.clone(), function.result_bytes.to_string(), place, x86_64]);
    }
    text += &table.text();
    text += &inputs("hidden inputs", &function.implicit);
    text += &calls(&function.calls, true);
    text
}

fn kernel(kernel: &KernelAbi) -> String {
    let KernelAbi { kernarg_size, kernarg_align, .. } = kernel;
    let name = printable(&kernel.name);
    let mut text =
        format!("\nkernel {name}: kernarg segment of {kernarg_size} bytes aligned to {kernarg_align}\n");
    let mut table = Columns::new(
        "arguments",
        &[("offset", Right), ("size", Right), ("align", Right), ("name", Left), ("kind", Left)],
    );
    for argument in &kernel.args {
        let numbers = [argument.offset, argument.size, argument.align].map(|number| number.to_string());
        table.row(numbers.into_iter().chain([argument.name.clone(), argument.kind.name().to_owned()]));
    }
    text += &table.text();
    let mut table = Columns::new("hidden arguments", &[("offset", Right), ("size", Right), ("name", Left)]);
    for argument in &kernel.hidden {
        table.row([argument.offset.to_string(), argument.size.to_string(), argument.name.to_owned()]);
    }
    text += &table.text();
    text += &inputs("in registers at the start", &kernel.registers);
    text += &calls(&kernel.calls, false);
    text
}

fn inputs(title: &'static str, inputs: &[InputAbi]) -> String {
    let mut table = Columns::new(title, &[("where", Left), ("what", Left)]);
    for sharing in inputs.chunk_by(|one, next| one.slots == next.slots) {
        let place: Place = sharing[0].slots.iter().copied().collect();
        let names: Vec<&str> = sharing.iter().map(|input| input.name).collect();
        table.row([place.to_string(), names.join(" ")]);
    }
    table.text()
}

/// What survives the calls, and who makes room for it.
fn calls(calls: &[CallAbi], has_caller: bool) -> String {
    let mut table = Columns::new(
        "calls",
        &[
            ("line", Right),
            ("callee", Left),
            ("slots", Right),
            ("in registers", Right),
            ("bytes in memory", Right),
            ("predicates", Right),
            ("must survive", Left),
        ],
    );
    for call in calls {
        table.row([
            call.line.to_string(),
            call.callee.clone(),
            call.slots.to_string(),
            call.saved_registers.to_string(),
            call.memory_bytes.to_string(),
            call.predicates.to_string(),
            survivors(call),
        ]);
    }
    let mut text = table.text();
    if let Some(most) = calls.iter().map(|call| call.saved_registers).max() {
        let who = match (has_caller, most) {
            (true, 0) => "it saves its return address, s30-s31".to_owned(),
            (true, _) => format!(
                "it saves its return address, s30-s31, and first {most} of its caller's vector registers, which then \
                 hold what must survive"
            ),
            (false, _) => {
                "it has no caller to save registers for, and takes callee-saved ones freely".to_owned()
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {who}");
    }
    text
}

/// The registers of the module, then the hidden inputs in brackets.
fn survivors(call: &CallAbi) -> String {
    let mut words = call.must_spill.clone();
    match call.implicit.len() {
        0 => {}
        count if count == HiddenInput::ALL.len() => words.push("(all hidden inputs)".to_owned()),
        _ => words.push(format!("({})", call.implicit.join(" "))),
    }
    words.join(" ")
}

/// What holds for every function.
fn registers(abi: &ModuleAbi) -> String {
    let fixed = &abi.fixed;
    let unit = if fixed.stack_counts_one_lane { "bytes of one lane" } else { "bytes of all lanes together" };
    let mut text = "\nregisters of every function\n".to_owned();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<18}{value}");
    };
    line("return address", fixed.return_address.to_string());
    line("stack pointer", format!("{}, counts {unit}", fixed.stack_pointer));
    line("frame pointer", fixed.frame_pointer.to_string());
    line("base pointer", fixed.base_pointer.to_string());
    if let Some(descriptor) = fixed.scratch_descriptor {
        line("scratch memory", format!("{descriptor}, a descriptor of it"));
    }
    for (name, ranges) in [("callee-saved", &abi.callee_saved), ("clobbered", &abi.clobbered)] {
        for (index, part) in broken(ranges).into_iter().enumerate() {
            line(if index == 0 { name } else { "" }, part);
        }
    }
    text
}

/// Ranges in lines, each file of registers on lines of its own.
fn broken(ranges: &[RegisterRange]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut file = None;
    for range in ranges {
        let shown = range.to_string();
        match lines.last_mut() {
            Some(line) if file == Some(range.file) && line.len() + shown.len() < WIDTH - 20 => {
                *line += " ";
                *line += &shown;
            }
            _ => lines.push(shown),
        }
        file = Some(range.file);
    }
    lines
}

fn joined<T: Display>(items: &[T], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}
