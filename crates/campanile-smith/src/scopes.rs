//! Scopes, and variables that live in them.

use campanile_core::isa::Space;
use campanile_core::module::RegisterType;

use crate::body::Body;
use crate::region::{Base, Region, Rights};
use crate::variables::initializer;

/// Types of registers that scopes declare.
const TYPES: [RegisterType; 8] = [
    RegisterType::scalar(32),
    RegisterType::PREDICATE,
    RegisterType::scalar(16),
    RegisterType::scalar(64),
    RegisterType { bits: 32, elements: 4 },
    RegisterType { bits: 16, elements: 2 },
    RegisterType::scalar(8),
    RegisterType::scalar(128),
];

impl Body<'_, '_> {
    /// A scope with registers of its own, some of which hide outer ones.
    pub fn scope(&mut self) {
        self.line("{");
        self.indent(true);
        self.registers.open();
        self.regions.push(Vec::new());
        self.hidden.push(Vec::new());
        for _ in 0..self.choices.between(0, 3) {
            let ty = *self.choices.one_of(&TYPES);
            if let Some(register) = self.registers.shadow(ty, self.choices) {
                let head = if ty.is_predicate() { ".pred".to_owned() } else { format!(".reg {ty}") };
                self.line(format!("{head} {register};"));
                self.initialize(&register, ty);
            }
        }
        if self.choices.chance(40) {
            let name = self.hiding_name();
            let constant = self.choices.chance(30);
            self.local_variable(name, constant);
        }
        let count = self.choices.between(1, 5);
        self.statements(count);
        self.hidden.pop();
        self.regions.pop();
        self.registers.close();
        self.indent(false);
        self.line("}");
    }

    /// A name for a variable, perhaps of one that it hides.
    fn hiding_name(&mut self) -> String {
        let names: Vec<&str> = self.regions.iter().flatten().filter_map(Region::variable).collect();
        match names.is_empty() || self.choices.chance(50) {
            true => self.variable_name("local"),
            false => (*self.choices.one_of(&names)).to_owned(),
        }
    }

    /// Declares a private or constant variable in the innermost scope, and fills it.
    pub fn local_variable(&mut self, name: String, constant: bool) {
        let size = *self.choices.one_of(&[64, 16, 32, 128]);
        let (space, rights) =
            if constant { (Space::Const, Rights::Read) } else { (Space::Private, Rights::Own) };
        match constant {
            true => {
                let items = initializer(self.choices, size);
                self.line(format!(".const .align 16 {name}[{size}] = {{ {items} }};"));
            }
            false => {
                self.line(format!(".private .align 16 {name}[{size}];"));
                self.fill(&name, space, size);
            }
        }
        self.add_region(Region::new(Base::Variable(name.clone()), space, size, 16, rights));
        if let Some(hidden) = self.hidden.last_mut() {
            hidden.push(name);
        }
    }

    /// Adds a region to the innermost scope.
    pub fn add_region(&mut self, region: Region) {
        if let Some(regions) = self.regions.last_mut() {
            regions.push(region);
        }
    }
}
