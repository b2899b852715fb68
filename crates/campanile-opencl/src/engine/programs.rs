//! The module as translated and as built.

use campanile_core::diagnostic::Diagnostic;
use campanile_core::module::Module;
use campanile_engine::{EngineError, resident_bytes};
use campanile_spirv::Emitted;

use crate::description::DeviceDescription;
use crate::program::BuiltProgram;
use crate::session::Session;

/// A translation of the module, which is built when it is first needed.
struct Translation {
    emitted: Emitted,
    built: Option<BuiltProgram>,
}

/// The translations of a module: for launches whose work-groups have all one size, and for others. Not all devices know the size
/// that was asked for of a work-group at the edge; without such work-groups nobody has to ask.
pub(super) struct Programs {
    uniform: Translation,
    /// None if it is the same.
    ragged: Option<Translation>,
    /// Whether the module has variables: each program has its own.
    has_variables: bool,
}

impl Programs {
    /// Translates a module for a device.
    ///
    /// # Errors
    /// What the device does not have, or SPIR-V cannot express.
    pub fn new(module: &Module, device: &DeviceDescription) -> Result<Self, Vec<Diagnostic>> {
        let emit = |uniform_groups| {
            let options = campanile_spirv::Options { uniform_groups, ..device.options(module) };
            campanile_spirv::emit(module, &options)
        };
        let (uniform, ragged) = (emit(true)?, emit(false)?);
        let translation = |emitted| Translation { emitted, built: None };
        let ragged = (ragged.words != uniform.words).then(|| translation(ragged));
        let has_variables = module.variables.values().any(|one| resident_bytes(one).is_some());
        Ok(Programs { uniform: translation(uniform), ragged, has_variables })
    }

    /// The program for launches of which some work-groups are smaller than others, or for those of which none are.
    ///
    /// # Errors
    /// When the device does not build it, or the other one holds the module's variables already.
    pub fn of_launch(&mut self, session: &Session, is_ragged: bool) -> Result<&BuiltProgram, EngineError> {
        let Programs { uniform, ragged, has_variables } = self;
        let (chosen, other) = match (ragged, is_ragged) {
            (None, _) => (uniform, None),
            (Some(ragged), true) => (ragged, Some(uniform)),
            (Some(ragged), false) => (uniform, Some(ragged)),
        };
        if *has_variables && other.is_some_and(|other| other.built.is_some()) {
            return Err(EngineError::Unsupported(format!(
                "device `{}` cannot run launches with work-groups of one size and of several by turns, as the module has \
                 variables",
                session.device.name
            )));
        }
        chosen.build(session)
    }

    /// The program that holds the module's variables.
    ///
    /// # Errors
    /// When the device does not build it.
    pub fn of_variables(&mut self, session: &Session) -> Result<&BuiltProgram, EngineError> {
        match &mut self.ragged {
            Some(ragged) if ragged.built.is_some() => ragged.build(session),
            _ => self.uniform.build(session),
        }
    }

    /// What both programs take and offer.
    pub fn emitted(&self) -> &Emitted {
        &self.uniform.emitted
    }
}

impl Translation {
    fn build(&mut self, session: &Session) -> Result<&BuiltProgram, EngineError> {
        let Translation { emitted, built } = self;
        let program = match built.take() {
            Some(program) => program,
            None => BuiltProgram::new(session, &emitted.words)?,
        };
        Ok(built.insert(program))
    }
}
