//! The instruction set.

mod types;

pub use types::*;
