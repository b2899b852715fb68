//! Whether there is an OpenCL device to test with.

use campanile::opencl::OpenClEngine;

/// Whether there is a device, which says why not if there is none.
///
/// # Panics
/// When there is none in CI, which has one.
pub fn available() -> bool {
    match OpenClEngine::available() {
        Ok(()) => true,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{error}");
            eprintln!("skipped: {error}");
            false
        }
    }
}
