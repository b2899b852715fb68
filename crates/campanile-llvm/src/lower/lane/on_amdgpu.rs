//! Modules for AMD GPUs: all kernels, functions and variables, with the names and the layout that the HSA loader and other
//! code objects see.

use std::collections::BTreeSet;
use std::fmt::Write;

use campanile_core::analysis::access_facts;
use campanile_core::isa::Space;
use campanile_core::module::{
    FunctionId, FunctionKind, Initializer, InitializerItem, Kernel, Linkage, Module, Parameter, Variable,
    VariableId, keys,
};

use super::platform::{Amdgpu, Wave, pointer_type};
use super::{Definitions, Program, parameters, types};
use cranelift_entity::EntityRef;

use crate::lower::Target;

/// Least alignment of variables in memory of work-items and work-groups, so that accesses of all widths have whole words.
const LEAST_ALIGNMENT: u32 = 16;

/// What a module is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmdgpuOptions {
    /// Lanes of a wave: 32, or 64 with two sub-groups in each.
    pub wave: u32,
    /// Version of the code object: 5 or 6.
    pub code_object: u32,
    /// Parameters, by kernel and position, that point to memory of which no other parameter has a byte, where either is
    /// written.
    pub no_alias: BTreeSet<(String, u32)>,
    /// The triple, the data layout and what the processor has.
    pub target: Target,
}

/// A name as IR has it.
fn quoted(sigil: char, name: &str) -> String {
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._$-".contains(letter));
    let first = name.chars().next().is_some_and(|letter| !letter.is_ascii_digit());
    if plain && first { format!("{sigil}{name}") } else { format!("{sigil}{}", text(name)) }
}

/// Text as IR has it, in quotes.
fn text(text: &str) -> String {
    let mut escaped = "\"".to_owned();
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | 0..=31 | 127..=255 => {
                let _ = write!(escaped, "\\{byte:02X}");
            }
            _ => escaped.push(byte.into()),
        }
    }
    escaped + "\""
}

/// The name of a function in the text.
pub(super) fn function_name(module: &Module, function: FunctionId) -> String {
    quoted('@', &module.functions[function].name)
}

/// The name of a private variable, as no value is called. Several of a function may be called alike, in scopes of their own.
pub(super) fn local_name(module: &Module, variable: VariableId) -> String {
    quoted('%', &format!("@{}.{}", module.variables[variable].name, variable.index()))
}

/// The name of a variable that is no private one. Local variables have that of their function before their own.
pub(super) fn variable_name(module: &Module, variable: VariableId) -> String {
    let Variable { name, owner, .. } = &module.variables[variable];
    match owner {
        Some(owner) => {
            let function = &module.functions[*owner].name;
            quoted('@', &format!("{function}.{name}.{}", variable.index()))
        }
        None => quoted('@', name),
    }
}

/// Lowers a module.
pub fn lower_for_amdgpu(module: &Module, options: &AmdgpuOptions) -> String {
    let wave = if options.wave == 64 { Wave::Of64 } else { Wave::Of32 };
    let platform = Amdgpu { wave };
    let program = Program { module, target: &options.target, platform: &platform };
    let mut definitions = Definitions::default();
    let mut metadata = String::new();
    for variable in keys(&module.variables) {
        definitions.text.push_str(&variable_definition(module, variable));
    }
    definitions.text.push('\n');
    for id in keys(&module.functions) {
        let function = &module.functions[id];
        let name = function_name(module, id);
        match &function.kind {
            FunctionKind::Kernel(kernel) => {
                let facts = access_facts(module, id);
                let said = |position: usize| Said {
                    alone: options.no_alias.contains(&(function.name.clone(), position as u32)),
                    read_only: !facts.may_write(position),
                };
                let said: Vec<Said> = (0..kernel.parameters.len()).map(said).collect();
                let head = kernel_head(&name, kernel, &said, &mut metadata);
                definitions.define(&program, id, &head, &[]);
            }
            FunctionKind::Device { linkage, .. } => {
                let (result, types) = types(module, id);
                if function.body.is_none() {
                    let declaration = format!("declare {result} {name}({})", types.join(", "));
                    definitions.declarations.insert(declaration);
                    continue;
                }
                let linkage = visibility(*linkage);
                let parameters = parameters(&types).join(", ");
                let head = format!("define {linkage}{result} {name}({parameters}) convergent nounwind");
                definitions.define(&program, id, &head, &[]);
            }
        }
    }
    let version = options.code_object * 100;
    let flags = format!(
        "\n!llvm.module.flags = !{{!2}}\n!2 = !{{i32 1, !\"amdhsa_code_object_version\", i32 {version}}}\n"
    );
    definitions.finish(&options.target) + &flags + &metadata
}

