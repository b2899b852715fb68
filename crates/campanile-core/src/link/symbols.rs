//! Symbols of all modules: which one each import stands for.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Options;
use super::signatures::check_agreement;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::isa::distance;
use crate::module::{Function, FunctionId, FunctionKind, Linkage, Module, Place, Variable, VariableId};
use crate::source::{SourceFile, Span};

/// Most other importers that an unresolved import names.
const IMPORTERS_SHOWN: usize = 4;

/// A kernel, function or variable of module scope of one of the modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Symbol {
    /// By the index of its module.
    Function(usize, FunctionId),
    /// By the index of its module.
    Variable(usize, VariableId),
}

/// What an import stands for: an export, or the first of several imports that are kept as one.
pub(super) type Resolved = FxHashMap<Symbol, Symbol>;

/// What is behind a [`Symbol`].
#[derive(Clone, Copy)]
pub(super) enum Entity<'a> {
    Function(&'a Function),
    Variable(&'a Variable),
}

impl<'a> Entity<'a> {
    pub fn name(self) -> &'a str {
        match self {
            Entity::Function(function) => &function.name,
            Entity::Variable(variable) => &variable.name,
        }
    }

    /// Who sees it; every module sees a kernel.
    pub fn linkage(self) -> Linkage {
        match self {
            Entity::Function(function) => match function.kind {
                FunctionKind::Kernel(_) => Linkage::Exported,
                FunctionKind::Device { linkage, .. } => linkage,
            },
            Entity::Variable(variable) => variable.linkage,
        }
    }

    fn place(self) -> Place {
        match self {
            Entity::Function(function) => function.place,
            Entity::Variable(variable) => variable.place,
        }
    }
}

impl Symbol {
    pub fn entity(self, modules: &[Module]) -> Entity<'_> {
        match self {
            Symbol::Function(module, function) => Entity::Function(&modules[module].functions[function]),
            Symbol::Variable(module, variable) => Entity::Variable(&modules[module].variables[variable]),
        }
    }

    /// Where it is declared.
    pub fn place(self, modules: &[Module]) -> (&Arc<SourceFile>, Span) {
        let (Symbol::Function(module, _) | Symbol::Variable(module, _)) = self;
        let place = self.entity(modules).place();
        (&modules[module].sources[place.source], place.span)
    }
}

/// The symbols of module scope of a module.
pub(super) fn symbols_of(index: usize, module: &Module) -> impl Iterator<Item = Symbol> {
    let variables = module.variables.iter().filter(|(_, variable)| variable.owner.is_none());
    let variables = variables.map(move |(id, _)| Symbol::Variable(index, id));
    variables.chain(module.functions.keys().map(move |id| Symbol::Function(index, id)))
}

/// Finds what each import stands for. Reported are names defined twice, imports that nothing resolves, and those
/// that differ from what resolves them.
pub(super) fn resolve(modules: &[Module], options: Options, sink: &mut Sink) -> Resolved {
    let all = || modules.iter().enumerate().flat_map(|(index, module)| symbols_of(index, module));
    let with = |linkage| all().filter(move |symbol| symbol.entity(modules).linkage() == linkage);
    let mut exports: FxHashMap<&str, Symbol> = FxHashMap::default();
    for symbol in with(Linkage::Exported) {
        match exports.entry(symbol.entity(modules).name()) {
            Entry::Vacant(entry) => drop(entry.insert(symbol)),
            Entry::Occupied(entry) => report_duplicate(modules, symbol, *entry.get(), sink),
        }
    }
    let mut resolved = Resolved::default();
    let mut unresolved: Vec<Vec<Symbol>> = Vec::new();
    let mut unresolved_names: FxHashMap<&str, usize> = FxHashMap::default();
    for symbol in with(Linkage::Imported) {
        let name = symbol.entity(modules).name();
        let other = match (exports.get(name), unresolved_names.get(name)) {
            (Some(export), _) => *export,
            (None, Some(index)) => {
                unresolved[*index].push(symbol);
                unresolved[*index][0]
            }
            (None, None) => {
                unresolved_names.insert(name, unresolved.len());
                unresolved.push(vec![symbol]);
                continue;
            }
        };
        check_agreement(modules, symbol, other, sink);
        resolved.insert(symbol, other);
    }
    if !options.library && !unresolved.is_empty() {
        let internals: FxHashMap<&str, Symbol> =
            with(Linkage::Internal).map(|symbol| (symbol.entity(modules).name(), symbol)).collect();
        for imports in &unresolved {
            report_unresolved(modules, imports, &exports, &internals, sink);
        }
    }
    resolved
}

