//! A function being translated: its registers, its operands, its blocks.
//!
//! A register that is read in another block than it was written in lies in a variable of the function between blocks, which every
//! consumer of SPIR-V turns back into values; within a block all are values. Vectors and 128-bit registers are taken
//! apart into elements of at most 64 bits.

use campanile_core::analysis::{ControlFlowGraph, Liveness};
use campanile_core::diagnostic::{Code as DiagnosticCode, Diagnostic};
use campanile_core::isa::Space;
use campanile_core::module::{
    BlockId, Body, FunctionId, Instruction, Operand, Place, RegisterId, RegisterType, Scalar, VariableId,
};
use cranelift_entity::{EntityRef, SecondaryMap};
use rspirv::spirv::Word;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::code::Code;
use super::plan::Plan;
use super::special::BuiltIns;
use super::value::{Bits, Truth};

/// What functions of a module share.
pub(super) struct Shared<'m> {
    pub plan: &'m Plan<'m>,
    pub built_ins: BuiltIns,
    /// Ids of functions.
    pub functions: FxHashMap<FunctionId, Word>,
    /// Ids of variables of global and constant memory.
    pub variables: FxHashMap<VariableId, Word>,
    /// Ids of the names of source files, if lines are told.
    pub files: Vec<Word>,
    /// Whether `%enqueuedlocalsize` is `%localsize`.
    pub uniform_groups: bool,
    /// Whether the device is known to have dot products of packed bytes.
    pub has_dot_product: bool,
    /// What is wrong with the module for this target.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a function knows of the memory that it is told of.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// A pointer to the first byte of private memory.
    pub private: Option<Word>,
    /// Pointers to the first bytes of the pieces of shared memory.
    pub shared: Vec<Word>,
    /// The address of the printf buffer.
    pub printf: Option<Bits>,
    /// A pointer to the numbers that are the shape of the launch (see [`LaunchShape`](crate::LaunchShape)).
    pub shape: Option<Word>,
}

/// What a kernel's parameter is.
#[derive(Clone, Copy, Debug)]
pub(super) enum ParameterValue {
    /// Up to 64 bits.
    Value(Bits),
    /// A structure that this points to, so aligned.
    Memory(Word, u32),
}

/// An element of a register, or a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Bits(Bits),
    Truth(Truth),
}

/// A register while it is being written and read.
#[derive(Clone, Debug)]
struct Home {
    /// What its elements are in this block, as far as they are known.
    parts: SmallVec<[Option<Part>; 1]>,
    /// Variables that hold them between blocks, if it needs them.
    variables: SmallVec<[Word; 1]>,
    /// Whether it was written in this block.
    written: bool,
}

/// A function being translated.
pub(super) struct FunctionEmitter<'e, 'a, 'm> {
    pub code: Code<'a>,
    pub shared: &'e mut Shared<'m>,
    pub function: FunctionId,
    pub body: &'m Body,
    pub memory: Memory,
    pub parameters: Vec<ParameterValue>,
    pub labels: SecondaryMap<BlockId, Word>,
    homes: Vec<Home>,
    graph: &'m ControlFlowGraph,
    liveness: Liveness,
    /// Registers that were written in this block.
    written: Vec<RegisterId>,
    /// Registers of which something is known in this block.
    known: Vec<RegisterId>,
}

/// Number and width of the elements that a register is taken apart into; a width of 1 means a predicate.
pub(super) fn parts_of(ty: RegisterType) -> (u32, u32) {
    match ty.bits {
        128 => (2 * u32::from(ty.elements), 64),
        bits => (u32::from(ty.elements), u32::from(bits)),
    }
}

impl<'e, 'a, 'm> FunctionEmitter<'e, 'a, 'm> {
    /// A function whose code has just been begun.
    pub fn new(
        code: Code<'a>,
        shared: &'e mut Shared<'m>,
        function: FunctionId,
        body: &'m Body,
        memory: Memory,
    ) -> Self {
        let graph = shared.plan.control_flow(function);
        let liveness = Liveness::new(body, graph);
        let home = |register: &campanile_core::module::Register| Home {
            parts: smallvec![None; parts_of(register.ty).0 as usize],
            variables: SmallVec::new(),
            written: false,
        };
        FunctionEmitter {
            code,
            shared,
            function,
            body,
            memory,
            parameters: Vec::new(),
            labels: SecondaryMap::new(),
            homes: body.registers.values().map(home).collect(),
            graph,
            liveness,
            written: Vec::new(),
            known: Vec::new(),
        }
    }

    /// Gives the registers that live between blocks their variables.
    pub fn make_homes(&mut self) {
        let mut lives = vec![false; self.homes.len()];
        for block in self.graph.reverse_post_order() {
            for register in self.liveness.live_in(*block) {
                lives[register.index()] = true;
            }
        }
        for (index, _) in lives.iter().enumerate().filter(|(_, lives)| **lives) {
            let register = RegisterId::new(index);
            let (count, width) = parts_of(self.body.registers[register].ty);
            // Conditions have no place in memory.
            let ty = self.code.assembly.int(if width == 1 { 32 } else { width });
            self.homes[index].variables = (0..count).map(|_| self.code.variable(ty)).collect();
            for variable in self.homes[index].variables.clone() {
                self.code.assembly.name(variable, &self.body.registers[register].name);
            }
        }
    }

