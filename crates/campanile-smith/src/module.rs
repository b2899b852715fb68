//! The module: variables, functions that can call those behind them, and the kernel.

use crate::calls::Callee;
use crate::choices::Choices;
use crate::launch::Shape;
use crate::region::Region;
use crate::variables::{Variable, Variables};
use crate::{Options, Sample, function, kernel};

/// Name of the kernel.
pub(crate) const KERNEL: &str = "@main";

/// Head of the parts of a module.
const HEADER: &str = ".version 0.1;\n.target 100;\n";
/// Body of the function that is a barrier.
const MEETING: &str = "  fence.workgroup;\n  barrier.workgroup;\n  fence.workgroup;\n";

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
    let Variables { all: variables, regions, per_item, tables } =
        Variables::choose(choices, &shape, &functions);
    let barrier = choices.chance(30).then(|| "@meet".to_owned());
    let mut plan = Plan { options, shape, regions, per_item, functions, tables, barrier };
    let mut functions: Vec<String> =
        plan.barrier.iter().map(|name| format!(".function void {name}() {{\n{MEETING}}}\n")).collect();
    for index in (0..plan.functions.len()).rev() {
        let (text, cost) = function::write(choices, &plan, index);
        plan.functions[index].cost = cost;
        functions.push(text);
    }
    let kernel = kernel::write(choices, &plan);
    Sample {
        text: whole(choices, &variables, &functions, &kernel.text),
        parts: [first_part(&plan, &variables, &kernel.text), second_part(&variables, &functions)],
        kernel: KERNEL[1..].to_owned(),
        shape,
        arguments: kernel.parameters.arguments,
        buffers: kernel.parameters.buffers,
        printf_buffer: kernel.printf_buffer,
    }
}

/// One module of all.
fn whole(choices: &mut Choices<'_>, variables: &[Variable], functions: &[String], kernel: &str) -> String {
    let version = choices.one_of(&["0.1", "0.1", "1.0"]);
    let target = choices.one_of(&["100", "100", "100c", "100ca"]);
    let mut parts = vec![format!(".version {version};\n.target {target};\n")];
    let linkage = |exported| if exported { ".export " } else { "" };
    parts.extend(variables.iter().map(|one| format!("{}{}\n", linkage(one.exported), one.definition)));
    if choices.chance(15) {
        parts.push(
            ".import .global .align 4 @elsewhere[12];\n.import .function void @nowhere();\n".to_owned(),
        );
    }
    let mut bodies: Vec<String> =
        functions.iter().map(|text| format!("{}{text}", linkage(choices.chance(30)))).collect();
    let place = choices.below(bodies.len() + 1);
    bodies.insert(place, kernel.to_owned());
    parts.extend(bodies);
    parts.join("\n")
}

/// The module with the variables and the kernel.
fn first_part(plan: &Plan, variables: &[Variable], kernel: &str) -> String {
    let mut parts = vec![HEADER.to_owned()];
    parts.extend(variables.iter().map(|one| format!(".export {}\n", one.definition)));
    parts.extend(plan.functions.iter().map(function::import));
    parts.extend(plan.barrier.iter().map(|name| format!(".import .function void {name}();\n")));
    parts.push(kernel.to_owned());
    parts.join("\n")
}

/// The module with the functions.
fn second_part(variables: &[Variable], functions: &[String]) -> String {
    let mut parts = vec![HEADER.to_owned()];
    parts.extend(variables.iter().map(|one| format!("{}\n", one.import)));
    parts.extend(functions.iter().map(|text| format!(".export {text}")));
    parts.join("\n")
}
