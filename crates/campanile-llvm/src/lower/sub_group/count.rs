//! Counts of executions: how often sub-groups come to each block, and with how many lanes.

use std::mem::offset_of;

use campanile_core::module::BlockId;

use super::function::FunctionLowering;
use crate::frame::{BlockCount, LaunchFrame};
use crate::lower::compute::writer::LANES;

impl FunctionLowering<'_, '_> {
    /// Counts the block that is being written, for the active lanes.
    pub(super) fn count(&mut self, block: BlockId) {
        if !self.program.instrumentation.counts {
            return;
        }
        let place = self.program.counted(self.id, block) * size_of::<BlockCount>();
        let counts = self.code.writer.field_with(
            "%launch",
            offset_of!(LaunchFrame, counts),
            "ptr",
            ", !invariant.load !0",
        );
        let lanes = match self.active_bits() {
            None => LANES.to_string(),
            Some(active) => {
                let lanes = self.code.writer.call("i32", "llvm.ctpop.i32", &[("i32", &active)]);
                self.code.writer.value(&format!("zext i32 {lanes} to i64"))
            }
        };
        let fields =
            [(offset_of!(BlockCount, executions), "1"), (offset_of!(BlockCount, lanes), lanes.as_str())];
        for (field, more) in fields {
            let place = self
                .code
                .writer
                .value(&format!("getelementptr inbounds i8, ptr {counts}, i64 {}", place + field));
            let before = self.code.writer.value(&format!("load i64, ptr {place}"));
            let after = self.code.writer.value(&format!("add i64 {before}, {more}"));
            self.code.writer.line(&format!("store i64 {after}, ptr {place}"));
        }
    }
}
