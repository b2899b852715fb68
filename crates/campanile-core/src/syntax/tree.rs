//! The syntax tree: what was written and where, before any name is looked up.
//!
//! Statements of a body lie flat, scopes being opened and closed by statements of their own, so that nesting costs
//! no stack; operands of all instructions of a body share one list.

use smallvec::SmallVec;

use crate::source::Span;

/// A whole text.
#[derive(Debug, Default)]
pub struct Tree {
    /// Directives and declarations in order.
    pub items: Vec<Item>,
    /// What could not be read among them.
    pub unreadable: Vec<Unreadable>,
    /// Comments in order, each from `//` to before the line end.
    pub comments: Vec<Span>,
}

/// What stands at module scope.
#[derive(Debug)]
pub enum Item {
    /// `.version` or `.target`.
    Header(Header),
    /// A memory variable.
    Variable(Variable),
    /// A kernel or function.
    Function(Function),
}

impl Item {
    /// From its first to its last token.
    pub fn span(&self) -> Span {
        match self {
            Item::Header(header) => header.span,
            Item::Variable(variable) => variable.span,
            Item::Function(function) => function.span,
        }
    }
}

/// Something at module scope that could not be read, so that what depends on it is not reported as well.
#[derive(Debug)]
pub struct Unreadable {
    /// Its first word.
    pub keyword: Span,
    /// The name it would have declared.
    pub name: Option<Span>,
    /// How many directives and declarations, readable or not, stand before it.
    pub index: usize,
}

/// A header directive.
#[derive(Debug)]
pub struct Header {
    /// `.version` or `.target`.
    pub directive: Span,
    /// The number behind it.
    pub value: Span,
    /// With the semicolon.
    pub span: Span,
}

/// A qualifier of a declaration: `.align 4`, `.section("x")`.
#[derive(Debug)]
pub struct Attribute {
    /// The directive with its dot.
    pub name: Span,
    /// What it is given.
    pub arguments: SmallVec<[Span; 1]>,
    /// With the closing parenthesis.
    pub span: Span,
}

/// A memory variable, of the module or local.
#[derive(Debug)]
pub struct Variable {
    /// `.export` or `.import`.
    pub linkage: Option<Span>,
    /// `.global`, `.const`, `.private`, `.shared`.
    pub space: Span,
    /// A bit width, which has no place here.
    pub stray_type: Option<Span>,
    /// `.align`, `.section`, `.host_access`.
    pub attributes: Vec<Attribute>,
    /// The name with `@`.
    pub name: Span,
    /// The number in brackets.
    pub size: Option<Span>,
    /// The items in braces, with the braces' span.
    pub initializer: Option<(Vec<InitializerItem>, Span)>,
    /// With the semicolon.
    pub span: Span,
}

/// One item of an initializer.
#[derive(Debug)]
pub struct InitializerItem {
    /// `.8b` … `.64b` or `.zero`.
    pub kind: Span,
    /// What follows.
    pub value: InitializerValue,
    /// Both.
    pub span: Span,
}

/// Value of an initializer item.
#[derive(Debug)]
pub enum InitializerValue {
    /// A number, its sign included.
    Number(Span),
    /// A symbol, with a number added or (if true) subtracted.
    Symbol(Span, Option<(bool, Span)>),
}

/// A kernel or function.
#[derive(Debug)]
pub struct Function {
    /// `.export` or `.import`.
    pub linkage: Option<Span>,
    /// `.kernel` or `.function`.
    pub keyword: Span,
    /// Kernel attributes.
    pub attributes: Vec<Attribute>,
    /// `void` or a register type.
    pub result: Option<Span>,
    /// The name with `@`.
    pub name: Span,
    /// Kernel parameters or function parameters.
    pub parameters: Vec<Parameter>,
    /// The body, unless it is a declaration.
    pub body: Option<Body>,
    /// Up to the closing brace or semicolon.
    pub span: Span,
}

