//! The module as translated and as built.

use campanile_core::diagnostic::Diagnostic;
use campanile_core::module::{Module, VariableId};
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

/// The translations of a module.
pub(super) struct Programs {
    /// For launches whose work-groups have all one size.
    regular: Translation,
    /// For launches of which some work-groups are smaller; none if that is the same.
    ragged: Option<Translation>,
    /// Whether regular launches are made in one dimension, whatever their shape. Devices need not make sub-groups of
    /// consecutive work-items otherwise, and it is asked for where lanes meet.
    pub is_linear: bool,
    /// Whether the module has variables: each program has its own.
    has_variables: bool,
}

impl Programs {
    /// Translates a module for a device.
    ///
    /// # Errors
    /// What the device does not have, or SPIR-V cannot express.
    pub fn new(module: &Module, device: &DeviceDescription) -> Result<Self, Vec<Diagnostic>> {
        let emit = |uniform_groups, linear| {
            let options = campanile_spirv::Options { uniform_groups, linear, ..device.options(module) };
            campanile_spirv::emit(module, &options)
        };
        let ragged = emit(false, false)?;
        let is_linear = ragged.kernels.iter().any(|kernel| kernel.meets_lanes);
        let regular = emit(true, is_linear)?;
        let translation = |emitted| Translation { emitted, built: None };
        let ragged = (ragged.words != regular.words).then(|| translation(ragged));
        let has_variables = module.variables.values().any(|one| resident_bytes(one).is_some());
        Ok(Programs { regular: translation(regular), ragged, is_linear, has_variables })
    }

    /// The program for launches of which some work-groups are smaller than others, or for those of which none are.
    ///
    /// # Errors
    /// When the device does not build it, or the other one holds the module's variables already.
    pub fn of_launch(
        &mut self,
        session: &Session,
        is_ragged: bool,
    ) -> Result<(&Emitted, &BuiltProgram), EngineError> {
        let Programs { regular, ragged, has_variables, .. } = self;
        let (chosen, other) = match (ragged, is_ragged) {
            (None, _) => (regular, None),
            (Some(ragged), true) => (ragged, Some(regular)),
            (Some(ragged), false) => (regular, Some(ragged)),
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

    /// The program that holds the module's variables, which all programs expose in one order.
    ///
    /// # Errors
    /// When the device does not build it.
    pub fn of_variables(&mut self, session: &Session) -> Result<(&Emitted, &BuiltProgram), EngineError> {
        match &mut self.ragged {
            Some(ragged) if ragged.built.is_some() => ragged.build(session),
            _ => self.regular.build(session),
        }
    }

    /// The variables that the host can reach, in the order in which programs tell their addresses.
    pub fn variables(&self) -> &[VariableId] {
        &self.regular.emitted.variables
    }
}

impl Translation {
    fn build(&mut self, session: &Session) -> Result<(&Emitted, &BuiltProgram), EngineError> {
        let Translation { emitted, built } = self;
        let program = match built.take() {
            Some(program) => program,
            None => BuiltProgram::new(session, &emitted.words)?,
        };
        Ok((emitted, built.insert(program)))
    }
}
