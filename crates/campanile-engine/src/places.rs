//! Where the checked engine has what kernels address, for engines whose findings shall say the same addresses.

use campanile_core::module::{Body, FunctionId, Module, VariableId};

use crate::memory::{GLOBAL_REACH, Owner, SharedLayout, global_address};
use crate::translate;

/// A variable in shared or private memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariablePlace {
    /// The variable.
    pub variable: VariableId,
    /// Its first byte: its address in shared memory, or its place in an activation of its function.
    pub start: u64,
    /// Its size in bytes.
    pub size: u64,
}

/// The shared variables of some functions, and where the room for them ends.
pub fn shared_places(module: &Module, functions: &[FunctionId]) -> (Vec<VariablePlace>, u64) {
    let layout = SharedLayout::of_variables(module, functions);
    let places = layout.objects().iter().filter_map(|object| match object.owner {
        Owner::Variable(variable) => Some(VariablePlace { variable, start: object.start, size: object.size }),
        Owner::Buffer(_) | Owner::Argument(_) => None,
    });
    (places.collect(), layout.end())
}

/// The private variables of a body, and the bytes of its activations.
pub fn private_places(module: &Module, body: &Body) -> (Vec<VariablePlace>, u64) {
    let (variables, bytes) = translate::private_variables(module, body);
    let places = variables.iter().map(|one| VariablePlace {
        variable: one.variable,
        start: one.offset,
        size: one.size,
    });
    (places.collect(), bytes)
}

/// The address of a global or constant object: those of the module's resident variables come first, then buffers in
/// the order of their allocation. None if that is farther than `distance` bytes away, where no object is near.
pub fn near_global_address(object: u32, distance: i64) -> Option<u64> {
    let near = distance.unsigned_abs() < GLOBAL_REACH;
    near.then(|| global_address(object).wrapping_add_signed(distance))
}
