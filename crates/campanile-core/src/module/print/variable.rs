//! Memory variables and their initial contents.

use std::fmt::Write;

use super::names::{quoted, quoted_name};
use crate::format::Lines;
use crate::module::{Initializer, InitializerItem, Linkage, Module, VariableId};

/// Prints the declaration of a variable under this name.
pub(super) fn print_variable(
    module: &Module,
    variable: VariableId,
    name: &str,
    depth: usize,
    lines: &mut Lines,
) {
    let variable = &module.variables[variable];
    lines.begin(depth);
    lines.push(linkage(variable.linkage));
    lines.push(format_args!(".{}", variable.space));
    if variable.alignment > 1 {
        lines.push(format_args!(" .align {}", variable.alignment));
    }
    if let Some(section) = &variable.section {
        lines.push(format_args!(" .section({})", quoted(section)));
    }
    if let Some(host_name) = &variable.host_access {
        lines.push(format_args!(" .host_access({})", quoted(host_name)));
    }
    lines.push(format_args!(" @{}[{}]", quoted_name(name), variable.size));
    if let Some(initializer) = &variable.initializer {
        print_initializer(module, initializer, depth, lines);
    } else {
        lines.push(';');
    }
    lines.end();
}

/// The word before a declaration with its space: `.export `, `.import ` or nothing.
pub(super) fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Internal => "",
        Linkage::Exported => ".export ",
        Linkage::Imported => ".import ",
    }
}

fn print_initializer(module: &Module, initializer: &Initializer, depth: usize, lines: &mut Lines) {
    let items = || initializer.items.iter().map(|item| item_text(module, *item));
    if lines.push_list_if_it_fits(" = { ", items(), " };") {
        return;
    }
    lines.push(" = {");
    lines.end();
    let last = initializer.items.len() - 1;
    for (index, mut item) in items().enumerate() {
        if index < last {
            item.push(',');
        }
        if index == 0 {
            lines.begin(depth + 1);
            lines.push(item);
        } else {
            lines.push_item(&item, depth + 1);
        }
    }
    lines.end();
    lines.begin(depth);
    lines.push("};");
}

fn item_text(module: &Module, item: InitializerItem) -> String {
    let symbol = |name: &str, offset: i64| {
        let mut text = format!(".64b @{}", quoted_name(name));
        if offset != 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, "{offset:+}");
        }
        text
    };
    match item {
        InitializerItem::Value { bytes: 1, value } => format!(".8b {value}"),
        InitializerItem::Value { bytes, value } => {
            let bits = u32::from(bytes) * 8;
            let unused = 64 - bits;
            format!(".{bits}b {}", ((value << unused) as i64) >> unused)
        }
        InitializerItem::Zero(bytes) => format!(".zero {bytes}"),
        InitializerItem::Variable { variable, offset } => symbol(&module.variables[variable].name, offset),
        InitializerItem::Function { function, offset } => symbol(&module.functions[function].name, offset),
    }
}
