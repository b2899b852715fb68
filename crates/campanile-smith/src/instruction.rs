//! Instructions: any operation of the table, with what it needs to be well defined.

use campanile_core::isa::{
    Arithmetic, ControlFlow, CrossLane, DataMovement, FloatFormat, Memory, Op, Opcode, Synchronization, Type,
};
use campanile_core::module::RegisterType;

use crate::body::Body;
use crate::immediate;
use crate::operation::{any_form, any_operation, form_of};

impl Body<'_, '_> {
    /// Writes an instruction of any form.
    pub fn instruction(&mut self) {
        let form = any_form(self.choices, &self.plan.options);
        let Some(op) = any_operation(self.choices, form, &self.plan.options) else { return };
        match op.opcode() {
            Opcode::Memory(Memory::LdParam) => self.load_parameter(op),
            Opcode::Memory(Memory::Ld | Memory::St) => self.access(op),
            Opcode::Memory(Memory::Iatom) => self.integer_atomic(op),
            Opcode::Memory(Memory::Fatom) => self.float_atomic(op),
            Opcode::ControlFlow(ControlFlow::Call) => self.call(op.has("cond")),
            Opcode::ControlFlow(ControlFlow::Return) => self.early_return(!op.has("cond")),
            // Jumps are part of what control_flow writes, barriers of phases.
            Opcode::ControlFlow(ControlFlow::Goto) => {}
            Opcode::Synchronization(Synchronization::BarrierWorkgroup) => {}
            Opcode::Synchronization(Synchronization::Fence) => self.line(format!("{op};")),
            Opcode::DataMovement(DataMovement::Addrof) if op.form.entry().form.title == "of a function" => {
                self.indirect_call(false);
            }
            Opcode::DataMovement(DataMovement::Addrof | DataMovement::Addrcast) => self.detour(),
            Opcode::DataMovement(DataMovement::Isaddr) => self.tell_space(op),
            Opcode::DataMovement(DataMovement::LifetimeStart) => self.restart(),
            _ => self.computation(op),
        }
    }

    /// An access that takes or casts an address first.
    fn detour(&mut self) {
        let opcode = *self.choices.one_of(&[Memory::Ld, Memory::St]);
        let form = form_of(Opcode::Memory(opcode), "non-atomic");
        let Some(op) = any_operation(self.choices, form, &self.plan.options) else { return };
        self.detours = true;
        self.access(op);
        self.detours = false;
    }

    /// Declares the value of a register dead, and sets it anew.
    fn restart(&mut self) {
        let ty = match self.choices.between(0, 3) {
            0 => RegisterType::PREDICATE,
            1 => RegisterType { bits: 32, elements: 4 },
            _ => RegisterType::scalar(*self.choices.one_of(&[8, 16, 32, 64, 128])),
        };
        let register = self.registers.data(ty, self.choices);
        self.line(format!("lifetime.start {register};"));
        self.initialize(&register, ty);
    }

    /// A computation on registers, over the lanes of the sub-group or not.
    fn computation(&mut self, op: Op) {
        let mut operands = Vec::new();
        for expected in &op.expected_operands() {
            let guarded = self.guarded(op, expected.role, expected.bits as u8);
            let Some(operand) = guarded.or_else(|| self.operand(op, expected)) else { return };
            operands.push(operand);
        }
        self.line(format!("{op} {};", operands.join(", ")));
        if let Some(result) = operands.first() {
            self.canonicalize(op, result);
        }
    }

    /// What must stand for an operand that not every value will do for.
    fn guarded(&mut self, op: Op, role: &str, bits: u8) -> Option<String> {
        match (op.opcode(), role) {
            (Opcode::Arithmetic(Arithmetic::Sdiv | Arithmetic::Udiv), "src1") => Some(self.divisor(bits)),
            (_, "index") => Some(self.index(op.vector())),
            (Opcode::CrossLane(CrossLane::Fred | CrossLane::Ired), "src1") => Some(self.mask()),
            (Opcode::CrossLane(CrossLane::Shfl), "src2") => Some(self.mask()),
            (Opcode::CrossLane(CrossLane::Redfirstidx), "src0") => Some(self.inhabited_mask()),
            _ => None,
        }
    }

    fn divisor(&mut self, bits: u8) -> String {
        if self.choices.chance(30) {
            return immediate::nonzero_integer(self.choices, u32::from(bits));
        }
        let (divisor, any) = (self.scratch(bits), self.register(bits));
        self.line(format!("or.{bits}b {divisor}, {any}, 1;"));
        divisor
    }

    /// A register with an index into so many elements.
    fn index(&mut self, elements: u32) -> String {
        let (index, any) = (self.scratch(32), self.register(32));
        match self.choices.between(0, 2) {
            0 if elements.is_power_of_two() => {
                self.line(format!("and.32b {index}, {any}, {};", elements - 1));
            }
            1 => self.line(format!("umin.32b {index}, {any}, {};", elements - 1)),
            _ => self.line(format!("udiv.rem.32b {index}, {any}, {elements};")),
        }
        index
    }

    /// A mask of lanes that is the same in all of them.
    fn mask(&mut self) -> String {
        match self.choices.between(0, 5) {
            0 => "%activemask".to_owned(),
            1 => self.registers.reserve("%uniform", RegisterType::scalar(32)),
            2 => immediate::integer(self.choices, 32),
            _ => "0xFFFFFFFF".to_owned(),
        }
    }

    /// A mask with active lanes in it.
    fn inhabited_mask(&mut self) -> String {
        match self.choices.between(0, 2) {
            0 => "%activemask".to_owned(),
            1 => "0xFFFFFFFF".to_owned(),
            _ => {
                let (mask, more) = (self.scratch(32), immediate::integer(self.choices, 32));
                self.line(format!("or.32b {mask}, %activemask, {more};"));
                mask
            }
        }
    }

    /// Replaces a NaN that an instruction has made by the one that stands for all, if that is wanted.
    fn canonicalize(&mut self, op: Op, result: &str) {
        let Some(format) = result_format(op).filter(|_| self.plan.options.canonical_nans) else { return };
        let (bits, nan) = match format {
            FloatFormat::Bf => (16, "0x7FC0"),
            FloatFormat::Hf => (16, "0x7E00"),
            FloatFormat::F => (32, "0x7FC00000"),
            FloatFormat::Df => (64, "0x7FF8000000000000"),
        };
        let elements: &[&str] = match op.ty().or(op.to()) {
            Some(ty) if ty.is_packed() => &[".x", ".y"],
            _ => &[""],
        };
        for element in elements {
            let is_nan = self.scratch_predicate();
            self.line(format!("fcmp.ne.{format} {is_nan}, {result}{element}, {result}{element};"));
            self.line(format!("sel.{bits}b {result}{element}, {nan}, {result}{element}, {is_nan};"));
        }
    }
}

/// The format of the result, if it is a floating-point number that may be a NaN.
fn result_format(op: Op) -> Option<FloatFormat> {
    match op.opcode() {
        Opcode::FloatingPoint(_) if op.written("precision").is_some() => Some(FloatFormat::F),
        Opcode::FloatingPoint(_) | Opcode::CrossLane(_) => op.ty().and_then(Type::float_format),
        Opcode::DataMovement(DataMovement::Frnd) => op.ty().and_then(Type::float_format),
        Opcode::DataMovement(_) => op.to().and_then(Type::float_format),
        _ => None,
    }
}
