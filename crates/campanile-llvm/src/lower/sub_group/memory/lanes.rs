//! Accesses to memory that all lanes share: global, constant, shared and generic.
//!
//! What the analysis has found of an address decides how it is accessed: one address for all lanes is a scalar access,
//! rows of neighbouring elements are vector accesses, everything else is a gather or scatter.

use campanile_core::isa::Space;
use campanile_core::module::generic;

use super::Access;
use crate::lower::compute::writer::{Width, constant};
use crate::lower::sub_group::function::FunctionLowering;
use crate::lower::sub_group::value::{Indexed, Rows, Value};

/// A vector of pointers, one for each lane, or a form that makes one.
pub(super) enum Pointers {
    /// A scalar pointer, the bits of an element by which indices count, and a vector of signed 32-bit indices.
    Indexed(String, u32, String),
    /// A vector of pointers.
    Vector(String),
}

impl FunctionLowering<'_, '_> {
    pub(super) fn load_lanes(&mut self, access: &Access, address: &Value) -> Vec<Value> {
        if access.space == Space::Generic && self.program.has_private() {
            return self.load_anywhere(access, address);
        }
        if let Some(rows) = address.sure_rows().cloned() {
            if let Some(values) = self.load_rows(access, &rows, address.bits) {
                return values;
            }
        } else if let (Some(rows), Some(wraps)) = (address.rows.clone(), address.wraps.clone())
            && rows.inner == access.bytes()
        {
            let load =
                |lowering: &mut Self| lowering.load_rows(access, &rows, address.bits).unwrap_or_default();
            return self
                .either_way(access, &wraps, load, |lowering| lowering.load_scattered(access, address));
        }
        self.load_scattered(access, address)
    }

    /// Loads by rows as long as they hold, otherwise lane by lane.
    fn either_way(
        &mut self,
        access: &Access,
        wraps: &str,
        by_rows: impl FnOnce(&mut Self) -> Vec<Value>,
        by_lanes: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let [slow, fast, done] = ["wraps", "rows", "loaded"].map(|stem| self.code.writer.label(stem));
        self.code.writer.line(&format!("br i1 {wraps}, label %{slow}, label %{fast}, !prof !1"));
        self.code.writer.place(&slow);
        let scattered = by_lanes(self);
        let scattered: Vec<String> = scattered.iter().map(|value| self.vector(value)).collect();
        let slow = self.end_of(&slow, &done);
        self.code.writer.place(&fast);
        let contiguous = by_rows(self);
        let contiguous: Vec<String> = contiguous.iter().map(|value| self.vector(value)).collect();
        let fast = self.end_of(&fast, &done);
        self.code.writer.place(&done);
        let ty = Width::All.int(access.bits);
        let pairs = scattered.iter().zip(contiguous);
        let joined = pairs.map(|(a, b)| {
            let joined = self.code.writer.value(&format!("phi {ty} [ {a}, %{slow} ], [ {b}, %{fast} ]"));
            Value::varying(access.bits, joined)
        });
        joined.collect()
    }

    /// Ends a way with a jump, from a label of its own that the values of the way reach.
    pub(in crate::lower::sub_group) fn end_of(&mut self, stem: &str, target: &str) -> String {
        let end = self.code.writer.label(stem);
        self.code.writer.line(&format!("br label %{end}"));
        self.code.writer.place(&end);
        self.code.writer.line(&format!("br label %{target}"));
        end
    }

    pub(super) fn store_lanes(&mut self, access: &Access, address: &Value, values: &[Value]) {
        if access.space == Space::Generic && self.program.has_private() {
            return self.store_anywhere(access, address, values);
        }
        if let Some(rows) = address.sure_rows().cloned() {
            if self.store_rows(access, &rows, address.bits, values) {
                return;
            }
        } else if let (Some(rows), Some(wraps)) = (address.rows.clone(), address.wraps.clone())
            && self.is_by_rows(access, &rows)
        {
            let [slow, fast, done] = ["wraps", "rows", "stored"].map(|stem| self.code.writer.label(stem));
            let vectors: Vec<Value> =
                values.iter().map(|value| Value::varying(value.bits, self.vector(value))).collect();
            self.code.writer.line(&format!("br i1 {wraps}, label %{slow}, label %{fast}, !prof !1"));
            self.code.writer.place(&slow);
            self.store_scattered(access, address, &vectors);
            self.code.writer.line(&format!("br label %{done}"));
            self.code.writer.place(&fast);
            if !self.store_rows(access, &rows, address.bits, &vectors) {
                self.store_scattered(access, address, &vectors);
            }
            self.code.writer.line(&format!("br label %{done}"));
            self.code.writer.place(&done);
            return;
        }
        self.store_scattered(access, address, values);
    }

