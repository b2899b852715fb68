//! Variables of the module: constants, tables, what is read only, what each work-item has its part of.

use std::fmt::Write as _;

use campanile_core::isa::Space;

use crate::calls::Callee;
use crate::choices::Choices;
use crate::immediate;
use crate::launch::Shape;
use crate::module::Table;
use crate::region::{Base, POINTEE, Region, Rights};

/// A variable of the module.
pub(crate) struct Variable {
    /// Its definition, without linkage.
    pub definition: String,
    /// Its declaration in a module that imports it.
    pub import: String,
    /// Whether other modules see it.
    pub exported: bool,
}

/// The variables of the module, and what they make available.
#[derive(Default)]
pub(crate) struct Variables {
    /// The variables.
    pub all: Vec<Variable>,
    /// What can be read everywhere.
    pub regions: Vec<Region>,
    /// A variable with a part for each work-item.
    pub per_item: Option<String>,
    /// Tables of functions.
    pub tables: Vec<Table>,
}

impl Variables {
    /// Chooses the variables of a module with these functions.
    pub fn choose(choices: &mut Choices<'_>, shape: &Shape, functions: &[Callee]) -> Self {
        let mut variables = Variables::default();
        for index in 0..choices.between(0, 3) {
            variables.add_initialized(choices, index);
        }
        if choices.chance(40) {
            variables.add_pointer(choices);
        }
        if choices.chance(40) {
            let declaration = format!(".global .align 16 @items[{}]", shape.slots() * POINTEE.0);
            variables.add(declaration.clone(), &declaration, "", false);
            variables.per_item = Some("@items".to_owned());
        }
        variables.add_table(choices, functions);
        variables
    }

    fn add(&mut self, declaration: String, import: &str, value: &str, exported: bool) {
        let definition = format!("{declaration}{value};");
        self.all.push(Variable { definition, import: format!(".import {import};"), exported });
    }

    /// A constant, or a global variable that is only read.
    fn add_initialized(&mut self, choices: &mut Choices<'_>, index: u32) {
        let size = *choices.one_of(&[64, 16, 4, 8, 32, 256]);
        let alignment = *choices.one_of(&[16, 16, 8, 4, 64]);
        let space = *choices.one_of(&[Space::Const, Space::Global]);
        let name = match choices.between(0, 9) {
            0 => format!("@\"data\\22{index}\""),
            _ => format!("@data{index}"),
        };
        let mut attributes = String::new();
        if choices.chance(20) {
            let _ = write!(attributes, ".section(\".data.{index}\") ");
        }
        if choices.chance(20) {
            let _ = write!(attributes, ".host_access(\"host{index}\") ");
        }
        let exported = choices.chance(20);
        let bytes = if choices.chance(80) { format!("[{size}]") } else { String::new() };
        let value = format!(" = {{ {} }}", initializer(choices, size));
        let import = format!(".{space} .align {alignment} {name}[{size}]");
        let declaration = format!(".{space} .align {alignment} {attributes}{name}{bytes}");
        self.add(declaration, &import, &value, exported);
        self.regions.push(Region::new(Base::Variable(name), space, size, alignment, Rights::Read));
    }

    /// A constant that points into a global variable.
    fn add_pointer(&mut self, choices: &mut Choices<'_>) {
        let global = self.regions.iter().find(|region| region.space == Space::Global && region.size >= 32);
        let Some(Region { base: Base::Variable(target), size, alignment, .. }) = global.cloned() else {
            return;
        };
        let half = size / 2;
        let (offset, size) =
            if choices.chance(50) { (format!(" + {half}"), half) } else { (String::new(), half) };
        let value = format!(" = {{ .64b {target}{offset} }}");
        self.add(".const .align 8 @pointer".to_owned(), ".const .align 8 @pointer[8]", &value, false);
        let base = Base::Stored("@pointer".to_owned());
        self.regions.push(Region::new(base, Space::Global, size, alignment.min(half), Rights::Read));
    }

    /// A table of functions that are called alike.
    fn add_table(&mut self, choices: &mut Choices<'_>, functions: &[Callee]) {
        if functions.is_empty() || !choices.chance(60) {
            return;
        }
        let first = choices.one_of(functions);
        let alike: Vec<&Callee> = functions.iter().filter(|other| other.is_like(first)).collect();
        let count = *choices.one_of(&[2, 4]);
        let members: Vec<String> = (0..count).map(|_| choices.one_of(&alike).name.clone()).collect();
        let items: Vec<String> = members.iter().map(|member| format!(".64b {member}")).collect();
        let declaration = format!(".const .align 8 @table[{}]", 8 * count);
        self.add(declaration.clone(), &declaration, &format!(" = {{ {} }}", items.join(", ")), false);
        self.tables.push(Table { name: "@table".to_owned(), members });
    }
}

/// Items of an initializer that fill so many bytes.
pub(crate) fn initializer(choices: &mut Choices<'_>, size: u32) -> String {
    let mut items: Vec<String> = Vec::new();
    let mut left = size;
    while left > 0 {
        if left > 8 && (items.len() > 20 || choices.chance(15)) {
            let zeros = if items.len() > 20 { left } else { choices.between(1, left / 2) };
            items.push(format!(".zero {zeros}"));
            left -= zeros;
            continue;
        }
        let bytes = *choices.one_of(&[4, 8, 1, 2]);
        let bytes = if bytes > left { 1 } else { bytes };
        items.push(format!(".{}b {}", 8 * bytes, immediate::integer(choices, 8 * bytes)));
        left -= bytes;
    }
    items.join(", ")
}
