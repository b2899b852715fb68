//! Accesses by rows: scalars where all lanes of a row go to one place, vectors where they are neighbours.

use super::Access;
use crate::lower::compute::writer::{LANES, Width};
use crate::lower::sub_group::function::FunctionLowering;
use crate::lower::sub_group::value::{Form, Rows, Value};

impl FunctionLowering<'_, '_> {
    /// Loads by rows; none if lanes are neither at one place nor neighbours.
    pub(super) fn load_rows(&mut self, access: &Access, rows: &Rows, bits: u32) -> Option<Vec<Value>> {
        if rows.form() == Form::UNIFORM {
            let pointer = self.pointer(access.space, &rows.bases[0]);
            return Some(self.load_uniform(access, &pointer));
        }
        if rows.inner == access.bytes() {
            let pointers = self.row_pointers(access.space, rows, bits);
            return Some(self.load_neighbours(access, rows.width, &pointers));
        }
        if rows.inner == 0 && self.code.mask.is_none() {
            let pointers = self.row_pointers(access.space, rows, bits);
            return Some(self.load_row_by_row(access, rows.width, &pointers));
        }
        if rows.width == LANES && access.count == 1 && self.code.mask.is_none() {
            return self.load_strided(access, rows);
        }
        None
    }

    /// Whether rows with a condition pay for a second way.
    pub(super) fn is_by_rows(&self, access: &Access, rows: &Rows) -> bool {
        rows.inner == access.bytes()
            || rows.form() == Form::UNIFORM
            || rows.inner == 0 && self.code.mask.is_none()
    }

    fn load_uniform(&mut self, access: &Access, pointer: &str) -> Vec<Value> {
        let said = self.said_of_load(access);
        let elements = (0..u64::from(access.count)).map(|element| {
            let place = self.offset(pointer, element * access.element_bytes());
            let load = format!("load i{}, ptr {place}, align 1{said}", access.bits);
            Value::uniform(access.bits, self.code.writer.value(&load))
        });
        elements.collect()
    }

    /// A pointer moved on by some bytes.
    pub(super) fn offset(&mut self, pointer: &str, bytes: u64) -> String {
        match bytes {
            0 => pointer.to_owned(),
            _ => self.code.writer.value(&format!("getelementptr i8, ptr {pointer}, i64 {bytes}")),
        }
    }

    /// One place for each row.
    fn load_row_by_row(&mut self, access: &Access, width: u32, pointers: &[String]) -> Vec<Value> {
        let said = self.said_of_load(access);
        let elements = (0..u64::from(access.count)).map(|element| {
            let bases = pointers.iter().map(|pointer| {
                let place = self.offset(pointer, element * access.element_bytes());
                self.code.writer.value(&format!("load i{}, ptr {place}, align 1{said}", access.bits))
            });
            let rows = Rows { width, inner: 0, bases: bases.collect() };
            Value { bits: access.bits, rows: Some(rows), ..Value::default() }
        });
        elements.collect()
    }

    /// Lanes a small number of elements apart: all between the first and the last of them is loaded.
    fn load_strided(&mut self, access: &Access, rows: &Rows) -> Option<Vec<Value>> {
        let step = rows.inner / access.element_bytes();
        if !rows.inner.is_multiple_of(access.element_bytes()) || !(2..=4).contains(&step) {
            return None;
        }
        let pointer = self.pointer(access.space, &rows.bases[0]);
        let count = u64::from(LANES - 1) * step + 1;
        let ty = format!("<{count} x i{}>", access.bits);
        let said = self.said_of_load(access);
        let loaded = self.code.writer.value(&format!("load {ty}, ptr {pointer}, align 1{said}"));
        let lanes = (0..u64::from(LANES)).map(|lane| lane * step);
        Some(vec![Value::varying(access.bits, self.shuffled(&ty, &loaded, "poison", lanes))])
    }

    /// A vector made of elements of two vectors of one type, one after the other.
    pub(super) fn shuffled(
        &mut self,
        ty: &str,
        one: &str,
        other: &str,
        elements: impl Iterator<Item = u64>,
    ) -> String {
        let elements: Vec<String> = elements.map(|element| format!("i32 {element}")).collect();
        let (count, elements) = (elements.len(), elements.join(", "));
        self.code
            .writer
            .value(&format!("shufflevector {ty} {one}, {ty} {other}, <{count} x i32> <{elements}>"))
    }

