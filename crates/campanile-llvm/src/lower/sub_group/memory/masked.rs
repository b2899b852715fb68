//! Accesses of lanes apart, and of some of the lanes: one instruction where the processor has it, otherwise a loop, as LLVM
//! would write out all 32 lanes, each with a branch of its own if there is a mask.

use super::Access;
use crate::lower::compute::writer::{LANES, Width};
use crate::lower::sub_group::function::FunctionLowering;

impl FunctionLowering<'_, '_> {
    /// Whether the processor loads and stores neighbouring elements of so many bits under a mask.
    fn has_masked(&self, bits: u32) -> bool {
        let target = self.code.target;
        match bits {
            8 | 16 => target.avx512,
            32 | 64 => target.avx512 || target.avx2,
            _ => false,
        }
    }

    /// Whether it gathers and scatters them.
    fn has_scattered(&self, bits: u32) -> bool {
        self.code.target.avx512 && matches!(bits, 32 | 64)
    }

    /// Loads what lanes point to, for those of a mask, where one instruction does it with what is `said` of it. The others get zeros: with poison in any lane, LLVM may do as it
    /// likes in a division by it, or a branch on its comparison.
    pub(in crate::lower::sub_group) fn gather(
        &mut self,
        pointers: &str,
        bits: u32,
        mask: &str,
        said: &str,
    ) -> String {
        let ty = Width::All.int(bits);
        if self.has_scattered(bits) {
            let name = format!("llvm.masked.gather.v32i{bits}.v32p0");
            let operands =
                [("<32 x ptr>", pointers), ("i32", "1"), ("<32 x i1>", mask), (&ty, "zeroinitializer")];
            return self.code.writer.call_with(&ty, &name, &operands, said);
        }
        let places = self.in_memory("<32 x ptr>", pointers);
        let loaded = self.in_memory(&ty, "zeroinitializer");
        self.each_of(mask, |lowering, lane| {
            let place = lowering.element(&places, "ptr", lane);
            let place = lowering.code.writer.value(&format!("load ptr, ptr {place}"));
            let value = lowering.code.writer.value(&format!("load i{bits}, ptr {place}, align 1"));
            let result = lowering.element(&loaded, &format!("i{bits}"), lane);
            lowering.code.writer.line(&format!("store i{bits} {value}, ptr {result}"));
        });
        self.code.writer.value(&format!("load {ty}, ptr {loaded}"))
    }

    /// Stores to where lanes point, for those of a mask.
    pub(super) fn scatter(&mut self, value: &str, pointers: &str, bits: u32, mask: &str, said: &str) {
        let ty = Width::All.int(bits);
        if self.has_scattered(bits) {
            let name = format!("llvm.masked.scatter.v32i{bits}.v32p0");
            let operands = [(&*ty, value), ("<32 x ptr>", pointers), ("i32", "1"), ("<32 x i1>", mask)];
            self.code.writer.call_with("void", &name, &operands, said);
            return;
        }
        let places = self.in_memory("<32 x ptr>", pointers);
        let values = self.in_memory(&ty, value);
        self.each_of(mask, |lowering, lane| {
            let place = lowering.element(&places, "ptr", lane);
            let place = lowering.code.writer.value(&format!("load ptr, ptr {place}"));
            let value = lowering.element(&values, &format!("i{bits}"), lane);
            let value = lowering.code.writer.value(&format!("load i{bits}, ptr {value}"));
            lowering.code.writer.line(&format!("store i{bits} {value}, ptr {place}, align 1"));
        });
    }

