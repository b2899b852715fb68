//! Generic addresses: the one place that says how address spaces lie in them (spec 3.3.1 leaves it open).
//!
//! Global and constant addresses are themselves. Private and shared addresses, 32 bits wide, are offsets in two
//! ranges at the top, where no global object lies.

use crate::isa::Space;

const SHARED_BASE: u64 = 0xffff_ff01_0000_0000;
const PRIVATE_BASE: u64 = 0xffff_ff02_0000_0000;

/// The generic address of `address` in `space`.
pub const fn generic(space: Space, address: u64) -> u64 {
    match space {
        Space::Private => PRIVATE_BASE | (address & 0xffff_ffff),
        Space::Shared => SHARED_BASE | (address & 0xffff_ffff),
        Space::Global | Space::Const | Space::Generic => address,
    }
}

/// The space that a generic address points into, with the address there. Constants count as global.
pub const fn split_generic(address: u64) -> (Space, u64) {
    match address & 0xffff_ffff_0000_0000 {
        PRIVATE_BASE => (Space::Private, address & 0xffff_ffff),
        SHARED_BASE => (Space::Shared, address & 0xffff_ffff),
        _ => (Space::Global, address),
    }
}
