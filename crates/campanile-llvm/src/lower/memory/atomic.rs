//! Atomic accesses: one lane after another, in ascending order.

use std::mem::offset_of;

use campanile_core::isa::{Memory, Op, Operation, Order};
use campanile_core::module::{Instruction, Operand};

use super::Access;
use crate::frame::Services;
use crate::lower::function::FunctionLowering;
use crate::lower::value::Value;
use crate::lower::writer::{Width, constant};

fn ordering(order: Order) -> &'static str {
    match order {
        Order::Weak | Order::Relaxed => "monotonic",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcquireRelease => "acq_rel",
        Order::SequentiallyConsistent => "seq_cst",
    }
}

/// The read-modify-write operation of LLVM, with a constant operand where the instruction has none.
fn operation(op: Op) -> Option<(&'static str, Option<u64>)> {
    let is_float = op.opcode() == campanile_core::isa::Opcode::Memory(Memory::Fatom);
    if !matches!(op.ty().map(|ty| ty.bits()), Some(32 | 64)) {
        return None;
    }
    Some(match (op.operation()?, is_float) {
        (Operation::Add, false) => ("add", None),
        (Operation::Sub, false) => ("sub", None),
        (Operation::SignedMin, false) => ("min", None),
        (Operation::SignedMax, false) => ("max", None),
        (Operation::UnsignedMin, false) => ("umin", None),
        (Operation::UnsignedMax, false) => ("umax", None),
        (Operation::And, false) => ("and", None),
        (Operation::Or, false) => ("or", None),
        (Operation::Xor, false) => ("xor", None),
        (Operation::Exchange, false) => ("xchg", None),
        (Operation::Increment, false) => ("add", Some(1)),
        (Operation::Decrement, false) => ("sub", Some(1)),
        _ => return None,
    })
}

impl FunctionLowering<'_, '_> {
    /// The host pointers of all lanes, as a vector.
    fn all_pointers(&mut self, access: &Access, address: &Value) -> String {
        let pointers = self.pointers(access.space, address);
        self.moved(&pointers, 0)
    }

    pub(super) fn atomic_load(&mut self, access: &Access, address: &Value) -> Vec<Value> {
        let (bits, order) = (access.bits, ordering(access.order));
        let align = bits / 8;
        if let Some(scalar) = address.scalar().map(str::to_owned) {
            let pointer = self.pointer(access.space, &scalar);
            let value =
                self.writer.value(&format!("load atomic i{bits}, ptr {pointer} {order}, align {align}"));
            return vec![Value::uniform(bits, value)];
        }
        let pointers = self.all_pointers(access, address);
        let loaded = self.each_lane(bits, |lowering, lane| {
            let pointer = lowering.writer.value(&format!("extractelement <32 x ptr> {pointers}, i32 {lane}"));
            lowering.writer.value(&format!("load atomic i{bits}, ptr {pointer} {order}, align {align}"))
        });
        vec![Value::varying(bits, loaded)]
    }

    pub(super) fn atomic_store(&mut self, access: &Access, address: &Value, value: &Value) {
        let (bits, order) = (access.bits, ordering(access.order));
        let align = bits / 8;
        let pointers = self.all_pointers(access, address);
        let values = self.vector(value);
        self.each_lane(bits, |lowering, lane| {
            let pointer = lowering.writer.value(&format!("extractelement <32 x ptr> {pointers}, i32 {lane}"));
            let value = lowering.writer.value(&format!("extractelement <32 x i{bits}> {values}, i32 {lane}"));
            lowering
                .writer
                .line(&format!("store atomic i{bits} {value}, ptr {pointer} {order}, align {align}"));
            value
        });
    }

    pub(super) fn atomic(&mut self, opcode: Memory, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let Operand::Address(address) = &operands[1] else { unreachable!("an address") };
        let access = Access::of(instruction);
        let address = self.address(address, access.space);
        let values: Vec<Value> =
            operands[2..].iter().map(|operand| self.operand(operand, access.bits).remove(0)).collect();
        let (register, element) = self.places(&operands[0])[0];
        self.cursor.advance();
        let result = match (operation(instruction.op), instruction.op.operation()) {
            (Some((name, given)), _) => self.change(&access, &address, name, given, values.first()),
            (None, Some(Operation::Cas)) if access.bits >= 32 && access.bits <= 64 => {
                self.compare_and_swap(&access, &address, &values)
            }
            _ => self.atomic_on_host(instruction, &access, &address, &values),
        };
        let _ = opcode;
        let mut value = Value::varying(access.bits, result);
        let shape = self.cursor.shape(register, element);
        self.derive_rows(&mut value, shape);
        self.write(register, element, value);
    }

