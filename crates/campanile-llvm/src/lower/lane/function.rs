//! One function under way: the homes of its registers, and the values read from and written to them.
//!
//! Every register element has a home on the stack, which LLVM makes a value of.

use std::collections::HashMap;

use campanile_core::module::{
    Body, FunctionId, Instruction, Operand, RegisterId, RegisterType, Scalar, keys,
};
use cranelift_entity::EntityRef;

use super::Program;
use super::platform::Platform;
use crate::lower::compute::Computation;
use crate::lower::compute::writer::{Width, constant};

/// A function under way.
pub(super) struct FunctionLowering<'p> {
    pub program: &'p Program<'p>,
    pub platform: &'p dyn Platform,
    pub id: FunctionId,
    pub body: &'p Body,
    /// The blocks.
    pub code: Computation<'p>,
    /// Stack memory, which is allocated at the entry.
    pub memory: Vec<String>,
    /// The instruction that is being written.
    pub position: u32,
    /// Values in the current block, as far as they are known.
    known: HashMap<(RegisterId, u32), String>,
}

impl<'p> FunctionLowering<'p> {
    /// A function that has a body.
    pub fn new(program: &'p Program<'p>, id: FunctionId) -> Option<Self> {
        let body = program.module.functions[id].body.as_ref()?;
        let platform = program.platform;
        let code = Computation::new(program.target);
        let (memory, known) = (vec![], HashMap::new());
        Some(FunctionLowering { program, platform, id, body, code, memory, position: 0, known })
    }

    /// Allocates the homes of all registers, and puts there what is passed for parameters.
    pub fn begin(&mut self) {
        let stack = self.platform.stack();
        for register in keys(&self.body.registers) {
            let ty = self.body.registers[register].ty;
            for element in 0..u32::from(ty.elements) {
                let home = home_name(register, element);
                self.memory.push(format!("{home} = alloca i{}{}", ty.bits, alloca_space(stack)));
            }
        }
        let signature = self.program.module.functions[self.id].signature();
        let parameters = signature.map_or(&[][..], |signature| &signature.parameters);
        for (index, ty) in parameters.iter().enumerate() {
            let register = RegisterId::new(index);
            for (element, value) in self.elements(*ty, &format!("%a{index}")).into_iter().enumerate() {
                self.store_home(register, element as u32, &value);
            }
        }
    }

    /// Begins a block: nothing is known but what lies in the homes.
    pub fn enter(&mut self) {
        self.known.clear();
    }

    /// Bits of a register's elements.
    pub fn bits(&self, register: RegisterId) -> u32 {
        u32::from(self.body.registers[register].ty.bits)
    }

    /// The type of what an operand names.
    pub fn operand_type(&self, operand: &Operand) -> RegisterType {
        match *operand {
            Operand::Scalar(scalar) => RegisterType::scalar(self.scalar_bits(scalar) as u8),
            Operand::Predicate { .. } => RegisterType::PREDICATE,
            Operand::Vector(register) => self.body.registers[register].ty,
            Operand::Swizzle(register, swizzle) => {
                RegisterType { elements: swizzle.count() as u8, ..self.body.registers[register].ty }
            }
            _ => unreachable!("{operand:?} names no register"),
        }
    }

    /// Bits of a scalar.
    pub fn scalar_bits(&self, scalar: Scalar) -> u32 {
        self.body.scalar_bits(scalar)
    }

    /// What an element of a register holds.
    pub fn read(&mut self, register: RegisterId, element: u32) -> String {
        if let Some(known) = self.known.get(&(register, element)) {
            return known.clone();
        }
        let (home, bits, stack) = (home_name(register, element), self.bits(register), self.platform.stack());
        let value = self.code.writer.value(&format!("load i{bits}, ptr{stack} {home}"));
        self.known.insert((register, element), value.clone());
        value
    }

    /// Writes an element of a register.
    pub fn write(&mut self, register: RegisterId, element: u32, value: String) {
        self.store_home(register, element, &value);
        self.known.insert((register, element), value);
    }

