//! What the fuzz targets share: texts and their modules, edits of texts, launches, layouts,
//! translations.

#[path = "../../crates/campanile-llvm/tests/agree/mod.rs"]
pub mod agree;
mod edit;
mod launch;
mod layout;
mod text;
mod translation;
mod words;

pub use edit::{edit, mutate};
pub use launch::{launch_any, launch_sample};
pub use layout::check_layout;
pub use text::{Reading, check_printed, formatted, must_link, must_load, read, source};
pub use translation::translation;
pub use words::mutate_words;
