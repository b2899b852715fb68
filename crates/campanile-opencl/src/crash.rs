//! Crashes of runtimes: the signal becomes a message that says whose code it was, and the program ends.
//!
//! A runtime runs in this process, on threads of its own too, so every signal is taken while it works; others go to whoever
//! handled them before. A program has to ask for it, as handlers are the process's. On systems without such signals nothing is
//! done.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// What a runtime does for this library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It builds a module.
    Build,
    /// It runs a kernel.
    Run,
}

/// How many threads wait for a runtime in each phase.
static WAITING: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// Name of the device whose runtime works, as it was reported last. It is never freed, as handlers read it at any time.
static DEVICE: AtomicPtr<String> = AtomicPtr::new(std::ptr::null_mut());

/// Does some work in which a runtime's code runs.
pub(crate) fn during<T>(phase: Phase, work: impl FnOnce() -> T) -> T {
    WAITING[phase as usize].fetch_add(1, Ordering::Relaxed);
    let result = work();
    WAITING[phase as usize].fetch_sub(1, Ordering::Relaxed);
    result
}

/// From now on crashes in this device's runtime are reported.
pub(crate) fn report(device: &str) {
    // SAFETY: names are never freed.
    let known = unsafe { DEVICE.load(Ordering::Acquire).as_ref() };
    if known.is_none_or(|known| known != device) {
        DEVICE.store(Box::leak(Box::new(device.to_owned())), Ordering::Release);
    }
    #[cfg(unix)]
    signals::install();
}

#[cfg(unix)]
mod signals {
    use std::ffi::c_void;
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::Ordering;

    use super::{DEVICE, Phase, WAITING};

    const SIGNALS: [i32; 5] = [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

    const BUILD: &str = "built the module\n |\n = help: this is a fault of the runtime; `--engine jit` and `--engine checked` \
                         need none\n";
    const RUN: &str =
        "ran a kernel\n |\n = help: `--engine checked` finds out whether the kernel is at fault\n";

    /// What was done before about each of the signals.
    static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

    /// Takes the signals, once.
    pub fn install() {
        BEFORE.get_or_init(|| SIGNALS.map(take));
    }

    fn take(signal: i32) -> libc::sigaction {
        // SAFETY: zeros are an action that takes the default.
        let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        let mut before = action;
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: both actions are whole, and the handler does only what is allowed there.
        unsafe { libc::sigaction(signal, &raw const action, &raw mut before) };
        before
    }

    extern "C" fn handle(signal: i32, _: *mut libc::siginfo_t, _: *mut c_void) {
        let waits = |phase: Phase| WAITING[phase as usize].load(Ordering::Relaxed) > 0;
        let (what, status) = match (waits(Phase::Build), waits(Phase::Run)) {
            (true, _) => (BUILD, 2),
            (false, true) => (RUN, 1),
            (false, false) => return restore(signal),
        };
        // SAFETY: names are never freed.
        let device = unsafe { DEVICE.load(Ordering::Acquire).as_ref() }.map_or("", String::as_str);
        for part in ["error: the runtime of OpenCL device `", device, "` crashed while it ", what] {
            // SAFETY: these are bytes of a text; writing is allowed in handlers.
            unsafe { libc::write(libc::STDERR_FILENO, part.as_ptr().cast(), part.len()) };
        }
        // SAFETY: ending the process so is allowed in handlers.
        unsafe { libc::_exit(status) }
    }

    /// Lets the signal come again, for whoever handled it before.
    fn restore(signal: i32) {
        let index = SIGNALS.iter().position(|known| *known == signal).unwrap_or(0);
        if let Some(before) = BEFORE.get() {
            // SAFETY: that action was in force before; `raise` may be called in handlers.
            unsafe {
                libc::sigaction(signal, &raw const before[index], ptr::null_mut());
                libc::raise(signal);
            }
        }
    }
}
