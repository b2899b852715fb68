//! What compiled code leaves to its host: operations that are rare or have no instruction of the processor.

use std::mem::offset_of;

use campanile_core::isa::{ExpectedOperand, Op};
use campanile_core::module::Instruction;

use super::function::FunctionLowering;
use super::value::Value;
use crate::frame::{LaunchFrame, Services};
use crate::lower::compute::writer::{Width, constant};

impl FunctionLowering<'_, '_> {
    /// A function of the host.
    pub fn service(&mut self, offset: usize) -> String {
        let invariant = ", !invariant.load !0";
        let services =
            self.code.writer.field_with("%launch", offset_of!(LaunchFrame, services), "ptr", invariant);
        self.code.writer.field_with(&services, offset, "ptr", invariant)
    }

    /// Stack memory for so many operands of 32 times 64 bits.
    pub fn lanes_memory(&mut self, stem: &str, count: usize) -> String {
        let name = format!("%{stem}.{count}");
        let line = format!("{name} = alloca [{count} x <32 x i64>], align 256");
        if !self.memory.contains(&line) {
            self.memory.push(line);
        }
        name
    }

    /// Puts a value into an operand's place, zero-extended; of 128 bits the low and the high half into two.
    pub fn put(&mut self, memory: &str, place: usize, value: &Value) {
        let vector = self.vector(value);
        let halves = match value.bits {
            128 => {
                let low = self.code.resize(Width::All, &vector, 128, 64);
                let shift = self.code.splat("64", 128);
                let high = self.code.writer.value(&format!("lshr <32 x i128> {vector}, {shift}"));
                vec![low, self.code.resize(Width::All, &high, 128, 64)]
            }
            bits => vec![self.code.resize(Width::All, &vector, bits, 64)],
        };
        for (half, value) in halves.iter().enumerate() {
            let to = self
                .code
                .writer
                .value(&format!("getelementptr i8, ptr {memory}, i64 {}", 256 * (place + half)));
            self.code.writer.line(&format!("store <32 x i64> {value}, ptr {to}"));
        }
    }

    /// Takes a value of so many bits from a result's place.
    pub fn take(&mut self, memory: &str, place: usize, bits: u32) -> String {
        let half = |lowering: &mut Self, half: usize| {
            let from = lowering
                .code
                .writer
                .value(&format!("getelementptr i8, ptr {memory}, i64 {}", 256 * (place + half)));
            lowering.code.writer.value(&format!("load <32 x i64>, ptr {from}"))
        };
        let low = half(self, 0);
        if bits != 128 {
            return self.code.resize(Width::All, &low, 64, bits);
        }
        let high = half(self, 1);
        let low = self.code.resize(Width::All, &low, 64, 128);
        let high = self.code.resize(Width::All, &high, 64, 128);
        let shift = self.code.splat("64", 128);
        let high = self.code.writer.value(&format!("shl <32 x i128> {high}, {shift}"));
        self.code.writer.value(&format!("or <32 x i128> {low}, {high}"))
    }

    /// The elements of a packed operand side by side, as 64 bits.
    fn packed(&mut self, elements: &[Value]) -> Value {
        let mut all: Option<String> = None;
        for (index, element) in elements.iter().enumerate() {
            let vector = self.vector(element);
            let mut wide = self.code.resize(Width::All, &vector, element.bits, 64);
            if index > 0 {
                let shift = constant(Width::All, 64, u64::from(element.bits) * index as u64);
                wide = self.code.writer.value(&format!("shl <32 x i64> {wide}, {shift}"));
            }
            all = Some(match all {
                None => wide,
                Some(all) => self.code.writer.value(&format!("or <32 x i64> {all}, {wide}")),
            });
        }
        Value::varying(64, all.unwrap_or_else(|| constant(Width::All, 64, 0)))
    }

    /// The operands of an instruction that are read, each as one value.
    fn sources(&mut self, instruction: &Instruction, expected: &[ExpectedOperand]) -> Vec<Value> {
        let operands = self.operands(instruction);
        let read = expected.iter().zip(operands).filter(|(expected, _)| !expected.written);
        let mut sources = vec![];
        for (expected, operand) in read {
            let elements = self.operand(operand, expected.bits.max(1));
            sources.push(match &elements[..] {
                [only] => only.clone(),
                several => self.packed(several),
            });
        }
        sources
    }

    /// An operation lane by lane, done by the host.
    pub fn compute_on_host(&mut self, instruction: &Instruction) {
        let expected = instruction.op.expected_operands();
        let sources = self.sources(instruction, &expected);
        let results: Vec<_> =
            expected.iter().zip(self.operands(instruction)).filter(|(one, _)| one.written).collect();
        let from = self.lanes_memory("sources", sources.len());
        let to = self.lanes_memory("results", results.len());
        for (place, source) in sources.iter().enumerate() {
            self.put(&from, place, source);
        }
        let number = self.program.operation(instruction.op);
        let service = self.service(offset_of!(Services, compute));
        self.code
            .writer
            .line(&format!("call void {service}(ptr %frame, i32 {number}, ptr {from}, ptr {to})"));
        self.cursor.advance();
        for (place, (_, operand)) in results.iter().enumerate() {
            let places = self.places(operand);
            let whole = self.take(&to, place, 64);
            for (index, (register, element)) in places.iter().enumerate() {
                let bits = self.bits(*register);
                let mut part = whole.clone();
                if index > 0 {
                    let shift = constant(Width::All, 64, u64::from(bits) * index as u64);
                    part = self.code.writer.value(&format!("lshr <32 x i64> {whole}, {shift}"));
                }
                let part = self.code.resize(Width::All, &part, 64, bits);
                let mut value = Value::varying(bits, part);
                self.derive_rows(&mut value, self.cursor.shape(*register, *element));
                self.write(*register, *element, value);
            }
        }
    }

    /// An operation across lanes, done by the host.
    pub fn cross_lanes_on_host(&mut self, instruction: &Instruction) {
        let expected = instruction.op.expected_operands();
        let sources = self.sources(instruction, &expected);
        let operands = self.operands(instruction);
        let (from, to) = (self.lanes_memory("sources", sources.len()), self.lanes_memory("results", 1));
        for (place, source) in sources.iter().enumerate() {
            self.put(&from, place, source);
        }
        let number = self.program.operation(instruction.op);
        let active = self.active_bits().unwrap_or_else(|| "-1".to_owned());
        let service = self.service(offset_of!(Services, cross_lane));
        let written = self.code.writer.value(&format!(
            "call i32 {service}(ptr %frame, i32 {number}, i32 {active}, ptr {from}, ptr {to})"
        ));
        let written = self.code.mask_of(&written);
        self.cursor.advance();
        let whole = self.take(&to, 0, 64);
        for (index, (register, element)) in self.places(&operands[0]).iter().enumerate() {
            let bits = self.bits(*register);
            let shift = constant(Width::All, 64, u64::from(bits) * index as u64);
            let part = self.code.writer.value(&format!("lshr <32 x i64> {whole}, {shift}"));
            let part = self.code.resize(Width::All, &part, 64, bits);
            self.write_some(*register, *element, &Value::varying(bits, part), &written);
        }
    }

    /// The number of an operation for the host.
    pub fn operation_number(&mut self, op: Op) -> usize {
        self.program.operation(op)
    }
}
