//! SPIR-V built for a device, and its kernels.

use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, ClError};
use opencl3::kernel::Kernel;
use opencl3::program::Program;

use crate::crash::{self, Phase};
use crate::error::{Asked, BuildError, CallError};
use crate::session::Session;

/// A program built for a device.
pub(crate) struct BuiltProgram {
    program: Program,
}

impl BuiltProgram {
    /// Builds a module.
    ///
    /// # Errors
    /// When the device does not take it; its log says why.
    pub fn new(session: &Session, words: &[u32]) -> Result<Self, BuildError> {
        let (context, device) = (&session.context, &session.device);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        // Version 2.1 has what was an extension before.
        let program = crash::during(Phase::Build, || match device.version >= (2, 1) {
            true => Program::create_from_il(context, &bytes),
            false => Program::create_from_il_khr(context, &bytes),
        });
        let mut program = program.asked_to("read the module")?;
        // Operations are as exact as the device has them.
        let options = if device.rounded_division { "-cl-fp32-correctly-rounded-divide-sqrt" } else { "" };
        match crash::during(Phase::Build, || program.build(&[device.device.id()], options)) {
            Ok(()) => {}
            Err(ClError(CL_BUILD_PROGRAM_FAILURE)) => {
                let log = program.get_build_log(device.device.id()).unwrap_or_default();
                return Err(BuildError::Refused { device: device.name.clone(), log: log.trim().to_owned() });
            }
            Err(error) => return Err(CallError::new("build the module", error).into()),
        }
        Ok(BuiltProgram { program })
    }

    /// A kernel of it, to which nothing has been passed yet.
    ///
    /// # Errors
    /// When it has none of this name.
    pub fn kernel(&self, name: &str) -> Result<Kernel, CallError> {
        Kernel::create(&self.program, name).asked_to("find the kernel")
    }
}
