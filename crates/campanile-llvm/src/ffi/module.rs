//! A module of IR with the context it lives in.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;

use super::functions::{Context, DiagnosticInfo, Functions, Module, RETURN_STATUS, SEVERITY_ERROR, copied};
use super::text::Buffer;

/// The errors that a context has reported, in the words of LLVM.
struct Diagnostics {
    functions: &'static Functions,
    errors: Mutex<Vec<String>>,
}

/// A module that is alone in its context.
pub struct RawModule {
    pub(super) functions: &'static Functions,
    context: *mut Context,
    /// Null only until the text is parsed.
    pub(super) module: *mut Module,
    /// At a fixed place, as the context points to it.
    diagnostics: Box<Diagnostics>,
}

// SAFETY: a context and what is in it belong to no thread, and nothing else refers to them; the owner moves as a whole.
unsafe impl Send for RawModule {}

impl RawModule {
    /// The name that LLVM's messages give the text.
    pub const NAME: &'static str = "ir";

    /// Reads a module.
    ///
    /// # Errors
    ///
    /// LLVM's message, beginning with `ir:LINE:COLUMN: error: ` where it concerns a place.
    pub fn parse(functions: &'static Functions, text: &str) -> Result<Self, String> {
        let mut module = Self::empty(functions);
        let text = Buffer::copy(functions, text.as_bytes(), c"ir").into_raw();
        let mut message = ptr::null_mut();
        // SAFETY: the context is ours, the buffer is given away, both places live; a message is only set on failure.
        let failed = unsafe {
            (functions.LLVMParseIRInContext)(module.context, text, &mut module.module, &mut message)
        };
        if failed != 0 {
            // SAFETY: the message came from the call above.
            return Err(unsafe { functions.message(message) });
        }
        module.errors().map(|()| module)
    }

    /// A context without a module yet.
    fn empty(functions: &'static Functions) -> Self {
        let diagnostics = Box::new(Diagnostics { functions, errors: Mutex::new(Vec::new()) });
        // SAFETY: the handler's argument is at a fixed place and outlives the context (see `drop`).
        let context = unsafe {
            let context = (functions.LLVMContextCreate)();
            let argument = ptr::from_ref(&*diagnostics).cast_mut().cast();
            (functions.LLVMContextSetDiagnosticHandler)(context, Some(on_diagnostic), argument);
            context
        };
        Self { functions, context, module: ptr::null_mut(), diagnostics }
    }

    /// Checks that the module is well formed.
    ///
    /// # Errors
    ///
    /// What is not, a line each.
    pub fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: the module is ours and the place lives; the message is set in either case.
        unsafe {
            let broken = (self.functions.LLVMVerifyModule)(self.module, RETURN_STATUS, &mut message);
            let message = self.functions.message(message);
            if broken == 0 { Ok(()) } else { Err(message) }
        }
    }

    /// The triple that the module names; empty if it names none.
    pub fn triple(&self) -> String {
        // SAFETY: the module is ours, and its triple is copied at once.
        unsafe { copied((self.functions.LLVMGetTarget)(self.module)) }
    }

    /// The module as text.
    pub fn text(&self) -> String {
        // SAFETY: the module is ours, and printing it returns a message.
        unsafe { self.functions.message((self.functions.LLVMPrintModuleToString)(self.module)) }
    }

    /// The errors reported since this was asked last.
    pub fn errors(&self) -> Result<(), String> {
        let mut errors = self.diagnostics.errors.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let errors = std::mem::take(&mut *errors);
        if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
    }
}

impl Drop for RawModule {
    fn drop(&mut self) {
        // SAFETY: both are ours and not used again; the diagnostics are dropped after this.
        unsafe {
            if !self.module.is_null() {
                (self.functions.LLVMDisposeModule)(self.module);
            }
            (self.functions.LLVMContextDispose)(self.context);
        }
    }
}

/// Keeps errors. What is none (remarks, warnings) concerns the code generator's own text, and nobody reads it.
unsafe extern "C" fn on_diagnostic(info: *mut DiagnosticInfo, argument: *mut c_void) {
    // SAFETY: the argument is the one that was given with this handler, and lives as long as the context.
    let diagnostics = unsafe { &*argument.cast::<Diagnostics>() };
    let functions = diagnostics.functions;
    // SAFETY: LLVM passes a diagnostic that lives during the call; its description is a message.
    unsafe {
        if (functions.LLVMGetDiagInfoSeverity)(info) == SEVERITY_ERROR {
            let text = functions.message((functions.LLVMGetDiagInfoDescription)(info));
            diagnostics.errors.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(text);
        }
    }
}
