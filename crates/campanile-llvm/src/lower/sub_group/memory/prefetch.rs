//! Prefetching where the processor does not look far enough ahead by itself: in loops whose loads go from page to page, and in
//! work-groups of several rows, each of which reads from as many places at once.

use campanile_core::analysis::Stride;
use campanile_core::isa::{Order, Space};
use campanile_core::module::{Address, Base, Offset, Scalar};

use super::Access;
use crate::lower::compute::writer::{Width, constant};
use crate::lower::sub_group::function::FunctionLowering;
use crate::lower::sub_group::value::{Rows, Value};

/// Bytes of a page, at whose end processors stop looking ahead.
const PAGE: u64 = 1 << 12;

/// Bytes of a cache line.
const LINE: u64 = 64;

/// Iterations of a loop from a prefetch to its load.
const ITERATIONS_AHEAD: u64 = 8;

/// Work-groups from a prefetch to its load.
const GROUPS_AHEAD: u64 = 4;

impl FunctionLowering<'_, '_> {
    /// Fetches what rows of neighbours load some iterations or work-groups later. No address is wrong for that: a prefetch has
    /// no effect but time.
    pub(super) fn prefetch(&mut self, access: &Access, place: &Address, address: &Value) {
        let (Base::Scalar(Scalar::Register(register)), Offset::Immediate(_)) = (place.base, place.offset)
        else {
            return;
        };
        let is_plain = matches!(access.space, Space::Global | Space::Const)
            && access.order == Order::Weak
            && self.code.mask.is_none();
        let rows = address.rows.clone().filter(|rows| is_plain && rows.inner == access.bytes());
        let Some(rows) = rows else { return };
        if !self.strides.is_in_loop(self.block) {
            return self.prefetch_for_groups(access, &rows, address.bits);
        }
        if let Some(stride) = self.strides.of(self.block, register)
            && let Some(stride) = self.stride_bytes(stride)
        {
            self.prefetch_for_iterations(access, &rows, address.bits, &stride);
        }
    }

    /// Fetches for later iterations, if each moves on by a page or more.
    fn prefetch_for_iterations(&mut self, access: &Access, rows: &Rows, bits: u32, stride: &str) {
        let [far, near] = ["far", "near"].map(|stem| self.code.writer.label(stem));
        match stride.parse::<i64>() {
            Ok(stride) if stride.unsigned_abs() < PAGE => return,
            Ok(_) => self.code.writer.line(&format!("br label %{far}")),
            Err(_) => {
                let moved = self.code.writer.value(&format!("add i64 {stride}, {}", PAGE - 1));
                let is_far = self.code.writer.value(&format!("icmp ugt i64 {moved}, {}", 2 * (PAGE - 1)));
                self.code.writer.line(&format!("br i1 {is_far}, label %{far}, label %{near}"));
            }
        }
        self.code.writer.place(&far);
        let distance = self.code.writer.value(&format!("mul i64 {stride}, {ITERATIONS_AHEAD}"));
        self.prefetch_rows(access, rows, bits, &distance);
        self.code.writer.line(&format!("br label %{near}"));
        self.code.writer.place(&near);
    }

    /// Fetches for later work-groups, which most often lie beside this one in x, if each has several rows. Where there is but
    /// one, the processor sees that reads go on.
    fn prefetch_for_groups(&mut self, access: &Access, rows: &Rows, bits: u32) {
        let is_row = self.program.launch.local.is_some_and(|local| local[0] == rows.width && local[1] > 1);
        if is_row && rows.bases.len() > 1 {
            let distance = GROUPS_AHEAD * u64::from(rows.width) * access.bytes();
            self.prefetch_rows(access, rows, bits, &distance.to_string());
        }
    }

    /// Fetches all lines of rows that lie a distance ahead.
    fn prefetch_rows(&mut self, access: &Access, rows: &Rows, bits: u32, distance: &str) {
        for pointer in self.row_pointers(access.space, rows, bits) {
            let ahead = self.code.writer.value(&format!("getelementptr i8, ptr {pointer}, i64 {distance}"));
            for line in (0..u64::from(rows.width) * access.bytes()).step_by(LINE as usize) {
                let line = self.offset(&ahead, line);
                let operands = [("ptr", &*line), ("i32", "0"), ("i32", "3"), ("i32", "1")];
                self.code.writer.call("void", "llvm.prefetch.p0", &operands);
            }
        }
    }

    /// A stride as a 64-bit number, if it is the same in all lanes.
    fn stride_bytes(&mut self, stride: Stride) -> Option<String> {
        let factor = constant(Width::One, 64, stride.factor as u64);
        let Some(step) = stride.step else { return Some(factor) };
        let value = self.scalar_operand(step);
        let step = value.scalar()?.to_owned();
        let wide = self.code.extend(Width::One, &step, value.bits, 64, true);
        Some(self.code.writer.value(&format!("mul i64 {wide}, {factor}")))
    }
}
