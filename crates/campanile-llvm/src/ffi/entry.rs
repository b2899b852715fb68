//! Calling compiled code: the one place where an address becomes a function.
#![allow(unsafe_code)]

use std::ptr::NonNull;
use std::sync::Arc;

use super::session::Session;

/// The type of a compiled function: `unsafe extern "C" fn(…) -> …` with up to eight arguments.
///
/// # Safety
///
/// A type that implements this is a pointer to a function with the C calling convention.
pub unsafe trait Signature: Copy + Send + Sync + 'static {
    /// What it takes, as a tuple.
    type Arguments;
    /// What it returns.
    type Returned;

    /// The function at an address.
    ///
    /// # Safety
    ///
    /// There is a function of this type.
    unsafe fn at(address: NonNull<()>) -> Self;

    /// Calls the function.
    ///
    /// # Safety
    ///
    /// As the function demands.
    unsafe fn call(self, arguments: Self::Arguments) -> Self::Returned;
}

macro_rules! signature {
    ($($argument:ident)*) => {
        // SAFETY: the type is such a pointer.
        unsafe impl<$($argument: 'static,)* R: 'static> Signature for unsafe extern "C" fn($($argument),*) -> R {
            type Arguments = ($($argument,)*);
            type Returned = R;

            unsafe fn at(address: NonNull<()>) -> Self {
                // SAFETY: pointers to functions and to data have the same size here, it is not null, and the caller
                // promises the type.
                unsafe { std::mem::transmute::<*mut (), Self>(address.as_ptr()) }
            }

            #[allow(non_snake_case)]
            unsafe fn call(self, ($($argument,)*): Self::Arguments) -> R {
                // SAFETY: as the caller promises.
                unsafe { self($($argument),*) }
            }
        }
    };
}

signature!();
signature!(A);
signature!(A B);
signature!(A B C);
signature!(A B C D);
signature!(A B C D E);
signature!(A B C D E F);
signature!(A B C D E F G);
signature!(A B C D E F G H);

/// A compiled function. Its code stays as long as this does.
#[derive(Clone)]
pub struct Entry<F> {
    function: F,
    _session: Arc<Session>,
}

impl<F: Signature> Entry<F> {
    /// The function at an address of the session.
    pub(crate) fn new(address: NonNull<()>, session: Arc<Session>) -> Self {
        // SAFETY: what is wrong with the type comes to pass at a call only, where the caller answers for it.
        Self { function: unsafe { F::at(address) }, _session: session }
    }

    /// Calls the function.
    ///
    /// # Safety
    ///
    /// The IR declares the function with these types in the C calling convention, was compiled for a processor that has
    /// no more than this one, and does with these arguments nothing that Rust forbids.
    pub unsafe fn call(&self, arguments: F::Arguments) -> F::Returned {
        // SAFETY: the code is there as long as the session is, and the rest is as the caller promises.
        unsafe { self.function.call(arguments) }
    }
}
