//! Atomic operations at host addresses, which kernels make up: whole against those of every other thread and of
//! compiled code.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use portable_atomic::AtomicU128;

use super::operation::Atomic;

impl Atomic {
    /// Carries the operation out and returns the old value. Where the address is not aligned to the size, which no
    /// kernel may ask for, nothing is done and the old value is zero.
    ///
    /// # Safety
    ///
    /// The address is that of so many bytes that may be read and written, or a null one.
    pub unsafe fn update(&self, address: u64, first: u128, second: u128) -> u128 {
        let Ok(address) = usize::try_from(address) else { return 0 };
        if address == 0 || !address.is_multiple_of(self.bytes as usize) {
            return 0;
        }
        let change = |old: u128| self.change.apply(self.bytes * 8, old, first, second);
        let place = ptr::with_exposed_provenance_mut::<u8>(address);
        macro_rules! update {
            ($atomic:ident, $integer:ident) => {{
                // SAFETY: the bytes are there and aligned, and nobody has borrowed memory that kernels hold addresses
                // of. What else accesses them at the same time does so atomically, or the kernel has a data race.
                let place = unsafe { $atomic::from_ptr(place.cast::<$integer>()) };
                let new = |old: $integer| Some(change(u128::from(old)) as $integer);
                match place.fetch_update(Ordering::SeqCst, Ordering::SeqCst, new) {
                    Ok(old) | Err(old) => u128::from(old),
                }
            }};
        }
        match self.bytes {
            2 => update!(AtomicU16, u16),
            4 => update!(AtomicU32, u32),
            8 => update!(AtomicU64, u64),
            16 => update!(AtomicU128, u128),
            bytes => unreachable!("no atomic operation changes {bytes} bytes"),
        }
    }
}
