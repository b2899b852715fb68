//! Loops over the active lanes, for what has to be done by one after another.

use campanile_core::isa::Space;

use super::lanes::Pointers;
use crate::lower::compute::writer::{LANES, Width, constant};
use crate::lower::sub_group::function::FunctionLowering;
use crate::lower::sub_group::value::Value;

/// A value of which loops take one lane's after another's.
pub(super) enum PerLane {
    /// The same for all.
    Same(String),
    /// In stack memory, of so many bits each.
    Memory(String, u32),
}

/// Pointers of which loops take one lane's after another's.
pub(super) enum LanePointers {
    /// The same for all.
    Same(String),
    /// A base, the bits by which indices count, and signed indices.
    Indexed(String, u32, PerLane),
    /// In stack memory.
    Memory(String),
}

/// Stack memory for what each lane gets, of so many bits.
pub(super) struct Results {
    memory: String,
    bits: u32,
}

/// Bytes of half a vector of AVX-512.
const HALF: u64 = 32;

/// The elements of a type of vectors, their type, and how many of them are half a vector; none if all are no more.
fn halves(ty: &str) -> Option<(u64, &str, u64)> {
    let (count, element) = ty.trim_matches(['<', '>']).split_once(" x ")?;
    let bits = match element {
        "ptr" => 64,
        integer => integer.trim_start_matches('i').parse::<u64>().ok()?,
    };
    let (count, in_part) = (count.parse::<u64>().ok()?, 8 * HALF / bits);
    (bits >= 8 && count > in_part && count.is_multiple_of(in_part)).then_some((count, element, in_part))
}

impl FunctionLowering<'_, '_> {
    /// Stack memory of its own for a vector.
    fn vector_memory(&mut self, ty: &str) -> String {
        let name = format!("%of.lanes.{}", self.memory.len());
        self.memory.push(format!("{name} = alloca {ty}"));
        name
    }

    /// A vector in stack memory, where loops take one lane's value after another's. It lies there until the next one of its
    /// type does.
    pub(super) fn in_memory(&mut self, ty: &str, vector: &str) -> String {
        let name = format!("%lanes.of.{}", ty.replace(|letter: char| !letter.is_ascii_alphanumeric(), ""));
        let allocated = format!("{name} = alloca {ty}");
        if !self.memory.contains(&allocated) {
            self.memory.push(allocated);
        }
        self.store_for_lanes(ty, vector, &name);
        name
    }

    /// Stores a vector whose elements are then read one by one. Processors with AVX-512 hand on what they store, before it is in
    /// the cache, from half a vector but not from a whole one; LLVM would join the halves if they were not volatile.
    fn store_for_lanes(&mut self, ty: &str, vector: &str, memory: &str) {
        let parts = halves(ty).filter(|_| self.code.target.avx512 && vector.starts_with('%'));
        let Some((count, element, in_part)) = parts else {
            return self.code.writer.line(&format!("store {ty} {vector}, ptr {memory}"));
        };
        for first in (0..count).step_by(in_part as usize) {
            let part = self.shuffled(ty, vector, "poison", first..first + in_part);
            let place =
                self.code.writer.value(&format!("getelementptr {element}, ptr {memory}, i32 {first}"));
            self.code.writer.line(&format!("store volatile <{in_part} x {element}> {part}, ptr {place}"));
        }
    }

    pub(super) fn per_lane(&mut self, value: &Value) -> PerLane {
        if let Some(scalar) = value.scalar() {
            return PerLane::Same(scalar.to_owned());
        }
        let vector = self.vector(value);
        self.vector_per_lane(&vector, value.bits)
    }

    fn vector_per_lane(&mut self, vector: &str, bits: u32) -> PerLane {
        let ty = Width::All.int(bits);
        let memory = self.vector_memory(&ty);
        self.store_for_lanes(&ty, vector, &memory);
        PerLane::Memory(memory, bits)
    }

    pub(super) fn of_lane(&mut self, values: &PerLane, lane: &str) -> String {
        match values {
            PerLane::Same(value) => value.clone(),
            PerLane::Memory(memory, bits) => {
                let place =
                    self.code.writer.value(&format!("getelementptr i{bits}, ptr {memory}, i32 {lane}"));
                self.code.writer.value(&format!("load i{bits}, ptr {place}"))
            }
        }
    }

    pub(super) fn lane_pointers(&mut self, space: Space, address: &Value) -> LanePointers {
        if let Some(scalar) = address.scalar().map(str::to_owned) {
            return LanePointers::Same(self.pointer(space, &scalar));
        }
        match self.pointers(space, address) {
            Pointers::Indexed(base, bits, index) => {
                LanePointers::Indexed(base, bits, self.vector_per_lane(&index, 32))
            }
            Pointers::Vector(pointers) => {
                let memory = self.vector_memory("<32 x ptr>");
                self.store_for_lanes("<32 x ptr>", &pointers, &memory);
                LanePointers::Memory(memory)
            }
        }
    }

