//! SPIR-V for the OpenCL environment: PISA modules translated to it, and modules of any producer checked.

pub mod built_in;
mod emit;
mod emitted;
pub mod environment;
mod feature;
mod options;

pub use built_in::AddressWidth;
pub use emit::emit;
pub use emitted::{Emitted, EmittedKernel, KernelArgument, LaunchShape};
pub use feature::Feature;
pub use options::{DeviceCapabilities, Options, SubgroupSizeRequest, Target};

/// A module as text, as the SPIR-V tools read it; a module that cannot be read gives the reason.
pub fn disassemble(words: &[u32]) -> String {
    use rspirv::binary::Disassemble;
    match rspirv::dr::load_words(words) {
        Ok(module) => module.disassemble() + "\n",
        Err(error) => format!("; {error}\n"),
    }
}