    /// A read-modify-write operation.
    fn change(
        &mut self,
        access: &Access,
        address: &Value,
        name: &str,
        given: Option<u64>,
        value: Option<&Value>,
    ) -> String {
        let bits = access.bits;
        let order = ordering(access.order);
        let pointers = self.all_pointers(access, address);
        let values = match (given, value) {
            (None, Some(value)) => self.vector(value),
            (given, _) => constant(Width::All, bits, given.unwrap_or(0)),
        };
        self.each_lane(bits, |lowering, lane| {
            let pointer = lowering.writer.value(&format!("extractelement <32 x ptr> {pointers}, i32 {lane}"));
            let value = lowering.writer.value(&format!("extractelement <32 x i{bits}> {values}, i32 {lane}"));
            lowering.writer.value(&format!("atomicrmw {name} ptr {pointer}, i{bits} {value} {order}"))
        })
    }

    fn compare_and_swap(&mut self, access: &Access, address: &Value, values: &[Value]) -> String {
        let bits = access.bits;
        let pointers = self.all_pointers(access, address);
        let [expected, wanted] = [0, 1].map(|index| self.vector(&values[index]));
        let order = ordering(access.order);
        let failing = match access.order {
            Order::Acquire | Order::AcquireRelease => "acquire",
            _ => "monotonic",
        };
        self.each_lane(bits, |lowering, lane| {
            let pointer = lowering.writer.value(&format!("extractelement <32 x ptr> {pointers}, i32 {lane}"));
            let [expected, wanted] = [&expected, &wanted].map(|values| {
                lowering.writer.value(&format!("extractelement <32 x i{bits}> {values}, i32 {lane}"))
            });
            let both = lowering.writer.value(&format!(
                "cmpxchg ptr {pointer}, i{bits} {expected}, i{bits} {wanted} {order} {failing}"
            ));
            lowering.writer.value(&format!("extractvalue {{ i{bits}, i1 }} {both}, 0"))
        })
    }

    /// Does something for each active lane, in ascending order, and collects what it gives.
    fn each_lane(&mut self, bits: u32, mut work: impl FnMut(&mut Self, &str) -> String) -> String {
        let active = self.active_bits().unwrap_or_else(|| "-1".to_owned());
        let ty = Width::All.int(bits);
        let (rest, collected) =
            (format!("%rest.lanes.{}", self.memory.len()), format!("%old.lanes.{}", self.memory.len()));
        self.memory.push(format!("{rest} = alloca i32"));
        self.memory.push(format!("{collected} = alloca {ty}"));
        self.writer.line(&format!("store i32 {active}, ptr {rest}"));
        let [lane_label, done] = ["lane", "lanes"].map(|stem| self.writer.label(stem));
        self.writer.line(&format!("br label %{lane_label}"));
        self.writer.place(&lane_label);
        let left = self.writer.value(&format!("load i32, ptr {rest}"));
        let lane = self.writer.call("i32", "llvm.cttz.i32", &[("i32", &left), ("i1", "1")]);
        let result = work(self, &lane);
        let before = self.writer.value(&format!("load {ty}, ptr {collected}"));
        let after = self.writer.value(&format!("insertelement {ty} {before}, i{bits} {result}, i32 {lane}"));
        self.writer.line(&format!("store {ty} {after}, ptr {collected}"));
        let lower = self.writer.value(&format!("sub i32 {left}, 1"));
        let left = self.writer.value(&format!("and i32 {left}, {lower}"));
        self.writer.line(&format!("store i32 {left}, ptr {rest}"));
        let none = self.writer.value(&format!("icmp eq i32 {left}, 0"));
        self.writer.line(&format!("br i1 {none}, label %{done}, label %{lane_label}"));
        self.writer.place(&done);
        self.writer.value(&format!("load {ty}, ptr {collected}"))
    }

    fn atomic_on_host(
        &mut self,
        instruction: &Instruction,
        access: &Access,
        address: &Value,
        values: &[Value],
    ) -> String {
        let pointers = self.all_pointers(access, address);
        let pointers = self.writer.value(&format!("ptrtoint <32 x ptr> {pointers} to <32 x i64>"));
        let places = self.lanes_memory("places", 1);
        self.put(&places, 0, &Value::varying(64, pointers));
        let from = self.lanes_memory("atoms", 4);
        for (index, value) in values.iter().enumerate() {
            self.put(&from, 2 * index, value);
        }
        let to = self.lanes_memory("olds", 2);
        let number = self.operation_number(instruction.op);
        let active = self.active_bits().unwrap_or_else(|| "-1".to_owned());
        let service = self.service(offset_of!(Services, atomic));
        self.writer.line(&format!(
            "call void {service}(ptr %frame, i32 {number}, i32 {active}, ptr {places}, ptr {from}, ptr {to})"
        ));
        self.take(&to, 0, access.bits)
    }
}
