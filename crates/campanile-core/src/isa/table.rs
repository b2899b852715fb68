//! The vocabulary in which the nine chapters describe the instruction set: plain data, no behaviour.
//!
//! An entry reads like the specification's syntax block. Everything that knows instructions (matching of
//! mnemonics, checks, printing, documentation, completion, coverage) reads these entries.

pub(super) use super::opcode::*;
pub use super::rule::{Condition, Rule};
pub(super) use Rule::{IndexAligned, IndexBelow, IndexFits, Narrows, NoSwizzle, Widens};

/// One instruction of the set.
#[derive(Debug)]
pub struct Instruction {
    /// Which instruction it is.
    pub opcode: Opcode,
    /// Section in the instruction set of the specification, such as `1.3`; empty for an extension.
    pub section: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its syntax lines.
    pub forms: &'static [Form],
}

/// One syntax line of an instruction with all that restricts it.
#[derive(Debug)]
pub struct Form {
    /// What tells this form from its siblings; empty for the plain one.
    pub title: &'static str,
    /// The syntax as the specification writes it: `<>` marks what may be left out.
    pub syntax: &'static str,
    /// Allowed words of each qualifier; one that is absent here stands for itself (such as `.ftz`).
    pub choices: &'static [Choice],
    /// The operands in the order of the syntax.
    pub operands: &'static [OperandSlot],
    /// Further restrictions.
    pub rules: &'static [Rule],
    /// Printed by a producer but absent from the specification; accepted with a warning.
    pub extension: bool,
}

/// The words a qualifier may take.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Name of the qualifier, without its dot.
    pub qualifier: &'static str,
    /// Allowed words separated by spaces, or a range of numbers such as `0..63`.
    pub words: &'static str,
    /// The word meant when the qualifier is left out.
    pub default: Option<&'static str>,
}

/// Place of an operand in a form.
#[derive(Clone, Copy, Debug)]
pub struct OperandSlot {
    /// Its name in the syntax line.
    pub role: &'static str,
    /// What may stand there.
    pub kind: OperandKind,
    /// How wide it is.
    pub width: Width,
    /// Whether the instruction writes it.
    pub written: bool,
}

/// What may stand as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A scalar register, an element of a vector register or, where read, a special register.
    Register,
    /// The same or an immediate.
    Source,
    /// A vector register with the elements of the packed type.
    Packed,
    /// A vector register with 32-bit elements; as many as `.vec` says, or any number.
    Vector {
        /// Whether `.vec` gives the number of elements.
        counted: bool,
    },
    /// A scalar register, or with `.vec` a vector register of that many elements.
    Data,
    /// A vector register with a swizzle.
    Swizzled,
    /// A predicate.
    Predicate,
    /// A predicate that may be negated with `!`.
    Condition,
    /// A memory address.
    Address,
    /// The address of a kernel parameter.
    ParameterAddress,
    /// A register or memory variable that is an address of the space `.from`.
    Pointer,
    /// A memory variable.
    Variable,
    /// A function.
    Function,
    /// A label of the current function.
    Label,
    /// A register for the value of a call, or `void`.
    Result,
    /// A function or a 64-bit register holding the address of one.
    Target,
    /// The parenthesised arguments of a call.
    Arguments,
    /// The value of a `return`, absent in kernels and void functions.
    ReturnValue,
    /// Any register whatever.
    AnyRegister,
}

