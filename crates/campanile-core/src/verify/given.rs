//! What stands as an operand, with its names looked up.

use super::Symbol;
use super::body::BodyVerifier;
use crate::diagnostic::Code;
use crate::isa::SpecialRegister;
use crate::module::{FunctionId, RegisterId, RegisterType, Scalar, Swizzle, VariableId};
use crate::source::Span;
use crate::syntax::tree;

/// An operand with its names looked up.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    Scalar(Scalar, u32),
    Vector(RegisterId, RegisterType),
    Swizzle(RegisterId, Swizzle, u32),
    SpecialVector(SpecialRegister),
    Predicate(RegisterId, bool),
    Number,
    Variable(VariableId),
    Function(FunctionId),
    Word,
    Address(u32),
    Arguments,
    /// Already reported.
    Unknown,
}

impl Given {
    /// What it is, in words.
    pub fn describe(self) -> &'static str {
        match self {
            Given::Scalar(..) => "a scalar",
            Given::Vector(..) | Given::SpecialVector(_) => "a vector",
            Given::Swizzle(..) => "several elements",
            Given::Predicate(_, false) => "a predicate",
            Given::Predicate(_, true) => "a negated predicate",
            Given::Number => "an immediate",
            Given::Variable(_) => "a variable",
            Given::Function(_) => "a function",
            Given::Word | Given::Unknown => "a word",
            Given::Address(_) => "an address",
            Given::Arguments => "arguments",
        }
    }
}

impl<'a> BodyVerifier<'_, 'a, '_> {
    /// Looks up the names of an operand; unknown ones are reported.
    pub(super) fn given(&mut self, operand: tree::Operand) -> Given {
        match operand {
            tree::Operand::Register(span) => self.register(span),
            tree::Operand::Negated(span) => self.negated(span),
            tree::Operand::Symbol(span) => self.symbol(span),
            tree::Operand::Number(_) => Given::Number,
            tree::Operand::Word(_) => Given::Word,
            tree::Operand::Address(index) => Given::Address(index),
            tree::Operand::Arguments(_) => Given::Arguments,
        }
    }

    /// A register, perhaps with a swizzle: the longest declared name wins, then the special registers.
    pub(super) fn register(&mut self, span: Span) -> Given {
        let name = &self.text(span)[1..];
        if let Some(register) = self.find_register(name) {
            return match self.body.registers[register].ty {
                RegisterType::PREDICATE => Given::Predicate(register, false),
                RegisterType { bits, elements: 1 } => {
                    Given::Scalar(Scalar::Register(register), u32::from(bits))
                }
                ty => Given::Vector(register, ty),
            };
        }
        if self.is_poisoned(name) {
            return Given::Unknown;
        }
        if let Some(special) = SpecialRegister::from_name(name) {
            return match special.elements() {
                1 => Given::Scalar(Scalar::Special(special, 0), special.bits()),
                _ => Given::SpecialVector(special),
            };
        }
        if let Some((base, swizzle)) = name.rsplit_once('.') {
            if let Some(register) = self.find_register(base) {
                return self.swizzled(span, register, swizzle);
            }
            if let Some(special) = SpecialRegister::from_name(base) {
                return self.special_element(span, special, swizzle);
            }
        }
        self.unknown_register(span);
        Given::Unknown
    }

    fn swizzled(&mut self, span: Span, register: RegisterId, swizzle: &str) -> Given {
        let ty = self.body.registers[register].ty;
        let bits = u32::from(ty.bits);
        let (given, needed) = match swizzle {
            "x" => (Given::Scalar(Scalar::Element(register, 0), bits), 1),
            "y" => (Given::Scalar(Scalar::Element(register, 1), bits), 2),
            "z" => (Given::Scalar(Scalar::Element(register, 2), bits), 3),
            "w" => (Given::Scalar(Scalar::Element(register, 3), bits), 4),
            "xy" => (Given::Swizzle(register, Swizzle::Xy, bits), 2),
            "zw" => (Given::Swizzle(register, Swizzle::Zw, bits), 4),
            "xyzw" => (Given::Swizzle(register, Swizzle::Xyzw, bits), 4),
            _ => {
                let message = format!("`.{swizzle}` is no swizzle");
                let diagnostic = self.verifier.diagnostic(Code::InvalidSwizzle, span, message);
                self.verifier
                    .sink
                    .push(diagnostic.help("swizzles are .x .y .z .w and, for `mov`, .xy .zw .xyzw"));
                return Given::Unknown;
            }
        };
        if !ty.is_vector() || needed > ty.elements {
            let declared = self.body.registers[register].span;
            let message = format!("`.{swizzle}` needs a vector of at least {} elements", needed.max(2));
            let diagnostic = self.verifier.diagnostic(Code::InvalidSwizzle, span, message);
            self.verifier.sink.push(diagnostic.and(declared, format!("declared here as `{ty}`")));
            return Given::Unknown;
        }
        given
    }

    fn special_element(&mut self, span: Span, special: SpecialRegister, swizzle: &str) -> Given {
        let dimension = match swizzle {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => 3,
        };
        if dimension >= special.elements() || special.elements() == 1 {
            let message = format!("`%{}` has no `.{swizzle}`", special.name());
            let diagnostic = self.verifier.diagnostic(Code::InvalidSwizzle, span, message);
            let help = match special.elements() {
                1 => format!("it is a scalar: write `%{}`", special.name()),
                _ => "its elements are .x, .y and .z, taken one at a time".to_owned(),
            };
            self.verifier.sink.push(diagnostic.help(help));
            return Given::Unknown;
        }
        Given::Scalar(Scalar::Special(special, dimension as u8), special.bits())
    }

    fn negated(&mut self, span: Span) -> Given {
        let text = self.text(span);
        let blanks = text[1..].len() - text[1..].trim_start().len();
        let register = Span { start: span.start + 1 + blanks as u32, ..span };
        match self.register(register) {
            Given::Predicate(register, _) => Given::Predicate(register, true),
            Given::Unknown => Given::Unknown,
            _ => {
                let message = "`!` stands before a predicate only";
                self.verifier.report(Code::OperandKind, span, message);
                Given::Unknown
            }
        }
    }

    /// A local variable, or a variable or function of the module.
    pub(super) fn symbol(&mut self, span: Span) -> Given {
        let name = self.verifier.symbol_name(span);
        if let Some(variable) = self.scopes.variable(&name) {
            return Given::Variable(variable);
        }
        match self.verifier.symbols.get(&name) {
            Some(Symbol::Variable(variable)) => Given::Variable(*variable),
            Some(Symbol::Function(function)) => Given::Function(*function),
            None => {
                self.verifier.unknown_symbol(span);
                Given::Unknown
            }
        }
    }
}
