//! What stands at the start of a body: which work-item it is, and pointers to what is its own.

use campanile_core::module::RegisterType;

use crate::body::Body;

impl Body<'_, '_> {
    /// `%linear`, the number of the work-item in its work-group.
    pub fn find_linear(&mut self) {
        let linear = self.registers.reserve("%linear", RegisterType::scalar(32));
        self.line(format!("umad.32b {linear}, %localid.z, %localsize.y, %localid.y;"));
        self.line(format!("umad.32b {linear}, {linear}, %localsize.x, %localid.x;"));
    }

    /// `%slot`, a number of the work-item in the ND-range that leaves gaps where work-groups are ragged, and
    /// `%first`, that of its work-group; then `%out_own`, its part of the output.
    pub fn find_slot(&mut self, state_bytes: u32) {
        let word = RegisterType::scalar(32);
        for name in ["%slot", "%first"] {
            self.registers.reserve(name, word);
        }
        for name in ["%out_base", "%out_own"] {
            self.registers.reserve(name, RegisterType::scalar(64));
        }
        let items = self.scratch(32);
        self.line("umad.32b %first, %groupid.z, %groupcount.y, %groupid.y;");
        self.line("umad.32b %first, %first, %groupcount.x, %groupid.x;");
        self.line(format!("umul.32b {items}, %enqueuedlocalsize.x, %enqueuedlocalsize.y;"));
        self.line(format!("umul.32b {items}, {items}, %enqueuedlocalsize.z;"));
        self.line(format!("umul.32b %first, %first, {items};"));
        self.line("iadd.32b %slot, %first, %linear;");
        self.line("ld.param.64b %out_base, [%out];");
        self.line(format!("umad.full.32b %out_own, %slot, {state_bytes}, %out_base;"));
    }

    /// `%seed`, from which initial values are made, and `%uniform`, the same for the whole work-group.
    pub fn find_seeds(&mut self, varying: &str) {
        for name in ["%seed", "%uniform"] {
            self.registers.reserve(name, RegisterType::scalar(32));
        }
        let (factor, summand) = (self.choices.word() as u32 | 1, self.choices.word() as u32);
        self.line(format!("umad.32b %seed, {varying}, {factor}, {summand:#x};"));
        let uniform = *self.choices.one_of(&["%groupid.x", "%groupcount.y", "%workdim", "0x0F0F3CFF"]);
        self.line(format!("umad.32b %uniform, {uniform}, {factor}, {summand};"));
    }
}
