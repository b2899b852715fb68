//! Runs compiled code in this process.

use std::ptr::{self, NonNull};
use std::sync::Arc;

use crate::error::JitError;
use crate::ffi::entry::{Entry, Signature};
use crate::ffi::object::Object;
use crate::ffi::session::Session;
use crate::llvm::Llvm;

/// A set of object files that are linked with each other and with this process. Copies are the same set; it lives as
/// long as one of them or an entry does.
#[derive(Clone)]
pub struct Jit {
    session: Arc<Session>,
}

impl Jit {
    /// An empty set.
    ///
    /// # Errors
    ///
    /// If this LLVM cannot run code on this machine.
    pub fn new(llvm: &'static Llvm) -> Result<Self, JitError> {
        let session = Session::new(llvm.functions).map_err(JitError::Unavailable)?;
        Ok(Self { session: Arc::new(session) })
    }

    /// Gives names to functions and data of this process, for the code that is added. They must be there whenever that
    /// code runs. What the process exports, such as the C library's functions, needs no such definition.
    ///
    /// # Errors
    ///
    /// If one of the names is taken; then none is defined.
    pub fn define(&self, symbols: &[(&str, *const ())]) -> Result<(), JitError> {
        self.session.define(symbols).map_err(JitError::Addition)
    }

    /// Adds an object file, which is linked when it is first needed.
    ///
    /// # Errors
    ///
    /// If it defines a name that is taken. That it is for another target comes out when it is linked.
    pub fn add(&self, object: &Object) -> Result<(), JitError> {
        self.session.add(object).map_err(JitError::Addition)
    }

    /// The function of this name, with all that it needs linked.
    ///
    /// # Errors
    ///
    /// If there is none, or something it needs is missing.
    pub fn entry<F: Signature>(&self, name: &str) -> Result<Entry<F>, JitError> {
        let failed = |message| JitError::Link { name: name.to_owned(), message };
        let address = self.session.lookup(name).map_err(failed)?;
        let address = usize::try_from(address).ok().map(ptr::with_exposed_provenance_mut::<()>);
        let address = address.and_then(NonNull::new);
        let address = address.ok_or_else(|| failed("its address is null".to_owned()))?;
        Ok(Entry::new(address, Arc::clone(&self.session)))
    }
}
