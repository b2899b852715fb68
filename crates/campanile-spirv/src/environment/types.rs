//! Types of a module, as the rules and messages see them.

use rspirv::dr::Operand;
use rspirv::spirv::{Op, StorageClass};

use super::module::Module;

/// A number or a vector of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Integers {
    /// Number of components; 1 for a scalar.
    pub components: u32,
    /// Width in bits of each.
    pub width: u32,
    /// Whether the type says that they are signed.
    pub signed: bool,
    /// Where the type of one of them is declared.
    pub declared: usize,
}

/// A variable or a pointer: where it is, and what it points to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub storage: StorageClass,
    /// The type of what is pointed to; none for untyped pointers.
    pub pointee: Option<u32>,
}

/// The number that an operand is.
pub(super) fn literal(operand: Option<&Operand>) -> Option<u32> {
    match operand? {
        Operand::LiteralBit32(value) => Some(*value),
        _ => None,
    }
}

impl Module {
    /// A type as integers, if it is an integer or a vector of them.
    pub(super) fn integers(&self, kind: u32) -> Option<Integers> {
        let (declared, instruction) = self.definition(kind)?;
        let operands = &instruction.operands;
        match instruction.class.opcode {
            Op::TypeInt => {
                let (width, sign) = (literal(operands.first())?, literal(operands.get(1))?);
                Some(Integers { components: 1, width, signed: sign != 0, declared })
            }
            Op::TypeVector => {
                let (Operand::IdRef(component), count) = (operands.first()?, literal(operands.get(1))?)
                else {
                    return None;
                };
                let (_, scalar) = self.definition(*component)?;
                let one = (scalar.class.opcode == Op::TypeInt).then(|| self.integers(*component))??;
                Some(Integers { components: count, ..one })
            }
            _ => None,
        }
    }

    /// A type as a pointer, typed or not.
    pub(super) fn pointer(&self, kind: u32) -> Option<Pointer> {
        let (_, instruction) = self.definition(kind)?;
        match (instruction.class.opcode, &instruction.operands[..]) {
            (Op::TypePointer, [Operand::StorageClass(storage), Operand::IdRef(pointee)]) => {
                Some(Pointer { storage: *storage, pointee: Some(*pointee) })
            }
            (Op::TypeUntypedPointerKHR, [Operand::StorageClass(storage)]) => {
                Some(Pointer { storage: *storage, pointee: None })
            }
            _ => None,
        }
    }

    /// A variable, with the type of what lies there.
    pub(super) fn variable(&self, id: u32) -> Option<Pointer> {
        let (_, instruction) = self.definition(id)?;
        let Operand::StorageClass(storage) = *instruction.operands.first()? else { return None };
        let pointee = match instruction.class.opcode {
            Op::Variable => self.pointer(instruction.result_type?)?.pointee,
            Op::UntypedVariableKHR => match instruction.operands.get(1) {
                Some(Operand::IdRef(kind)) => Some(*kind),
                _ => None,
            },
            _ => return None,
        };
        Some(Pointer { storage, pointee })
    }

    /// A type in words, with its article.
    pub(super) fn describe(&self, kind: u32) -> String {
        if let Some(integers) = self.integers(kind) {
            return integers.describe();
        }
        let Some((_, instruction)) = self.definition(kind) else {
            return format!("{}, which is not defined", self.show(kind));
        };
        let operands = &instruction.operands;
        match instruction.class.opcode {
            Op::TypeFloat => match literal(operands.first()) {
                Some(width) => format!("a {width}-bit floating-point number"),
                None => "a floating-point number".to_owned(),
            },
            Op::TypeBool => "a Boolean".to_owned(),
            Op::TypeVoid => "nothing".to_owned(),
            Op::TypeVector => match (operands.first(), literal(operands.get(1))) {
                (Some(Operand::IdRef(component)), Some(count)) => {
                    let component = self.definition(*component).map(|(_, one)| one.class.opcode);
                    let what = match component {
                        Some(Op::TypeFloat) => "floating-point numbers",
                        Some(Op::TypeBool) => "Booleans",
                        _ => "components",
                    };
                    format!("a vector of {count} {what}")
                }
                _ => "a vector".to_owned(),
            },
            Op::TypeStruct => "a structure".to_owned(),
            Op::TypeArray | Op::TypeRuntimeArray => "an array".to_owned(),
            Op::TypePointer | Op::TypeUntypedPointerKHR => match operands.first() {
                Some(Operand::StorageClass(storage)) => format!("a pointer into {storage:?}"),
                _ => "a pointer".to_owned(),
            },
            opcode => format!("`Op{opcode:?}`"),
        }
    }
}

impl Integers {
    /// In words, with an article.
    pub fn describe(&self) -> String {
        let Integers { components, width, signed, .. } = self;
        let signed = if *signed { "signed " } else { "" };
        match components {
            1 => {
                let article = if signed.is_empty() && *width == 8 { "an" } else { "a" };
                format!("{article} {signed}{width}-bit integer")
            }
            count => format!("a vector of {count} {signed}{width}-bit integers"),
        }
    }
}
