//! Memory as the checked engine sees it: objects at addresses, and for each byte whether it has been written.
//!
//! A file per address space. Nothing here reports anything; whoever accesses memory finds the object first.

mod bytes;
mod global;
mod object;
mod private;
mod shared;

use campanile_core::isa::Space;
use campanile_core::module::FunctionId;
use cranelift_entity::EntityRef;

pub(crate) use bytes::{ReadWords, read, write};
pub(crate) use global::{GLOBAL_REACH, GlobalMemory, global_address};
pub use object::is_widened;
pub(crate) use object::{Memory, Object, Owner, Protection};
pub(crate) use private::{
    ALIGNMENT as PRIVATE_ALIGNMENT, GAP as PRIVATE_GAP, PrivateMemory, PrivateVariable,
};
pub(crate) use shared::{SharedLayout, SharedMemory};

/// Whether an address of a space points nowhere, as null does: null itself, and in global memory the page that it is in.
pub fn is_null(space: Space, address: u64) -> bool {
    match space.address_bits() {
        32 => address == 0xffff_ffff,
        _ => address < 0x1000,
    }
}

/// Function addresses lie here, below the ranges of generic addresses and far above all data.
const FUNCTIONS: u64 = 0xffff_ff00_0000_0000;
const FUNCTION_SPACING: u64 = 16;

/// The address of a function: not zero, its own, and no data (spec instruction 4.2).
pub fn function_address(function: FunctionId) -> u64 {
    FUNCTIONS + (function.index() as u64 + 1) * FUNCTION_SPACING
}

/// The function at an address, among as many as the module has.
pub(crate) fn function_at(address: u64, functions: usize) -> Option<FunctionId> {
    let distance = address.checked_sub(FUNCTIONS)?;
    let number = usize::try_from(distance / FUNCTION_SPACING).ok()?.checked_sub(1)?;
    (distance.is_multiple_of(FUNCTION_SPACING) && number < functions).then(|| FunctionId::new(number))
}
