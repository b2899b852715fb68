//! Bodies: statements in order, registers, labels, blocks.

use std::borrow::Cow;

use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Verifier;
use super::scopes::Scopes;
use super::symbols::similar_name;
use crate::diagnostic::{Code, Sink};
use crate::isa::{ControlFlow, Op, Opcode};
use crate::module::{Block, BlockId, Body, FunctionId, FunctionKind, Instruction, Operand, Parameter};
use crate::source::Span;
use crate::syntax::tree::{self, Statement};

/// A label of the function.
struct Label {
    span: Span,
    block: Option<BlockId>,
}

/// Checks one body and builds its blocks.
pub(super) struct BodyVerifier<'v, 'a, 's> {
    pub verifier: &'v mut Verifier<'a, 's>,
    pub tree: &'v tree::Body,
    pub function: FunctionId,
    pub body: Body,
    pub scopes: Scopes<'a>,
    /// Positions of the parameters of a kernel, by name without `%`.
    pub parameter_names: FxHashMap<&'a str, u32>,
    /// The parameters as written.
    pub parameters: &'v [tree::Parameter],
    /// Whether every jump and return has been understood.
    pub flow_is_known: bool,
    /// Names of registers whose declaration is faulty; their uses are not reported as well.
    pub poisoned: FxHashSet<&'a str>,
    labels: FxHashMap<&'a str, usize>,
    label_list: Vec<Label>,
    /// Operands that hold the index of a label in place of its block.
    label_operands: Vec<usize>,
    /// Undeclared registers that have been reported.
    pub unknown_registers: FxHashSet<&'a str>,
    block: Block,
}

impl<'a> Verifier<'a, '_> {
    /// Checks the body of a declared function and gives it to the module.
    pub(super) fn define_body(
        &mut self,
        function: FunctionId,
        parameters: &[tree::Parameter],
        body: tree::Body,
    ) {
        let parameter_names = self.parameter_names(function);
        let mut verifier = BodyVerifier {
            verifier: self,
            tree: &body,
            function,
            body: Body::default(),
            scopes: Scopes::new(),
            parameter_names,
            parameters,
            flow_is_known: !body.has_unreadable_instructions,
            poisoned: FxHashSet::default(),
            labels: FxHashMap::default(),
            label_list: Vec::new(),
            label_operands: Vec::new(),
            unknown_registers: FxHashSet::default(),
            block: Block::default(),
        };
        verifier.body.instructions.reserve(body.statements.len());
        verifier.body.operands.reserve(body.operands.len() + 1);
        verifier.poison_unreadable();
        verifier.declare_parameters();
        verifier.declare_labels();
        verifier.statements();
        verifier.finish();
        verifier.check_end();
        let body = verifier.body;
        self.module.functions[function].body = Some(body);
    }
}

impl<'a> Verifier<'a, '_> {
    fn parameter_names(&self, function: FunctionId) -> FxHashMap<&'a str, u32> {
        let FunctionKind::Kernel(kernel) = &self.module.functions[function].kind else {
            return FxHashMap::default();
        };
        let names = kernel.parameters.iter().map(|parameter| &self.text(parameter.place.span)[1..]);
        names.zip(0..).collect()
    }
}

