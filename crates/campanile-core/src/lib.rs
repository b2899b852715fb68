//! The PISA language: what its text means and which texts are allowed.
//!
//! The modules stand in the order of the data flow, and none reaches forward: [`source`] and [`diagnostic`] carry
//! text and findings, [`isa`] is the instruction set as data, [`syntax`] reads text into a tree, [`module`] is the
//! resolved program, [`verify`] turns the tree into a module, [`link`] joins modules, [`format`] prints a tree.

pub mod diagnostic;
pub mod isa;
pub mod module;
pub mod source;