/// How wide an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Its kind says so.
    Implied,
    /// So many bits.
    Bits(u32),
    /// As the type named by this qualifier.
    Of(&'static str),
    /// Twice the type named by this qualifier.
    Twice(&'static str),
    /// An address of the space named by this qualifier.
    AddressOf(&'static str),
}

pub(super) const TYPE: Width = Width::Of("type");
pub(super) const TWICE_TYPE: Width = Width::Twice("type");
pub(super) const TO: Width = Width::Of("to");
pub(super) const FROM: Width = Width::Of("from");
pub(super) const ADDRESS_TO: Width = Width::AddressOf("to");
pub(super) const VEC: bool = true;
pub(super) const ANY: bool = false;

pub(super) const INTEGERS: &str = ".16b .32b .64b";
pub(super) const FLOATS: &str = ".bf .hf .f .df";
pub(super) const NARROW_FLOATS: &str = ".bf .hf .f";
pub(super) const PACKED_FLOATS: &str = ".bfx2 .hfx2";
pub(super) const ROUNDINGS: &str = ".re .rd .ru .rz .rna";
pub(super) const COMPARISONS: &str = ".eq .ne .gt .ge .lt .le";
pub(super) const SIGNED_AND_UNSIGNED: &str = ".u8 .s8 .u16 .s16 .u32 .s32 .u64 .s64";
pub(super) const VECTORS: &str = ".v2 .v3 .v4 .v5 .v6 .v7 .v8 .v16 .v32 .v64";

pub(super) const fn instruction(
    opcode: Opcode,
    section: &'static str,
    summary: &'static str,
    forms: &'static [Form],
) -> Instruction {
    Instruction { opcode, section, summary, forms }
}

pub(super) const fn form(title: &'static str, syntax: &'static str) -> Form {
    Form { title, syntax, choices: &[], operands: &[], rules: &[], extension: false }
}

impl Form {
    pub(super) const fn qualifiers(self, choices: &'static [Choice]) -> Self {
        Form { choices, ..self }
    }

    pub(super) const fn operands(self, operands: &'static [OperandSlot]) -> Self {
        Form { operands, ..self }
    }

    pub(super) const fn rules(self, rules: &'static [Rule]) -> Self {
        Form { rules, ..self }
    }

    pub(super) const fn extension(self) -> Self {
        Form { extension: true, ..self }
    }
}

pub(super) const fn one_of(qualifier: &'static str, words: &'static str) -> Choice {
    Choice { qualifier, words, default: None }
}

impl Choice {
    pub(super) const fn default(self, word: &'static str) -> Self {
        Choice { default: Some(word), ..self }
    }
}

pub(super) const fn bits(bits: u32) -> Width {
    Width::Bits(bits)
}

/// Declares the constructor of each kind of operand.
macro_rules! operands {
    ($($name:ident($($argument:ident: $type:ty)?) = $kind:expr, $width:expr;)+) => {
        $(pub(super) const fn $name(role: &'static str, $($argument: $type)?) -> OperandSlot {
            OperandSlot { role, kind: $kind, width: $width, written: false }
        })+
    };
}

operands! {
    register(width: Width) = OperandKind::Register, width;
    source(width: Width) = OperandKind::Source, width;
    packed(width: Width) = OperandKind::Packed, width;
    vector(counted: bool) = OperandKind::Vector { counted }, Width::Bits(32);
    data(width: Width) = OperandKind::Data, width;
    swizzled(width: Width) = OperandKind::Swizzled, width;
    predicate() = OperandKind::Predicate, Width::Implied;
    condition() = OperandKind::Condition, Width::Implied;
    address() = OperandKind::Address, Width::Implied;
    parameter_address() = OperandKind::ParameterAddress, Width::Implied;
    pointer() = OperandKind::Pointer, Width::AddressOf("from");
    variable(width: Width) = OperandKind::Variable, width;
    function() = OperandKind::Function, Width::Implied;
    label() = OperandKind::Label, Width::Implied;
    result() = OperandKind::Result, Width::Implied;
    target() = OperandKind::Target, Width::Bits(64);
    arguments() = OperandKind::Arguments, Width::Implied;
    return_value() = OperandKind::ReturnValue, Width::Implied;
    any_register() = OperandKind::AnyRegister, Width::Implied;
}

impl OperandSlot {
    pub(super) const fn written(self) -> Self {
        OperandSlot { written: true, ..self }
    }
}

pub(super) const fn is(qualifier: &'static str, words: &'static str) -> Condition {
    Condition { qualifier, words, holds: true }
}

pub(super) const fn is_not(qualifier: &'static str, words: &'static str) -> Condition {
    Condition { qualifier, words, holds: false }
}

pub(super) const fn not_with(qualifier: &'static str, condition: Condition) -> Rule {
    Rule::NotWith { qualifier, condition }
}

pub(super) const fn scope_with_order(condition: Condition) -> Rule {
    Rule::ExactlyWith { qualifier: "memscope", condition }
}

pub(super) const fn cannot_be(
    qualifier: &'static str,
    word: &'static str,
    unless_all: &'static [Condition],
) -> Rule {
    Rule::CannotBe { qualifier, word, unless_all, unless_any: &[] }
}

pub(super) const fn cannot_be_unless_either(
    qualifier: &'static str,
    word: &'static str,
    unless_any: &'static [Condition],
) -> Rule {
    Rule::CannotBe { qualifier, word, unless_all: &[], unless_any }
}

pub(super) const fn operand_only_when(role: &'static str, condition: Condition) -> Rule {
    Rule::OperandOnlyWhen { role, condition }
}