/// A parameter: `.param[8] .align(4) %a` or `.reg .32b %a`.
#[derive(Debug)]
pub struct Parameter {
    /// `.param` or `.reg`; absent when left out.
    pub keyword: Option<Span>,
    /// The number in brackets, of a kernel parameter.
    pub size: Option<Span>,
    /// The type, of a function parameter.
    pub ty: Option<Span>,
    /// Attributes of a kernel parameter.
    pub attributes: Vec<Attribute>,
    /// The name with `%`.
    pub name: Option<Span>,
    /// All of it.
    pub span: Span,
}

/// The body of a kernel or function.
#[derive(Debug, Default)]
pub struct Body {
    /// Statements in order; scopes are flat.
    pub statements: Vec<Statement>,
    /// Operands of all instructions.
    pub operands: Vec<Operand>,
    /// Addresses that operands refer to.
    pub addresses: Vec<Address>,
    /// The opening brace.
    pub open: Span,
    /// The closing brace.
    pub close: Span,
    /// Declarations that could not be read.
    pub unreadable_declarations: Vec<Span>,
    /// Whether there are instructions that could not be read.
    pub has_unreadable_instructions: bool,
}

/// A statement.
#[derive(Debug)]
pub enum Statement {
    /// `.reg` or `.pred`.
    Registers(Box<RegisterDeclaration>),
    /// A local memory variable.
    Variable(Box<Variable>),
    /// A label, without its colon.
    Label(Span),
    /// An instruction.
    Instruction(Instruction),
    /// `{`
    Open(Span),
    /// `}` of a scope.
    Close(Span),
}

/// Declaration of registers.
#[derive(Debug)]
pub struct RegisterDeclaration {
    /// `.reg` or `.pred`.
    pub keyword: Span,
    /// The type behind `.reg`.
    pub ty: Option<Span>,
    /// The names.
    pub names: Vec<RegisterName>,
    /// With the semicolon.
    pub span: Span,
}

/// A declared register or range of registers.
#[derive(Debug)]
pub struct RegisterName {
    /// With `%`.
    pub name: Span,
    /// First number and the one past the last, of `%r<0~5>`.
    pub range: Option<(Span, Span)>,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// The mnemonic.
    pub mnemonic: Span,
    /// Index of its first operand in [`Body::operands`].
    pub first_operand: u32,
    /// Number of entries there, arguments of a call included.
    pub operand_count: u32,
    /// End of the last operand.
    pub end: u32,
}

/// An operand as written.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    /// `%r`, perhaps with a swizzle.
    Register(Span),
    /// `!%p`, the exclamation mark included.
    Negated(Span),
    /// `@x`.
    Symbol(Span),
    /// A number, its sign included.
    Number(Span),
    /// A label or `void`.
    Word(Span),
    /// Index in [`Body::addresses`].
    Address(u32),
    /// So many arguments in parentheses follow as the last operands.
    Arguments(Span),
}

/// An address in brackets.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    /// What comes first.
    pub base: AddressPart,
    /// What is added or (if true) subtracted.
    pub offset: Option<(bool, AddressPart)>,
    /// With the brackets.
    pub span: Span,
}

/// Base or offset of an address.
#[derive(Clone, Copy, Debug)]
pub enum AddressPart {
    /// `%r`, perhaps with a swizzle.
    Register(Span),
    /// `@x`.
    Symbol(Span),
    /// A number, a minus sign directly before it included.
    Number(Span),
}

impl AddressPart {
    /// Where it stands.
    pub fn span(self) -> Span {
        match self {
            AddressPart::Register(span) | AddressPart::Symbol(span) | AddressPart::Number(span) => span,
        }
    }
}

impl Body {
    /// Where an operand stands.
    pub fn operand_span(&self, operand: Operand) -> Span {
        match operand {
            Operand::Register(span)
            | Operand::Negated(span)
            | Operand::Symbol(span)
            | Operand::Number(span)
            | Operand::Word(span)
            | Operand::Arguments(span) => span,
            Operand::Address(index) => self.addresses[index as usize].span,
        }
    }

    /// The entries of an instruction in [`Body::operands`].
    pub fn instruction_operands(&self, instruction: Instruction) -> &[Operand] {
        let first = instruction.first_operand as usize;
        &self.operands[first..first + instruction.operand_count as usize]
    }
}
