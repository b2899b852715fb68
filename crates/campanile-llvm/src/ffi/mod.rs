//! The border to LLVM's C interface. All that is unsafe is in this folder; what it hands out is safe to use.
//!
//! An owner of something in LLVM is a struct that frees it when dropped. Owners keep to LLVM's rule for threads: a
//! context with all that is in it is used by one thread at a time, and contexts know nothing of each other.

pub mod entry;
pub mod fatal;
pub mod functions;
pub mod library;
pub mod machine;
pub mod module;
pub mod object;
pub mod session;
pub mod text;
