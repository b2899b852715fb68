//! A layout as people read it: plain text in aligned columns.

mod columns;

use serde::Serialize;

use columns::Side::{Left, Right};
pub use columns::{Columns, Side, printable};

use crate::layout::{Access, Buffer, KernelLayout, Launches, Origin, Resources, ScalarPassing};
use crate::record::Field;

/// A line on the kernel as a whole, then a table for each sort of entries that there are.
///
/// Words are those of the saved form. Parameters count from zero, offsets and sizes are in bytes.
pub fn table(layout: &KernelLayout) -> String {
    let mut text = head(layout);
    for table in [buffers(layout), scalars(layout), workspaces(layout), shared(layout), records(layout)] {
        text += &table.text();
    }
    text += &globals(layout).text();
    let facts: Vec<String> = [
        list("device functions", &layout.device_functions),
        list("implicit inputs", &layout.implicit),
        resources(layout),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !facts.is_empty() {
        text += &format!("\n{}\n", facts.join("\n"));
    }
    text
}

fn head(layout: &KernelLayout) -> String {
    let mut facts = vec![if layout.packed { "packed" } else { "not packed" }.to_owned()];
    facts.push(match layout.scalar_passing {
        ScalarPassing::Separate => "separate scalars".to_owned(),
        ScalarPassing::Block => "scalars in a block".to_owned(),
    });
    facts.push(format!("{} extents", layout.index.number().as_str()));
    facts.push(format!("{} bytes of arguments aligned to {}", layout.kernarg.size, layout.kernarg.align));
    facts.push(match layout.launches {
        Launches::Open => "any launch".to_owned(),
        Launches::Closed { count: 1 } => "1 launch".to_owned(),
        Launches::Closed { count } => format!("{count} launches"),
    });
    facts.push(layout.lanes.map_or("no lanes".to_owned(), |lanes| format!("lanes {lanes}")));
    if layout.origin == Origin::Module {
        facts.push("found in the module".to_owned());
    }
    format!("kernel {}: {}\n", printable(&layout.kernel), facts.join(", "))
}

fn buffers(layout: &KernelLayout) -> Columns {
    let mut table = Columns::new(
        "buffers",
        &[
            ("param", Right),
            ("offset", Right),
            ("name", Left),
            ("kind", Left),
            ("type", Left),
            ("access", Left),
            ("written", Left),
            ("noalias", Left),
            ("space", Left),
            ("align", Right),
            ("initial", Left),
        ],
    );
    for buffer in &layout.buffers {
        table.row([
            buffer.param.to_string(),
            buffer.offset.to_string(),
            name(buffer),
            word(&buffer.kind),
            buffer.ty.to_string(),
            access(layout, buffer.access, buffer.atomic),
            yes(buffer.written),
            yes(buffer.noalias),
            word(&buffer.address_space),
            buffer.ptr_align.to_string(),
            word(&buffer.initial),
        ]);
    }
    table
}

/// What is done, and whether atomically where a module shows it.
fn access(layout: &KernelLayout, access: Access, atomic: bool) -> String {
    let shown = atomic && access != Access::None && layout.module_digest.is_some();
    format!("{}{}", word(&access), if shown { ", atomic" } else { "" })
}

fn scalars(layout: &KernelLayout) -> Columns {
    let mut table = Columns::new(
        "scalars",
        &[
            ("param", Right),
            ("offset", Right),
            ("size", Right),
            ("name", Left),
            ("kind", Left),
            ("type", Left),
            ("dim", Right),
        ],
    );
    for scalar in &layout.scalars {
        table.row([
            scalar.param.to_string(),
            scalar.offset.to_string(),
            scalar.size.to_string(),
            scalar.variable.clone(),
            word(&scalar.kind),
            scalar.ty.to_string(),
            scalar.dimension.map_or(String::new(), |dimension| dimension.to_string()),
        ]);
    }
    table
}

fn workspaces(layout: &KernelLayout) -> Columns {
    let mut table = Columns::new(
        "workspaces",
        &[
            ("param", Right),
            ("offset", Right),
            ("name", Left),
            ("type", Left),
            ("size", Right),
            ("align", Right),
            ("extents", Left),
        ],
    );
    for workspace in &layout.workspaces {
        let extents: Vec<String> = workspace.dims.iter().map(|entry| entry.extent.to_string()).collect();
        table.row([
            workspace.param.to_string(),
            workspace.offset.to_string(),
            workspace.variable.clone(),
            workspace.element_type.to_string(),
            workspace.element_size.to_string(),
            workspace.ptr_align.to_string(),
            extents.join(", "),
        ]);
    }
    table
}

fn shared(layout: &KernelLayout) -> Columns {
    let mut table = Columns::new(
        "shared memory",
        &[
            ("param", Right),
            ("offset", Right),
            ("size", Right),
            ("name", Left),
            ("align", Right),
            ("bytes", Left),
        ],
    );
    for shared in &layout.shared {
        table.row([
            shared.param.to_string(),
            shared.offset.to_string(),
            shared.size.to_string(),
            shared.variable.clone(),
            shared.ptr_align.to_string(),
            shared.bytes.as_ref().map_or("as each launch says".to_owned(), ToString::to_string),
        ]);
    }
    table
}

fn records(layout: &KernelLayout) -> Columns {
    let heads = [("name", Left), ("size", Right), ("align", Right), ("fields", Left)];
    let mut table = Columns::new("records", &heads);
    for record in &layout.records {
        let fields: Vec<String> = record.fields.iter().map(field).collect();
        let (size, align) = (record.size.to_string(), record.alignment.to_string());
        table.row([record.name.clone(), size, align, fields.join(", ")]);
    }
    table
}

/// A field with its place, or its dimensions.
fn field(field: &Field) -> String {
    match field.offset {
        Some(offset) => format!("{} {} at {offset}", field.name, field.ty),
        None => format!("{} {} of rank {}", field.name, field.ty, field.rank),
    }
}

fn globals(layout: &KernelLayout) -> Columns {
    let mut table = Columns::new(
        "globals",
        &[
            ("symbol", Left),
            ("host access", Left),
            ("space", Left),
            ("size", Right),
            ("access", Left),
            ("written", Left),
        ],
    );
    for global in &layout.globals {
        table.row([
            global.symbol.clone(),
            global.host_access.clone().unwrap_or_default(),
            word(&global.address_space),
            global.size.to_string(),
            access(layout, global.access, global.atomic),
            yes(global.written),
        ]);
    }
    table
}

fn list(title: &str, names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| format!("{title}: {}", printable(&names.join(", "))))
}