    /// Writes all blocks, in an order in which each comes after those that it follows.
    pub fn blocks(&mut self) {
        let order: Vec<BlockId> = self.graph.reverse_post_order().to_vec();
        for block in &order {
            self.labels[*block] = self.code.new_label();
        }
        let Some(first) = order.first() else { return };
        self.store_homes(|_| true);
        self.code.branch(self.labels[*first], self.labels[*first]);
        for (index, block) in order.iter().enumerate() {
            self.forget();
            let next = match order.get(index + 1) {
                Some(next) => self.labels[*next],
                None => self.code.new_label(),
            };
            self.block(*block, next);
        }
    }

    fn block(&mut self, block: BlockId, next: Word) {
        let instructions = self.body.block_instructions(block);
        let (last, others) = match instructions.split_last() {
            Some((last, others)) if ends_block(last) => (Some(last), others),
            _ => (None, instructions),
        };
        for instruction in others {
            self.begin(instruction);
            self.instruction(instruction);
        }
        match last {
            Some(last) => {
                self.begin(last);
                self.end_block(last, block, next);
            }
            None => {
                self.leave(block);
                self.fall_through(block, next);
            }
        }
    }

    /// Notes which instruction is being translated.
    fn begin(&mut self, instruction: &Instruction) {
        let source = self.shared.plan.module.functions[self.function].place.source;
        self.code.place = Some(Place { source, span: instruction.span });
        if let Some(file) = self.shared.files.get(source.index()) {
            let (line, column) = self.shared.plan.module.sources[source].position(instruction.span.start);
            self.code.line(*file, line as u32, column as u32);
        }
    }

    /// Stores what later blocks read of what this one has written.
    pub fn leave(&mut self, block: BlockId) {
        let live: Vec<RegisterId> = self.liveness.live_out(block).to_vec();
        self.store_homes(|register| live.binary_search(&register).is_ok());
    }

    fn store_homes(&mut self, is_live: impl Fn(RegisterId) -> bool) {
        for register in std::mem::take(&mut self.written) {
            let home = &mut self.homes[register.index()];
            home.written = false;
            if home.variables.is_empty() || !is_live(register) {
                continue;
            }
            let parts: Vec<(Part, Word)> = home
                .parts
                .iter()
                .zip(&home.variables)
                .filter_map(|(part, to)| Some(((*part)?, *to)))
                .collect();
            for (part, variable) in parts {
                let value = match part {
                    Part::Bits(bits) => bits,
                    Part::Truth(truth) => self.code.one_if(truth, 32),
                };
                self.code.store_home(variable, value);
            }
        }
    }

    /// At the start of a block nothing is known.
    fn forget(&mut self) {
        for register in std::mem::take(&mut self.known) {
            self.homes[register.index()].parts.fill(None);
        }
    }

    /// Reports something that the target has no way to do.
    pub fn refuse(&mut self, code: DiagnosticCode, message: String, help: &str) {
        let Some(place) = self.code.place else { return };
        let source = &self.shared.plan.module.sources[place.source];
        self.shared.diagnostics.push(Diagnostic::new(code, source, place.span, message).help(help));
    }
}

