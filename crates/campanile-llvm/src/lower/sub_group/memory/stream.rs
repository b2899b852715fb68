//! Stores past the caches: of whole lines of large buffers that the kernel does not read. The processor then does not fetch
//! what is overwritten, and keeps in its caches what is read.
//!
//! Such stores become visible to other threads in any order; the host sees to it that all are before a launch ends.

use super::Access;
use crate::lower::sub_group::function::FunctionLowering;
use crate::lower::sub_group::objects::Object;
use crate::lower::sub_group::value::Rows;

/// Bytes of a cache line.
const LINE: u64 = 64;

impl FunctionLowering<'_, '_> {
    /// Whether rows are stored past the caches where they begin with a line: if they are whole lines.
    pub(super) fn is_streamed(&self, access: &Access, rows: &Rows) -> bool {
        let Some(Object::Buffer(parameter)) = access.object else { return false };
        let bytes = u64::from(rows.width) * access.bytes();
        self.program.specialization.streamed.contains(&parameter)
            && self.code.mask.is_none()
            && bytes.is_multiple_of(LINE)
    }

    /// Stores rows past the caches if all of them begin with a line, otherwise as usual. Each is a pointer and the elements,
    /// as a type and a value.
    pub(super) fn stream(&mut self, access: &Access, rows: &[(String, String, String)]) {
        let mut places = "0".to_owned();
        for (pointer, ..) in rows {
            let place = self.code.writer.value(&format!("ptrtoint ptr {pointer} to i64"));
            places = match places.as_str() {
                "0" => place,
                places => self.code.writer.value(&format!("or i64 {places}, {place}")),
            };
        }
        let odd = self.code.writer.value(&format!("and i64 {places}, {}", LINE - 1));
        let whole = self.code.writer.value(&format!("icmp eq i64 {odd}, 0"));
        let [lines, parts, done] = ["lines", "parts", "written"].map(|stem| self.code.writer.label(stem));
        self.code.writer.line(&format!("br i1 {whole}, label %{lines}, label %{parts}"));
        let said = self.said_of(access);
        for (label, how) in [(lines, format!("align {LINE}, !nontemporal !5")), (parts, "align 1".to_owned())]
        {
            self.code.writer.place(&label);
            for (pointer, ty, elements) in rows {
                self.code.writer.line(&format!("store {ty} {elements}, ptr {pointer}, {how}{said}"));
            }
            self.code.writer.line(&format!("br label %{done}"));
        }
        self.code.writer.place(&done);
    }
}
