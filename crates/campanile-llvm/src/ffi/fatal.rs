//! A way out of errors that LLVM calls fatal: where LLVM would end the process, only the work at hand ends.
//!
//! LLVM reports such an error to a handler that must not return. So the work is done on a thread of its own, and the
//! handler tells the waiting caller what happened and then sleeps for ever. What the work held is lost with its thread.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::c_char;
use std::sync::mpsc;
use std::thread;

use super::functions::{Functions, copied};

/// The stack of such a thread, in bytes: LLVM recurses over what is nested in a module.
const STACK: usize = 64 << 20;

/// Tells the caller why the work will not end.
type Report = Box<dyn Fn(String)>;

thread_local! {
    /// How to report an error of the work that this thread does.
    static REPORT: RefCell<Option<Report>> = const { RefCell::new(None) };
}

/// Does work that calls LLVM.
///
/// # Errors
///
/// LLVM's message if the work met a fatal error.
///
/// # Panics
///
/// If the work does.
pub fn guarded<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let (sender, receiver) = mpsc::channel();
    let builder = thread::Builder::new().name("llvm".to_owned()).stack_size(STACK);
    let spawned = builder.spawn(move || {
        let fatal = sender.clone();
        let report: Report = Box::new(move |message| drop(fatal.send(Err(message))));
        REPORT.set(Some(report));
        // A caller that has gone no longer wants the result.
        let _ = sender.send(Ok(work()));
    });
    let thread = spawned.map_err(|error| format!("no thread for LLVM: {error}"))?;
    match receiver.recv() {
        Ok(Err(message)) => Err(message),
        result => {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
            result.unwrap_or_else(|_| Err("the thread for LLVM ended without a result".to_owned()))
        }
    }
}

/// Makes LLVM report fatal errors here.
pub fn install(functions: &Functions) {
    // SAFETY: the library was loaded just now, so it has no handler yet; the handler never returns to where LLVM
    // would go on with what is broken, save to end the process.
    unsafe { (functions.LLVMInstallFatalErrorHandler)(Some(on_fatal_error)) };
}

/// Ends the work of this thread, or, if no caller waits for it, lets LLVM end the process.
unsafe extern "C" fn on_fatal_error(reason: *const c_char) {
    // SAFETY: LLVM passes text that lives during the call.
    let reason = unsafe { copied(reason) };
    let waiting = REPORT.with_borrow(|report| report.as_ref().map(|report| report(reason.clone())));
    if waiting.is_none() {
        eprintln!("LLVM: {reason}");
        return;
    }
    loop {
        thread::park();
    }
}
