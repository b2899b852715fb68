//! Read-modify-write operations of integers. Lanes that change one place do it together, by one access; what each of them
//! would have read follows from the values of those before it.

use campanile_core::isa::Space;

use super::Access;
use super::each_lane::{LanePointers, PerLane, Results};
use super::lanes::Pointers;
use crate::lower::compute::neutral;
use crate::lower::compute::writer::{LANES, Width, constant, list};
use crate::lower::ordering::ordering;
use crate::lower::sub_group::function::FunctionLowering;
use crate::lower::sub_group::value::Value;

/// What is done to memory.
pub(super) struct Change {
    /// The operation, as LLVM calls it.
    pub name: &'static str,
    /// Its operand.
    pub value: Value,
    /// Whether anybody reads what was there before.
    pub is_read: bool,
}

impl Change {
    /// The operation by which several operands become one, and the operand that changes nothing; none for an exchange.
    fn combination(&self) -> Option<(&'static str, u64)> {
        let name = match self.name {
            "add" | "sub" => "add",
            "and" => "and",
            "or" => "or",
            "xor" => "xor",
            "min" => "smin",
            "max" => "smax",
            "umin" => "umin",
            "umax" => "umax",
            _ => return None,
        };
        Some((name, neutral(name, self.value.bits)))
    }
}

/// Whether no two lanes can be at one place.
fn are_apart(access: &Access, address: &Value) -> bool {
    let step = address.sure_rows().filter(|rows| rows.width == LANES).map(|rows| rows.inner as i64);
    step.is_some_and(|step| (access.bytes()..1 << 32).contains(&step.unsigned_abs()))
}

impl FunctionLowering<'_, '_> {
    /// Changes memory. Returns what each lane read, if anybody wants to know.
    pub(super) fn change(&mut self, access: &Access, address: &Value, change: &Change) -> Option<String> {
        let olds = change.is_read.then(|| self.results(access.bits));
        if let (Some(scalar), true) = (address.scalar(), change.combination().is_some()) {
            let pointer = self.pointer(access.space, scalar);
            let active = self.active_bits().unwrap_or_else(|| "-1".to_owned());
            self.change_together(access, change, &pointer, &active, olds.as_ref());
        } else if access.space == Space::Shared
            || change.combination().is_none()
            || are_apart(access, address)
        {
            // Nobody else can be there, or a plain access costs less than to find out who is.
            let pointers = self.lane_pointers(access.space, address);
            let values = self.per_lane(&change.value);
            self.each_lane(|lowering, lane| {
                let pointer = lowering.lane_pointer(&pointers, lane);
                lowering.change_by_lane(access, change, &pointer, &values, lane, olds.as_ref());
            });
        } else {
            self.change_by_places(access, change, address, olds.as_ref());
        }
        olds.map(|olds| self.all_results(&olds))
    }

    fn change_by_lane(
        &mut self,
        access: &Access,
        change: &Change,
        pointer: &str,
        values: &PerLane,
        lane: &str,
        olds: Option<&Results>,
    ) {
        let value = self.of_lane(values, lane);
        let old = self.change_once(access, change, pointer, &value);
        if let Some(olds) = olds {
            self.set_result(olds, lane, &old);
        }
    }

    /// One access.
    fn change_once(&mut self, access: &Access, change: &Change, pointer: &str, value: &str) -> String {
        let (bits, name) = (access.bits, change.name);
        if access.space != Space::Shared {
            let order = ordering(access.order);
            return self
                .code
                .writer
                .value(&format!("atomicrmw {name} ptr {pointer}, i{bits} {value} {order}"));
        }
        let old = self.code.writer.value(&format!("load i{bits}, ptr {pointer}"));
        let new = match change.combination() {
            Some(_) => self.changed(Width::One, change, bits, &old, value),
            None => value.to_owned(),
        };
        self.code.writer.line(&format!("store i{bits} {new}, ptr {pointer}"));
        old
    }

    /// What becomes of memory.
    fn changed(&mut self, width: Width, change: &Change, bits: u32, old: &str, value: &str) -> String {
        match (change.name, change.combination()) {
            ("sub", _) | (_, None) => self.code.binary(width, "sub", bits, old, value),
            (_, Some((name, _))) => self.code.combined(width, name, bits, old, value),
        }
    }

    /// One place after another, each for all lanes that change it.
    fn change_by_places(
        &mut self,
        access: &Access,
        change: &Change,
        address: &Value,
        olds: Option<&Results>,
    ) {
        let pointers = self.pointers(access.space, address);
        let own_pointers = self.lane_pointers(access.space, address);
        let values = self.per_lane(&change.value);
        let active = self.active_bits().unwrap_or_else(|| "-1".to_owned());
        self.each_leader(&active, |lowering, lane, rest| {
            let pointer = lowering.lane_pointer(&own_pointers, lane);
            let same = lowering.lanes_at(&pointers, &own_pointers, lane);
            let same = lowering.code.binary(Width::One, "and", 32, &same, rest);
            let [alone, together, done] =
                ["alone", "together", "changed"].map(|stem| lowering.code.writer.label(stem));
            let others = lowering.code.binary(Width::One, "sub", 32, &same, "1");
            let others = lowering.code.binary(Width::One, "and", 32, &same, &others);
            let is_alone = lowering.code.compare(Width::One, "eq", 32, &others, "0");
            lowering.code.writer.line(&format!("br i1 {is_alone}, label %{alone}, label %{together}"));
            lowering.code.writer.place(&alone);
            lowering.change_by_lane(access, change, &pointer, &values, lane, olds);
            lowering.code.writer.line(&format!("br label %{done}"));
            lowering.code.writer.place(&together);
            lowering.change_together(access, change, &pointer, &same, olds);
            lowering.code.writer.line(&format!("br label %{done}"));
            lowering.code.writer.place(&done);
            let gone = lowering.code.binary(Width::One, "xor", 32, &same, "-1");
            lowering.code.binary(Width::One, "and", 32, rest, &gone)
        });
    }

