//! Bodies: declarations, labels, instructions, operands.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{FreshNames, quoted_name};
use super::registers::RegisterNames;
use super::variable::print_variable;
use crate::format::Lines;
use crate::isa::{ControlFlow, ExpectedOperands, FloatFormat, Op, Opcode};
use crate::module::{
    Address, Base, Body, Function, FunctionKind, Instruction, Module, Offset, Operand, Parameter, Scalar,
    VariableId,
};

/// How an immediate is written.
#[derive(Clone, Copy)]
struct Immediate {
    bits: u32,
    float: Option<FloatFormat>,
}

/// Prints one body.
pub(super) struct BodyPrinter<'a> {
    module: &'a Module,
    body: &'a Body,
    parameters: &'a [Parameter],
    /// Width of the value it returns; zero without one.
    result_bits: u32,
    registers: RegisterNames<'a>,
    locals: FxHashMap<VariableId, Cow<'a, str>>,
    expected: FxHashMap<Op, ExpectedOperands>,
}

impl<'a> BodyPrinter<'a> {
    /// A printer for the body of a function.
    pub fn new(module: &'a Module, function: &'a Function, body: &'a Body) -> Self {
        let (parameters, in_signature, result) = match &function.kind {
            FunctionKind::Kernel(kernel) => (kernel.parameters.as_slice(), 0, None),
            FunctionKind::Device { signature, .. } => (&[][..], signature.parameters.len(), signature.result),
        };
        BodyPrinter {
            module,
            body,
            parameters,
            result_bits: result.map_or(0, |result| u32::from(result.bits)),
            registers: RegisterNames::new(body, in_signature, parameters),
            locals: local_names(module, body),
            expected: FxHashMap::default(),
        }
    }

    /// The names of the registers.
    pub fn registers(&self) -> &RegisterNames<'a> {
        &self.registers
    }

    /// Everything between the braces.
    pub fn print(&mut self, lines: &mut Lines) {
        let declares = self.registers.declare(self.body, lines);
        for variable in &self.body.variables {
            print_variable(self.module, *variable, &self.locals[variable], 1, lines);
        }
        if declares || !self.body.variables.is_empty() {
            lines.blank();
        }
        for (id, block) in &self.body.blocks {
            for label in &block.labels {
                lines.line(0, format_args!("{label}:"));
            }
            for instruction in self.body.block_instructions(id) {
                self.instruction(instruction, lines);
            }
        }
        lines.no_blank();
    }

    fn instruction(&mut self, instruction: &Instruction, lines: &mut Lines) {
        let Instruction { op, .. } = *instruction;
        let operands = self.body.operands(instruction);
        lines.begin(1);
        lines.push(op);
        if op.opcode() == Opcode::ControlFlow(ControlFlow::Call) {
            let (lead, arguments) = operands.split_at(2 + usize::from(op.has("cond")));
            self.operands(op, lead, " ", lines);
            lines.push('(');
            self.operands(op, arguments, "", lines);
            lines.push(')');
        } else {
            self.operands(op, operands, " ", lines);
        }
        lines.push(';');
        lines.end();
    }

    fn operands(&mut self, op: Op, operands: &[Operand], before: &str, lines: &mut Lines) {
        let mut separator = before;
        for (position, operand) in operands.iter().enumerate() {
            lines.push(separator);
            separator = ", ";
            self.operand(op, position, *operand, lines);
        }
    }

    fn operand(&mut self, op: Op, position: usize, operand: Operand, lines: &mut Lines) {
        match operand {
            Operand::Scalar(scalar) => self.scalar(scalar, lines),
            Operand::Vector(register) => lines.push(format_args!("%{}", self.registers.get(register))),
            Operand::Swizzle(register, swizzle) => {
                lines.push(format_args!("%{}.{}", self.registers.get(register), swizzle.as_str()));
            }
            Operand::Immediate(value) => lines.push(immediate(value, self.immediate(op, position))),
            Operand::UnsignedImmediate(value) => lines.push(format_args!("{value}")),
            Operand::Predicate { register, negated } => {
                let not = if negated { "!" } else { "" };
                lines.push(format_args!("{not}%{}", self.registers.get(register)));
            }
            Operand::Variable(variable) => lines.push(format_args!("@{}", self.variable(variable))),
            Operand::Function(function) => {
                lines.push(format_args!("@{}", quoted_name(&self.module.functions[function].name)));
            }
            // A block that something jumps to has a label.
            Operand::Block(block) => lines.push(self.body.blocks[block].labels.first().map_or("", |one| one)),
            Operand::Address(address) => self.address(address, lines),
            Operand::Void => lines.push("void"),
        }
    }

    /// How an immediate at this position is read.
    fn immediate(&mut self, op: Op, position: usize) -> Immediate {
        if op.opcode() == Opcode::ControlFlow(ControlFlow::Return) {
            return Immediate { bits: self.result_bits, float: None };
        }
        let expected = self.expected.entry(op).or_insert_with(|| op.expected_operands());
        let operand = &expected[position];
        Immediate { bits: operand.bits, float: operand.float }
    }

    fn scalar(&self, scalar: Scalar, lines: &mut Lines) {
        match scalar {
            Scalar::Register(register) => lines.push(format_args!("%{}", self.registers.get(register))),
            Scalar::Element(register, element) => {
                lines.push(format_args!("%{}.{}", self.registers.get(register), element_name(element)));
            }
            Scalar::Special(special, _) if special.elements() == 1 => {
                lines.push(format_args!("%{}", special.name()));
            }
            Scalar::Special(special, dimension) => {
                lines.push(format_args!("%{}.{}", special.name(), element_name(dimension)));
            }
        }
    }

    fn variable(&self, variable: VariableId) -> Cow<'_, str> {
        let local = self.locals.get(&variable);
        quoted_name(local.map_or(&self.module.variables[variable].name, |name| name))
    }

    fn address(&self, address: Address, lines: &mut Lines) {
        lines.push('[');
        match address.base {
            Base::Scalar(scalar) => self.scalar(scalar, lines),
            Base::Variable(variable) => lines.push(format_args!("@{}", self.variable(variable))),
            Base::Parameter(index) => {
                lines.push(format_args!("%{}", self.parameters[index as usize].name));
            }
        }
        match address.offset {
            Offset::Immediate(0) => {}
            Offset::Immediate(offset) => {
                let sign = if offset < 0 { '-' } else { '+' };
                lines.push(format_args!(" {sign} {}", offset.unsigned_abs()));
            }
            Offset::Scalar(scalar) => {
                lines.push(" + ");
                self.scalar(scalar, lines);
            }
        }
        lines.push(']');
    }
}

