//! The invariants of a layout: what a layout alone can contradict. Every fault is reported, not only the first.
//!
//! What needs a module (that `written` can be proven again, the order of calls) or the recorded launches (`noalias` of
//! different arguments) is for those who have them.

mod arguments;
mod dimensions;
mod extents;
mod facts;
mod fault;
mod slots;

pub use fault::{Invariant, InvariantFault, Subject};

pub(crate) use extents::{ReadsWritten, reads_written};

use crate::layout::KernelLayout;

/// Checks a layout.
///
/// # Errors
/// Every invariant that it breaks, with the entry that does.
pub fn validate(layout: &KernelLayout) -> Result<(), Vec<InvariantFault>> {
    let mut faults = fault::Faults::default();
    arguments::role(layout, &mut faults);
    arguments::index(layout, &mut faults);
    arguments::triple(layout, &mut faults);
    dimensions::dimension(layout, &mut faults);
    extents::extent_param(layout, &mut faults);
    extents::extent_host(layout, &mut faults);
    extents::extent_reads_written(layout, &mut faults);
    slots::slot(layout, &mut faults);
    slots::element_size(layout, &mut faults);
    slots::packed(layout, &mut faults);
    slots::placement(layout, &mut faults);
    facts::call_order(layout, &mut faults);
    facts::lanes(layout, &mut faults);
    facts::written(layout, &mut faults);
    facts::noalias(layout, &mut faults);
    faults.finish()
}
