//! The PISA language: what its text means and which texts are allowed.

pub mod isa;
