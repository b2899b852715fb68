//! Several modules into one.
//!
//! Imports are joined with the exports of their name (spec 2.5.2, 4.3.1), names that only one module sees are made
//! different, and the result is a module like any other. The passes, in order: `versions`, `symbols` with
//! `signatures`, `merge`. All that is wrong is reported in one run.

mod merge;
mod signatures;
mod symbols;
mod versions;

use crate::diagnostic::Sink;
use crate::module::Module;

/// What to link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Keep imports that no module exports, as the result is to be linked again. Without, they are errors.
    pub library: bool,
}

/// Links modules, or reports to `sink` why they do not fit together. No modules give no module.
///
/// Symbols keep their order: those of the first module come first. Places in the result point to the texts of the
/// modules.
pub fn link(modules: Vec<Module>, options: Options, sink: &mut Sink) -> Option<Module> {
    let errors = sink.errors();
    versions::check(&modules, sink);
    let resolved = symbols::resolve(&modules, options, sink);
    symbols::check_host_names(&modules, sink);
    if sink.errors() > errors { None } else { merge::merge(modules, &resolved) }
}