    /// The pointer to an address of memory that all lanes share.
    pub(super) fn pointer(&mut self, space: Space, address: &str) -> String {
        match space {
            Space::Shared => {
                // The first lane's address lies below zero where that lane is inactive.
                let wide = self.code.extend(Width::One, address, 32, 64, true);
                self.code.writer.value(&format!("getelementptr i8, ptr %shared, i64 {wide}"))
            }
            Space::Generic => {
                let tag = self.code.generic_tag(Width::One, address);
                let shared_tag = constant(Width::One, 32, generic(Space::Shared, 0) >> 32);
                let is_shared = self.code.compare(Width::One, "eq", 32, &tag, &shared_tag);
                let low = self.code.binary(Width::One, "and", 64, address, "4294967295");
                let shared = self.code.writer.value(&format!("getelementptr i8, ptr %shared, i64 {low}"));
                let global = self.code.writer.value(&format!("inttoptr i64 {address} to ptr"));
                self.code.writer.value(&format!("select i1 {is_shared}, ptr {shared}, ptr {global}"))
            }
            Space::Global | Space::Const | Space::Private => {
                self.code.writer.value(&format!("inttoptr i64 {address} to ptr"))
            }
        }
    }

    /// The pointers of all lanes.
    pub(super) fn pointers(&mut self, space: Space, address: &Value) -> Pointers {
        match (space, &address.indexed) {
            (Space::Shared, _) => {
                let index = self.vector(address);
                self.unsigned_pointers("%shared", 1, &index)
            }
            (Space::Global | Space::Const, Some(indexed)) if matches!(indexed.scale, 1 | 2 | 4 | 8) => {
                self.indexed_pointers(&indexed.clone())
            }
            (Space::Generic, _) => {
                let addresses = self.vector(address);
                let tags = self.code.generic_tag(Width::All, &addresses);
                let shared_tag = constant(Width::All, 32, generic(Space::Shared, 0) >> 32);
                let is_shared = self.code.compare(Width::All, "eq", 32, &tags, &shared_tag);
                let low = self.code.resize(Width::All, &addresses, 64, 32);
                let shared =
                    self.code.writer.value(&format!("getelementptr i8, ptr %shared, <32 x i32> {low}"));
                let global =
                    self.code.writer.value(&format!("inttoptr <32 x i64> {addresses} to <32 x ptr>"));
                Pointers::Vector(self.code.writer.value(&format!(
                    "select <32 x i1> {is_shared}, <32 x ptr> {shared}, <32 x ptr> {global}"
                )))
            }
            _ => {
                let addresses = self.vector(address);
                Pointers::Vector(
                    self.code.writer.value(&format!("inttoptr <32 x i64> {addresses} to <32 x ptr>")),
                )
            }
        }
    }

    fn indexed_pointers(&mut self, indexed: &Indexed) -> Pointers {
        let Indexed { base, index, scale, signed } = indexed;
        let base = self.code.writer.value(&format!("inttoptr i64 {base} to ptr"));
        match signed {
            true => Pointers::Indexed(base, 8 * *scale as u32, index.clone()),
            false => self.unsigned_pointers(&base, *scale, index),
        }
    }

    /// The index is moved down by 2^31 and the base up, so that the processor, which extends by the sign, is right. LLVM
    /// would extend even those indices that it knows to be below 2^31.
    fn unsigned_pointers(&mut self, base: &str, scale: u64, index: &str) -> Pointers {
        let top = 1u64 << 31;
        let index = self.code.binary(Width::All, "xor", 32, index, &constant(Width::All, 32, top));
        let base = self.code.writer.value(&format!("getelementptr i8, ptr {base}, i64 {}", top * scale));
        Pointers::Indexed(base, 8 * scale as u32, index)
    }

