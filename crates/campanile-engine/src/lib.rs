//! Executes PISA modules.

pub mod float;
