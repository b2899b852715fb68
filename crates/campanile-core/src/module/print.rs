//! Canonical text of a module.