/// Letter of one of the first four elements.
fn element_name(element: u8) -> char {
    ['x', 'y', 'z', 'w'][usize::from(element)]
}

/// A floating-point number by all its bits, an integer in decimal with its sign.
fn immediate(value: u64, Immediate { bits, float }: Immediate) -> String {
    match float {
        Some(FloatFormat::Bf | FloatFormat::Hf) => format!("0x{value:04X}"),
        Some(FloatFormat::F) => format!("0x{value:08X}"),
        Some(FloatFormat::Df) => format!("0x{value:016X}"),
        None => {
            let unused = 64 - bits.clamp(1, 64);
            (((value << unused) as i64) >> unused).to_string()
        }
    }
}

/// A name for each local variable of a body: its own, unless another local one has it, or it hides something of the
/// module that the body uses.
fn local_names<'a>(module: &'a Module, body: &'a Body) -> FxHashMap<VariableId, Cow<'a, str>> {
    if body.variables.is_empty() {
        return FxHashMap::default();
    }
    let mut fresh = FreshNames::default();
    let mut kept: FxHashSet<&str> = FxHashSet::default();
    for operand in &body.operands {
        let name = match *operand {
            Operand::Function(function) => &module.functions[function].name,
            Operand::Variable(variable)
            | Operand::Address(Address { base: Base::Variable(variable), .. })
                if module.variables[variable].owner.is_none() =>
            {
                &module.variables[variable].name
            }
            _ => continue,
        };
        kept.insert(name);
        fresh.take(name);
    }
    for variable in &body.variables {
        fresh.take(&module.variables[*variable].name);
    }
    let named = body.variables.iter().map(|variable| {
        let name = module.variables[*variable].name.as_str();
        let free = kept.insert(name);
        (*variable, if free { Cow::Borrowed(name) } else { Cow::Owned(fresh.fresh(name)) })
    });
    named.collect()
}