    pub(super) fn lane_pointer(&mut self, pointers: &LanePointers, lane: &str) -> String {
        match pointers {
            LanePointers::Same(pointer) => pointer.clone(),
            LanePointers::Indexed(base, bits, indices) => {
                let index = self.of_lane(indices, lane);
                self.code.writer.value(&format!("getelementptr i{bits}, ptr {base}, i32 {index}"))
            }
            LanePointers::Memory(memory) => {
                let place = self.code.writer.value(&format!("getelementptr ptr, ptr {memory}, i32 {lane}"));
                self.code.writer.value(&format!("load ptr, ptr {place}"))
            }
        }
    }

    pub(super) fn results(&mut self, bits: u32) -> Results {
        Results { memory: self.vector_memory(&Width::All.int(bits)), bits }
    }

    pub(super) fn set_result(&mut self, results: &Results, lane: &str, value: &str) {
        let Results { memory, bits } = results;
        let place = self.code.writer.value(&format!("getelementptr i{bits}, ptr {memory}, i32 {lane}"));
        self.code.writer.line(&format!("store i{bits} {value}, ptr {place}"));
    }

    /// Sets the results of the lanes of a mask.
    pub(super) fn set_results(&mut self, results: &Results, mask: &str, values: &str) {
        let before = self.all_results(results);
        let after = self.code.select(Width::All, mask, results.bits, values, &before);
        self.code.writer.line(&format!(
            "store {} {after}, ptr {}",
            Width::All.int(results.bits),
            results.memory
        ));
    }

    pub(super) fn all_results(&mut self, results: &Results) -> String {
        self.code.writer.value(&format!("load {}, ptr {}", Width::All.int(results.bits), results.memory))
    }

    /// Does something for each active lane, in ascending order.
    pub(super) fn each_lane(&mut self, work: impl FnOnce(&mut Self, &str)) {
        match self.active_bits() {
            None => self.each_of_all(work),
            Some(active) => self.each_of_some(&active, work),
        }
    }

    /// Does something for each lane of a mask, which may have none, in ascending order.
    pub(super) fn each_of(&mut self, mask: &str, work: impl FnOnce(&mut Self, &str)) {
        if mask == constant(Width::All, 1, 1) {
            return self.each_of_all(work);
        }
        let lanes = self.code.bits_of(mask);
        let none = self.code.writer.value(&format!("icmp eq i32 {lanes}, 0"));
        let [some, done] = ["some", "done"].map(|stem| self.code.writer.label(stem));
        self.code.writer.line(&format!("br i1 {none}, label %{done}, label %{some}"));
        self.code.writer.place(&some);
        self.each_of_some(&lanes, work);
        self.code.writer.line(&format!("br label %{done}"));
        self.code.writer.place(&done);
    }

    fn each_of_some(&mut self, lanes: &str, work: impl FnOnce(&mut Self, &str)) {
        self.each_leader(lanes, |lowering, lane, rest| {
            work(lowering, lane);
            let others = lowering.code.writer.value(&format!("sub i32 {rest}, 1"));
            lowering.code.writer.value(&format!("and i32 {rest}, {others}"))
        });
    }

    fn each_of_all(&mut self, work: impl FnOnce(&mut Self, &str)) {
        let [before, body, done] = ["before", "lane", "lanes"].map(|stem| self.code.writer.label(stem));
        let next = format!("%next.{body}");
        self.code.writer.line(&format!("br label %{before}"));
        self.code.writer.place(&before);
        self.code.writer.line(&format!("br label %{body}"));
        self.code.writer.place(&body);
        let end = self.code.writer.label("end");
        let lane = self.code.writer.value(&format!("phi i32 [ 0, %{before} ], [ {next}, %{end} ]"));
        work(self, &lane);
        self.code.writer.line(&format!("br label %{end}"));
        self.code.writer.place(&end);
        self.code.writer.line(&format!("{next} = add nuw nsw i32 {lane}, 1"));
        let is_last = self.code.writer.value(&format!("icmp eq i32 {next}, {LANES}"));
        self.code.writer.line(&format!("br i1 {is_last}, label %{done}, label %{body}, !llvm.loop !2"));
        self.code.writer.place(&done);
    }

    /// Does something for the first lane of those that are left, from `active` on, until none is. `work` gets that lane and
    /// the lanes that are left, and gives those that are left then.
    pub(super) fn each_leader(&mut self, active: &str, work: impl FnOnce(&mut Self, &str, &str) -> String) {
        let rest = self.vector_memory("i32");
        self.code.writer.line(&format!("store i32 {active}, ptr {rest}"));
        let [body, done] = ["lane", "lanes"].map(|stem| self.code.writer.label(stem));
        self.code.writer.line(&format!("br label %{body}"));
        self.code.writer.place(&body);
        let left = self.code.writer.value(&format!("load i32, ptr {rest}"));
        let lane = self.code.writer.call("i32", "llvm.cttz.i32", &[("i32", &left), ("i1", "1")]);
        let left = work(self, &lane, &left);
        self.code.writer.line(&format!("store i32 {left}, ptr {rest}"));
        let none = self.code.writer.value(&format!("icmp eq i32 {left}, 0"));
        self.code.writer.line(&format!("br i1 {none}, label %{done}, label %{body}"));
        self.code.writer.place(&done);
    }
}
