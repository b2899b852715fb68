//! The table in words, for `pisa explain` and the reference page.

use super::registers::SpecialRegister;
use super::table::{Instruction, OperandKind, OperandSlot, Width};
use super::types::{FloatFormat, Type};

impl Instruction {
    /// Where it comes from: a section of the specification's instruction set, or a producer.
    pub fn origin(&self) -> String {
        match self.section {
            "" => "an extension printed by LLVM".to_owned(),
            section => format!("section {section} of the instruction set"),
        }
    }
}

impl OperandSlot {
    /// What may stand there, how wide it is, and whether it is written.
    pub fn describe(&self) -> String {
        let width = match self.width {
            Width::Implied => String::new(),
            Width::Bits(bits) => format!("{bits}-bit "),
            Width::Of(qualifier) => format!("`.{qualifier}` "),
            Width::Twice(qualifier) => format!("twice `.{qualifier}` "),
            Width::AddressOf(qualifier) => format!("`.{qualifier}` address "),
        };
        let kind = match self.kind {
            OperandKind::Register => "register",
            OperandKind::Source => "register or immediate",
            OperandKind::Packed => "packed register",
            OperandKind::Vector { counted: true } => "vector register of `.vec` elements",
            OperandKind::Vector { counted: false } => "vector register",
            OperandKind::Data => "register, or with `.vec` a vector register",
            OperandKind::Swizzled => "elements of a vector register",
            OperandKind::Predicate => "predicate",
            OperandKind::Condition => "predicate, perhaps with `!`",
            OperandKind::Address => "address in brackets",
            OperandKind::ParameterAddress => "kernel parameter in brackets",
            OperandKind::Pointer => "register or memory variable",
            OperandKind::Variable => "memory variable",
            OperandKind::Function => "function",
            OperandKind::Label => "label",
            OperandKind::Result => "register or `void`",
            OperandKind::Target => "register or function",
            OperandKind::Arguments => "registers in parentheses",
            OperandKind::ReturnValue => "register or immediate of the function's type, absent without one",
            OperandKind::AnyRegister => "any register",
        };
        let written = if self.written { ", written" } else { "" };
        format!("{width}{kind}{written}")
    }
}

impl SpecialRegister {
    /// Its width and elements.
    pub fn describe(self) -> String {
        match self.elements() {
            1 => format!("{} bits", self.bits()),
            _ => format!("{} bits per dimension, as .x, .y and .z", self.bits()),
        }
    }
}

impl Type {
    /// What the bits are.
    pub fn describe(self) -> String {
        let element = match self.float_format() {
            Some(FloatFormat::Bf) => "bfloat16 numbers",
            Some(FloatFormat::Hf) => "half-precision numbers",
            Some(FloatFormat::F) => "single-precision numbers",
            Some(FloatFormat::Df) => "double-precision numbers",
            None if self.is_signed() => "signed integers",
            None if self.as_str().starts_with('u') => "unsigned integers",
            None => "plain bits",
        };
        match self.elements() {
            1 => element.to_owned(),
            count => format!("{count} elements of {} bits: {element}", self.element_bits()),
        }
    }
}
