//! The LLVM that tests use. Continuous integration has one; elsewhere a test without one says so and passes.

use campanile_llvm::Llvm;

/// The LLVM, or nothing where it may be missing.
pub fn llvm() -> Option<&'static Llvm> {
    match Llvm::load() {
        Ok(llvm) => Some(llvm),
        Err(error) if std::env::var_os("CI").is_some_and(|value| value == "true") => panic!("{error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}
