//! The PISA language: what its text means and which texts are allowed.
//!
//! The modules stand in the order of the data flow, and none reaches forward: [`source`] and [`diagnostic`] carry
//! text and findings, [`isa`] is the instruction set as data, [`syntax`] reads text into a tree, [`mod@format`] lays a
//! text out again, [`module`] is the resolved program, [`verify`] turns the tree into a module, [`link`] makes one
//! of several, [`analysis`] finds what a program may do.

use std::sync::Arc;

pub mod analysis;
pub mod diagnostic;
pub mod format;
pub mod isa;
pub mod link;
pub mod module;
pub mod source;
pub mod syntax;
pub mod verify;

/// Reads and verifies a text. Faults go to `sink`; with any error there is no module.
pub fn load(source: &Arc<source::SourceFile>, sink: &mut diagnostic::Sink) -> Option<module::Module> {
    let tree = syntax::parse(source, sink);
    verify::verify(source, tree, verify::Options::default(), sink)
}