/// Who sees a symbol.
fn visibility(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Internal => "internal ",
        // Nothing takes its place, so that it is reached without a table.
        Linkage::Exported => "protected ",
        Linkage::Imported => "external ",
    }
}

/// What is known of the memory behind a pointer.
#[derive(Clone, Copy)]
struct Said {
    /// No other parameter points to a byte of it, where either is written.
    alone: bool,
    /// Nobody writes it.
    read_only: bool,
}

/// Metadata of a kernel, with a number of its own.
fn attach(metadata: &mut String, kind: &str, contents: &str) -> String {
    let number = 10 + metadata.lines().count();
    let _ = writeln!(metadata, "!{number} = !{{{contents}}}");
    format!(" !{kind} !{number}")
}

/// What stands before the body of a kernel.
fn kernel_head(name: &str, kernel: &Kernel, said: &[Said], metadata: &mut String) -> String {
    let parameters = kernel.parameters.iter().zip(said).enumerate();
    let parameters: Vec<String> = parameters
        .map(|(position, (parameter, said))| {
            format!("{} %parameter.{position}", kernel_parameter(parameter, *said))
        })
        .collect();
    let names: Vec<String> = kernel.parameters.iter().map(|one| format!("!{}", text(&one.name))).collect();
    let mut sizes = "1,1024".to_owned();
    let qualifiers = kernel.parameters.iter().zip(said).map(|(parameter, said)| {
        let words = [("const", said.read_only), ("restrict", said.alone)];
        let words = words.into_iter().filter(|(_, holds)| *holds && is_buffer(parameter));
        format!("!{}", text(&words.map(|(word, _)| word).collect::<Vec<_>>().join(" ")))
    });
    let qualifiers = qualifiers.collect::<Vec<_>>().join(", ");
    let mut attached = attach(metadata, "kernel_arg_name", &names.join(", "));
    attached += &attach(metadata, "kernel_arg_type_qual", &qualifiers);
    if let Some([x, y, z]) = kernel.required_work_group_size {
        attached += &attach(metadata, "reqd_work_group_size", &format!("i32 {x}, i32 {y}, i32 {z}"));
        let items = x * y * z;
        sizes = format!("{items},{items}");
    }
    format!(
        "define protected amdgpu_kernel void {name}({}) convergent nounwind \
         \"amdgpu-flat-work-group-size\"=\"{sizes}\" \"uniform-work-group-size\"=\"false\"{attached}",
        parameters.join(", ")
    )
}

/// Whether a parameter is a pointer to memory of the device, as loaders see it.
fn is_buffer(parameter: &Parameter) -> bool {
    let space = parameter.space.filter(|space| matches!(space, Space::Global | Space::Const));
    space.is_some_and(|space| is_pointer(parameter, space))
}

/// Whether a parameter into a space lies where pointers lie.
fn is_pointer(parameter: &Parameter, space: Space) -> bool {
    parameter.size == space.address_bits() / 8 && parameter.alignment == parameter.size
}