    /// Loads the elements of a row, which lie one after another from a pointer on.
    pub(super) fn load_row(&mut self, access: &Access, width: u32, row: u32, pointer: &str) -> String {
        let (bits, count) = (access.bits, width * access.count);
        let (ty, said) = (format!("<{count} x i{bits}>"), self.said_of_load(access));
        let Some(mask) = self.code.mask.clone() else {
            return self.code.writer.value(&format!("load {ty}, ptr {pointer}, align 1{said}"));
        };
        if self.has_masked(bits) {
            let (mask_type, mask) = (format!("<{count} x i1>"), self.element_mask(access, width, row, &mask));
            let name = format!("llvm.masked.load.v{count}i{bits}.p0");
            let operands = [("ptr", pointer), ("i32", "1"), (&mask_type, &mask), (&ty, "zeroinitializer")];
            return self.code.writer.call_with(&ty, &name, &operands, &said);
        }
        let loaded = self.in_memory(&ty, "zeroinitializer");
        let (lanes, part) = (self.row_lanes(&mask, width, row), format!("<{} x i{bits}>", access.count));
        self.each_of(&lanes, |lowering, lane| {
            let [place, result] = [pointer, &loaded].map(|base| lowering.lane_part(base, access, lane));
            let value = lowering.code.writer.value(&format!("load {part}, ptr {place}, align 1"));
            lowering.code.writer.line(&format!("store {part} {value}, ptr {result}, align 1"));
        });
        self.code.writer.value(&format!("load {ty}, ptr {loaded}"))
    }

    /// Stores the elements of a row one after another from a pointer on.
    pub(super) fn store_row(&mut self, access: &Access, width: u32, row: u32, pointer: &str, elements: &str) {
        let (bits, count) = (access.bits, width * access.count);
        let (ty, said) = (format!("<{count} x i{bits}>"), self.said_of(access));
        let Some(mask) = self.code.mask.clone() else {
            return self.code.writer.line(&format!("store {ty} {elements}, ptr {pointer}, align 1{said}"));
        };
        if self.has_masked(bits) {
            let (mask_type, mask) = (format!("<{count} x i1>"), self.element_mask(access, width, row, &mask));
            let name = format!("llvm.masked.store.v{count}i{bits}.p0");
            let operands = [(&*ty, elements), ("ptr", pointer), ("i32", "1"), (&mask_type, &mask)];
            self.code.writer.call_with("void", &name, &operands, &said);
            return;
        }
        let stored = self.in_memory(&ty, elements);
        let (lanes, part) = (self.row_lanes(&mask, width, row), format!("<{} x i{bits}>", access.count));
        self.each_of(&lanes, |lowering, lane| {
            let [place, source] = [pointer, &stored].map(|base| lowering.lane_part(base, access, lane));
            let value = lowering.code.writer.value(&format!("load {part}, ptr {source}, align 1"));
            lowering.code.writer.line(&format!("store {part} {value}, ptr {place}, align 1"));
        });
    }

    /// The lanes of a row, each as often as it has elements.
    fn element_mask(&mut self, access: &Access, width: u32, row: u32, mask: &str) -> String {
        if width == LANES && access.count == 1 {
            return mask.to_owned();
        }
        let elements = (0..u64::from(width * access.count))
            .map(|element| u64::from(row * width) + element / u64::from(access.count));
        self.shuffled("<32 x i1>", mask, "poison", elements)
    }

    /// The lanes of a row, from lane 0 on.
    fn row_lanes(&mut self, mask: &str, width: u32, row: u32) -> String {
        if width == LANES {
            return mask.to_owned();
        }
        let bits = self.code.bits_of(mask);
        let bits = self.code.writer.value(&format!("lshr i32 {bits}, {}", row * width));
        let bits = self.code.writer.value(&format!("and i32 {bits}, {}", (1u64 << width) - 1));
        self.code.mask_of(&bits)
    }

    /// Where the elements of a lane lie.
    fn lane_part(&mut self, base: &str, access: &Access, lane: &str) -> String {
        let ty = format!("[{} x i8]", access.bytes());
        self.element(base, &ty, lane)
    }

    fn element(&mut self, base: &str, ty: &str, index: &str) -> String {
        self.code.writer.value(&format!("getelementptr {ty}, ptr {base}, i32 {index}"))
    }
}
