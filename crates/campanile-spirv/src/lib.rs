//! SPIR-V for the OpenCL environment.

pub mod built_in;
