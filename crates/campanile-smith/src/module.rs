//! The module: variables, functions that can call those behind them, and the kernel.

use crate::calls::Callee;
use crate::choices::Choices;
use crate::launch::Shape;
use crate::region::Region;
use crate::variables::Variables;
use crate::{Options, Sample, function, kernel};

/// Name of the kernel.
pub(crate) const KERNEL: &str = "@main";

/// A constant variable with addresses of functions that are called alike.
pub(crate) struct Table {
    /// Its name, with `@`.
    pub name: String,
    /// The functions.
    pub members: Vec<String>,
}

/// What is known of the module before its bodies are written.
pub(crate) struct Plan {
    pub options: Options,
    pub shape: Shape,
    /// What can be read everywhere.
    pub regions: Vec<Region>,
    /// A variable with a part for each work-item.
    pub per_item: Option<String>,
    /// The functions. Bodies are written from the last on, as only these costs are known.
    pub functions: Vec<Callee>,
    pub tables: Vec<Table>,
    /// A function that is a barrier.
    pub barrier: Option<String>,
}

/// Writes a sample.
pub(crate) fn write(choices: &mut Choices<'_>, options: Options) -> Sample {
    let shape = Shape::choose(choices);
    let mut functions = Vec::new();
    for index in 0..choices.below(5) {
        functions.push(function::plan(choices, index, &functions));
    }
    let Variables { lines, regions, per_item, tables } = Variables::choose(choices, &shape, &functions);
    let barrier = choices.chance(30).then(|| "@meet".to_owned());
    let mut plan = Plan { options, shape, regions, per_item, functions, tables, barrier };
    let mut parts = vec![header(choices)];
    if !lines.is_empty() {
        parts.push(lines.join("\n") + "\n");
    }
    if let Some(name) = &plan.barrier {
        parts.push(format!(
            ".function void {name}() {{\n  fence.workgroup;\n  barrier.workgroup;\n  fence.workgroup;\n}}\n"
        ));
    }
    let mut bodies = Vec::new();
    for index in (0..plan.functions.len()).rev() {
        let (text, cost) = function::write(choices, &plan, index);
        plan.functions[index].cost = cost;
        bodies.push(text);
    }
    let kernel = kernel::write(choices, &plan);
    match choices.chance(50) {
        true => bodies.push(kernel.text),
        false => bodies.insert(0, kernel.text),
    }
    parts.extend(bodies);
    Sample {
        text: parts.join("\n"),
        kernel: KERNEL[1..].to_owned(),
        shape,
        arguments: kernel.parameters.arguments,
        buffers: kernel.parameters.buffers,
        printf_buffer: kernel.printf_buffer,
    }
}

fn header(choices: &mut Choices<'_>) -> String {
    let version = choices.one_of(&["0.1", "0.1", "1.0"]);
    let target = choices.one_of(&["100", "100", "100c", "100ca"]);
    format!(".version {version};\n.target {target};\n")
}
