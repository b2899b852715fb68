//! Faults of the form of a file, before anything in it has a meaning.

use std::ops::Range;

/// Why a file is no TOML, or not of the form that its schema asks for. `Display` names the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct FormFault(#[from] toml::de::Error);

impl FormFault {
    /// Its stable code: `unknown_field`, `schema_version` or `form`.
    pub fn code(&self) -> &'static str {
        match self.0.message() {
            message if message.starts_with("unknown field") => "unknown_field",
            message if message.contains("campanile.") => "schema_version",
            _ => "form",
        }
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        self.0.message()
    }

    /// The bytes of the file that are at fault, if they are known.
    pub fn bytes(&self) -> Option<Range<usize>> {
        self.0.span()
    }
}

/// Reads TOML.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, FormFault> {
    Ok(toml::from_str(text)?)
}
