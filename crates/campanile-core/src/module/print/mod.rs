//! Canonical text of a module.
//!
//! The parts stand in LLVM's order: header, imported functions, variables, then kernels and functions. A body has
//! one scope with all declarations at its top, so that registers which shadowed others get names of their own.

mod body;
mod names;
mod registers;
mod variable;

use body::BodyPrinter;
pub use names::quoted_name;
use variable::{linkage, print_variable};

use super::{Function, FunctionKind, Kernel, Module, Parameter, RegisterType, Signature};
use crate::format::Lines;

/// The text of a module. Verified again, it gives the same module, and printed again the same text.
pub fn print(module: &Module) -> String {
    let mut lines = Lines::default();
    lines.line(0, format_args!(".version {}.{};", module.version.major, module.version.minor));
    lines.line(0, format_args!(".target {};", module.target.as_str()));
    let (imports, defined): (Vec<&Function>, Vec<&Function>) =
        module.functions.values().partition(|function| function.body.is_none());
    lines.blank();
    for function in imports {
        print_declaration(function, &mut lines);
    }
    lines.blank();
    for (id, variable) in &module.variables {
        if variable.owner.is_none() {
            print_variable(module, id, &variable.name, 0, &mut lines);
        }
    }
    for function in defined {
        lines.blank();
        print_definition(module, function, &mut lines);
    }
    lines.finish()
}

/// A function without body, its parameters without names.
fn print_declaration(function: &Function, lines: &mut Lines) {
    let FunctionKind::Device { linkage: linked, signature } = &function.kind else { return };
    let parameters: Vec<String> = signature.parameters.iter().map(|ty| format!(".reg {ty}")).collect();
    lines.begin(0);
    lines.push(linkage(*linked));
    print_function_head(function, signature, lines);
    print_parameters(&parameters, ");", lines);
    lines.end();
}

fn print_definition(module: &Module, function: &Function, lines: &mut Lines) {
    let Some(body) = &function.body else { return };
    let mut printer = BodyPrinter::new(module, function, body);
    lines.begin(0);
    match &function.kind {
        FunctionKind::Kernel(kernel) => {
            print_kernel_head(function, kernel, lines);
            let parameters: Vec<String> = kernel.parameters.iter().map(parameter_text).collect();
            print_parameters(&parameters, ") {", lines);
        }
        FunctionKind::Device { linkage: linked, signature } => {
            lines.push(linkage(*linked));
            print_function_head(function, signature, lines);
            let registers = body.registers.iter().take(signature.parameters.len());
            let parameters = registers.map(|(id, register)| {
                let name = printer.registers().get(id);
                format!(".reg {} %{name}", register.ty)
            });
            print_parameters(&parameters.collect::<Vec<_>>(), ") {", lines);
        }
    }
    lines.end();
    printer.print(lines);
    lines.line(0, '}');
}

fn print_kernel_head(function: &Function, kernel: &Kernel, lines: &mut Lines) {
    lines.push(".kernel");
    if let Some([x, y, z]) = kernel.required_work_group_size {
        lines.push(format_args!(" .reqd_work_group_size({x}, {y}, {z})"));
    }
    if let Some(hint) = &kernel.vector_type_hint {
        lines.push(format_args!(" .vec_type_hint({hint})"));
    }
    lines.push(format_args!(" @{}", quoted_name(&function.name)));
}

fn print_function_head(function: &Function, signature: &Signature, lines: &mut Lines) {
    let result = signature.result.as_ref().map_or("void".to_owned(), RegisterType::to_string);
    lines.push(format_args!(".function {result} @{}", quoted_name(&function.name)));
}

fn parameter_text(parameter: &Parameter) -> String {
    let mut text = format!(".param[{}]", parameter.size);
    if parameter.alignment != 8 {
        text += &format!(" .align({})", parameter.alignment);
    }
    if let Some(space) = parameter.space {
        text += &format!(" .addrspace({space})");
    }
    if let Some(alignment) = parameter.pointee_alignment {
        text += &format!(" .ptr_align({alignment})");
    }
    text + " %" + &parameter.name
}

/// The parameters in parentheses, one a line when they are too many for the line; `close` is what follows the last.
fn print_parameters(parameters: &[String], close: &str, lines: &mut Lines) {
    if lines.push_list_if_it_fits("(", parameters.iter(), close) {
        return;
    }
    let last = parameters.len().saturating_sub(1);
    lines.push('(');
    lines.end();
    for (index, parameter) in parameters.iter().enumerate() {
        let comma = if index < last { "," } else { "" };
        lines.line(1, format_args!("{parameter}{comma}"));
    }
    lines.begin(0);
    lines.push(close);
}
