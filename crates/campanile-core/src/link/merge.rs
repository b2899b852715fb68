//! The modules as one: numbers, names and places.

use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::symbols::{Entity, Resolved, Symbol, symbols_of};
use crate::module::{
    Address, Base, Body, FunctionId, FunctionKind, InitializerItem, Linkage, Module, Operand, Place,
    SourceId, Variable, VariableId, keys,
};

/// Where the parts of a module are in the merged one.
struct Moved {
    functions: Vec<FunctionId>,
    variables: Vec<VariableId>,
    /// Number of sources before its own.
    sources: u32,
}

/// Merges modules whose imports are resolved.
pub(super) fn merge(modules: Vec<Module>, resolved: &Resolved) -> Option<Module> {
    let moved = number(&modules, resolved);
    let mut merged = Module {
        version: modules.iter().map(|module| module.version).max()?,
        target: modules.iter().map(|module| module.target).max()?,
        sources: PrimaryMap::new(),
        variables: PrimaryMap::new(),
        functions: PrimaryMap::new(),
    };
    for (index, (module, moved)) in modules.into_iter().zip(&moved).enumerate() {
        add(&mut merged, index, module, moved, resolved);
    }
    rename_internals(&mut merged);
    Some(merged)
}

/// Numbers what stays, then gives imports the numbers of what they stand for.
fn number(modules: &[Module], resolved: &Resolved) -> Vec<Moved> {
    let (mut functions, mut variables, mut sources) = (0, 0, 0);
    let mut moved = Vec::new();
    for (index, module) in modules.iter().enumerate() {
        let mut next_function = |id| {
            let stays = !resolved.contains_key(&Symbol::Function(index, id));
            let number = FunctionId::from_u32(functions);
            functions += u32::from(stays);
            number
        };
        let mut next_variable = |id| {
            let stays = !resolved.contains_key(&Symbol::Variable(index, id));
            let number = VariableId::from_u32(variables);
            variables += u32::from(stays);
            number
        };
        moved.push(Moved {
            functions: keys(&module.functions).map(&mut next_function).collect(),
            variables: keys(&module.variables).map(&mut next_variable).collect(),
            sources,
        });
        sources += module.sources.len() as u32;
    }
    for (import, other) in resolved {
        match (*import, *other) {
            (Symbol::Function(module, id), Symbol::Function(other, target)) => {
                let target = moved[other].function(target);
                moved[module].functions[id.as_u32() as usize] = target;
            }
            (Symbol::Variable(module, id), Symbol::Variable(other, target)) => {
                let target = moved[other].variable(target);
                moved[module].variables[id.as_u32() as usize] = target;
            }
            _ => unreachable!("an import and what it stands for are of one kind"),
        }
    }
    moved
}

impl Moved {
    fn function(&self, id: FunctionId) -> FunctionId {
        self.functions[id.as_u32() as usize]
    }

    fn variable(&self, id: VariableId) -> VariableId {
        self.variables[id.as_u32() as usize]
    }

    fn place(&self, place: Place) -> Place {
        Place { source: SourceId::from_u32(place.source.as_u32() + self.sources), ..place }
    }

    fn body(&self, body: &mut Body) {
        for variable in &mut body.variables {
            *variable = self.variable(*variable);
        }
        for operand in &mut body.operands {
            match operand {
                Operand::Variable(variable)
                | Operand::Address(Address { base: Base::Variable(variable), .. }) => {
                    *variable = self.variable(*variable);
                }
                Operand::Function(function) => *function = self.function(*function),
                Operand::Scalar(_)
                | Operand::Vector(_)
                | Operand::Swizzle(..)
                | Operand::Immediate(_)
                | Operand::UnsignedImmediate(_)
                | Operand::Predicate { .. }
                | Operand::Block(_)
                | Operand::Address(_)
                | Operand::Void => {}
            }
        }
    }

    fn contents(&self, variable: &mut Variable) {
        for item in variable.initializer.iter_mut().flat_map(|initializer| &mut initializer.items) {
            match item {
                InitializerItem::Variable { variable, .. } => *variable = self.variable(*variable),
                InitializerItem::Function { function, .. } => *function = self.function(*function),
                InitializerItem::Value { .. } | InitializerItem::Zero(_) => {}
            }
        }
    }
}

/// Adds what stays of a module.
fn add(merged: &mut Module, index: usize, module: Module, moved: &Moved, resolved: &Resolved) {
    merged.sources.extend(module.sources.into_iter().map(|(_, source)| source));
    for (id, mut variable) in module.variables {
        if resolved.contains_key(&Symbol::Variable(index, id)) {
            let other = &mut merged.variables.get_mut(moved.variable(id));
            if let Some(other) = other.as_mut().filter(|other| other.linkage == Linkage::Imported) {
                other.alignment = other.alignment.max(variable.alignment);
            }
            continue;
        }
        variable.owner = variable.owner.map(|owner| moved.function(owner));
        variable.place = moved.place(variable.place);
        moved.contents(&mut variable);
        merged.variables.push(variable);
    }
    for (id, mut function) in module.functions {
        if resolved.contains_key(&Symbol::Function(index, id)) {
            continue;
        }
        function.place = moved.place(function.place);
        if let FunctionKind::Kernel(kernel) = &mut function.kind {
            for parameter in &mut kernel.parameters {
                parameter.place = moved.place(parameter.place);
            }
        }
        if let Some(body) = &mut function.body {
            moved.body(body);
        }
        merged.functions.push(function);
    }
}

/// Gives a new name to whatever only its own module sees, if its name is taken by an earlier such symbol, or by one
/// that all modules see.
fn rename_internals(merged: &mut Module) {
    let symbols: Vec<Symbol> = symbols_of(0, merged).collect();
    let merged_modules = std::slice::from_ref(merged);
    let entity = |symbol: &Symbol| symbol.entity(merged_modules);
    let (mut internals, visible): (Vec<Symbol>, Vec<Symbol>) =
        symbols.iter().partition(|symbol| entity(symbol).linkage() == Linkage::Internal);
    internals.sort_by_key(|symbol| source_of(entity(symbol)));
    let all: FxHashSet<String> = symbols.iter().map(|symbol| entity(symbol).name().to_owned()).collect();
    let mut taken: FxHashSet<String> = visible.iter().map(|one| entity(one).name().to_owned()).collect();
    let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
    for symbol in internals {
        let name = match symbol {
            Symbol::Function(_, id) => &mut merged.functions[id].name,
            Symbol::Variable(_, id) => &mut merged.variables[id].name,
        };
        if taken.insert(name.clone()) {
            continue;
        }
        let number = numbers.entry(name.clone()).or_insert(0);
        *name = loop {
            *number += 1;
            let fresh = format!("{name}.{number}");
            if !all.contains(&fresh) && taken.insert(fresh.clone()) {
                break fresh;
            }
        };
    }
}

fn source_of(entity: Entity<'_>) -> SourceId {
    match entity {
        Entity::Function(function) => function.place.source,
        Entity::Variable(variable) => variable.place.source,
    }
}