fn report_duplicate(modules: &[Module], symbol: Symbol, first: Symbol, sink: &mut Sink) {
    let verb = |symbol: Symbol| match symbol.entity(modules) {
        Entity::Function(function) if function.is_kernel() => "defined",
        _ => "exported",
    };
    let name = symbol.entity(modules).name();
    let (source, span) = symbol.place(modules);
    let (first_source, first_span) = first.place(modules);
    let message = format!("`@{name}` is {} by more than one module", verb(symbol));
    let diagnostic = Diagnostic::new(Code::DuplicateSymbol, source, span, message);
    sink.push(diagnostic.and_in(first_source, first_span, format!("first {} here", verb(first))));
}

fn report_unresolved(
    modules: &[Module],
    imports: &[Symbol],
    exports: &FxHashMap<&str, Symbol>,
    internals: &FxHashMap<&str, Symbol>,
    sink: &mut Sink,
) {
    let name = imports[0].entity(modules).name();
    let (source, span) = imports[0].place(modules);
    let message = format!("no module exports `@{name}`");
    let mut diagnostic = Diagnostic::new(Code::UnresolvedImport, source, span, message);
    for other in imports.iter().skip(1).take(IMPORTERS_SHOWN) {
        let (source, span) = other.place(modules);
        diagnostic = diagnostic.and_in(source, span, "imported here too");
    }
    if let Some(internal) = internals.get(name) {
        let (source, span) = internal.place(modules);
        diagnostic = diagnostic
            .and_in(source, span, "only its own module sees this one")
            .help("write `.export` before the definition");
        sink.push(diagnostic);
        return;
    }
    let importable = exports.values().map(|symbol| symbol.entity(modules)).filter(|export| {
        match (imports[0].entity(modules), export) {
            (Entity::Function(_), Entity::Function(function)) => !function.is_kernel(),
            (Entity::Variable(_), Entity::Variable(_)) => true,
            _ => false,
        }
    });
    if let Some(similar) = similar_name(name, importable.map(Entity::name)) {
        diagnostic = diagnostic.help(format!("did you mean `@{similar}`?"));
    }
    sink.push(diagnostic);
}

/// The name nearest to `name`, if one is near; large name spaces are not searched.
fn similar_name<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = 1 + name.len() / 4;
    let near = names.take(2000).filter(|other| other.len().abs_diff(name.len()) <= limit);
    let near = near.map(|other| (distance(other, name), other)).filter(|(distance, _)| *distance <= limit);
    near.min().map(|(_, other)| other)
}

/// The host finds variables by their `.host_access` names, so these must differ in the whole program.
pub(super) fn check_host_names(modules: &[Module], sink: &mut Sink) {
    let mut names: FxHashMap<&str, Symbol> = FxHashMap::default();
    for (index, module) in modules.iter().enumerate() {
        for (id, variable) in &module.variables {
            let (Some(name), symbol) = (&variable.host_access, Symbol::Variable(index, id)) else { continue };
            match names.entry(name) {
                Entry::Vacant(entry) => drop(entry.insert(symbol)),
                Entry::Occupied(entry) => {
                    let (source, span) = symbol.place(modules);
                    let (first_source, first_span) = entry.get().place(modules);
                    let message =
                        format!("the host name \"{name}\" is taken by a variable of another module");
                    let diagnostic = Diagnostic::new(Code::DuplicateHostName, source, span, message);
                    sink.push(diagnostic.and_in(first_source, first_span, "first used here"));
                }
            }
        }
    }
}
