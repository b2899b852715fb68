//! From tree to module: every rule of the language is checked here, and all faults of a text are reported.
//!
//! The passes, in order: header, names of the module, declarations, initializers, bodies. Whatever is accepted is
//! well formed for every later stage.

mod address;
mod body;
mod calls;
mod control_flow;
mod fit;
mod functions;
mod given;
mod header;
mod literal;
mod mnemonics;
mod operand_rules;
mod ranges;
mod registers;
mod scopes;
mod symbols;
mod variables;

use std::borrow::Cow;
use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::module::{FunctionId, Module, Place, SourceId, Target, VariableId, Version};
use crate::source::{SourceFile, Span};
use crate::syntax::tree::{Item, Tree};

/// What to be stricter about than by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Demand `return` as the last instruction of a valued function even where its end cannot be reached.
    pub strict: bool,
}

/// Turns a tree into a module, or reports to `sink` why it is none.
///
/// The tree must stem from `source`, and its own faults be in `sink` already: with any error there, no module is
/// made, but everything that can be checked is checked.
pub fn verify(source: &Arc<SourceFile>, tree: Tree, options: Options, sink: &mut Sink) -> Option<Module> {
    let mut verifier = Verifier::new(source, options, sink);
    verifier.header(&tree);
    let items = verifier.declare_symbols(&tree);
    verifier.define_variables(&tree, &items);
    verifier.define_bodies(tree, &items);
    let module = verifier.module;
    (sink.errors() == 0).then_some(module)
}

/// A name of module scope.
#[derive(Clone, Copy, Debug)]
enum Symbol {
    Variable(VariableId),
    Function(FunctionId),
}

/// Which entity an item of the tree declares, in the order of the items.
type DeclaredItems = Vec<Option<Symbol>>;

struct Verifier<'a, 's> {
    source: &'a Arc<SourceFile>,
    options: Options,
    sink: &'s mut Sink,
    module: Module,
    source_id: SourceId,
    symbols: FxHashMap<Cow<'a, str>, Symbol>,
    host_names: FxHashMap<String, Span>,
    mnemonics: mnemonics::Cache<'a>,
    /// Names without a declaration, or with an unreadable one, that have been reported.
    unknown_symbols: FxHashSet<&'a str>,
    /// Functions whose signature is faulty, so that nothing is checked against it.
    faulty_signatures: FxHashSet<FunctionId>,
}

impl<'a, 's> Verifier<'a, 's> {
    fn new(source: &'a Arc<SourceFile>, options: Options, sink: &'s mut Sink) -> Self {
        let mut sources = PrimaryMap::new();
        let source_id = sources.push(source.clone());
        let module = Module {
            version: Version { major: 0, minor: 1 },
            target: Target::Base,
            sources,
            variables: PrimaryMap::new(),
            functions: PrimaryMap::new(),
        };
        Verifier {
            source,
            options,
            sink,
            module,
            source_id,
            symbols: FxHashMap::default(),
            host_names: FxHashMap::default(),
            mnemonics: mnemonics::Cache::default(),
            unknown_symbols: FxHashSet::default(),
            faulty_signatures: FxHashSet::default(),
        }
    }

    fn text(&self, span: Span) -> &'a str {
        self.source.slice(span)
    }

    fn place(&self, span: Span) -> Place {
        Place { source: self.source_id, span }
    }

    fn diagnostic(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.source, span, message)
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        let diagnostic = self.diagnostic(code, span, message);
        self.sink.push(diagnostic);
    }

    /// The bodies last, as they may name everything. Each is dropped once it is checked, to bound memory.
    fn define_bodies(&mut self, tree: Tree, items: &DeclaredItems) {
        for (item, symbol) in tree.items.into_iter().zip(items) {
            if let (Item::Function(function), Some(Symbol::Function(id))) = (item, symbol)
                && let Some(body) = function.body
            {
                self.define_body(*id, &function.parameters, body);
            }
        }
    }
}
