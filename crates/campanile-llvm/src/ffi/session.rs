//! A session of ORC's LLJIT: object files in, addresses out.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;

use super::functions::{EXPORTED_CALLABLE, Error, Functions, Jit, SymbolPair};
use super::object::Object;
use super::text::{Buffer, c_string};

/// What the session reports besides the results of calls: which symbols were missing, for example.
struct Reports {
    functions: &'static Functions,
    messages: Mutex<Vec<String>>,
}

/// An owned session. The code it has linked lives as long as it does.
pub struct Session {
    functions: &'static Functions,
    jit: *mut Jit,
    /// At a fixed place, as the session points to it.
    reports: Box<Reports>,
}

// SAFETY: a session belongs to no thread; it and its code may be freed on any.
unsafe impl Send for Session {}

// SAFETY: ORC guards the session's tables with a lock of its own, and links on the calling threads; nothing here is
// changed but through it, and the reports have a lock too.
unsafe impl Sync for Session {}

impl Session {
    /// Begins a session for the process itself.
    ///
    /// # Errors
    ///
    /// LLVM's message if it has no JIT for this machine.
    pub fn new(functions: &'static Functions) -> Result<Self, String> {
        let reports = Box::new(Reports { functions, messages: Mutex::new(Vec::new()) });
        let mut jit = ptr::null_mut();
        // SAFETY: the place lives, a null builder stands for the defaults, and the reporter's argument is at a fixed
        // place that outlives the session (see `drop`).
        unsafe {
            functions.result((functions.LLVMOrcCreateLLJIT)(&mut jit, ptr::null_mut()))?;
            let session = (functions.LLVMOrcLLJITGetExecutionSession)(jit);
            let argument = ptr::from_ref(&*reports).cast_mut().cast();
            (functions.LLVMOrcExecutionSessionSetErrorReporter)(session, Some(on_report), argument);
        }
        Ok(Self { functions, jit, reports })
    }

    /// Gives names to addresses of this process.
    ///
    /// # Errors
    ///
    /// LLVM's message if one of the names is taken; then none is defined.
    pub fn define(&self, symbols: &[(&str, *const ())]) -> Result<(), String> {
        let mut pairs: Vec<SymbolPair> = Vec::with_capacity(symbols.len());
        for (name, address) in symbols {
            let name = c_string(name);
            // SAFETY: the session lives, and the text lives during the call; the reference it returns goes to the pair.
            let name = unsafe { (self.functions.LLVMOrcLLJITMangleAndIntern)(self.jit, name.as_ptr()) };
            let address = address.addr() as u64;
            pairs.push(SymbolPair { name, address, generic_flags: EXPORTED_CALLABLE, target_flags: 0 });
        }
        // SAFETY: the pairs live during the call and give their references away; a unit that was not taken is freed.
        unsafe {
            let unit = (self.functions.LLVMOrcAbsoluteSymbols)(pairs.as_mut_ptr(), pairs.len());
            let library = (self.functions.LLVMOrcLLJITGetMainJITDylib)(self.jit);
            let result = self.functions.result((self.functions.LLVMOrcJITDylibDefine)(library, unit));
            if result.is_err() {
                (self.functions.LLVMOrcDisposeMaterializationUnit)(unit);
            }
            result
        }
    }

    /// Adds an object file. It is linked when one of its symbols is looked up.
    ///
    /// # Errors
    ///
    /// LLVM's message if it defines a name that is taken.
    pub fn add(&self, object: &Object) -> Result<(), String> {
        let object = Buffer::copy(self.functions, object.bytes(), c"object").into_raw();
        // SAFETY: the session lives, and the buffer is given away.
        unsafe {
            let library = (self.functions.LLVMOrcLLJITGetMainJITDylib)(self.jit);
            let error = (self.functions.LLVMOrcLLJITAddObjectFile)(self.jit, library, object);
            self.functions.result(error)
        }
    }

    /// The address of a symbol, linking what is needed for it.
    ///
    /// # Errors
    ///
    /// LLVM's message, and what was reported besides.
    pub fn lookup(&self, name: &str) -> Result<u64, String> {
        let (name, mut address) = (c_string(name), 0);
        // SAFETY: the session lives, and the text and the place live during the call.
        let result = unsafe {
            let error = (self.functions.LLVMOrcLLJITLookup)(self.jit, &mut address, name.as_ptr());
            self.functions.result(error)
        };
        result.map(|()| address).map_err(|message| {
            let mut reports = self.reports.messages.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let reported = std::mem::take(&mut *reports);
            [message].into_iter().chain(reported).collect::<Vec<_>>().join("\n")
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the session is ours and not used again; the reports are dropped after this.
        let _ = unsafe { self.functions.result((self.functions.LLVMOrcDisposeLLJIT)(self.jit)) };
    }
}

/// Keeps what the session reports.
unsafe extern "C" fn on_report(argument: *mut c_void, error: *mut Error) {
    // SAFETY: the argument is the one that was given with this reporter, and lives as long as the session; the error is
    // the reporter's to free.
    let (reports, result) = unsafe {
        let reports = &*argument.cast::<Reports>();
        (reports, reports.functions.result(error))
    };
    if let Err(message) = result {
        reports.messages.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(message);
    }
}
