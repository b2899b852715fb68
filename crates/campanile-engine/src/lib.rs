//! Executes PISA modules.

pub mod float;
pub mod meaning;