impl<'a> BodyVerifier<'_, 'a, '_> {
    pub fn text(&self, span: Span) -> &'a str {
        self.verifier.text(span)
    }

    /// The parameters of the kernel; a function has none in parameter memory.
    pub fn kernel_parameters(&self) -> &[Parameter] {
        match &self.verifier.module.functions[self.function].kind {
            FunctionKind::Kernel(kernel) => &kernel.parameters,
            FunctionKind::Device { .. } => &[],
        }
    }

    pub fn is_kernel(&self) -> bool {
        self.verifier.module.functions[self.function].is_kernel()
    }

    /// Whether the signature of this function could be made out.
    pub fn signature_is_known(&self) -> bool {
        !self.verifier.faulty_signatures.contains(&self.function)
    }

    /// Labels have the scope of the function and may be used before they stand.
    fn declare_labels(&mut self) {
        for statement in &self.tree.statements {
            let Statement::Label(span) = *statement else { continue };
            if self.verifier.sink.errors() >= Sink::LIMIT {
                return;
            }
            let name = self.text(span);
            if let Some(first) = self.labels.get(name) {
                let place = self.label_list[*first].span;
                let message = format!("the label `{name}` stands twice in this function");
                let diagnostic = self.verifier.diagnostic(Code::DuplicateLabel, span, message);
                self.verifier.sink.push(diagnostic.and(place, "it stands here already"));
                continue;
            }
            self.labels.insert(name, self.label_list.len());
            self.label_list.push(Label { span, block: None });
        }
    }

    fn statements(&mut self) {
        let tree = self.tree;
        for statement in &tree.statements {
            if self.verifier.sink.errors() >= Sink::LIMIT {
                return;
            }
            match statement {
                Statement::Registers(declaration) => self.declare_registers(declaration),
                Statement::Variable(variable) => self.declare_local_variable(variable),
                Statement::Label(span) => self.place_label(*span),
                Statement::Instruction(instruction) => self.instruction(*instruction),
                Statement::Open(_) => self.scopes.open(),
                Statement::Close(_) => self.scopes.close(),
            }
        }
    }

    fn declare_local_variable(&mut self, variable: &tree::Variable) {
        let Some(id) = self.verifier.declare_variable(variable, Some(self.function)) else { return };
        if !self.names_local_variable(variable) {
            self.verifier.define_variable(variable, id);
        }
        self.body.variables.push(id);
        let name = self.verifier.symbol_name(variable.name);
        if let Some(first) = self.scopes.declare_variable(Cow::clone(&name), id) {
            let place = self.verifier.module.variables[first].place.span;
            let message = format!("`@{name}` is declared more than once in this scope");
            let diagnostic = self.verifier.diagnostic(Code::DuplicateName, variable.name, message);
            self.verifier.sink.push(diagnostic.and(place, "first declared here"));
        }
    }

    /// Whether an initial value is the address of a local variable, which no initial value can be; reported if so.
    fn names_local_variable(&mut self, variable: &tree::Variable) -> bool {
        let items = variable.initializer.iter().flat_map(|(items, _)| items);
        let symbols = items.filter_map(|item| match item.value {
            tree::InitializerValue::Symbol(symbol, _) => Some(symbol),
            tree::InitializerValue::Number(_) => None,
        });
        let local = symbols.filter(|symbol| {
            let name = self.verifier.symbol_name(*symbol);
            !self.verifier.symbols.contains_key(&name) && self.scopes.variable(&name).is_some()
        });
        let local: Vec<Span> = local.collect();
        for symbol in &local {
            let message = format!("`{}` is a variable inside a function", self.text(*symbol));
            let diagnostic = self.verifier.diagnostic(Code::InitializerItem, *symbol, message);
            let help = "initial values are addresses of variables and functions of the module";
            self.verifier.sink.push(diagnostic.help(help));
        }
        !local.is_empty()
    }

    /// Starts a block at a label, unless one has just been started.
    fn place_label(&mut self, span: Span) {
        let name = self.text(span);
        if self.body.instructions.len() > self.block.first as usize {
            self.end_block();
        }
        self.block.labels.push(name.into());
        let next = BlockId::new(self.body.blocks.len());
        if let Some(label) = self.labels.get(name).map(|index| &mut self.label_list[*index])
            && label.span == span
        {
            label.block = Some(next);
        }
    }

    fn end_block(&mut self) {
        let end = self.body.instructions.len() as u32;
        let next = Block { labels: Vec::new(), first: end, end };
        let block = std::mem::replace(&mut self.block, next);
        self.body.blocks.push(Block { end, ..block });
    }

    /// The operand for a label: its index for now, see [`Self::finish`].
    pub fn label_operand(&mut self, span: Span) -> Option<Operand> {
        let name = self.text(span);
        let Some(index) = self.labels.get(name) else {
            let similar = similar_name(name, self.labels.keys().copied()).map(ToOwned::to_owned);
            let message = format!("this function has no label `{name}`");
            let diagnostic = self.verifier.diagnostic(Code::UnknownLabel, span, message);
            self.verifier.sink.push(match similar {
                Some(similar) => diagnostic.help(format!("did you mean `{similar}`?")),
                None => diagnostic,
            });
            return None;
        };
        Some(Operand::Block(BlockId::new(*index)))
    }

    /// Adds a checked instruction.
    pub fn add_instruction(&mut self, op: Op, operands: &[Operand], span: Span) {
        let Ok(operand_count) = u16::try_from(operands.len()) else {
            self.verifier.report(Code::OperandCount, span, "an instruction has at most 65535 operands");
            return;
        };
        let first_operand = self.body.operands.len() as u32;
        for operand in operands {
            if matches!(operand, Operand::Block(_)) {
                self.label_operands.push(self.body.operands.len());
            }
            self.body.operands.push(*operand);
        }
        self.body.instructions.push(Instruction { op, operand_count, first_operand, span });
        if matches!(op.opcode(), Opcode::ControlFlow(ControlFlow::Goto | ControlFlow::Return)) {
            self.end_block();
        }
    }

    /// Ends the last block, adds the empty one behind it, and points label operands to their blocks.
    fn finish(&mut self) {
        let open = self.body.instructions.len() > self.block.first as usize;
        if open {
            self.end_block();
        }
        self.end_block();
        let last = BlockId::new(self.body.blocks.len() - 1);
        for index in &self.label_operands {
            if let Operand::Block(label) = self.body.operands[*index] {
                let block = self.label_list[label.index()].block.unwrap_or(last);
                self.body.operands[*index] = Operand::Block(block);
            }
        }
    }
}