/// What the kernel needs of the device, where a module has been looked at.
fn resources(layout: &KernelLayout) -> Option<String> {
    let resources = &layout.resources;
    if layout.module_digest.is_none() && *resources == Resources::default() {
        return None;
    }
    let mut facts = vec![
        format!("{} bytes of shared memory", resources.shared_bytes),
        format!("{} bytes of private memory", resources.private_bytes),
    ];
    if let Some([x, y, z]) = resources.required_group_size {
        facts.push(format!("groups of {x} x {y} x {z}"));
    }
    for (given, what) in [
        (resources.barriers, "barriers"),
        (resources.atomics, "atomics"),
        (resources.indirect_calls, "indirect calls"),
        (resources.wild_reads, "reads through unknown addresses"),
        (resources.wild_writes, "writes through unknown addresses"),
    ] {
        facts.extend(given.then(|| what.to_owned()));
    }
    Some(format!("resources: {}", facts.join(", ")))
}

/// An argument, or a component of it.
fn name(buffer: &Buffer) -> String {
    match &buffer.member {
        Some(member) => format!("{}.{member}", buffer.variable),
        None => buffer.variable.clone(),
    }
}

/// A choice as the saved form spells it.
pub(crate) fn word(choice: &impl Serialize) -> String {
    match serde_json::to_value(choice) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

fn yes(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}
