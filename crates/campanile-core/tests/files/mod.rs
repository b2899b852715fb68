//! The modules of the repository, and modules as plain words that can be compared.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use campanile_core::diagnostic::Sink;
use campanile_core::module::{
    Address, Base, Body, Function, FunctionKind, InitializerItem, Module, Offset, Operand, RegisterId,
    Scalar, VariableId,
};
use campanile_core::source::SourceFile;

/// Every `.pisa` file of the test cases and examples.
pub fn all() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open = vec![root.join("tests/cases"), root.join("examples")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the repository") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "pisa") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 200, "only {} files", found.len());
    found
}

/// A text as a source file.
pub fn source(name: &str, text: &str) -> Arc<SourceFile> {
    Arc::new(SourceFile::new(name, text).expect("short"))
}

/// A text that must be a module.
pub fn module(name: &str, text: &str) -> Module {
    let mut sink = Sink::new();
    let module = campanile_core::load(&source(name, text), &mut sink);
    let faults = sink.into_sorted();
    module.unwrap_or_else(|| panic!("{name} is no module: {faults:#?}\n{text}"))
}

/// The modules among the files, with their paths.
pub fn all_modules() -> impl Iterator<Item = (PathBuf, Module)> {
    all().into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(&path).ok()?;
        let module = campanile_core::load(&source("file", &text), &mut Sink::new())?;
        Some((path, module))
    })
}

/// What a module says, whatever its registers are called and in which order its symbols are numbered: a list of
/// words for each symbol.
pub fn meaning(module: &Module) -> BTreeMap<String, Vec<String>> {
    let mut meanings = BTreeMap::new();
    let header = format!("{:?} {:?}", module.version, module.target);
    meanings.insert("header".to_owned(), vec![header]);
    for (id, variable) in &module.variables {
        if variable.owner.is_none() {
            let words = vec![variable_words(module, id)];
            assert!(meanings.insert(format!("@{}", variable.name), words).is_none(), "@{}", variable.name);
        }
    }
    for function in module.functions.values() {
        let words = function_words(module, function);
        assert!(meanings.insert(format!("@{}", function.name), words).is_none(), "@{}", function.name);
    }
    meanings
}

fn variable_words(module: &Module, id: VariableId) -> String {
    let one = &module.variables[id];
    let mut words = format!(
        "{:?} {} {} {} {:?} {:?}",
        one.linkage, one.space, one.alignment, one.size, one.section, one.host_access
    );
    for item in one.initializer.iter().flat_map(|initializer| &initializer.items) {
        let item = match *item {
            InitializerItem::Variable { variable, offset } => {
                format!(" @{}{offset:+}", module.variables[variable].name)
            }
            InitializerItem::Function { function, offset } => {
                format!(" @{}{offset:+}", module.functions[function].name)
            }
            other => format!(" {other:?}"),
        };
        words += &item;
    }
    words
}

fn function_words(module: &Module, function: &Function) -> Vec<String> {
    let mut words = vec![match &function.kind {
        FunctionKind::Kernel(kernel) => {
            let mut text = format!("{:?} {:?}", kernel.required_work_group_size, kernel.vector_type_hint);
            for one in &kernel.parameters {
                let (size, alignment, offset) = (one.size, one.alignment, one.offset);
                let _ = write!(text, " {} {size} {alignment} {offset}", one.name);
                let _ = write!(text, " {:?} {:?}", one.space, one.pointee_alignment);
            }
            text
        }
        FunctionKind::Device { linkage, signature } => format!("{linkage:?} {signature}"),
    }];
    if let Some(body) = &function.body {
        words.extend(body.variables.iter().map(|local| variable_words(module, *local)));
        let mut used = Vec::new();
        for (id, block) in &body.blocks {
            words.push(format!("{id} {:?}", block.labels));
            for instruction in body.block_instructions(id) {
                let operands = body.operands(instruction).iter();
                let operands = operands.map(|operand| operand_words(module, body, &mut used, *operand));
                words.push(format!("{} {}", instruction.op, operands.collect::<Vec<_>>().join(" ")));
            }
        }
    }
    words
}

/// A register by its place in the order of use, and its type.
fn register(body: &Body, used: &mut Vec<RegisterId>, id: RegisterId) -> String {
    let index = used.iter().position(|one| *one == id).unwrap_or_else(|| {
        used.push(id);
        used.len() - 1
    });
    format!("r{index}{}", body.registers[id].ty)
}

fn operand_words(module: &Module, body: &Body, used: &mut Vec<RegisterId>, operand: Operand) -> String {
    let variable = |id: VariableId| match body.variables.iter().position(|local| *local == id) {
        Some(local) => format!("local{local}"),
        None => format!("@{}", module.variables[id].name),
    };
    let mut scalar = |scalar: Scalar| match scalar {
        Scalar::Register(id) => register(body, used, id),
        Scalar::Element(id, element) => format!("{}[{element}]", register(body, used, id)),
        special @ Scalar::Special(..) => format!("{special:?}"),
    };
    match operand {
        Operand::Scalar(one) => scalar(one),
        Operand::Vector(id) => register(body, used, id),
        Operand::Swizzle(id, swizzle) => format!("{}[{}]", register(body, used, id), swizzle.as_str()),
        Operand::Predicate { register: id, negated } => format!("{negated} {}", register(body, used, id)),
        Operand::Variable(id) => variable(id),
        Operand::Function(id) => format!("@{}", module.functions[id].name),
        Operand::Address(Address { base, offset }) => {
            let base = match base {
                Base::Scalar(one) => scalar(one),
                Base::Variable(id) => variable(id),
                parameter @ Base::Parameter(_) => format!("{parameter:?}"),
            };
            match offset {
                Offset::Scalar(one) => format!("[{base} {}]", scalar(one)),
                Offset::Immediate(number) => format!("[{base} {number}]"),
            }
        }
        other @ (Operand::Immediate(_)
        | Operand::UnsignedImmediate(_)
        | Operand::Block(_)
        | Operand::Void) => format!("{other:?}"),
    }
}
