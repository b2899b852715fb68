//! Exact floating-point arithmetic on bit patterns.