    /// The lanes whose pointers are those of a lane.
    fn lanes_at(&mut self, pointers: &Pointers, own: &LanePointers, lane: &str) -> String {
        let same = match (pointers, own) {
            (Pointers::Indexed(_, _, indices), LanePointers::Indexed(_, _, own)) => {
                let index = self.of_lane(own, lane);
                let index = self.code.splat(&index, 32);
                self.code.compare(Width::All, "eq", 32, indices, &index)
            }
            _ => {
                let pointer = self.lane_pointer(own, lane);
                let pointer = self.code.writer.value(&format!("ptrtoint ptr {pointer} to i64"));
                let pointer = self.code.splat(&pointer, 64);
                let all = self.moved(pointers, 0);
                let all = self.code.writer.value(&format!("ptrtoint <32 x ptr> {all} to <32 x i64>"));
                self.code.compare(Width::All, "eq", 64, &all, &pointer)
            }
        };
        self.code.bits_of(&same)
    }

    /// One access for the lanes of `same`, which are at one place.
    fn change_together(
        &mut self,
        access: &Access,
        change: &Change,
        pointer: &str,
        same: &str,
        olds: Option<&Results>,
    ) {
        let bits = access.bits;
        let Some((name, neutral)) = change.combination() else { unreachable!("exchanges go lane by lane") };
        let mask = self.code.mask_of(same);
        let counted = change.value.scalar().filter(|_| name == "add").map(str::to_owned);
        let (total, before) = match counted {
            Some(value) => self.counted(bits, &value, same, olds.is_some()),
            None => {
                let vector = self.vector(&change.value);
                let vector =
                    self.code.select(Width::All, &mask, bits, &vector, &constant(Width::All, bits, neutral));
                let ty = Width::All.int(bits);
                let reduction = format!("llvm.vector.reduce.{name}.v32i{bits}");
                let total = self.code.writer.call(&format!("i{bits}"), &reduction, &[(&ty, &vector)]);
                (total, olds.map(|_| self.combined_before(name, bits, neutral, &vector)))
            }
        };
        let old = self.change_once(access, change, pointer, &total);
        if let (Some(olds), Some(before)) = (olds, before) {
            let old = self.code.splat(&old, bits);
            let read = self.changed(Width::All, change, bits, &old, &before);
            self.set_results(olds, &mask, &read);
        }
    }

    /// A value as often as there are lanes, and if wanted as often as there are before each lane.
    fn counted(&mut self, bits: u32, value: &str, same: &str, wanted: bool) -> (String, Option<String>) {
        let count = self.code.writer.call("i32", "llvm.ctpop.i32", &[("i32", same)]);
        let count = self.code.resize(Width::One, &count, 32, bits);
        let total = self.code.binary(Width::One, "mul", bits, &count, value);
        let before = wanted.then(|| {
            let below = list(32, (0..LANES).map(|lane| ((1u64 << lane) as u32).wrapping_sub(1).to_string()));
            let all = self.code.splat(same, 32);
            let lanes = self.code.binary(Width::All, "and", 32, &all, &below);
            let counts = self.code.writer.call("<32 x i32>", "llvm.ctpop.v32i32", &[("<32 x i32>", &lanes)]);
            let counts = self.code.resize(Width::All, &counts, 32, bits);
            let values = self.code.splat(value, bits);
            self.code.binary(Width::All, "mul", bits, &counts, &values)
        });
        (total, before)
    }

    /// The combined operands of the lanes before each lane.
    fn combined_before(&mut self, name: &str, bits: u32, neutral: u64, vector: &str) -> String {
        let mut combined = self.moved_up(bits, neutral, vector, 1);
        for distance in [1, 2, 4, 8, 16] {
            let lower = self.moved_up(bits, neutral, &combined, distance);
            combined = self.code.combined(Width::All, name, bits, &combined, &lower);
        }
        combined
    }

    /// What is in the lanes a distance below.
    fn moved_up(&mut self, bits: u32, neutral: u64, vector: &str, distance: u32) -> String {
        let ty = Width::All.int(bits);
        let neutral = constant(Width::All, bits, neutral);
        let lanes = (0..LANES).map(|lane| lane.checked_sub(distance).unwrap_or(LANES).to_string());
        let lanes = list(32, lanes);
        self.code.writer.value(&format!("shufflevector {ty} {vector}, {ty} {neutral}, <32 x i32> {lanes}"))
    }
}
