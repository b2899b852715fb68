//! Crashes of compiled kernels: the signal becomes a message with the kernel's name, and the program ends with status 1.
//!
//! Only signals of a thread that is in compiled code are taken; all others go to whoever handled them before. A program has
//! to ask for it, as handlers are the process's. On systems without such signals nothing is done.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ptr;

use campanile_core::module::{FunctionId, Module};

thread_local! {
    /// The kernel that this thread runs. Handlers read it, so it has nothing to be made or dropped.
    static CURRENT: Cell<*const Kernel> = const { Cell::new(ptr::null()) };
}

/// A kernel as messages of its crashes name it.
pub(super) struct Kernel {
    /// Its name, and where it stands.
    described: String,
}

impl Kernel {
    /// A kernel of a module.
    pub fn of(module: &Module, kernel: FunctionId) -> Self {
        let function = &module.functions[kernel];
        let source = &module.sources[function.place.source];
        let (line, _) = source.position(function.place.span.start);
        Kernel { described: format!("`@{}` ({}:{line})", function.name, source.name()) }
    }

    /// Runs some work in which this thread is in compiled code.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = CURRENT.replace(self);
        let result = work();
        CURRENT.set(before);
        result
    }
}

#[cfg(unix)]
pub(super) use signals::report;

/// From now on crashes of compiled kernels are reported.
#[cfg(not(unix))]
pub(super) fn report() {}

#[cfg(unix)]
mod signals {
    use std::ffi::c_void;
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::CURRENT;

    /// The signals of crashes, with what the kernel has done.
    const SIGNALS: [(i32, &str); 4] = [
        (libc::SIGSEGV, "accessed memory where there is none, or nested its calls too deep"),
        (libc::SIGBUS, "accessed memory that cannot be reached"),
        (libc::SIGFPE, "made an arithmetic operation that the processor refuses"),
        (libc::SIGILL, "has instructions that this processor does not have"),
    ];

    const ADVICE: &str =
        "\n |\n = help: `--check none,bounds` finds accesses out of bounds, `--engine checked` every fault\n";

    /// What was done before about each of the signals.
    static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

    /// Whether a crash is being reported.
    static REPORTED: AtomicBool = AtomicBool::new(false);

    /// From now on crashes of compiled kernels are reported.
    pub fn report() {
        BEFORE.get_or_init(|| SIGNALS.map(|(signal, _)| install(signal)));
    }

    fn install(signal: i32) -> libc::sigaction {
        // SAFETY: zeros are an action that takes the default.
        let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        let mut before = action;
        action.sa_sigaction = handle as *const () as usize;
        // The stack may be full; Rust gives its threads another one for that.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: both actions are whole, and the handler does only what is allowed there.
        unsafe { libc::sigaction(signal, &raw const action, &raw mut before) };
        before
    }

    extern "C" fn handle(signal: i32, _: *mut libc::siginfo_t, _: *mut c_void) {
        let index = SIGNALS.iter().position(|(known, _)| *known == signal).unwrap_or(0);
        // SAFETY: a kernel that is current lives until it is not.
        let Some(kernel) = (unsafe { CURRENT.get().as_ref() }) else { return restore(signal, index) };
        // Of several threads that crash the first one tells, and ends them all.
        while REPORTED.swap(true, Ordering::Relaxed) {
            // SAFETY: waiting for a signal is allowed in handlers.
            unsafe { libc::pause() };
        }
        for part in ["error: kernel ", &kernel.described, " ", SIGNALS[index].1, ADVICE] {
            // SAFETY: these are bytes of a text; writing is allowed in handlers.
            unsafe { libc::write(libc::STDERR_FILENO, part.as_ptr().cast(), part.len()) };
        }
        // SAFETY: ending the process so is allowed in handlers.
        unsafe { libc::_exit(1) }
    }

    /// Lets the instruction happen again, for whoever handled the signal before.
    fn restore(signal: i32, index: usize) {
        if let Some(before) = BEFORE.get() {
            // SAFETY: that action was in force before.
            unsafe { libc::sigaction(signal, &raw const before[index], ptr::null_mut()) };
        }
    }
}
