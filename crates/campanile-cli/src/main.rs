//! The `pisa` command.

// The subcommands that use these values are not written yet.
#![allow(dead_code, unused_imports)]

mod arrays;

fn main() {}