/// A kernel's parameter: it has the place in the segment that PISA gives it. A pointer whose kind the loader should know is one;
/// everything else is bytes. The code reads all of them from the segment.
///
/// Of what the kernel writes, nothing is said: other work-items write it too, which LLVM would take for impossible.
fn kernel_parameter(parameter: &Parameter, said: Said) -> String {
    let Parameter { size, alignment, space, pointee_alignment, .. } = parameter;
    if let Some(space @ (Space::Global | Space::Const | Space::Shared)) = *space
        && is_pointer(parameter, space)
    {
        let aligned = pointee_alignment.map_or_else(String::new, |bytes| format!(" align {bytes}"));
        let alone = said.alone && said.read_only && is_buffer(parameter);
        let alone = if alone { " noalias readonly" } else { "" };
        return format!("{}{alone}{aligned}", pointer_type(space));
    }
    format!("ptr addrspace(4) byref([{size} x i8]) align({alignment})")
}

/// The definition of a variable that is not private.
fn variable_definition(module: &Module, id: VariableId) -> String {
    let variable = &module.variables[id];
    let (name, size) = (variable_name(module, id), variable.size);
    let least = if variable.space == Space::Shared { LEAST_ALIGNMENT } else { 1 };
    let alignment = variable.alignment.max(least);
    let section = variable.section.as_ref();
    let section = section.map_or_else(String::new, |section| format!(", section {}", text(section)));
    let space = super::platform::space_number(variable.space);
    let definition = match variable.space {
        Space::Private | Space::Generic => return String::new(),
        Space::Shared => format!("internal addrspace({space}) global [{size} x i8] poison"),
        Space::Global | Space::Const => {
            let kind = if variable.space == Space::Const { "constant" } else { "global" };
            let linkage = visibility(variable.linkage);
            let contents = match (&variable.initializer, variable.linkage) {
                (_, Linkage::Imported) => format!("[{size} x i8]"),
                (None, _) => format!("[{size} x i8] zeroinitializer"),
                (Some(initializer), _) => contents(module, initializer, size),
            };
            format!("{linkage}addrspace({space}) {kind} {contents}")
        }
    };
    let alias = match &variable.host_access {
        Some(host) if *host != variable.name && variable.linkage != Linkage::Imported => {
            format!("{} = protected alias [{size} x i8], ptr addrspace({space}) {name}\n", quoted('@', host))
        }
        _ => String::new(),
    };
    format!("{name} = {definition}{section}, align {alignment}\n{alias}")
}

/// Initial contents, with zeros up to so many bytes.
fn contents(module: &Module, initializer: &Initializer, size: u64) -> String {
    let padding = size - initializer.size().min(size);
    let zeros = |bytes: u64| (format!("[{bytes} x i8]"), "zeroinitializer".to_owned());
    let moved = |address: String, offset: i64| match offset {
        0 => address,
        _ => format!("add (i64 {address}, i64 {offset})"),
    };
    let mut items: Vec<(String, String)> = initializer
        .items
        .iter()
        .map(|item| match *item {
            InitializerItem::Value { bytes, value } => {
                (format!("i{}", u32::from(bytes) * 8), value.to_string())
            }
            InitializerItem::Zero(bytes) => zeros(bytes),
            InitializerItem::Variable { variable, offset } => {
                let ty = pointer_type(module.variables[variable].space);
                let address = format!("ptrtoint ({ty} {} to i64)", variable_name(module, variable));
                ("i64".to_owned(), moved(address, offset))
            }
            InitializerItem::Function { function, offset } => {
                let address = format!("ptrtoint (ptr {} to i64)", function_name(module, function));
                ("i64".to_owned(), moved(address, offset))
            }
        })
        .collect();
    items.extend((padding > 0).then(|| zeros(padding)));
    let types: Vec<&str> = items.iter().map(|(ty, _)| ty.as_str()).collect();
    let values: Vec<String> = items.iter().map(|(ty, value)| format!("{ty} {value}")).collect();
    format!("<{{ {} }}> <{{ {} }}>", types.join(", "), values.join(", "))
}