    fn load_neighbours(&mut self, access: &Access, width: u32, pointers: &[String]) -> Vec<Value> {
        let count = width * access.count;
        let rows = pointers.iter().enumerate();
        let rows = rows.map(|(row, pointer)| self.load_row(access, width, row as u32, pointer)).collect();
        let (whole, whole_count) = self.joined(rows, access.bits, count);
        if access.count == 1 {
            return vec![Value::varying(access.bits, whole)];
        }
        let ty = format!("<{whole_count} x i{}>", access.bits);
        let step = u64::from(access.count);
        let elements = (0..step).map(|element| {
            let lanes = (0..u64::from(LANES)).map(|lane| lane * step + element);
            Value::varying(access.bits, self.shuffled(&ty, &whole, "poison", lanes))
        });
        elements.collect()
    }

    /// Vectors of one type, one after another.
    fn joined(&mut self, mut parts: Vec<String>, bits: u32, mut count: u32) -> (String, u32) {
        while parts.len() > 1 {
            let ty = format!("<{count} x i{bits}>");
            parts = parts
                .chunks(2)
                .map(|pair| self.shuffled(&ty, &pair[0], &pair[1], 0..u64::from(2 * count)))
                .collect();
            count *= 2;
        }
        (parts.remove(0), count)
    }

    /// Stores by rows; false if lanes are neither at one place nor neighbours.
    pub(super) fn store_rows(&mut self, access: &Access, rows: &Rows, bits: u32, values: &[Value]) -> bool {
        if rows.form() == Form::UNIFORM {
            self.store_uniform(access, rows, values);
            return true;
        }
        if rows.inner != access.bytes() {
            return false;
        }
        let pointers = self.row_pointers(access.space, rows, bits);
        let vectors: Vec<String> = values.iter().map(|value| self.vector(value)).collect();
        let whole = self.interleaved(access, &vectors);
        let whole_type = format!("<{} x i{}>", LANES * access.count, access.bits);
        let count = rows.width * access.count;
        let mut parts = vec![];
        for row in 0..pointers.len() as u64 {
            let first = row * u64::from(count);
            parts.push(match pointers.len() {
                1 => whole.clone(),
                _ => self.shuffled(&whole_type, &whole, "poison", first..first + u64::from(count)),
            });
        }
        if self.is_streamed(access, rows) {
            let ty = format!("<{count} x i{}>", access.bits);
            let rows: Vec<_> =
                pointers.into_iter().zip(parts).map(|(pointer, part)| (pointer, ty.clone(), part)).collect();
            self.stream(access, &rows);
            return true;
        }
        for (row, (pointer, part)) in pointers.iter().zip(&parts).enumerate() {
            self.store_row(access, rows.width, row as u32, pointer, part);
        }
        true
    }

    /// The elements of all lanes, those of each lane side by side.
    fn interleaved(&mut self, access: &Access, vectors: &[String]) -> String {
        if let [only] = vectors {
            return only.clone();
        }
        // As many vectors as a power of two can be joined pair by pair; which ones fill up does not matter.
        let padded = vectors.len().next_power_of_two();
        let mut parts = vectors.to_vec();
        parts.resize(padded, "poison".to_owned());
        let (joined, total) = self.joined(parts, access.bits, LANES);
        let ty = format!("<{total} x i{}>", access.bits);
        let count = u64::from(access.count);
        let elements =
            (0..u64::from(LANES) * count).map(|element| element % count * u64::from(LANES) + element / count);
        self.shuffled(&ty, &joined, "poison", elements)
    }

    /// One place for all lanes: the value of the last active lane stays.
    fn store_uniform(&mut self, access: &Access, rows: &Rows, values: &[Value]) {
        let pointer = self.pointer(access.space, &rows.bases[0]);
        let (bits, said) = (access.bits, self.said_of(access));
        for (element, value) in values.iter().enumerate() {
            let scalar = match value.scalar() {
                Some(scalar) => scalar.to_owned(),
                None => {
                    let vector = self.vector(value);
                    let last = self.last_active();
                    self.code
                        .writer
                        .value(&format!("extractelement {} {vector}, i32 {last}", Width::All.int(bits)))
                }
            };
            let place = self.offset(&pointer, element as u64 * access.element_bytes());
            self.code.writer.line(&format!("store i{bits} {scalar}, ptr {place}, align 1{said}"));
        }
    }

    fn last_active(&mut self) -> String {
        match self.active_bits() {
            None => (LANES - 1).to_string(),
            Some(active) => {
                let zeros = self.code.writer.call("i32", "llvm.ctlz.i32", &[("i32", &active), ("i1", "1")]);
                self.code.writer.value(&format!("sub i32 31, {zeros}"))
            }
        }
    }
}
