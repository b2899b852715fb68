//! What differs between the machines that execute lanes one by one.

mod amdgpu;
mod host;

use campanile_core::isa::{Op, Scope, Space, SpecialRegister};
use campanile_core::module::{FunctionId, Module, VariableId};

pub(super) use amdgpu::{Amdgpu, Wave, pointer_type, space_number};
pub(super) use host::{Host, PARAMETERS};

use super::calls::Passed;
use super::function::FunctionLowering;
use crate::lower::compute::Computation;

/// A machine whose lanes run compiled code, each on its own.
///
/// Pointers are texts with their type, as instructions take them.
pub(super) trait Platform {
    /// What stands behind `ptr` in the type of pointers into the stack.
    fn stack(&self) -> &'static str;

    /// A pointer to what lies so many bytes behind an address of a space; sums wrap around as addresses do.
    fn pointer(&self, code: &mut Computation<'_>, space: Space, address: &str, bytes: i32) -> String;

    /// A pointer to the argument buffer of the kernel.
    fn arguments(&self, code: &mut Computation<'_>) -> String;

    /// The greatest alignment that the argument buffer is sure to have.
    fn argument_alignment(&self) -> u64;

    /// The address of a variable in its own space.
    fn variable(&self, lowering: &mut FunctionLowering<'_>, variable: VariableId) -> String;

    /// The address of a function, of 64 bits.
    fn function(&self, lowering: &mut FunctionLowering<'_>, function: FunctionId) -> String;

    /// What a special register holds.
    fn special(
        &self,
        lowering: &mut FunctionLowering<'_>,
        register: SpecialRegister,
        dimension: u8,
    ) -> String;

    /// An address of a space, made generic.
    fn generic_address(&self, code: &mut Computation<'_>, space: Space, address: &str) -> String;

    /// `addrcast`.
    fn cast_address(&self, code: &mut Computation<'_>, op: Op, address: &str) -> String;

    /// `isaddr`.
    fn tell_space(&self, code: &mut Computation<'_>, op: Op, address: &str) -> String;

    /// What an atomic access says of its scope, with a blank behind it.
    fn scope(&self, scope: Option<Scope>) -> String;

    /// The lane's own number in its sub-group.
    fn lane(&self, lowering: &mut FunctionLowering<'_>) -> String;

    /// The active lanes for which a condition holds, as the bits of a number.
    fn ballot(&self, lowering: &mut FunctionLowering<'_>, condition: &str) -> String;

    /// What an active lane passes as `value`, of 32 bits.
    fn read_lane(&self, lowering: &mut FunctionLowering<'_>, value: &str, lane: &str) -> String;

    /// The same where all active lanes ask for one lane.
    fn read_same_lane(&self, lowering: &mut FunctionLowering<'_>, value: &str, lane: &str) -> String {
        self.read_lane(lowering, value, lane)
    }

    /// Orders memory accesses.
    fn fence(&self, lowering: &mut FunctionLowering<'_>, scope: &str, order: &str) {
        lowering.code.writer.line(&format!("fence {scope}{order}"));
    }

    /// Waits for the work-group.
    fn barrier(&self, lowering: &mut FunctionLowering<'_>);

    /// Stands before every access to memory that other lanes may see.
    fn before_access(&self, _lowering: &mut FunctionLowering<'_>, _space: Space) {}

    /// Stands before every jump to a block that does not come later in the text.
    fn before_jump_back(&self, _lowering: &mut FunctionLowering<'_>) {}

    /// The name of a function in the text.
    fn name(&self, module: &Module, function: FunctionId) -> String;

    /// Calls a function of the module.
    fn call(
        &self,
        lowering: &mut FunctionLowering<'_>,
        callee: FunctionId,
        passed: &Passed,
    ) -> Option<String>;

    /// Calls the function at an address.
    fn call_indirect(
        &self,
        lowering: &mut FunctionLowering<'_>,
        target: &str,
        passed: &Passed,
        instruction: u32,
    ) -> Option<String>;
}