    /// The pointers, moved on by some bytes.
    pub(super) fn moved(&mut self, pointers: &Pointers, bytes: u64) -> String {
        match pointers {
            Pointers::Indexed(base, bits, index) => {
                let base = match bytes {
                    0 => base.clone(),
                    _ => self.code.writer.value(&format!("getelementptr i8, ptr {base}, i64 {bytes}")),
                };
                self.code.writer.value(&format!("getelementptr i{bits}, ptr {base}, <32 x i32> {index}"))
            }
            Pointers::Vector(pointers) if bytes == 0 => pointers.clone(),
            Pointers::Vector(pointers) => {
                self.code.writer.value(&format!("getelementptr i8, <32 x ptr> {pointers}, i64 {bytes}"))
            }
        }
    }

    fn load_scattered(&mut self, access: &Access, address: &Value) -> Vec<Value> {
        let pointers = self.pointers(access.space, address);
        let (mask, said) = (self.active(), self.said_of_load(access));
        let elements = (0..u64::from(access.count)).map(|element| {
            let places = self.moved(&pointers, element * access.element_bytes());
            Value::varying(access.bits, self.gather(&places, access.bits, &mask, &said))
        });
        elements.collect()
    }

    fn store_scattered(&mut self, access: &Access, address: &Value, values: &[Value]) {
        let pointers = self.pointers(access.space, address);
        let (mask, said) = (self.active(), self.said_of(access));
        for (element, value) in values.iter().enumerate() {
            let places = self.moved(&pointers, element as u64 * access.element_bytes());
            let vector = self.vector(value);
            self.scatter(&vector, &places, access.bits, &mask, &said);
        }
    }

    /// Generic accesses where private memory may be meant: the lanes that mean it go first.
    fn load_anywhere(&mut self, access: &Access, address: &Value) -> Vec<Value> {
        let (private, others, low) = self.parted_by_space(address);
        let before = self.code.mask.replace(private);
        let own = self.load_private(access, &low);
        self.code.mask = Some(others);
        let elsewhere = self.load_scattered(access, address);
        let mask = self.code.mask.clone().unwrap_or_default();
        self.code.mask = before;
        let ty = Width::All.int(access.bits);
        let pairs = own.iter().zip(&elsewhere);
        let chosen = pairs.map(|(own, other)| {
            let (own, other) = (self.vector(own), self.vector(other));
            let value = self.code.writer.value(&format!("select <32 x i1> {mask}, {ty} {other}, {ty} {own}"));
            Value::varying(access.bits, value)
        });
        chosen.collect()
    }

    fn store_anywhere(&mut self, access: &Access, address: &Value, values: &[Value]) {
        let (private, others, low) = self.parted_by_space(address);
        let vectors: Vec<Value> =
            values.iter().map(|value| Value::varying(value.bits, self.vector(value))).collect();
        let before = self.code.mask.replace(private);
        self.store_private(access, &low, &vectors);
        self.code.mask = Some(others);
        self.store_scattered(access, address, &vectors);
        self.code.mask = before;
    }

    /// The active lanes whose generic address is private, the other active ones, and the address's lower half.
    fn parted_by_space(&mut self, address: &Value) -> (String, String, Value) {
        let addresses = self.vector(address);
        let tags = self.code.generic_tag(Width::All, &addresses);
        let private_tag = constant(Width::All, 32, generic(Space::Private, 0) >> 32);
        let is_private = self.code.compare(Width::All, "eq", 32, &tags, &private_tag);
        let active = self.active();
        let private = self.within(&active, &is_private);
        let others = self.without(&active, &private);
        let low = self.code.resize(Width::All, &addresses, 64, 32);
        (private, others, Value::varying(32, low))
    }

    /// The rows as pointers to their first lanes' elements. A generic address is looked at where a lane is active.
    pub(super) fn row_pointers(&mut self, space: Space, rows: &Rows, bits: u32) -> Vec<String> {
        if space != Space::Generic || self.code.mask.is_none() {
            return rows.bases.iter().map(|base| self.pointer(space, base)).collect();
        }
        let value = Value { bits, rows: Some(rows.clone()), ..Value::default() };
        let vector = self.vector(&value);
        let form = crate::lower::sub_group::value::Form { width: rows.width, inner: 0 };
        let uniform = Value::varying(bits, vector);
        let places = self.bases(&uniform, form);
        let firsts = rows.bases.iter().zip(places).map(|(base, place)| {
            let pointer = self.pointer(space, &place);
            let distance = self.code.binary(Width::One, "sub", bits, base, &place);
            self.code.writer.value(&format!("getelementptr i8, ptr {pointer}, i64 {distance}"))
        });
        firsts.collect()
    }
}