    fn store_home(&mut self, register: RegisterId, element: u32, value: &str) {
        let (home, bits, stack) = (home_name(register, element), self.bits(register), self.platform.stack());
        self.code.writer.line(&format!("store i{bits} {value}, ptr{stack} {home}"));
    }

    /// Writes the elements that an operand names.
    pub fn write_all(&mut self, operand: &Operand, values: Vec<String>) {
        for ((register, element), value) in self.places(operand).into_iter().zip(values) {
            self.write(register, element, value);
        }
    }

    /// The elements of an operand, each of so many bits.
    pub fn operand(&mut self, operand: &Operand, bits: u32) -> Vec<String> {
        match *operand {
            Operand::Scalar(scalar) => vec![self.scalar(scalar)],
            Operand::Vector(_) | Operand::Swizzle(..) => {
                let places = self.places(operand);
                places.into_iter().map(|(register, element)| self.read(register, element)).collect()
            }
            Operand::Immediate(value) if bits > 64 => vec![(value as i64).to_string()],
            Operand::UnsignedImmediate(value) if bits > 64 => vec![value.to_string()],
            Operand::Immediate(value) | Operand::UnsignedImmediate(value) => {
                vec![constant(Width::One, bits, value)]
            }
            Operand::Predicate { register, negated } => {
                let value = self.read(register, 0);
                vec![if negated { self.code.binary(Width::One, "xor", 1, &value, "1") } else { value }]
            }
            Operand::Variable(variable) => vec![self.platform.variable(self, variable)],
            Operand::Function(function) => vec![self.platform.function(self, function)],
            Operand::Block(_) | Operand::Address(_) | Operand::Void => {
                unreachable!("{operand:?} is no value")
            }
        }
    }

    /// The value of a scalar operand.
    pub fn scalar(&mut self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Register(register) => self.read(register, 0),
            Scalar::Element(register, element) => self.read(register, u32::from(element)),
            Scalar::Special(special, dimension) => self.platform.special(self, special, dimension),
        }
    }

    /// The registers and elements that an operand names.
    pub fn places(&self, operand: &Operand) -> Vec<(RegisterId, u32)> {
        self.body.elements(operand)
    }

    /// The operands of an instruction.
    pub fn operands(&self, instruction: &Instruction) -> &'p [Operand] {
        self.body.operands(instruction)
    }

    /// The elements of a value as it is passed to functions.
    pub fn elements(&mut self, ty: RegisterType, value: &str) -> Vec<String> {
        if !ty.is_vector() {
            return vec![value.to_owned()];
        }
        let whole = passed_type(ty);
        let elements = (0..ty.elements)
            .map(|element| self.code.writer.value(&format!("extractelement {whole} {value}, i32 {element}")));
        elements.collect()
    }

    /// Elements as a value that is passed to functions.
    pub fn passed(&mut self, ty: RegisterType, elements: &[String]) -> String {
        let whole = passed_type(ty);
        match elements {
            [only] if !ty.is_vector() => only.clone(),
            _ => elements.iter().enumerate().fold("poison".to_owned(), |vector, (index, element)| {
                let insertion =
                    format!("insertelement {whole} {vector}, i{} {element}, i32 {index}", ty.bits);
                self.code.writer.value(&insertion)
            }),
        }
    }
}

/// The type by which functions take and return what a register holds.
pub(super) fn passed_type(ty: RegisterType) -> String {
    match ty.elements {
        1 => format!("i{}", ty.bits),
        elements => format!("<{elements} x i{}>", ty.bits),
    }
}

/// What an `alloca` says of the address space of stacks.
pub(super) fn alloca_space(stack: &str) -> String {
    if stack.is_empty() { String::new() } else { format!(",{stack}") }
}

/// The name of an element's home.
fn home_name(register: RegisterId, element: u32) -> String {
    format!("%r{}.{element}", register.index())
}
