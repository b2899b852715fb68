//! Operands: for each kind and width that an operation expects, something that is allowed there.

use campanile_core::isa::{ExpectedOperand, FloatFormat, Op, OperandKind, SpecialRegister};
use campanile_core::module::RegisterType;

use crate::body::Body;
use crate::immediate;

/// Names of the elements that a swizzle can choose.
const ELEMENTS: [&str; 4] = ["x", "y", "z", "w"];
/// Numbers of elements of a vector of 32-bit elements.
const COUNTS: [u8; 10] = [2, 3, 4, 5, 6, 7, 8, 16, 32, 64];
/// Special registers with a value that the launch alone decides.
const SPECIALS: [SpecialRegister; 11] = [
    SpecialRegister::ActiveMask,
    SpecialRegister::EnqueuedLocalSize,
    SpecialRegister::GlobalOffset,
    SpecialRegister::GlobalSize,
    SpecialRegister::GroupCount,
    SpecialRegister::GroupId,
    SpecialRegister::LaneId,
    SpecialRegister::LocalId,
    SpecialRegister::LocalSize,
    SpecialRegister::SubgroupSize,
    SpecialRegister::WorkDim,
];

impl Body<'_, '_> {
    /// Something to stand for an operand of a computation; `None` for kinds that need more than a register.
    pub fn operand(&mut self, op: Op, expected: &ExpectedOperand) -> Option<String> {
        let bits = expected.bits as u8;
        Some(match expected.kind {
            OperandKind::Register if expected.written => self.written(bits),
            OperandKind::Register => self.register(bits),
            OperandKind::Source => self.source(bits, expected.float),
            OperandKind::Data if expected.elements == 1 && expected.written => self.written(bits),
            OperandKind::Data if expected.elements == 1 => self.register(bits),
            OperandKind::Packed | OperandKind::Data => self.vector(bits, expected.elements as u8),
            OperandKind::Vector { counted: true } => self.vector(bits, expected.elements as u8),
            OperandKind::Vector { counted: false } => self.long_vector(op),
            OperandKind::Swizzled => self.swizzled(bits),
            OperandKind::Predicate => self.predicate(),
            OperandKind::Condition => self.condition(),
            _ => return None,
        })
    }

    /// A register or immediate to be read.
    pub fn source(&mut self, bits: u8, float: Option<FloatFormat>) -> String {
        if !self.choices.chance(30) {
            return self.register(bits);
        }
        match float {
            Some(format) => immediate::float(self.choices, format),
            None => immediate::integer(self.choices, u32::from(bits)),
        }
    }

    /// A scalar to be read: a register, an element, or a special register.
    pub fn register(&mut self, bits: u8) -> String {
        match self.choices.between(0, 9) {
            7..=8 if bits <= 64 => self.element(bits),
            9 if bits == 32 || bits == 64 => self.special(bits),
            _ => self.data(bits),
        }
    }

    /// A scalar to be written: a register or an element.
    pub fn written(&mut self, bits: u8) -> String {
        if bits <= 64 && self.choices.chance(20) { self.element(bits) } else { self.data(bits) }
    }

    fn special(&mut self, bits: u8) -> String {
        let wide: Vec<SpecialRegister> =
            SPECIALS.into_iter().filter(|special| special.bits() == u32::from(bits)).collect();
        let special = *self.choices.one_of(&wide);
        match special.elements() {
            1 => format!("%{}", special.name()),
            _ => format!("%{}.{}", special.name(), self.choices.one_of(&ELEMENTS[..3])),
        }
    }

    /// An element of a vector.
    fn element(&mut self, bits: u8) -> String {
        let elements = if bits == 32 && self.choices.chance(20) {
            *self.choices.one_of(&COUNTS)
        } else {
            self.choices.between(2, 4) as u8
        };
        let element = self.choices.below(usize::from(elements.min(4)));
        format!("{}.{}", self.vector(bits, elements), ELEMENTS[element])
    }

    /// A vector register.
    pub fn vector(&mut self, bits: u8, elements: u8) -> String {
        self.registers.data(RegisterType { bits, elements }, self.choices)
    }

    /// A vector in which the part that `extract` or `insert` is about exists.
    fn long_vector(&mut self, op: Op) -> String {
        let end = op.number("index").map_or(1, u32::from) + op.vector();
        let fitting: Vec<u8> = COUNTS.into_iter().filter(|count| u32::from(*count) >= end).collect();
        let some = if self.choices.chance(60) { 1 } else { fitting.len() };
        let elements = *self.choices.one_of(&fitting[..some.min(fitting.len())]);
        self.vector(32, elements)
    }

    /// Elements of a vector that have so many bits in all.
    fn swizzled(&mut self, bits: u8) -> String {
        let (width, swizzle, least) = match (bits, self.choices.between(0, 2)) {
            (16 | 32 | 64 | 128, 1) => (bits / 2, *self.choices.one_of(&["xy", "zw"]), 4),
            (32 | 64 | 128, 2) => (bits / 4, "xyzw", 4),
            (128, _) => (64, "xy", 2),
            _ => return self.element(bits),
        };
        let elements = match swizzle {
            "xy" => self.choices.between(2, 4) as u8,
            _ => least,
        };
        format!("{}.{swizzle}", self.vector(width, elements))
    }

    /// A predicate, to be read or written.
    pub fn predicate(&mut self) -> String {
        self.registers.data(RegisterType::PREDICATE, self.choices)
    }

    /// A predicate, perhaps negated.
    pub fn condition(&mut self) -> String {
        let not = *self.choices.one_of(&["", "!"]);
        format!("{not}{}", self.predicate())
    }
}
