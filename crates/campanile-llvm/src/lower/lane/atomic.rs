//! Atomic accesses (spec 8.1 to 8.6): by the instruction of LLVM where it has one of this meaning, otherwise by exchanging
//! until nobody came between.

use campanile_core::isa::{FloatFormat, FloatingPoint, Op, Operation, Rounding};
use campanile_core::module::{Instruction, Operand};

use super::function::FunctionLowering;
use super::memory::Access;
use crate::lower::compute::writer::Width;
use crate::lower::ordering::{failing_ordering, ordering, read_modify_write};

impl FunctionLowering<'_> {
    /// What an access says of its scope and order.
    fn ordered(&self, op: Op, order: &str) -> String {
        format!("{}{order}", self.platform.scope(op.scope()))
    }

    pub(super) fn atomic_load(&mut self, op: Op, access: Access, pointer: &str) -> String {
        let ordered = self.ordered(op, ordering(op.order()));
        let (bits, bytes) = (access.bits, access.element_bytes());
        self.code.writer.value(&format!("load atomic i{bits}, {pointer} {ordered}, align {bytes}"))
    }

    pub(super) fn atomic_store(&mut self, op: Op, access: Access, pointer: &str, value: &str) {
        let ordered = self.ordered(op, ordering(op.order()));
        let (bits, bytes) = (access.bits, access.element_bytes());
        self.code.writer.line(&format!("store atomic i{bits} {value}, {pointer} {ordered}, align {bytes}"));
    }

    pub(super) fn atomic(&mut self, instruction: &Instruction) {
        let op = instruction.op;
        let operands = self.operands(instruction);
        let Operand::Address(address) = &operands[1] else { unreachable!("an address") };
        let access = Access::of(op);
        let (address, bytes) = self.address(address, access.space);
        let values: Vec<String> =
            operands[2..].iter().map(|operand| self.operand(operand, access.bits).remove(0)).collect();
        self.platform.before_access(self, access.space);
        let pointer = self.platform.pointer(&mut self.code, access.space, &address, bytes);
        let bits = access.bits;
        let old = match (read_modify_write(op), op.operation()) {
            (Some((name, given)), _) => {
                let given = given.map(|given| given.to_string());
                let value = given.or_else(|| values.first().cloned()).unwrap_or_else(|| "0".to_owned());
                let ordered = self.ordered(op, ordering(op.order()));
                self.code.writer.value(&format!("atomicrmw {name} {pointer}, i{bits} {value} {ordered}"))
            }
            (None, Some(Operation::Cas)) => self.exchange(op, bits, &pointer, &values[0], &values[1]).0,
            _ => self.change_until_alone(op, access, &pointer, &values),
        };
        self.write_all(&operands[0], vec![old]);
    }

    /// Compares and exchanges; what was there, and whether it was as expected.
    fn exchange(
        &mut self,
        op: Op,
        bits: u32,
        pointer: &str,
        expected: &str,
        wanted: &str,
    ) -> (String, String) {
        let failure = failing_ordering(op.order());
        let ordered = self.ordered(op, ordering(op.order()));
        let both = self
            .code
            .writer
            .value(&format!("cmpxchg {pointer}, i{bits} {expected}, i{bits} {wanted} {ordered} {failure}"));
        let [old, done] = [0, 1]
            .map(|index| self.code.writer.value(&format!("extractvalue {{ i{bits}, i1 }} {both}, {index}")));
        (old, done)
    }

    /// `fatom` other than `.cas`.
    fn change_until_alone(&mut self, op: Op, access: Access, pointer: &str, values: &[String]) -> String {
        let bits = access.bits;
        let stack = self.platform.stack();
        let seen = format!("%seen.{}", self.position);
        self.memory.push(format!("{seen} = alloca i{bits}{}", super::function::alloca_space(stack)));
        let scope = self.platform.scope(op.scope());
        let bytes = access.element_bytes();
        let first = self
            .code
            .writer
            .value(&format!("load atomic i{bits}, {pointer} {scope}monotonic, align {bytes}"));
        self.code.writer.line(&format!("store i{bits} {first}, ptr{stack} {seen}"));
        let [again, done] = ["again", "changed"].map(|stem| self.code.writer.label(stem));
        self.code.writer.line(&format!("br label %{again}"));
        self.code.writer.place(&again);
        let expected = self.code.writer.value(&format!("load i{bits}, ptr{stack} {seen}"));
        let wanted = self.changed(op, &expected, &values[0]);
        let (old, alone) = self.exchange(op, bits, pointer, &expected, &wanted);
        self.code.writer.line(&format!("store i{bits} {old}, ptr{stack} {seen}"));
        self.code.writer.line(&format!("br i1 {alone}, label %{done}, label %{again}"));
        self.code.writer.place(&done);
        old
    }

    /// What `fatom` stores in place of an old value.
    fn changed(&mut self, op: Op, old: &str, value: &str) -> String {
        let format = op.ty().and_then(|ty| ty.float_format()).unwrap_or(FloatFormat::F);
        let sources = [old.to_owned(), value.to_owned()];
        let (width, code) = (Width::One, &mut self.code);
        match op.operation() {
            Some(Operation::Min) => code.extreme(FloatingPoint::Fmin, false, width, format, &sources),
            Some(Operation::Max) => code.extreme(FloatingPoint::Fmax, false, width, format, &sources),
            Some(Operation::Sub) => {
                code.arithmetic_result(FloatingPoint::Fsub, Rounding::NearestEven, width, format, &sources)
            }
            _ => code.arithmetic_result(FloatingPoint::Fadd, Rounding::NearestEven, width, format, &sources),
        }
    }
}