/// Registers.
impl FunctionEmitter<'_, '_, '_> {
    fn part(&mut self, register: RegisterId, index: u32) -> Part {
        let home = &self.homes[register.index()];
        if let Some(part) = home.parts[index as usize] {
            return part;
        }
        let (_, width) = parts_of(self.body.registers[register].ty);
        let part = match home.variables.get(index as usize) {
            Some(variable) => {
                let value = self.code.load_home(*variable, width.max(if width == 1 { 32 } else { 8 }));
                if width == 1 { Part::Truth(self.code.is_not_zero(value)) } else { Part::Bits(value) }
            }
            None if width == 1 => Part::Truth(self.code.truth(false)),
            None => Part::Bits(self.code.undefined(width)),
        };
        self.homes[register.index()].parts[index as usize] = Some(part);
        self.known.push(register);
        part
    }

    fn set_part(&mut self, register: RegisterId, index: u32, part: Part) {
        let home = &mut self.homes[register.index()];
        if home.parts[index as usize].replace(part).is_none() {
            self.known.push(register);
        }
        if !std::mem::replace(&mut home.written, true) {
            self.written.push(register);
        }
    }

    /// An element of a register.
    pub fn read(&mut self, register: RegisterId, index: u32) -> Bits {
        match self.part(register, index) {
            Part::Bits(bits) => bits,
            Part::Truth(truth) => self.code.one_if(truth, 32),
        }
    }

    /// Writes an element of a register.
    pub fn write(&mut self, register: RegisterId, index: u32, value: Bits) {
        let (_, width) = parts_of(self.body.registers[register].ty);
        debug_assert_eq!(width, value.width, "an element of {register:?}");
        self.set_part(register, index, Part::Bits(value));
    }

    /// A predicate.
    pub fn predicate(&mut self, register: RegisterId) -> Truth {
        match self.part(register, 0) {
            Part::Truth(truth) => truth,
            Part::Bits(bits) => self.code.is_not_zero(bits),
        }
    }

    /// Writes a predicate.
    pub fn write_predicate(&mut self, register: RegisterId, value: Truth) {
        self.set_part(register, 0, Part::Truth(value));
    }

    /// Register, first element and number of elements of an operand that names registers.
    pub fn named(&self, operand: &Operand) -> Option<(RegisterId, u32, u32)> {
        match *operand {
            Operand::Scalar(Scalar::Element(register, element)) => Some((register, element.into(), 1)),
            Operand::Scalar(Scalar::Register(register))
            | Operand::Vector(register)
            | Operand::Predicate { register, .. } => {
                Some((register, 0, parts_of(self.body.registers[register].ty).0))
            }
            Operand::Swizzle(register, swizzle) => Some((register, swizzle.first(), swizzle.count())),
            _ => None,
        }
    }

    /// Writes the elements of an operand.
    pub fn assign(&mut self, operand: &Operand, values: &[Bits]) {
        let Some((register, first, count)) = self.named(operand) else {
            unreachable!("results are registers")
        };
        debug_assert_eq!(count as usize, values.len());
        for (index, value) in values.iter().enumerate() {
            self.write(register, first + index as u32, *value);
        }
    }

    /// Writes a predicate operand.
    pub fn assign_truth(&mut self, operand: &Operand, value: Truth) {
        let Operand::Predicate { register, .. } = *operand else { unreachable!("a predicate") };
        self.write_predicate(register, value);
    }

    /// Whether an operand is a predicate.
    pub fn is_predicate(&self, operand: &Operand) -> bool {
        matches!(operand, Operand::Predicate { .. })
    }

    /// The elements of an operand; immediates have this width.
    pub fn operand(&mut self, operand: &Operand, width: u32) -> Vec<Bits> {
        if let Some((register, first, count)) = self.named(operand) {
            return (first..first + count).map(|index| self.read(register, index)).collect();
        }
        match *operand {
            Operand::Scalar(scalar) => vec![self.scalar(scalar)],
            Operand::Immediate(value) if width > 64 => {
                let sign = (value as i64 >> 63) as u64;
                [value, sign].map(|half| self.code.constant(64, half)).to_vec()
            }
            Operand::UnsignedImmediate(value) if width > 64 => {
                [value, 0].map(|half| self.code.constant(64, half)).to_vec()
            }
            Operand::Immediate(value) | Operand::UnsignedImmediate(value) => {
                vec![self.code.constant(width, value)]
            }
            Operand::Variable(variable) => vec![self.variable_address(variable)],
            Operand::Function(function) => {
                let address = self.shared.plan.function_address(function);
                vec![self.code.constant(64, address)]
            }
            _ => unreachable!("{operand:?} is no value"),
        }
    }

    /// The only element of an operand.
    pub fn single(&mut self, operand: &Operand, width: u32) -> Bits {
        let elements = self.operand(operand, width);
        let [element] = elements[..] else { unreachable!("one element in {operand:?}") };
        element
    }

    /// A condition operand: a predicate, perhaps negated, or a register that is not zero.
    pub fn condition(&mut self, operand: &Operand) -> Truth {
        match *operand {
            Operand::Predicate { register, negated } => {
                let truth = self.predicate(register);
                if negated { self.code.is_not(truth) } else { truth }
            }
            _ => {
                let value = self.single(operand, 32);
                self.code.is_not_zero(value)
            }
        }
    }

    /// A scalar operand.
    pub fn scalar(&mut self, scalar: Scalar) -> Bits {
        match scalar {
            Scalar::Register(register) => self.read(register, 0),
            Scalar::Element(register, element) => self.read(register, element.into()),
            Scalar::Special(special, dimension) => self.special(special, dimension),
        }
    }

    /// The address of a variable in its own space.
    pub fn variable_address(&mut self, variable: VariableId) -> Bits {
        match self.shared.plan.module.variables[variable].space {
            Space::Private | Space::Shared => {
                let place = self.shared.plan.places.get(&variable).copied().unwrap_or(0);
                self.code.constant(32, place)
            }
            _ => {
                let variable = self.shared.variables[&variable];
                self.code.address_of(variable)
            }
        }
    }

    /// The block that follows a block that does not jump.
    pub fn follower(&self, block: BlockId) -> Option<BlockId> {
        let next = BlockId::new(block.index() + 1);
        self.body.blocks.is_valid(next).then_some(next)
    }
}

/// Whether an instruction is the last of its block.
fn ends_block(instruction: &Instruction) -> bool {
    use campanile_core::isa::{ControlFlow, Opcode};
    matches!(instruction.op.opcode(), Opcode::ControlFlow(ControlFlow::Goto | ControlFlow::Return))
}
