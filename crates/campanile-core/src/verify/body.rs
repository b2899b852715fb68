//! Bodies: statements in order, registers, labels, blocks.

use std::borrow::Cow;

use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Verifier;
use super::scopes::{Found, Range, Scopes, Taken};
use super::symbols::similar_name;
use crate::diagnostic::{Code, Sink};
use crate::isa::{ControlFlow, Op, Opcode, SpecialRegister};
use crate::module::{
    Block, BlockId, Body, FunctionId, FunctionKind, Instruction, Operand, Parameter, Register, RegisterId,
    RegisterType,
};
use crate::source::Span;
use crate::syntax::tree::{self, RegisterDeclaration, RegisterName, Statement};

/// Greatest number of a register in a range.
const RANGE_LIMIT: u64 = 1 << 24;

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
    labels: FxHashMap<&'a str, usize>,
    label_list: Vec<Label>,
    /// Operands that hold the index of a label in place of its block.
    label_operands: Vec<usize>,
    unknown_registers: FxHashSet<&'a str>,
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
        let mut verifier = BodyVerifier {
            verifier: self,
            tree: &body,
            function,
            body: Body::default(),
            scopes: Scopes::new(),
            labels: FxHashMap::default(),
            label_list: Vec::new(),
            label_operands: Vec::new(),
            unknown_registers: FxHashSet::default(),
            block: Block::default(),
        };
        verifier.body.instructions.reserve(body.statements.len());
        verifier.body.operands.reserve(body.operands.len() + 1);
        verifier.declare_parameters(parameters);
        verifier.declare_labels();
        verifier.statements();
        verifier.finish();
        verifier.check_end();
        let body = verifier.body;
        self.module.functions[function].body = Some(body);
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

    fn declare_parameters(&mut self, parameters: &[tree::Parameter]) {
        if self.is_kernel() {
            return;
        }
        for parameter in parameters {
            let ty = parameter.ty.and_then(|ty| super::functions::parse_register_type(self.text(ty)));
            if let (Some(name), Some(ty)) = (parameter.name, ty) {
                self.declare_register(name, ty);
            }
        }
    }

    /// Labels have the scope of the function and may be used before they stand.
    fn declare_labels(&mut self) {
        for statement in &self.tree.statements {
            let Statement::Label(span) = *statement else { continue };
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

    fn declare_registers(&mut self, declaration: &RegisterDeclaration) {
        let is_predicate = self.text(declaration.keyword) == ".pred";
        let ty = match declaration.ty {
            None if is_predicate => RegisterType::PREDICATE,
            None => {
                let message = "`.reg` is followed by a type";
                let diagnostic = self.verifier.diagnostic(Code::RegisterType, declaration.keyword, message);
                self.verifier
                    .sink
                    .push(diagnostic.help("write `.reg .32b %r;`, or `.pred %p;` for a predicate"));
                return self.declare_all(declaration, RegisterType::scalar(32));
            }
            Some(ty) if is_predicate => {
                let diagnostic = self.verifier.diagnostic(Code::RegisterType, ty, "a predicate has no type");
                self.verifier.sink.push(diagnostic.help("write `.pred %p;`"));
                RegisterType::PREDICATE
            }
            Some(ty) => self.verifier.register_type(ty).unwrap_or(RegisterType::scalar(32)),
        };
        self.declare_all(declaration, ty);
    }

    fn declare_all(&mut self, declaration: &RegisterDeclaration, ty: RegisterType) {
        for RegisterName { name, range } in &declaration.names {
            match range {
                None => self.declare_register(*name, ty),
                Some((start, end)) => self.declare_range(*name, *start, *end, ty),
            }
        }
    }

    fn declare_register(&mut self, span: Span, ty: RegisterType) {
        let name = &self.text(span)[1..];
        if self.is_reserved(name, span) {
            return;
        }
        let register = self.body.registers.push(Register { name: name.into(), ty, span });
        if let Err(taken) = self.scopes.declare(name, register) {
            self.report_taken(span, taken);
        }
        if self.kernel_parameters().iter().any(|parameter| parameter.name == name) {
            let message = format!("a parameter of the kernel is called `%{name}` too");
            self.verifier.report(Code::SharedName, span, message);
        }
    }

    fn is_reserved(&mut self, name: &str, span: Span) -> bool {
        let reserved = SpecialRegister::from_name(name).is_some();
        if reserved {
            self.verifier.report(Code::ReservedName, span, format!("`%{name}` is a special register"));
        }
        reserved
    }

    fn report_taken(&mut self, span: Span, taken: Taken) {
        let name = self.text(span);
        let first = match taken {
            Taken::Register(register) => self.body.registers[register].span,
            Taken::Range(span) => span,
        };
        let message = format!("`{name}` is declared more than once in this scope");
        let diagnostic = self.verifier.diagnostic(Code::DuplicateName, span, message);
        self.verifier.sink.push(diagnostic.and(first, "first declared here"));
    }

    fn declare_range(&mut self, name: Span, start: Span, end: Span, ty: RegisterType) {
        let mut bound = |span: Span| {
            let text = self.text(span);
            let plain =
                text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
            let number = text.parse::<u64>().ok().filter(|number| plain && *number <= RANGE_LIMIT);
            if number.is_none() {
                let message =
                    format!("the ends of a range are plain numbers up to {RANGE_LIMIT}, not `{text}`");
                self.verifier.report(Code::InvalidRange, span, message);
            }
            number
        };
        let (Some(first), Some(last)) = (bound(start), bound(end)) else { return };
        let span = name.to(end);
        if first >= last {
            let message = format!("the range from {first} to before {last} is empty");
            self.verifier.report(Code::InvalidRange, start.to(end), message);
            return;
        }
        let range = Range { start: first as u32, end: last as u32, ty, span };
        if let Err(taken) = self.scopes.declare_range(&self.text(name)[1..], range) {
            self.report_taken(name, taken);
        }
    }

    /// The register called `name` (without `%`) here; registers of ranges are made at their first use.
    pub fn find_register(&mut self, name: &'a str) -> Option<RegisterId> {
        match self.scopes.register(name)? {
            Found::Register(register) => Some(register),
            Found::InRange { range, depth } => {
                let register = Register { name: name.into(), ty: range.ty, span: range.span };
                let register = self.body.registers.push(register);
                self.scopes.bind(name, register, depth);
                Some(register)
            }
        }
    }

    /// Reports that no register is called as the text at `span` says; once for each name.
    pub fn unknown_register(&mut self, span: Span) {
        let text = self.text(span);
        if !self.unknown_registers.insert(text) {
            return;
        }
        let name = &text[1..];
        let parameter = self.kernel_parameters().iter().any(|parameter| parameter.name == name);
        let similar = similar_name(name, self.scopes.register_names()).map(ToOwned::to_owned);
        let diagnostic =
            self.verifier.diagnostic(Code::UnknownRegister, span, format!("`{text}` is not declared"));
        let diagnostic = match similar {
            _ if parameter => {
                diagnostic.help(format!("a kernel parameter is only read by `ld.param`: `[{text}]`"))
            }
            Some(similar) => diagnostic.help(format!("did you mean `%{similar}`?")),
            None => diagnostic.help(format!("declare it before its use: `.reg .32b {text};`")),
        };
        self.verifier.sink.push(diagnostic);
    }

    fn declare_local_variable(&mut self, variable: &tree::Variable) {
        if let Some(linkage) = variable.linkage {
            self.verifier.report(Code::VariableScope, linkage, "a local variable has no linkage");
        }
        let Some(id) = self.verifier.declare_variable(variable, Some(self.function)) else { return };
        self.verifier.define_variable(variable, id);
        self.body.variables.push(id);
        let name = self.verifier.symbol_name(variable.name);
        if let Some(first) = self.scopes.declare_variable(Cow::clone(&name), id) {
            let place = self.verifier.module.variables[first].place.span;
            let message = format!("`@{name}` is declared more than once in this scope");
            let diagnostic = self.verifier.diagnostic(Code::DuplicateName, variable.name, message);
            self.verifier.sink.push(diagnostic.and(place, "first declared here"));
        }
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
