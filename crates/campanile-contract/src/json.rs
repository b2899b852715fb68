//! The saved form of a layout.

use schemars::Schema;

use crate::layout::KernelLayout;
use crate::validate::{InvariantFault, validate};

/// Why a saved layout cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadFault {
    /// It is no JSON, has unknown or missing fields, or another version.
    #[error("this is no saved layout: {0}")]
    Form(#[from] serde_json::Error),
    /// It contradicts itself.
    #[error("this layout contradicts itself: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invariants(Vec<InvariantFault>),
}

impl KernelLayout {
    /// The saved form: JSON with sorted keys and a newline at the end.
    ///
    /// # Errors
    /// When serialization fails, which plain data does not.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let value = serde_json::to_value(self)?;
        Ok(serde_json::to_string_pretty(&value)? + "\n")
    }

    /// Reads a saved layout and checks every invariant.
    ///
    /// # Errors
    /// When the text is no layout, or the layout breaks an invariant.
    pub fn from_json(text: &str) -> Result<KernelLayout, LoadFault> {
        let layout: KernelLayout = serde_json::from_str(text)?;
        validate(&layout).map_err(LoadFault::Invariants)?;
        Ok(layout)
    }
}

/// The JSON schema of the saved form.
pub fn schema() -> Schema {
    schemars::schema_for!(KernelLayout)
}
