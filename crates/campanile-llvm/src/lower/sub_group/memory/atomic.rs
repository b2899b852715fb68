//! Atomic accesses (spec 8.5 and 8.6): by lanes in ascending order, or together where they are to one place.
//!
//! Nobody but the lanes of a work-group sees shared memory, and one thread executes all of them: there, an access that is
//! not torn apart by a barrier is atomic as it is.

use std::mem::offset_of;

use campanile_core::isa::{Op, Operation, Space};
use campanile_core::module::{Instruction, Operand, RegisterId};

use super::Access;
use super::change::Change;
use crate::frame::Services;
use crate::lower::compute::writer::Width;
use crate::lower::ordering::{failing_ordering, ordering, read_modify_write};
use crate::lower::sub_group::function::FunctionLowering;
use crate::lower::sub_group::value::Value;

/// The read-modify-write operation of LLVM for those that lanes can make together or one by one.
fn operation(op: Op) -> Option<(&'static str, Option<u64>)> {
    let is_plain = matches!(op.ty().map(|ty| ty.bits()), Some(32 | 64));
    read_modify_write(op).filter(|(name, _)| is_plain && !name.ends_with("_wrap"))
}

impl FunctionLowering<'_, '_> {
    pub(super) fn atomic_load(&mut self, access: &Access, address: &Value) -> Vec<Value> {
        let (bits, order) = (access.bits, ordering(access.order));
        let align = bits / 8;
        let load = |lowering: &mut Self, pointer: &str| {
            lowering.code.writer.value(&format!("load atomic i{bits}, ptr {pointer} {order}, align {align}"))
        };
        if let Some(scalar) = address.scalar().map(str::to_owned) {
            let pointer = self.pointer(access.space, &scalar);
            return vec![Value::uniform(bits, load(self, &pointer))];
        }
        let pointers = self.lane_pointers(access.space, address);
        let loaded = self.results(bits);
        self.each_lane(|lowering, lane| {
            let pointer = lowering.lane_pointer(&pointers, lane);
            let value = load(lowering, &pointer);
            lowering.set_result(&loaded, lane, &value);
        });
        vec![Value::varying(bits, self.all_results(&loaded))]
    }

    pub(super) fn atomic_store(&mut self, access: &Access, address: &Value, value: &Value) {
        let (bits, order) = (access.bits, ordering(access.order));
        let align = bits / 8;
        let pointers = self.lane_pointers(access.space, address);
        let values = self.per_lane(value);
        self.each_lane(|lowering, lane| {
            let pointer = lowering.lane_pointer(&pointers, lane);
            let value = lowering.of_lane(&values, lane);
            lowering
                .code
                .writer
                .line(&format!("store atomic i{bits} {value}, ptr {pointer} {order}, align {align}"));
        });
    }

    pub(super) fn atomic(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let Operand::Address(address) = &operands[1] else { unreachable!("an address") };
        let access = Access::of(instruction);
        let address = self.address(address, access.space);
        let values: Vec<Value> =
            operands[2..].iter().map(|operand| self.operand(operand, access.bits).remove(0)).collect();
        let (register, element) = self.places(&operands[0])[0];
        let is_read = self.is_read_later(register, instruction);
        self.cursor.advance();
        let results = self.guarded(instruction, &access, &address, |lowering| {
            let result = match (operation(instruction.op), instruction.op.operation()) {
                (Some((name, given)), _) => {
                    let given = given.map(|given| Value::uniform(access.bits, given.to_string()));
                    let value = given.or_else(|| values.first().cloned());
                    let value = value.unwrap_or_else(|| Value::uniform(access.bits, "0"));
                    lowering.change(&access, &address, &Change { name, value, is_read })
                }
                (None, Some(Operation::Cas)) if access.bits >= 32 && access.bits <= 64 => {
                    Some(lowering.compare_and_swap(&access, &address, &values))
                }
                _ => Some(lowering.atomic_on_host(instruction, &access, &address, &values)),
            };
            result.into_iter().map(|result| Value::varying(access.bits, result)).collect()
        });
        let Some(mut value) = results.into_iter().next() else { return };
        let shape = self.cursor.shape(register, element);
        self.derive_rows(&mut value, shape);
        self.write(register, element, value);
    }

    /// Whether a lane may read what an instruction of this block leaves in a register.
    fn is_read_later(&self, register: RegisterId, instruction: &Instruction) -> bool {
        let index = self.index_of(instruction) - self.body.blocks[self.block].first;
        self.liveness.live_after(self.body, self.block, index as usize).binary_search(&register).is_ok()
    }

    fn compare_and_swap(&mut self, access: &Access, address: &Value, values: &[Value]) -> String {
        let bits = access.bits;
        let pointers = self.lane_pointers(access.space, address);
        let [expected, wanted] = [0, 1].map(|index| self.per_lane(&values[index]));
        let olds = self.results(bits);
        self.each_lane(|lowering, lane| {
            let pointer = lowering.lane_pointer(&pointers, lane);
            let [expected, wanted] = [&expected, &wanted].map(|values| lowering.of_lane(values, lane));
            let old = match access.space {
                Space::Shared => lowering.swap_alone(bits, &pointer, &expected, &wanted),
                _ => lowering.swap(access, &pointer, &expected, &wanted),
            };
            lowering.set_result(&olds, lane, &old);
        });
        self.all_results(&olds)
    }

    fn swap(&mut self, access: &Access, pointer: &str, expected: &str, wanted: &str) -> String {
        let (bits, order) = (access.bits, ordering(access.order));
        let failing = failing_ordering(access.order);
        let both = self
            .code
            .writer
            .value(&format!("cmpxchg ptr {pointer}, i{bits} {expected}, i{bits} {wanted} {order} {failing}"));
        self.code.writer.value(&format!("extractvalue {{ i{bits}, i1 }} {both}, 0"))
    }

    /// The same where no other thread is about.
    fn swap_alone(&mut self, bits: u32, pointer: &str, expected: &str, wanted: &str) -> String {
        let old = self.code.writer.value(&format!("load i{bits}, ptr {pointer}"));
        let is_expected = self.code.compare(Width::One, "eq", bits, &old, expected);
        let new = self.code.select(Width::One, &is_expected, bits, wanted, &old);
        self.code.writer.line(&format!("store i{bits} {new}, ptr {pointer}"));
        old
    }

    fn atomic_on_host(
        &mut self,
        instruction: &Instruction,
        access: &Access,
        address: &Value,
        values: &[Value],
    ) -> String {
        let pointers = self.pointers(access.space, address);
        let pointers = self.moved(&pointers, 0);
        let pointers = self.code.writer.value(&format!("ptrtoint <32 x ptr> {pointers} to <32 x i64>"));
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
        self.code.writer.line(&format!(
            "call void {service}(ptr %frame, i32 {number}, i32 {active}, ptr {places}, ptr {from}, ptr {to})"
        ));
        self.take(&to, 0, access.bits)
    }
}
