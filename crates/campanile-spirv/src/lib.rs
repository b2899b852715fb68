//! SPIR-V for the OpenCL environment.
